package calibrate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness"
)

// TestAnthropicCases reads evidence on Anthropic's surfaces.
func TestAnthropicCases(t *testing.T) {
	t.Parallel()
	const filler = `{"name":"before0","input_schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}`
	for _, test := range []struct {
		name, line string
		want       []string // dialect: declarations, the verdict and the message of each case
	}{
		{
			"tools by strict, built-in ones passed over, and a format",
			`{"provider":"anthropic","status":200,"request":{"tools":[{"type":"web_search_20250305","name":"web_search"},{"name":"a","input_schema":{}},` +
				`{"type":"custom","name":"b","input_schema":{},"strict":true},{"type":null,"name":"c","strict":false}],"output_config":{"effort":"low","format":{"type":"json_schema","schema":{}}}}}`,
			[]string{
				`anthropic/tools: {"name":"a","input_schema":{}} {"type":null,"name":"c","strict":false} [1 3] accepted `,
				`anthropic/tools-strict: {"type":"custom","name":"b","input_schema":{},"strict":true} [2] accepted `,
				`anthropic/output_format: {"type":"json_schema","schema":{}} accepted `,
			},
		},
		{
			"the field of the beta",
			`{"provider":"anthropic","status":400,"response_error":{"type":"invalid_request_error","message":"output_format.schema: m"},"request":{"output_format":{"type":"json_schema","schema":{}}}}`,
			[]string{`anthropic/output_format: {"output_format":{"type":"json_schema","schema":{}}} rejected output_format.schema: m`},
		},
		{
			"about the conversation",
			`{"provider":"anthropic","status":400,"response_error":{"type":"invalid_request_error","message":"messages.2.content.0.image.source: m"},"request":{"tools":[{"name":"a"}]}}`,
			nil,
		},
		{
			"at the index that the message names",
			`{"path":"anthropic.input_schema","message":"tools.1.custom.input_schema.type: Field required","schema":{}}`,
			[]string{`anthropic/tools: ` + filler + ` {"name":"f","input_schema":{}} rejected tools.1.custom.input_schema.type: Field required`},
		},
		{
			"strict", `{"path":"anthropic.strict_tools","message":"tools.0.custom: m","schema":{}}`,
			[]string{`anthropic/tools-strict: {"name":"f","input_schema":{},"strict":true} rejected tools.0.custom: m`},
		},
		{"a format", `{"path":"anthropic.output_format","accepted":"a","schema":{}}`, []string{`anthropic/output_format: {"type":"json_schema","schema":{}} accepted `}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cases, _ := rows(t, test.line)[0].Cases(harness.Dialects)
			var got []string
			for _, asked := range cases {
				for _, part := range asked.Parts {
					texts := []string{part.Dialect + ":"}
					for _, declaration := range part.Declarations {
						texts = append(texts, declaration.String())
					}
					if part.Indices != nil {
						texts = append(texts, fmt.Sprint(part.Indices))
					}
					got = append(got, strings.Join(texts, " ")+" "+string(asked.Verdict)+" "+asked.Message)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
