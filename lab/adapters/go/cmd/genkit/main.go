// Command genkit is the adapter of Genkit for Go with its Gemini plugin.
package main

import (
	"context"
	"net/http"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"github.com/firebase/genkit/go/plugins/googlegenai"

	"toolproof/lab/adapters/protocol"
)

func main() {
	reader := new(protocol.Reader)
	http.DefaultTransport = reader // the plugin takes no client before 1.10
	ctx := context.Background()
	kit := genkit.Init(ctx, genkit.WithPlugins(&googlegenai.GoogleAI{APIKey: "x"}))
	protocol.Serve(protocol.Adapter{
		Name: "genkit for Go", Module: "github.com/firebase/genkit/go",
		Surfaces: map[string]func(protocol.Tool) (protocol.Tool, error){
			"gemini/parameters": func(tool protocol.Tool) (protocol.Tool, error) {
				schema, err := tool.Schema()
				if err != nil {
					return tool, err
				}
				body, err := reader.Sent(func() error {
					given := ai.NewTool(tool.Name, tool.Description, func(*ai.ToolContext, any) (string, error) { return "x", nil }, ai.WithInputSchema(schema))
					_, err := genkit.Generate(ctx, kit, ai.WithModelName("googleai/gemini-2.5-flash"), ai.WithPrompt("x"), ai.WithTools(given))
					return err
				})
				if err != nil {
					return tool, err
				}
				return body.Gemini("parameters")
			},
		},
	})
}
