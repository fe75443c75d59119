package harness_test

import (
	"slices"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/provider"
)

// notPortable are the surfaces for functions that are not strict and that the target portable
// does not ask, because they are not known to refuse anything today, or refuse a common name alone.
var notPortable = []string{"cerebras/chat", "together/chat", "openrouter/chat", "dashscope/chat"}

// TestPortableReachesEverySurface holds the target portable to every surface whose row says
// so, and the rows to every modelled surface that takes functions which are not strict: a new
// one is not forgotten.
func TestPortableReachesEverySurface(t *testing.T) {
	t.Parallel()
	portable, err := harness.TargetNamed("portable")
	if err != nil {
		t.Fatal(err)
	}
	// What is no declaration of a function, is strict, or is what a server lists or asks, which portable makes in one form.
	others := []string{"mcp/streamable-http", "mcp/client-2", "mcp/elicitation", "mcp/sampling", "mcp/2026-07-28", "-strict", "response_format", "text_format", "output_format", "/responseSchema", "/responseJsonSchema", "/format"}
	for _, dialect := range harness.Dialects {
		isOther := slices.ContainsFunc(others, func(mark string) bool { return strings.Contains(dialect.Name, mark) })
		isOther = isOther || dialect.Subject == provider.Annotations || dialect.Name == "mcp/inputSchema" // whose rules portable has itself
		isOther = isOther || slices.Contains(notPortable, dialect.Name)
		if isAsked := slices.Contains(portable.Also, dialect); isAsked != dialect.Portable || isAsked == isOther {
			t.Errorf("%s: Portable is %t in its row, and portable asks it: %t; both must be %t, unless notPortable has its name", dialect.Name, dialect.Portable, isAsked, !isOther)
		}
	}
}
