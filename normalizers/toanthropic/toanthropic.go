// Package toanthropic converts normalized tools to types of github.com/anthropics/anthropic-sdk-go.
//
// A result for another target is an error that names both, and so is a schema that the types cannot hold,
// with its place. The client keeps the order of
// properties, and changes only the order of the members of the root.
package toanthropic

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go"

	"toolproof/normalizers"
	"toolproof/schema"
)

// Tool returns the tool of a result for anthropic, anthropic-strict or portable. It sets strict if the
// result is strict.
func Tool(result normalizers.Result) (anthropic.ToolUnionParam, error) {
	if err := result.CheckTarget("anthropic", "anthropic-strict", "portable"); err != nil {
		return anthropic.ToolUnionParam{}, err
	}
	tool := result.Tool
	input, err := inputSchema(tool.Parameters)
	if err != nil {
		return anthropic.ToolUnionParam{}, fmt.Errorf("declaring %q: %w", tool.Name, err)
	}
	param := anthropic.ToolParam{Name: tool.Name, InputSchema: input}
	if tool.Description != nil {
		text, err := tool.DescriptionText()
		if err != nil {
			return anthropic.ToolUnionParam{}, fmt.Errorf("declaring %q: %w", tool.Name, err)
		}
		param.Description = anthropic.String(text)
	}
	if result.Strict {
		param.Strict = anthropic.Bool(true)
	}
	return anthropic.ToolUnionParam{OfTool: &param}, nil
}

func inputSchema(parameters *schema.Node) (input anthropic.ToolInputSchemaParam, err error) {
	if parameters == nil {
		return input, errors.New("/parameters: there is no input schema\nnormalize it for anthropic, which sees to it")
	}
	if !parameters.Get("type").Is("object") {
		return input, fmt.Errorf("/parameters: an input schema is of type object, and this is %s\nnormalize it for anthropic, which sees to it", parameters)
	}
	input.ExtraFields = map[string]any{}
	for _, member := range parameters.Members {
		switch member.Key {
		case "type": // the client writes it
		case "properties":
			input.Properties = json.RawMessage(member.Value.JSON())
		default:
			input.ExtraFields[member.Key] = json.RawMessage(member.Value.JSON())
		}
	}
	return input, nil
}
