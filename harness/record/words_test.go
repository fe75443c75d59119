package record_test

import (
	"testing"

	"toolproof/harness/provider/openai"
	"toolproof/harness/record"
	"toolproof/schema"
)

// TestWords replaces names in refusals where they are meant, and only there.
func TestWords(t *testing.T) {
	t.Parallel()
	declaration, err := schema.Parse([]byte(`{"name":"get_weather","parameters":{"type":"object","properties":{"value":{"type":"string"},"first-name":{"type":"string","enum":["Graz"]},` +
		`"array":{"$ref":"#/$defs/Place"}},"$defs":{"Place":{"type":"string","pattern":"^ab+$"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	reduced := record.Reduce(openai.Chat, []*schema.Node{declaration})
	const want = `{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"},"b-":{"type":"string","enum":["c"]},"array":{"$ref":"#/$defs/d"}},` +
		`"$defs":{"d":{"type":"string","pattern":"^x+$"}}}}`
	if got := reduced.Declarations[0].String(); got != want {
		t.Errorf("the declaration is\n%s, want\n%s", got, want)
	}
	for _, test := range []struct{ words, want string }{
		{"Invalid schema for function 'get_weather': In context=('properties', 'first-name'), array schema missing items.", "Invalid schema for function 'f': In context=('properties', 'b-'), array schema missing items."},
		{"the value of properties[value].items is no value", "the value of properties[a].items is no value"},
		{`"^ab+$" and Graz, #/$defs/Place, Placement`, `"^x+$" and c, #/$defs/d, Placement`},
		{"of org-ABCdef0123456789 with sk-0123456789abcdefghijklm and secretPrompt", "of redacted with redacted and x"},
	} {
		if got := reduced.Words(test.words, []string{"secretPrompt"}); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.words, got, test.want)
		}
	}
}
