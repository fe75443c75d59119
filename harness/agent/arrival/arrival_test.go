package arrival

import (
	"strings"
	"testing"

	"toolproof/schema"
)

// TestChanges compares schemas: it reports where they differ, and what each change loses.
func TestChanges(t *testing.T) {
	t.Parallel()
	const whole = `{"type":"object","properties":{"a":%},"required":["a"]}`
	for _, test := range []struct{ before, after, at, loss string }{
		{`{"type":"number","multipleOf":0.5}`, `{"type":"number"}`, "/parameters/properties/a", "widens"},
		{`{"type":"object","patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}`, `{"type":"object","additionalProperties":false}`, "/parameters/properties/a", "narrows"},
		{`{"type":"object","properties":{"b":{"type":["string","null"]}}}`, `{"type":"object","properties":{"b":{"type":"string","nullable":true}}}`, "/parameters/properties/a/properties/b", "exact"},
		{`{"anyOf":[{"type":"string","minLength":2},{"type":"null"}]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "/parameters/properties/a/anyOf/0", "widens"},
		{`true`, `{"type":"string"}`, "/parameters/properties", "narrows"},
		{`{"$ref":"#/$defs/x"}`, `{}`, "/parameters/properties/a", ""},
		{`{"type":"array","items":{"type":"integer"}}`, `{"type":"array","items":{"type":"string"}}`, "/parameters/properties/a/items", "both"},
		{`{"type":"string","default":"x"}`, `{"type":"string"}`, "/parameters/properties/a", "exact"},
		{`{"type":"string"}`, `{"type":"string"}`, "", ""},
		// Instances drawn at random do not reach these bounds.
		{`{"type":"string","maxLength":500}`, `{"type":"string"}`, "/parameters/properties/a", "widens"},
		{`{"type":"string","maxLength":300,"pattern":"^[0-9]*$"}`, `{"type":"string","pattern":"^[0-9]*$"}`, "/parameters/properties/a", "widens"},
		{`{"type":"string"}`, `{"type":"string","maxLength":500}`, "/parameters/properties/a", "narrows"},
		{`{"type":"string","maxLength":400}`, `{"type":"string","maxLength":500}`, "/parameters/properties/a", "widens"},
		{`{"type":"number","multipleOf":0.01}`, `{"type":"number"}`, "/parameters/properties/a", "widens"},
		{`{"type":"integer","multipleOf":6}`, `{"type":"integer","multipleOf":3}`, "/parameters/properties/a", "widens"},
		{`{"type":"object","maxProperties":20}`, `{"type":"object"}`, "/parameters/properties/a", "widens"},
		{`{"type":"integer","maximum":2000000000}`, `{"type":"integer"}`, "/parameters/properties/a", "widens"},
		{`{"type":"number"}`, `{"type":"number","exclusiveMinimum":-2e9}`, "/parameters/properties/a", "narrows"},
		{`{"type":"array","items":{"type":"string"},"maxItems":100}`, `{"type":"array","items":{"type":"string"}}`, "/parameters/properties/a", "widens"},
		{`{"type":"array","items":{"type":"string","minLength":3},"uniqueItems":true}`, `{"type":"array","items":{"type":"string","minLength":3}}`, "/parameters/properties/a", "widens"},
		{`{"type":"object","patternProperties":{"^x-":{"type":"string"}}}`, `{"type":"object"}`, "/parameters/properties/a", "widens"},
		{`{"type":"object","patternProperties":{"^x-[0-9]{4}$":{"type":"string","maxLength":300}}}`, `{"type":"object","patternProperties":{"^x-[0-9]{4}$":{"type":"string"}}}`, "/parameters/properties/a/patternProperties/^x-[0-9]{4}$", "widens"},
		{`{"type":"object","propertyNames":{"pattern":"^[a-z]+$"}}`, `{"type":"object"}`, "/parameters/properties/a", "widens"},
		{`{"type":"object","propertyNames":{"maxLength":300}}`, `{"type":"object"}`, "/parameters/properties/a", "widens"},
		{`{"type":"object","properties":{"b":{"type":"string","const":"x"}}}`, `{"type":"object"}`, "/parameters/properties/a", "widens"},
		{`{"type":"object","additionalProperties":{"type":"integer","maximum":2000000000}}`, `{"type":"object"}`, "/parameters/properties/a", "widens"},
		{`{"oneOf":[{"type":"object","properties":{"k":{"const":"p"},"n":{"type":"string","maxLength":500}},"required":["k"]},{"type":"null"}]}`, `{"oneOf":[{"type":"object","properties":{"k":{"const":"p"},"n":{"type":"string"}},"required":["k"]},{"type":"null"}]}`, "/parameters/properties/a/oneOf/0/properties/n", "widens"},
		{`{"type":"array","minItems":1}`, `PROTO{"type":"ARRAY","minItems":"1"}`, "", ""},
		{`{"type":"array","minItems":1}`, `PROTO{"type":"ARRAY"}`, "/parameters/properties/a", "widens"},
	} {
		parse := func(text string) schema.Tool {
			whole := whole
			if rest, isProto := strings.CutPrefix(text, "PROTO"); isProto {
				text, whole = rest, strings.Replace(whole, "object", "OBJECT", 1)
			}
			node, err := schema.Parse([]byte(strings.Replace(whole, "%", text, 1)))
			if err != nil {
				t.Fatal(err)
			}
			return schema.Tool{Name: "f", Parameters: node}
		}
		tool := Tool{State: Kept}
		if err := tool.change(t.Context(), parse(test.before), parse(test.after)); err != nil {
			t.Fatal(err)
		}
		if test.at == "" {
			if tool.State != Kept || tool.Changes != nil {
				t.Errorf("%s: %+v", test.before, tool)
			}
			continue
		}
		if tool.State != Changed || len(tool.Changes) != 1 || string(tool.Changes[0].At) != test.at || test.loss != "" && tool.Changes[0].Loss.String() != test.loss {
			t.Errorf("%s became %s: %+v", test.before, test.after, tool)
		}
		if test.loss != "" && tool.Loss != tool.Changes[0].Loss {
			t.Errorf("%s became %s: %s together and %s alone", test.before, test.after, tool.Loss, tool.Changes[0].Loss)
		}
	}
}

// TestChangesOfTheRoot compares parameters: other arguments are probed beside the required ones, and a
// definition where it is referred to.
func TestChangesOfTheRoot(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ before, after, loss string }{
		{`{"type":"object","properties":{"a":{"type":"string","minLength":40}},"required":["a"],"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string","minLength":40}},"required":["a"]}`, "widens"},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, "narrows"},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"],"maxProperties":20}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}`, "widens"},
		{`{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"string","maxLength":500}}}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"string"}}}`, "widens"},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"x-note":1}`, "exact"},
	} {
		before, errBefore := schema.Parse([]byte(test.before))
		after, errAfter := schema.Parse([]byte(test.after))
		if errBefore != nil || errAfter != nil {
			t.Fatal(errBefore, errAfter)
		}
		tool := Tool{State: Kept}
		if err := tool.change(t.Context(), schema.Tool{Name: "f", Parameters: before}, schema.Tool{Name: "f", Parameters: after}); err != nil {
			t.Fatal(err)
		}
		if tool.Loss.String() != test.loss || len(tool.Changes) != 1 {
			t.Errorf("%s became %s: %+v", test.before, test.after, tool)
		}
	}
}

// TestNoParameters compares tools with declarations that have no parameters.
func TestNoParameters(t *testing.T) {
	t.Parallel()
	for _, test := range [][2]string{
		{`{"type":"object","properties":{}}`, ""},
		{`{"type":"object","properties":{},"additionalProperties":false}`, ""},
		{`{"type":"object"}`, "narrows"},
		{`{"type":"object","properties":{"a":{"type":"string"}}}`, "narrows"},
	} {
		text, want := test[0], test[1]
		given, _ := schema.Parse([]byte(text))
		tool := Tool{State: Kept}
		if err := tool.change(t.Context(), schema.Tool{Name: "f", Parameters: given}, schema.Tool{Name: "f"}); err != nil {
			t.Fatal(err)
		}
		if (tool.State == Changed) != (want != "") || want != "" && tool.Loss.String() != want {
			t.Errorf("%s: %+v", text, tool)
		}
	}
}
