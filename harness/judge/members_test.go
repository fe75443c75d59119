package judge_test

import (
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
)

// TestMembers judges a tool in Anthropic's form: Anthropic reads the members of a tool, and other
// surfaces are not sent them.
func TestMembers(t *testing.T) {
	t.Parallel()
	tools, err := toolfile.Read(strings.NewReader(`{"tools":[{"name":"my tool","input_schema":{"type":"object","properties":{}},"defer_loading":true,"cache_control":{"type":"ephemeral"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		verdict  provider.Verdict
		left     int
		hasShown bool
	}{
		"anthropic": {provider.Rejected, 0, true},
		"gemini":    {provider.Rejected, 0, false}, // for the name
		"mcp":       {provider.Accepted, 2, false},
	} {
		target, err := harness.TargetNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		result := judge.Judge{}.Tool(t.Context(), judge.Subject{Tool: tools[0]}, target)
		sides := result.Sides()
		if sides.Raw.Verdict != want.verdict || len(sides.Raw.Ignored) != want.left || sides.Normalized.Tool.Has("defer_loading") != want.hasShown {
			t.Errorf("%s: %s, %d left out, %s", name, sides.Raw.Verdict, len(sides.Raw.Ignored), sides.Normalized.Tool)
		}
	}
}
