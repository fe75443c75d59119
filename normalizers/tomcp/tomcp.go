// Package tomcp converts tools of github.com/modelcontextprotocol/go-sdk to tools that can be
// normalized, and normalized tools back to tools that a server publishes.
package tomcp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/normalizers"
	"toolproof/schema"
)

// Tool returns the tool for Server.AddTool from a result for mcp or portable; a result for another target
// is an error. It has the schemas of
// the result byte for byte, and its title, icons, annotations and _meta. The SDK has no field for
// execution and for some members of icons and annotations: if the tool has such a member, the error
// names it.
func Tool(result normalizers.Result) (*mcp.Tool, error) {
	if err := result.CheckTarget("mcp", "portable"); err != nil {
		return nil, err
	}
	tool := result.Tool
	description, err := tool.DescriptionText()
	if err != nil {
		return nil, fmt.Errorf("declaring %q: %w", tool.Name, err)
	}
	if tool.Parameters == nil {
		return nil, fmt.Errorf("declaring %q: /parameters: there is no input schema\nnormalize it for mcp or portable, which give it one", tool.Name)
	}
	declared, err := withFurther(tool.Further)
	if err != nil {
		return nil, fmt.Errorf("declaring %q: %w", tool.Name, err)
	}
	declared.Name, declared.Description, declared.InputSchema = tool.Name, description, json.RawMessage(tool.Parameters.JSON())
	return declared, nil
}

// withFurther returns a tool with only the further members.
func withFurther(further *schema.Node) (*mcp.Tool, error) {
	declared := &mcp.Tool{}
	if further == nil {
		return declared, nil
	}
	if err := json.Unmarshal(further.JSON(), declared); err != nil {
		return nil, fmt.Errorf("%w\nnormalize it for mcp or portable, which mend its members", err)
	}
	if output := further.Get("outputSchema"); output != nil {
		declared.OutputSchema = json.RawMessage(output.JSON())
	}
	held, err := furtherOf(declared)
	if err != nil {
		return nil, err
	}
	if held == nil {
		held = schema.NewObject()
	}
	if at, isMissing := difference(further, held, ""); isMissing {
		return nil, fmt.Errorf("%s: the SDK has no place for it\nleave it out", at)
	}
	return declared, nil
}

// difference returns the first place where held lacks a value or has another one, and whether there
// is such a place.
func difference(value, held *schema.Node, at schema.Pointer) (schema.Pointer, bool) {
	if held == nil || value.Kind != held.Kind || len(value.Elements) != len(held.Elements) {
		return at, true
	}
	for _, member := range value.Members {
		if place, isFound := difference(member.Value, held.Get(member.Key), at.Child(member.Key)); isFound {
			return place, true
		}
	}
	for i, element := range value.Elements {
		if place, isFound := difference(element, held.Elements[i], at.Element(i)); isFound {
			return place, true
		}
	}
	isScalar := value.Kind != schema.Object && value.Kind != schema.Array
	return at, isScalar && !schema.Equal(value, held)
}

// FromTool returns a server's tool with all its members. An InputSchema or OutputSchema that is a
// json.RawMessage keeps the order of its members and its numbers; a client of the SDK has a
// map[string]any, whose members have no order and whose numbers are float64. A tool without an
// InputSchema has no Parameters. Annotations are as the SDK encodes them, with readOnlyHint and
// idempotentHint. The error names the tool if one of its schemas is not JSON.
func FromTool(tool *mcp.Tool) (schema.Tool, error) {
	if tool == nil {
		return schema.Tool{}, errors.New("reading a tool: it is null")
	}
	result := schema.Tool{Name: tool.Name}
	if tool.Description != "" {
		result.Description = schema.NewString(tool.Description)
	}
	var err error
	if tool.InputSchema != nil {
		if result.Parameters, err = read(tool.InputSchema); err != nil {
			return schema.Tool{}, fmt.Errorf("reading %q: /inputSchema: %w", tool.Name, err)
		}
	}
	if result.Further, err = furtherOf(tool); err != nil {
		return schema.Tool{}, fmt.Errorf("reading %q: %w", tool.Name, err)
	}
	return result, nil
}

// read returns a schema from a value that the SDK holds.
func read(held any) (*schema.Node, error) {
	text, isText := held.(json.RawMessage)
	if !isText {
		var err error
		if text, err = json.Marshal(held); err != nil {
			return nil, err //nolint:wrapcheck // the caller names the place
		}
	}
	return schema.Parse(text)
}

// furtherOf returns the members of a tool besides its name, description and input schema.
func furtherOf(tool *mcp.Tool) (*schema.Node, error) {
	text, err := json.Marshal(mcp.Tool{Meta: tool.Meta, Annotations: tool.Annotations, Title: tool.Title, Icons: tool.Icons})
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the tool
	}
	node, err := schema.Parse(text)
	if err != nil {
		return nil, err
	}
	if tool.OutputSchema != nil {
		output, err := read(tool.OutputSchema)
		if err != nil {
			return nil, fmt.Errorf("/outputSchema: %w", err)
		}
		node.Set("outputSchema", output)
	}
	return schema.FurtherOf(node), nil
}
