package schema

import (
	"fmt"
	"slices"
)

// Tool is what a model knows of a function: its name, its description, and a JSON Schema of its
// arguments. Further holds what an MCP server publishes beyond that, and Members what a client tells a
// provider.
type Tool struct {
	Name string
	// Description is a string in a valid tool, and nil if absent. It is a node because real
	// tools have other values here, which a normalizer has to repair.
	Description *Node
	// Parameters is nil if the tool declares none.
	Parameters *Node
	// Further is an object of the FurtherMembers that a server publishes, in document order, or
	// nil if there are none. Providers are not sent them.
	Further *Node
	// Members is an object of the ProviderMembers that the declaration has, in document order, or nil
	// if there are none. A surface is sent those that it reads.
	Members *Node
}

// NewTool returns a tool with parameters in JSON. An empty description, and empty parameters, are absent.
// If the parameters are not JSON, the error names the tool, the line and the column.
func NewTool(name, description, parameters string) (Tool, error) {
	tool := Tool{Name: name}
	if description != "" {
		tool.Description = NewString(description)
	}
	if parameters == "" {
		return tool, nil
	}
	var err error
	if tool.Parameters, err = Parse([]byte(parameters)); err != nil {
		return Tool{}, fmt.Errorf("the parameters of %q: %w", name, err)
	}
	return tool, nil
}

// FurtherMembers are the members that an MCP tool has besides its name, description and input
// schema.
var FurtherMembers = []string{"title", "icons", "outputSchema", "annotations", "execution", "_meta"}

// ProviderMembers are the members beside name, description and schema with which a client tells a
// provider how to treat a tool: those of Anthropic's tools, of functions of OpenAI's Responses, which
// share two of them, and of Google's function declarations.
var ProviderMembers = []string{
	"cache_control", "defer_loading", "allowed_callers", "input_examples", "eager_input_streaming",
	"output_schema", "async",
	"behavior", "response", "responseJsonSchema", "response_json_schema",
}

// ToolOf reads a tool from an object such as Whole returns. It ignores all other members.
func ToolOf(node *Node) Tool {
	return Tool{
		Name: node.GetString("name"), Description: node.Get("description"), Parameters: node.Get("parameters"),
		Further: FurtherOf(node), Members: MembersOf(node),
	}
}

// MembersOf returns an object of the ProviderMembers that node has, in document order, or nil if
// it has none.
func MembersOf(node *Node) *Node { return among(node, ProviderMembers) }

// FurtherOf returns an object of the FurtherMembers that node has, in document order, or nil if
// it has none.
func FurtherOf(node *Node) *Node { return among(node, FurtherMembers) }

// among returns an object of the members of node with one of the names, or nil if there are none.
func among(node *Node, names []string) *Node {
	var members []Member
	if node != nil {
		for _, member := range node.Members {
			if slices.Contains(names, member.Key) {
				members = append(members, member)
			}
		}
	}
	if members == nil {
		return nil
	}
	return NewObject(members...)
}

// DescriptionText returns the description, or "" if there is none. It returns an error if the
// description is not a string.
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

// Node returns the tool as an object with the members name, description and parameters, without
// those that are absent.
func (t Tool) Node() *Node {
	const most = 4 // those below, and room for one that a surface adds
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

// Whole returns the tool as Node does, with Further and Members appended.
func (t Tool) Whole() *Node {
	node := t.Node()
	for _, others := range []*Node{t.Further, t.Members} {
		if others != nil {
			node.Members = append(node.Members, others.Members...)
		}
	}
	return node
}
