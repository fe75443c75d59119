// Package toopenai converts normalized tools to types of github.com/openai/openai-go/v3.
//
// A result for another target is an error that names both, and so is a schema that the types cannot hold,
// with its place. The client keeps the order of
// properties, and sorts only the members of the root.
package toopenai

import (
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"toolproof/normalizers"
	"toolproof/schema"
)

// Chat returns the tool for chat completions from a result for openai, openai-strict, gemini-openai,
// moonshot, ollama, llamacpp, vllm or portable. It sets strict only if the result is strict: an absent
// strict means false, and other servers of this API do not take the field.
func Chat(result normalizers.Result) (openai.ChatCompletionToolUnionParam, error) {
	if err := result.CheckTarget("openai", "openai-strict", "gemini-openai", "moonshot", "ollama", "llamacpp", "vllm", "portable"); err != nil {
		return openai.ChatCompletionToolUnionParam{}, err
	}
	description, parameters, err := partsOf(result.Tool)
	if err != nil {
		return openai.ChatCompletionToolUnionParam{}, err
	}
	function := shared.FunctionDefinitionParam{Name: result.Tool.Name, Description: description, Parameters: parameters}
	if param.IsNull(parameters) { // the client also recognizes null by its type
		function.Parameters = param.NullMap[shared.FunctionParameters]()
	}
	if result.Strict {
		function.Strict = openai.Bool(true)
	}
	return openai.ChatCompletionFunctionTool(function), nil
}

// Responses returns the tool for the Responses API from a result for openai, openai-strict,
// openai-responses or portable. It always sets strict, because an absent strict means true to the API.
func Responses(result normalizers.Result) (responses.ToolUnionParam, error) {
	if err := result.CheckTarget("openai", "openai-strict", "openai-responses", "portable"); err != nil {
		return responses.ToolUnionParam{}, err
	}
	description, parameters, err := partsOf(result.Tool)
	if err != nil {
		return responses.ToolUnionParam{}, err
	}
	return responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
		Name: result.Tool.Name, Description: description, Parameters: parameters, Strict: openai.Bool(result.Strict),
	}}, nil
}

func partsOf(tool schema.Tool) (description param.Opt[string], parameters map[string]any, err error) {
	if tool.Description != nil {
		text, err := tool.DescriptionText()
		if err != nil {
			return description, nil, fmt.Errorf("declaring %q: %w", tool.Name, err)
		}
		description = openai.String(text)
	}
	if tool.Parameters == nil {
		return description, nil, nil
	}
	if tool.Parameters.Kind == schema.Null { // to OpenAI, null means no parameters
		return description, param.NullMap[map[string]any](), nil
	}
	if tool.Parameters.Kind != schema.Object {
		return description, nil, fmt.Errorf("declaring %q: /parameters: the schema is an object, and this is %s", tool.Name, tool.Parameters)
	}
	parameters = make(map[string]any, len(tool.Parameters.Members))
	for _, member := range tool.Parameters.Members {
		parameters[member.Key] = json.RawMessage(member.Value.JSON())
	}
	return description, parameters, nil
}
