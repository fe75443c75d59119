package wire

import (
	"strconv"

	"toolproof/schema"
)

// Tool is an entry of a list of tools of Responses.
type Tool struct {
	*schema.Node

	// Place is where the body has the tool, such as tools[2] or tools[2].tools[0].
	Place string
	// Namespace is the name of the namespace that the tool is in; "" for none.
	Namespace string
	// Given is the list that the tool is in, as the body has it: TopLevel, or the type of
	// what holds the list.
	Given string
}

// TopLevel is the Given of a tool in the list of the body.
const TopLevel = ""

// ResponsesTools returns all tools of a request of Responses in the order of the body. A
// namespace is an entry, and its tools follow it. Tools that items of the input add come
// last; those that a search of tools has found are no declarations, and left out.
func ResponsesTools(body *schema.Node) []Tool {
	tools := appendTools(nil, body.Get("tools"), "", Tool{})
	if input := body.Get("input"); input != nil {
		for i, item := range input.Elements {
			if item.Get("type").Is("additional_tools") {
				tools = appendTools(tools, item.Get("tools"), "input["+strconv.Itoa(i)+"].", Tool{Given: "additional_tools"})
			}
		}
	}
	return tools
}

// appendTools adds the tools of a list; prefix leads to the list, and holder is what all of
// them have in common.
func appendTools(tools []Tool, given *schema.Node, prefix string, holder Tool) []Tool {
	for i, node := range list(given) {
		tool := holder
		tool.Node, tool.Place = node, prefix+"tools["+strconv.Itoa(i)+"]"
		tools = append(tools, tool)
		if holder.Namespace == "" && node.Get("type").Is("namespace") { // which holds no other
			inside := Tool{Namespace: node.GetString("name"), Given: "namespace"}
			tools = appendTools(tools, node.Get("tools"), tool.Place+".", inside)
		}
	}
	return tools
}

// placeAt returns the place of a tool, or "" where it follows from the number of the tool
// among all.
func (t Tool) placeAt(number int) string {
	if t.Place == "tools["+strconv.Itoa(number)+"]" {
		return ""
	}
	return t.Place
}
