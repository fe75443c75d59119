package anthropic

import (
	"fmt"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	tools := []string{`{"type": "string"}`, `{"properties": {"a": {"type": "text"}}}`}
	const invalid = "JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12)."
	body := func(message string) string {
		return fmt.Sprintf(`{"type": "error", "error": {"type": "invalid_request_error", "message": %q}, "request_id": "req_1"}`, message)
	}
	for name, test := range map[string]struct {
		dialect *provider.Dialect
		message string
		count   int // number of tools
		places  string
	}{
		"a tool":             {Tools, "tools.1.custom.input_schema: " + invalid, 2, "1 /parameters"},
		"a body":             {Tools, body("tools.1.custom.input_schema: " + invalid), 2, "1 /parameters"},
		"a body in a body":   {Tools, fmt.Sprintf(`{"error": {"code": 400, "message": %q}}`, body("tools.0.custom.input_schema.type: Input should be 'object'")), 2, "0 /parameters/type"},
		"what is missed":     {Tools, "tools.1.custom.input_schema.type: Field required", 2, "1 /parameters"},
		"a path":             {Tools, "tools.1.custom.input_schema.properties.a.type: Input should be 'string'", 2, "1 /parameters/properties/a/type"},
		"Bedrock":            {Tools, "The model returned the following errors: tools.1.custom.input_schema: " + invalid, 2, "1 /parameters"},
		"a name":             {Tools, "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", 2, "0 /name"},
		"of strict":          {ToolsStrict, "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false", 2, "0 "},
		"beyond the tools":   {Tools, "tools.118.custom.input_schema: " + invalid, 2, "-1 "},
		"the one tool":       {Tools, "tools.118.custom.input_schema: " + invalid, 1, "0 /parameters"},
		"a format":           {outputFormat, "output_config.format.schema: For 'array' type, property 'maxItems' is not supported", 1, "0 /parameters"},
		"a format of 2025":   {outputFormat, "output_format.schema: For 'array' type, property 'maxItems' is not supported", 1, "0 /parameters"},
		"which format":       {outputFormat, "output_config.format.schema: For 'array' type, property 'maxItems' is not supported", 2, "-1 "},
		"no place":           {Tools, "Too many strict tools (21). The maximum number of strict tools supported is 20.", 2, ""},
		"a number too large": {Tools, "tools.99999999999999999999.custom.input_schema: " + invalid, 2, "-1 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var declarations []*schema.Node
			for i, text := range tools[:test.count] {
				node, err := schema.Parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				declarations = append(declarations, test.dialect.Declare(schema.Tool{Name: fmt.Sprintf("g%d", i), Parameters: node}))
			}
			var got []string
			for _, place := range test.dialect.Locate(provider.ParsePasted(test.message), declarations) {
				got = append(got, fmt.Sprintf("%d %s", place.Declaration, place.At))
			}
			if strings.Join(got, ", ") != test.places {
				t.Errorf("got %q, expected %q", strings.Join(got, ", "), test.places)
			}
		})
	}
}
