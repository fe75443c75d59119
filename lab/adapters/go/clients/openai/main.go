// Command openai is the adapter of OpenAI's client for Go, which takes a schema as a map.
package main

import (
	"context"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"toolproof/lab/adapters/protocol"
)

func main() {
	reader := new(protocol.Reader)
	client := openai.NewClient(option.WithAPIKey("x"), option.WithHTTPClient(&http.Client{Transport: reader}), option.WithMaxRetries(0))
	protocol.Serve(protocol.Adapter{
		Name: "openai-go", Module: "github.com/openai/openai-go/v3",
		Surfaces: map[string]func(protocol.Tool) (protocol.Tool, error){
			"openai/chat-strict": func(tool protocol.Tool) (protocol.Tool, error) {
				schema, err := tool.Schema()
				if err != nil {
					return tool, err
				}
				body, err := reader.Sent(func() error {
					_, err := client.Chat.Completions.New(context.Background(), openai.ChatCompletionNewParams{
						Model:    "gpt-4o",
						Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("x")},
						Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
							Name: tool.Name, Description: openai.String(tool.Description), Parameters: schema, Strict: openai.Bool(true),
						})},
					})
					return err
				})
				if err != nil {
					return tool, err
				}
				return body.Chat()
			},
		},
	})
}
