package gbnf

import (
	"strings"
	"testing"

	"toolproof/schema"
)

// TestSketch holds the grammar that a conversion makes first against the whole one: both can
// be read, or the same is wrong with them at the same place.
func TestSketch(t *testing.T) {
	t.Parallel()
	const inName = `{"type":"object","properties":{"é":{"type":"string"},"b":{"type":"integer","minimum":1}},"additionalProperties":true}`
	wanted := map[string]Flaw{
		`{"type":"object","properties":{"a":{"type":"string","description":"b"},"c":{"enum":["d",1]},"e":{"const":null}}}`: "",
		`{"type":"object","properties":{"a":{"type":"array","items":{"format":"date"},"maxItems":2002}}}`:                  TooOften,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"minItems":3,"maxItems":2}}}`:        BoundsReversed,
		`{"type":"object","properties":{"a":{"anyOf":[]},"b":{"type":"string","minLength":9000}}}`:                         TooOften,
		`{"type":"object","properties":{"a":{"type":"string","minLength":9000},"b":{"anyOf":[]}}}`:                         NoAlternative,
		`{"type":"object","properties":{"a b":{"anyOf":[]},"a-b":{"anyOf":[]},"a_b":{"type":"string","maxLength":5}}}`:     NoAlternative,
		`{"type":["object","null"],"properties":{"a":{"type":"integer","maximum":5}},"additionalProperties":false}`:        "",
		inName: NameInClass,
		// In the whole grammar a-b gets the number that b0 of the third has in its name.
		`{"properties":{"a_b":{"enum":["x"]},"a-b":{"anyOf":[]},"a b0":{"anyOf":[]}}}`:                                                                     NoAlternative,
		`{"properties":{"a b0":{"anyOf":[]},"a_b":{"type":"null"},"a-b":{"anyOf":[]}}}`:                                                                    NoAlternative,
		`{"properties":{"a1":{"type":"string","maxLength":3000},"a10":{"type":"string","maxLength":3000}}}`:                                                TooOften,
		`{"properties":{"a b":{"type":"array","items":{"type":"string"},"maxItems":3000},"a-b":{"type":"array","items":{"type":"null"},"maxItems":3000}}}`: TooOften,
		`{"allOf":[` + inName + `,{"properties":{"c":{"type":"array","items":{},"maxItems":4000}}}]}`:                                                      TooOften,
		`{"properties":{"a":{"type":"string","pattern":"^\\d$"},"b":{"anyOf":[]}}}`:                                                                        NoAlternative,
	}
	charge := func(int) {}
	for text, want := range wanted {
		node, err := schema.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		start := []Start{{Name: "f-args", Schema: node}}
		made := Convert(start, charge)
		got, whole := made.Unreadable(charge), convert(start, false, charge).read(charge)
		if made.isSketch == strings.Contains(text, "pattern") {
			t.Errorf("%s: a sketch: %t", text, made.isSketch)
		}
		if (got == nil) != (want == "") || (got == nil) != (whole == nil) {
			t.Errorf("%s: first %v, of the whole %v, want %q", text, got, whole, want)
			continue
		}
		if got != nil && (got.Flaw != want || got.Flaw != whole.Flaw || got.At.Pointer() != whole.At.Pointer()) {
			t.Errorf("%s: first %s at %s, of the whole %s at %s, want %s", text, got.Flaw, got.At.Pointer(), whole.Flaw, whole.At.Pointer(), want)
		}
	}
}
