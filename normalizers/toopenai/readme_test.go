package toopenai_test

import (
	"context"
	"fmt"
	"log"

	"github.com/openai/openai-go/v3"

	"toolproof/normalizers"
	"toolproof/normalizers/calls"
	"toolproof/normalizers/toopenai"
	"toolproof/schema"
)

// The example stands in the README as well.
func Example() {
	ctx := context.Background()
	tool, err := schema.NewTool("weather/forecast", "Forecasts the weather.", `{
		"type": "object",
		"properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
		"required": ["city"]
	}`)
	if err != nil {
		log.Fatal(err)
	}
	results, err := normalizers.OpenAIStrict.NormalizeAll(ctx, tool)
	if err != nil {
		log.Fatal(err)
	}
	var tools []openai.ChatCompletionToolUnionParam
	for _, result := range results {
		tool, err := toopenai.Chat(result)
		if err != nil {
			log.Fatal(err)
		}
		tools = append(tools, tool)
	}
	// Send the tools. The model calls weather_forecast with {"city": "Rome", "days": null}.
	declared, err := calls.Of(ctx, results...)
	if err != nil {
		log.Fatal(err)
	}
	call, err := declared.Restore("weather_forecast", `{"city": "Rome", "days": null}`)
	if err != nil {
		log.Fatal(err) // a *calls.ArgumentsError says what is wrong, for the model to try again
	}
	fmt.Println(len(tools), call.Tool.Name, call.Arguments)
	// Output:
	// 1 weather/forecast {"city":"Rome"}
}
