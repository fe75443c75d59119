package toopenai_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"toolproof/normalizers"
	"toolproof/normalizers/calls"
	"toolproof/normalizers/toopenai"
	"toolproof/schema"
)

func ExampleChat() {
	ctx := context.Background()
	parameters, err := schema.Parse([]byte(`{
		"type": "object",
		"properties": {"city": {"type": "string", "minLength": 1}, "days": {"type": "integer"}},
		"required": ["city"]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}

	// Normalize, and declare.
	results, err := normalizers.OpenAIStrict.NormalizeAll(ctx, schema.Tool{Name: "weather/forecast", Parameters: parameters})
	if err != nil {
		fmt.Println(err)
		return
	}
	params := openai.ChatCompletionNewParams{}
	for _, result := range results {
		tool, err := toopenai.Chat(result)
		if err != nil {
			fmt.Println(err)
			return
		}
		params.Tools = append(params.Tools, tool)
	}
	function := params.Tools[0].OfFunction.Function
	fmt.Printf("%s strict %t %s\n", function.Name, function.Strict.Value, function.Parameters["required"])

	// The model's calls come back, as Message.ToolCalls[i].Function has them.
	tools, err := calls.Of(ctx, results...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, arguments := range []string{`{"city": "Rome", "days": null}`, `{"city": "", "days": 3}`} {
		call, err := tools.Restore("weather_forecast", arguments)
		if invalid, ok := errors.AsType[*calls.ArgumentsError](err); ok {
			fmt.Println(invalid) // the content of a tool message, so that the model tries again
			continue
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(call.Tool.Name, call.Arguments)
	}
	// Output:
	// weather_forecast strict true ["city","days"]
	// weather/forecast {"city":"Rome"}
	// invalid arguments for weather/forecast:
	// /city: minLength: got 0, want 1
}

func ExampleResponses() {
	parameters, err := schema.Parse([]byte(`{"type": "object", "properties": {"tags": {"type": "object", "additionalProperties": {"type": "string"}}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	// A map cannot be said in strict mode, and the tool is sent as one that is not.
	result, err := normalizers.OpenAIStrict.Normalize(context.Background(), schema.Tool{Name: "tag", Parameters: parameters})
	if err != nil {
		fmt.Println(err)
		return
	}
	tool, err := toopenai.Responses(result)
	if err != nil {
		fmt.Println(err)
		return
	}
	params := responses.ResponseNewParams{Tools: []responses.ToolUnionParam{tool}}
	fmt.Println(params.Tools[0].OfFunction.Strict.Value, result.Fallback)
	// Output:
	// false /parameters/properties/tags: additionalProperties with a schema: an object of unknown names
}
