package harness_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/anthropic"
	"toolproof/harness/provider/google"
	"toolproof/harness/provider/openai"
	"toolproof/schema"
)

// TestNamesByTheirPatterns holds the rules of names, which count letters, against the
// patterns that the providers' answers show.
func TestNamesByTheirPatterns(t *testing.T) {
	t.Parallel()
	of := func(length int) string { return strings.Repeat("a", length) }
	names := []string{"", of(1), of(64), of(65), of(128), of(129), "Z_9", "é", "a\n", "1é"}
	for c := range 0x80 {
		names = append(names, string(rune(c)), "a"+string(rune(c)), string(rune(c))+"a")
	}
	isFunction := func(name string) schema.Tool { return schema.Tool{Name: name, Parameters: schema.NewObject()} }
	hasProperty := func(name string) schema.Tool {
		properties := schema.NewObject(schema.Member{Key: name, Value: schema.NewObject()})
		return schema.Tool{Name: "f", Parameters: schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "properties", Value: properties})}
	}
	for _, test := range []struct {
		dialect *provider.Dialect
		rule    string
		day     provider.Date
		pattern string
		tool    func(string) schema.Tool
	}{
		{google.GeminiParameters, "name_without_colon", "2025-01-01", `^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`, isFunction},
		{google.GeminiParameters, "name", "2026-01-01", `^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`, isFunction},
		{google.VertexParameters, "function_name_without_colon", "2025-01-01", `^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`, isFunction},
		{google.VertexParameters, "function_name", "2026-01-01", `^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`, isFunction},
		{openai.Chat, "name_pattern", "2026-01-01", `^[a-zA-Z0-9_-]+$`, isFunction},
		{anthropic.Tools, "name_pattern", "2026-01-01", `^[a-zA-Z0-9_-]+$`, isFunction},
		{anthropic.Tools, "property_keys", "2026-01-01", `^[a-zA-Z0-9_.-]{1,64}$`, hasProperty},
	} {
		pattern := regexp.MustCompile(test.pattern)
		model := provider.Model{Dialect: only(test.dialect, test.rule), AsOf: test.day}
		for _, name := range names {
			response, err := model.Send(t.Context(), test.dialect.Encode([]schema.Tool{test.tool(name)}))
			if isRefused := response.Verdict == provider.Rejected; err != nil || isRefused == pattern.MatchString(name) {
				t.Errorf("%s/%s refuses %q: %t (%v), its pattern is %s", test.dialect.Name, test.rule, name, isRefused, err, test.pattern)
			}
		}
	}
}

// only returns a dialect that has one rule.
func only(dialect *provider.Dialect, rule string) *provider.Dialect {
	clone := *dialect
	clone.Rules = slices.DeleteFunc(slices.Clone(dialect.Rules), func(other *provider.Rule) bool { return other.Name != rule })
	return &clone
}
