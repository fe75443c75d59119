package toopenai_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"toolproof/harness/emulator"
	"toolproof/normalizers"
	"toolproof/normalizers/toopenai"
	"toolproof/schema"
)

// The example stands in docs/library.md as well.
func ExampleNormalize() {
	server := httptest.NewServer(emulator.New(emulator.Options{Script: &emulator.Script{Steps: []emulator.Step{{Answers: []emulator.Answer{{
		Calls: []emulator.Call{{Name: "weather_forecast", Arguments: schema.NewObject(
			schema.Member{Key: "city", Value: schema.NewString("Rome")}, schema.Member{Key: "days", Value: &schema.Node{}},
		)}},
	}}}}}}))
	defer server.Close()
	ctx := context.Background()
	client := openai.NewClient(
		toopenai.Normalize(normalizers.OpenAIStrict, func(err error) { log.Print(err) }),
		option.WithBaseURL(server.URL+"/v1"), option.WithAPIKey("none"), // the emulator; omit this line to ask OpenAI
	)
	answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model:    "gpt-5.4",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("What is the weather in Rome?")},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: "weather/forecast",
			Parameters: shared.FunctionParameters{
				"type":       "object",
				"properties": map[string]any{"city": map[string]any{"type": "string"}, "days": map[string]any{"type": "integer"}},
				"required":   []string{"city"},
			},
		})},
	})
	if err != nil {
		log.Panic(err)
	}
	// The model called weather_forecast with {"city": "Rome", "days": null}.
	for _, call := range answer.Choices[0].Message.ToolCalls {
		fmt.Println(call.Function.Name, call.Function.Arguments)
	}
	// Output:
	// weather/forecast {"city":"Rome"}
}
