package openai

import (
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// TestEcho checks what Responses makes of a function.
func TestEcho(t *testing.T) {
	t.Parallel()
	const (
		uri      = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{},"required":[],"additionalProperties":false}`
		withoutI = `{"type":"object","properties":{},"required":[],"additionalProperties":false}`
		optional = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"]}`
		nested   = `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}}}}},"required":["a"]}`
		union    = `{"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{}},{"type":"null"}]}},"required":["a"]}`
		recurse  = `{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"n":{"type":"string"}}}}}`
		open     = `{"type":"object","properties":{"a":{"type":"object","properties":{},"additionalProperties":{"type":"string"}}}}`
		oneOf    = `{"type":"object","properties":{"a":{"oneOf":[{"type":"string"}]}}}`
		payload  = `{"type":"object","properties":{"a":{"type":"string","enum":["x"],"default":"x"}},"required":["a"],"additionalProperties":false}`
	)
	for _, test := range []struct {
		name    string
		dialect *provider.Dialect
		day     provider.Date
		schema  string
		strict  string
		want    string
	}{
		{"as sent in 2025-06", Responses, "2025-06-28", optional, "true", optional},
		{
			"optional property", Responses, today, optional, "true",
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b","a"],"additionalProperties":false}`,
		},
		{
			"on Azure", azureResponses, "2025-09-08", optional, "true",
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b","a"],"additionalProperties":false}`,
		},
		{
			"items", Responses, today, nested, "true",
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false,"required":["b"]}}},` +
				`"required":["a"],"additionalProperties":false}`,
		},
		{
			"union", Responses, today, union, "true",
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{},"additionalProperties":false,"required":[]},{"type":"null"}]}},` +
				`"required":["a"],"additionalProperties":false}`,
		},
		{
			"definition", Responses, today, recurse, "true",
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"n":{"type":"string"}},"additionalProperties":false,"required":["n"]}},` +
				`"additionalProperties":false,"required":["a"]}`,
		},
		{"nothing to do", Responses, today, payload, "true", payload},
		{"map", Responses, today, open, "false", open},
		{"keyword that strict does not permit", Responses, today, oneOf, "false", oneOf},
		{"$schema that is dropped", responsesStrict, "2026-05-15", uri, "true", withoutI},
		{"$schema that is kept", responsesStrict, "2026-06-23", uri, "true", uri},
		{"$schema without strict", Responses, "2026-07-03", uri, "true", uri},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			declaration := declare(t, test.dialect, test.schema)
			before := declaration.String()
			got := test.dialect.Echo(declaration, test.day)
			if !schema.Equal(read(t, test.want), got.Get("parameters")) || got.Get("strict").String() != test.strict {
				t.Errorf("echo %s\nwant strict %s and %s", got, test.strict, test.want)
			}
			if declaration.String() != before {
				t.Error("the echo changed its argument")
			}
		})
	}
	if without := Responses.Declare(schema.Tool{Name: "f"}); Responses.Echo(without, today).String() != `{"type":"function","name":"f","strict":true}` {
		t.Errorf("a function without parameters: %s", Responses.Echo(without, today))
	}
	if responsesNonstrict.Echo != nil || Chat.Echo != nil {
		t.Error("a surface that leaves declarations as they are has an echo")
	}
}

// TestFlat checks the form of a declaration of Responses, and the answer to one in the
// form of Chat Completions.
func TestFlat(t *testing.T) {
	t.Parallel()
	for dialect, want := range map[*provider.Dialect]string{
		Responses:          `{"type":"function","name":"f","parameters":{}}`,
		responsesStrict:    `{"type":"function","name":"f","parameters":{},"strict":true}`,
		responsesNonstrict: `{"type":"function","name":"f","parameters":{},"strict":false}`,
	} {
		if got := declare(t, dialect, `{}`).String(); got != want {
			t.Errorf("%s: %s, want %s", dialect.Name, got, want)
		}
		body := dialect.Request([]*schema.Node{declare(t, dialect, `{}`)}).Body.String()
		if !strings.HasSuffix(body, `"tools":[`+want+`]}`) {
			t.Errorf("%s: body %s", dialect.Name, body)
		}
		nested := read(t, `{"type":"function","function":{"name":"f"}}`)
		response := answer(t, dialect, today, declare(t, dialect, `{}`), nested)
		if dialect == responsesStrict { // an empty root is open
			response = answer(t, dialect, today, nested, nested)
		}
		message := strings.ReplaceAll(response.Message, "[0]", "[1]")
		if message != "Missing required parameter: 'tools[1].name'." || response.Code != "missing_required_parameter" || !strings.HasSuffix(response.Param, "].name") {
			t.Errorf("%s: %q, param %q, code %q", dialect.Name, response.Message, response.Param, response.Code)
		}
	}
}

// TestAzure checks where Azure is behind OpenAI.
func TestAzure(t *testing.T) {
	t.Parallel()
	const tooLong = "string too long. Expected a string with maximum length "
	for _, dialect := range functions {
		if !isOnAzure(dialect) {
			continue
		}
		where := "Invalid 'tools[0]." + memberPath(dialect)
		name := answer(t, dialect, today, dialect.Declare(schema.Tool{Name: strings.Repeat("a", 65)}))
		if want := where + "name': " + tooLong + "64, but got a string with length 65 instead."; name.Message != want {
			t.Errorf("%s: %q, want %q", dialect.Name, name.Message, want)
		}
		long := answer(t, dialect, today, dialect.Declare(schema.Tool{Name: strings.Repeat("a", 64), Description: schema.NewString(strings.Repeat("ü", 1025))}))
		if want := where + "description': " + tooLong + "1024, but got a string with length 1025 instead."; long.Message != want {
			t.Errorf("%s: %q, want %q", dialect.Name, long.Message, want)
		}
		if fits := answer(t, dialect, today, dialect.Declare(schema.Tool{Name: "f", Description: schema.NewString(strings.Repeat("ü", 1024))})); fits.Verdict != provider.Accepted {
			t.Errorf("%s: %s", dialect.Name, fits.Message)
		}
	}
}
