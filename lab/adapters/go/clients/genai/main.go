// Command genai is the adapter of Google's client of Gemini for Go: of a schema that is read into its type, and of one
// that is handed over as it is.
package main

import (
	"context"
	"encoding/json"
	"net/http"

	"google.golang.org/genai"

	"toolproof/lab/adapters/protocol"
)

func main() {
	reader := new(protocol.Reader)
	ctx := context.Background()
	client, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: "x", Backend: genai.BackendGeminiAPI, HTTPClient: &http.Client{Transport: reader}})
	if err != nil {
		panic(err)
	}
	sent := func(function *genai.FunctionDeclaration, member string) (protocol.Tool, error) {
		body, err := reader.Sent(func() error {
			_, err := client.Models.GenerateContent(ctx, "gemini-2.5-flash", genai.Text("x"), &genai.GenerateContentConfig{
				Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{function}}},
			})
			return err
		})
		if err != nil {
			return protocol.Tool{}, err
		}
		return body.Gemini(member)
	}
	protocol.Serve(protocol.Adapter{
		Name: "genai for Go", Module: "google.golang.org/genai",
		Note: "gemini/parameters: json.Unmarshal into genai.Schema",
		Surfaces: map[string]func(protocol.Tool) (protocol.Tool, error){
			"gemini/parameters": func(tool protocol.Tool) (protocol.Tool, error) {
				text, err := json.Marshal(tool.Parameters)
				if err != nil {
					return tool, err
				}
				read := new(genai.Schema)
				if err := json.Unmarshal(text, read); err != nil {
					return tool, err
				}
				return sent(&genai.FunctionDeclaration{Name: tool.Name, Description: tool.Description, Parameters: read}, "parameters")
			},
			"gemini/parametersJsonSchema": func(tool protocol.Tool) (protocol.Tool, error) {
				return sent(&genai.FunctionDeclaration{Name: tool.Name, Description: tool.Description, ParametersJsonSchema: tool.Parameters}, "parametersJsonSchema")
			},
		},
	})
}
