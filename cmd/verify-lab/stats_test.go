package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/lab/tally"
)

// TestStats checks that each surface counts each tool once, on both sides, and that the counts
// contain no text of a tool, even if a name of the tool is that of a keyword.
func TestStats(t *testing.T) {
	t.Parallel()
	const tools = `{"tools": [
		{"name": "secret_name", "description": "secret words", "inputSchema": {"type": "object", "properties": {"secret_property": {"const": "secret"}, "pattern": {"secret_keyword": 1}}, "required": ["secret_property"]}},
		{"name": "plain", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}},
		{"name": 3}
	]}`
	out, _ := clitest.Output(t, run, tools, cli.CodeConforms, "stats", "--json", "--as-of", "2026-01-01,2026-11-22", "-")
	compiled := clitest.CompileSchema(t, "../../docs/schema/stats.schema.json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 || strings.Contains(out, "secret") {
		t.Fatalf("it prints\n%s", out)
	}
	for _, line := range lines {
		clitest.Validate(t, compiled, []byte(line), "stats")
		var counted tally.Tally
		if err := json.Unmarshal([]byte(line), &counted); err != nil {
			t.Fatal(err)
		}
		if counted.Tools != 2 || counted.Unread != 1 {
			t.Errorf("%d tools and %d others", counted.Tools, counted.Unread)
		}
		for _, one := range counted.Surfaces {
			if one.Refused+one.Ignored+one.Whole+one.Unjudged != counted.Tools {
				t.Errorf("%s counts %+v", one.Name, one)
			}
			if made := one.Normalized; made != nil && made.Exact+made.Changed+made.Refused+made.Failed != counted.Tools {
				t.Errorf("%s counts %+v normalized", one.Name, *made)
			}
		}
		gemini := counted.Surfaces[0]
		if gemini.Name != "gemini/parameters" || gemini.Refused != 1 || len(gemini.Causes) == 0 || gemini.Causes[0] != (tally.Count{Name: "const", Tools: 1}) {
			t.Errorf("gemini/parameters counts %+v", gemini)
		}
		for _, count := range counted.Keywords {
			if count.Name == "pattern" { // the name of a property
				t.Errorf("%s is in %d tools", count.Name, count.Tools)
			}
		}
	}
}

// TestCountsOfTools checks that the counts of public tools that the site shows have the form
// that verify-lab stats writes.
func TestCountsOfTools(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/stats.json")
	if err != nil {
		t.Fatal(err)
	}
	compiled := clitest.CompileSchema(t, "../../docs/schema/stats.schema.json")
	for line := range strings.Lines(string(text)) {
		clitest.Validate(t, compiled, []byte(line), "docs/stats.json")
	}
}
