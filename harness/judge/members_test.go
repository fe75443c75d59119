package judge_test

import (
	"slices"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
	"toolproof/schema"
)

// TestMembers judges tools in Anthropic's and in Google's form: a result shows the members that its
// surface reads, and reports the others.
func TestMembers(t *testing.T) {
	t.Parallel()
	const (
		ofAnthropic = `{"tools":[{"name":"my tool","input_schema":{"type":"object","properties":{}},"defer_loading":true,"cache_control":{"type":"ephemeral"}}]}`
		ofGoogle    = `{"functionDeclarations":[{"name":"f","parameters":{"type":"object","properties":{}},"behavior":"BLOCKING","response":{"type":"string"}}]}`
	)
	for _, test := range []struct {
		target, tool string
		verdict      provider.Verdict
		left         int
		shown        []string
	}{
		{"anthropic", ofAnthropic, provider.Rejected, 0, []string{"defer_loading", "cache_control"}},
		{"gemini", ofAnthropic, provider.Rejected, 0, nil}, // for the name
		{"mcp", ofAnthropic, provider.Accepted, 2, nil},
		{"portable", ofAnthropic, provider.Rejected, 0, nil},
		{"gemini-json", ofGoogle, provider.Accepted, 0, []string{"behavior", "response"}},
		{"anthropic", ofGoogle, provider.Accepted, 2, nil},
		{"openai", ofGoogle, provider.Accepted, 2, nil},
		{"mcp", ofGoogle, provider.Accepted, 2, nil},
		{"portable", ofGoogle, provider.Accepted, 2, nil},
	} {
		tools, err := toolfile.Read(strings.NewReader(test.tool))
		if err != nil {
			t.Fatal(err)
		}
		target, err := harness.TargetNamed(test.target)
		if err != nil {
			t.Fatal(err)
		}
		result := judge.Judge{}.Tool(t.Context(), judge.Subject{Tool: tools[0]}, target)
		sides := result.Sides()
		left := 0
		for _, ignored := range sides.Raw.Ignored {
			if ignored.Rule == "member_not_read" {
				left++
			}
		}
		if sides.Raw.Verdict != test.verdict || left != test.left {
			t.Errorf("%s: %s, %d left out", test.target, sides.Raw.Verdict, left)
		}
		for _, name := range schema.ProviderMembers {
			if sides.Normalized.Tool.Has(name) != slices.Contains(test.shown, name) {
				t.Errorf("%s: %s in %s", test.target, name, sides.Normalized.Tool)
			}
		}
	}
}
