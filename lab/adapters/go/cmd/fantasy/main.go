// Command fantasy is the adapter of Charm's fantasy, on which Crush is built.
package main

import (
	"context"
	"net/http"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/google"
	"charm.land/fantasy/providers/openai"

	"toolproof/lab/adapters/protocol"
)

func main() {
	reader := new(protocol.Reader)
	client := &http.Client{Transport: reader}
	geminis, err := google.New(google.WithGeminiAPIKey("x"), google.WithHTTPClient(client))
	if err != nil {
		panic(err)
	}
	openais, err := openai.New(openai.WithAPIKey("x"), openai.WithHTTPClient(client))
	if err != nil {
		panic(err)
	}
	anthropics, err := anthropic.New(anthropic.WithAPIKey("x"), anthropic.WithHTTPClient(client))
	if err != nil {
		panic(err)
	}
	sent := func(provider fantasy.Provider, model string, tool protocol.Tool) (protocol.Body, error) {
		schema, err := tool.Schema()
		if err != nil {
			return nil, err
		}
		schema["required"] = names(schema["required"]) // as in fantasy's own tools
		language, err := provider.LanguageModel(context.Background(), model)
		if err != nil {
			return nil, err
		}
		return reader.Sent(func() error {
			_, err := language.Generate(context.Background(), fantasy.Call{
				Prompt: fantasy.Prompt{fantasy.NewUserMessage("x")},
				Tools:  []fantasy.Tool{fantasy.FunctionTool{Name: tool.Name, Description: tool.Description, InputSchema: schema}},
			})
			return err
		})
	}
	protocol.Serve(protocol.Adapter{
		Name: "fantasy", Module: "charm.land/fantasy",
		Surfaces: map[string]func(protocol.Tool) (protocol.Tool, error){
			"gemini/parameters": func(tool protocol.Tool) (protocol.Tool, error) {
				body, err := sent(geminis, "gemini-2.5-flash", tool)
				if err != nil {
					return tool, err
				}
				return body.Gemini("parameters")
			},
			"openai/chat": func(tool protocol.Tool) (protocol.Tool, error) {
				body, err := sent(openais, "gpt-4o", tool)
				if err != nil {
					return tool, err
				}
				return body.Chat()
			},
			"anthropic/tools": func(tool protocol.Tool) (protocol.Tool, error) {
				body, err := sent(anthropics, "claude-sonnet-4-5", tool)
				if err != nil {
					return tool, err
				}
				return body.Anthropic()
			},
		},
	})
}

// names returns a JSON list of strings as a []string.
func names(given any) []string {
	listed := []string{}
	elements, _ := given.([]any)
	for _, element := range elements {
		if name, isName := element.(string); isName {
			listed = append(listed, name)
		}
	}
	return listed
}
