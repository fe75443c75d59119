// Command langchaingo is the adapter of LangChain Go: its clients for Gemini and OpenAI.
package main

import (
	"context"
	"net/http"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/googleai"
	"github.com/tmc/langchaingo/llms/openai"

	"toolproof/lab/adapters/protocol"
)

func main() {
	ctx := context.Background()
	reader := new(protocol.Reader)
	client := &http.Client{Transport: reader}
	gemini, err := googleai.New(ctx, googleai.WithAPIKey("x"), googleai.WithHTTPClient(client), googleai.WithRest(), googleai.WithDefaultModel("gemini-2.5-flash"))
	if err != nil {
		panic(err)
	}
	chat, err := openai.New(openai.WithToken("x"), openai.WithModel("gpt-4o"), openai.WithHTTPClient(client))
	if err != nil {
		panic(err)
	}
	sent := func(model llms.Model, tool protocol.Tool, strict bool) (protocol.Body, error) {
		schema, err := tool.Schema()
		if err != nil {
			return nil, err
		}
		return reader.Sent(func() error {
			function := &llms.FunctionDefinition{Name: tool.Name, Description: tool.Description, Parameters: schema, Strict: strict}
			_, err := model.GenerateContent(ctx, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "x")}, llms.WithTools([]llms.Tool{{Type: "function", Function: function}}))
			return err
		})
	}
	protocol.Serve(protocol.Adapter{
		Name: "langchaingo", Module: "github.com/tmc/langchaingo",
		Surfaces: map[string]func(protocol.Tool) (protocol.Tool, error){
			"gemini/parameters": func(tool protocol.Tool) (protocol.Tool, error) {
				body, err := sent(gemini, tool, false)
				if err != nil {
					return tool, err
				}
				made, err := body.Gemini("parameters")
				named(made.Parameters)
				return made, err
			},
			"openai/chat-strict": func(tool protocol.Tool) (protocol.Tool, error) {
				body, err := sent(chat, tool, true)
				if err != nil {
					return tool, err
				}
				return body.Chat()
			},
		},
	})
}

// named replaces the enum numbers that the client sends for the types of a schema by the
// equivalent names.
func named(schema any) {
	node, isObject := schema.(map[string]any)
	if !isObject {
		return
	}
	types := []string{"TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"}
	if number, isNumber := node["type"].(float64); isNumber && int(number) < len(types) {
		node["type"] = types[int(number)]
	}
	named(node["items"])
	if properties, isObject := node["properties"].(map[string]any); isObject {
		for _, property := range properties {
			named(property)
		}
	}
}
