package harness_test

import (
	"slices"
	"strings"
	"testing"

	"toolproof/harness"
)

// TestPortableReachesEverySurface holds the target portable to every modelled surface
// that takes functions which are not strict: a new one is not forgotten.
func TestPortableReachesEverySurface(t *testing.T) {
	t.Parallel()
	portable, err := harness.TargetNamed("portable")
	if err != nil {
		t.Fatal(err)
	}
	// What is no declaration of a function, or is strict.
	others := []string{"-strict", "response_format", "text_format", "output_format", "/responseSchema", "/responseJsonSchema", "/format"}
	for _, dialect := range harness.Dialects {
		isOther := slices.ContainsFunc(others, func(mark string) bool { return strings.Contains(dialect.Name, mark) })
		isAsked := slices.Contains(portable.Also, dialect) || dialect.Name == "mcp/inputSchema" // whose rules portable has itself
		if isAsked == isOther {
			t.Errorf("%s: a portable tool is held against it: %t", dialect.Name, isAsked)
		}
	}
}
