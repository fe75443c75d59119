package schema

import (
	"fmt"
	"slices"
)

// Tool is what a model knows of a function: its name, its description, and a JSON
// Schema of its arguments. A server of the Model Context Protocol publishes more.
type Tool struct {
	Name string
	// Description is a string in a proper tool. It is a node, because real
	// tools hold other things here that a normalizer has to repair. Nil when
	// absent.
	Description *Node
	// Parameters is nil when the tool declares none.
	Parameters *Node
	// Further is an object of the FurtherMembers that a server publishes with the tool, in
	// its order. Nil where there are none. No model gets them.
	Further *Node
}

// FurtherMembers are the members that a tool of the Model Context Protocol has besides its
// name, description and input schema.
var FurtherMembers = []string{"title", "icons", "outputSchema", "annotations", "execution", "_meta"}

// ToolOf reads a tool from an object as Whole makes it. Other members are left out.
func ToolOf(node *Node) Tool {
	return Tool{Name: node.GetString("name"), Description: node.Get("description"), Parameters: node.Get("parameters"), Further: FurtherOf(node)}
}

// FurtherOf returns an object of the FurtherMembers that an object has, in its order, or
// nil where it has none.
func FurtherOf(node *Node) *Node {
	var members []Member
	if node != nil {
		for _, member := range node.Members {
			if slices.Contains(FurtherMembers, member.Key) {
				members = append(members, member)
			}
		}
	}
	if members == nil {
		return nil
	}
	return NewObject(members...)
}

// DescriptionText returns the description of a proper tool, "" where there is none. It
// returns an error for what is no string.
func (t Tool) DescriptionText() (string, error) {
	switch {
	case t.Description == nil:
		return "", nil
	case t.Description.Kind != String:
		return "", fmt.Errorf("/description: a description is a string, and this is %s", t.Description)
	default:
		return t.Description.Text, nil
	}
}

// Node returns the tool as an object with the members name, description and
// parameters; absent ones are left out.
func (t Tool) Node() *Node {
	const most = 4 // with one that a surface adds
	node := &Node{Kind: Object, Members: make([]Member, 0, most)}
	node.Members = append(node.Members, Member{Key: "name", Value: NewString(t.Name)})
	if t.Description != nil {
		node.Members = append(node.Members, Member{Key: "description", Value: t.Description})
	}
	if t.Parameters != nil {
		node.Members = append(node.Members, Member{Key: "parameters", Value: t.Parameters})
	}
	return node
}

// Whole is Node with the members of Further behind the others.
func (t Tool) Whole() *Node {
	node := t.Node()
	if t.Further != nil {
		node.Members = append(node.Members, t.Further.Members...)
	}
	return node
}
