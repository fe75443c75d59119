// Command anthropic is the adapter of Anthropic's client for Go: its transform for structured
// output.
package main

import (
	"github.com/anthropics/anthropic-sdk-go"

	"toolproof/lab/adapters/protocol"
)

func main() {
	transform := func(tool protocol.Tool) (protocol.Tool, error) {
		schema, err := tool.Schema()
		if err != nil {
			return tool, err
		}
		tool.Parameters, tool.Strict = anthropic.BetaJSONSchemaOutputFormat(schema).Schema, true
		return tool, nil
	}
	protocol.Serve(protocol.Adapter{
		Name: "anthropic-sdk-go", Module: "github.com/anthropics/anthropic-sdk-go",
		Note:     "BetaJSONSchemaOutputFormat; nothing falls back",
		Surfaces: map[string]func(protocol.Tool) (protocol.Tool, error){"anthropic/output_format": transform},
	})
}
