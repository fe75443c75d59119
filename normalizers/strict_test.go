package normalizers_test

import (
	"fmt"
	"strings"
	"testing"

	"toolproof/normalizers"
	"toolproof/schema"
)

// TestLimitsOfStrictText holds the limits of names and values, each at its edge: beyond
// it the tool is sent as one that is not strict, and the reason is given.
func TestLimitsOfStrictText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		count, length int // of the values of an enum
		property      int // the length of a property's name
		reason        string
	}{
		{"an enum of many values at the limit", 300, 50, 1, ""},
		{"an enum of many values beyond it", 300, 51, 1, "/parameters/properties/a: an enum of 300 values with 15300 characters, where 15000 are allowed"},
		{"an enum of few values", 250, 61, 1, ""},
		{"all values at the limit", 1000, 15, 1, ""},
		{"too many values", 1001, 5, 1, "/parameters: 1001 values of enums, where 1000 are allowed"},
		{"all text at the limit", 1, 60_000, 60_000, ""},
		{"too much text", 1, 60_000, 60_001, "/parameters: 120001 characters of names and values, where 120000 are allowed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			values := make([]string, test.count)
			for i := range values {
				values[i] = fmt.Sprintf("%0*d", test.length, i)
			}
			name := strings.Repeat("a", test.property)
			property := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("string")}, schema.Member{Key: "enum", Value: schema.NewStrings(values...)})
			parameters := schema.NewObject(
				schema.Member{Key: "type", Value: schema.NewString("object")},
				schema.Member{Key: "properties", Value: schema.NewObject(schema.Member{Key: name, Value: property})},
				schema.Member{Key: "required", Value: schema.NewStrings(name)},
			)
			result, err := normalizers.OpenAIStrict.Normalize(t.Context(), schema.Tool{Name: "f", Parameters: parameters})
			if err != nil {
				t.Fatal(err)
			}
			if result.Strict != (test.reason == "") || result.Fallback != test.reason {
				t.Errorf("strict %t, for the reason %q; want %q", result.Strict, result.Fallback, test.reason)
			}
		})
	}
}
