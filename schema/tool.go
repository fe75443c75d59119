package schema

import "fmt"

// Tool is what a model knows of a function: its name, its description, and a JSON
// Schema of its arguments.
type Tool struct {
	Name string
	// Description is a string in a proper tool. It is a node, because real
	// tools hold other things here that a normalizer has to repair. Nil when
	// absent.
	Description *Node
	// Parameters is nil when the tool declares none.
	Parameters *Node
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
