package wire

import (
	"strconv"

	"toolproof/schema"
)

// Tool is an entry in one of the lists of tools that a request to Responses has.
type Tool struct {
	*schema.Node

	// Place is the path to the tool in the body, such as tools[2] or tools[2].tools[0].
	Place string
	// Namespace is the name of the namespace around the tool, or "".
	Namespace string
	// List says which list has the tool: TopLevel, or the type of the item around the list.
	List string
}

// TopLevel is the List of a tool in the body's own list.
const TopLevel = ""

// ResponsesTools returns all tools of a request to Responses, in the order of the body. The
// tools of a namespace follow it, and tools that items of the input add come last. Tools that a
// tool search found are left out, because they are not declarations.
func ResponsesTools(body *schema.Node) []Tool {
	tools := appendTools(nil, body.Get("tools"), "", Tool{})
	if input := body.Get("input"); input != nil {
		for i, item := range input.Elements {
			if item.Get("type").Is("additional_tools") {
				tools = appendTools(tools, item.Get("tools"), "input["+strconv.Itoa(i)+"].", Tool{List: "additional_tools"})
			}
		}
	}
	return tools
}

// appendTools adds the tools of a list whose path is prefix. All of them get the Namespace and
// the List of holder.
func appendTools(tools []Tool, entries *schema.Node, prefix string, holder Tool) []Tool {
	for i, node := range List(entries) {
		tool := holder
		tool.Node, tool.Place = node, prefix+"tools["+strconv.Itoa(i)+"]"
		tools = append(tools, tool)
		if holder.Namespace == "" && node.Get("type").Is("namespace") { // a namespace contains no other one
			inside := Tool{Namespace: node.GetString("name"), List: "namespace"}
			tools = appendTools(tools, node.Get("tools"), tool.Place+".", inside)
		}
	}
	return tools
}

// placeAt returns the path of a tool, or "" if it follows from the index of the tool.
func (t Tool) placeAt(number int) string {
	if t.Place == "tools["+strconv.Itoa(number)+"]" {
		return ""
	}
	return t.Place
}
