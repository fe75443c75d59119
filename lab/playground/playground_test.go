package playground_test

import (
	"encoding/json"
	"strings"
	"testing"

	"toolproof/harness/recording"
	"toolproof/lab/playground"
	"toolproof/recordings"
)

const refused = `{"name": "f", "parameters": {"type": "object", "properties": {
	"a": {"const": "x"}
}}}`

// ask asks a new engine.
func ask(t *testing.T, asked playground.Question) playground.Answer {
	t.Helper()
	store, err := recording.Lazy(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	question, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	var answer playground.Answer
	text := playground.New(store).Answer(t.Context(), string(question))
	var lenient struct {
		*playground.Answer

		Lines []json.RawMessage `json:"lines"` // results are only written
	}
	lenient.Answer = &answer
	if err := json.Unmarshal([]byte(text), &lenient); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return answer
}

// TestExplain checks that a message is recognized with the tools and without them.
func TestExplain(t *testing.T) {
	t.Parallel()
	const message = `{"error": {"code": 400, "message": "Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.", "status": "INVALID_ARGUMENT"}}`
	if got := ask(t, playground.Question{Do: "explain", Error: message, Tools: refused}); got.Dialect != "gemini/parameters" || got.Failure != "" || len(got.Places) > 0 {
		t.Errorf("with the tools: %+v", got)
	}
	if got := ask(t, playground.Question{Do: "explain", Error: message}); got.Dialect != "gemini/parameters" || got.Failure == "" || len(got.Places) != 1 {
		t.Errorf("without: %+v", got)
	}
	if got := ask(t, playground.Question{Do: "explain", Error: "good morning", Tools: refused}); got.Dialect != "" || got.Failure == "" {
		t.Errorf("of no provider: %+v", got)
	}
}

// TestSurfaces checks that every surface for tools is listed once and can be asked.
func TestSurfaces(t *testing.T) {
	t.Parallel()
	listed := ask(t, playground.Question{Do: "surfaces"})
	var names []string
	for _, one := range listed.Surfaces {
		names = append(names, one.Name)
	}
	if len(names) < 50 || len(listed.Rewrites) < 50 {
		t.Errorf("%d surfaces, %d rewrites", len(names), len(listed.Rewrites))
	}
	if got := ask(t, playground.Question{Do: "check", Tools: refused, Targets: names, Brief: true}); got.Failure != "" || len(got.Tools) != 1 {
		t.Errorf("%+v", got)
	}
	list := "[" + refused + ", " + refused + "]" // two tools in one request
	if got := ask(t, playground.Question{Do: "check", Tools: list, Targets: names, Brief: true}); got.Failure != "" || len(got.Tools) != 2 {
		t.Errorf("%+v", got)
	}
}

// TestFailures checks that every input gets an answer.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		asked playground.Question
		want  string
	}{
		"nothing to do":           {playground.Question{Do: "sing"}, `nothing answers "sing"`},
		"an unknown target":       {playground.Question{Do: "check", Tools: refused, Targets: []string{"nowhere"}}, `unknown target "nowhere"`},
		"no normalizer":           {playground.Question{Do: "normalize", Tools: refused, Targets: []string{"groq/chat"}}, "no normalizer writes tools for this"},
		"several targets":         {playground.Question{Do: "normalize", Tools: refused}, "no normalizer writes tools for this"},
		"a text that is too long": {playground.Question{Do: "check", Tools: strings.Repeat(" ", 8<<20+1)}, "the text has more than 8 MB: check it with verify check on the command line"},
	} {
		if got := ask(t, test.asked); got.Failure != test.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for name, text := range map[string]string{
		"nothing": "", "no tools": "hello", "cut short": refused[:30], "deep": strings.Repeat("[", 1<<20), "deep, closed": strings.Repeat(`{"a":`, 1<<16) + "1" + strings.Repeat("}", 1<<16),
	} {
		if got := ask(t, playground.Question{Do: "check", Tools: text}); got.Failure != "" || len(got.Problems) == 0 && len(got.Tools) == 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := playground.New(nil).Answer(t.Context(), "{"); !strings.HasPrefix(got, `{"failure":`) {
		t.Error(got)
	}
}

// TestAdvise checks that each finding comes with what to write, in the words of a report, and with what
// the page shows where only the client can rewrite the tool.
func TestAdvise(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ tools, target, want string }{
		"an edit":          {refused, "gemini", `"enum":["x"] for "const":"x"`},
		"a surface alone":  {`{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}`, "openai-strict", `"additionalProperties":false`},
		"nothing to write": {`{"name":"f","parameters":{"type":"object","properties":{"a":{"$ref":"#"}}}}`, "openai-strict", ""},
	} {
		got := ask(t, playground.Question{Do: "advise", Tools: test.tools, Targets: []string{test.target}})
		if got.Failure != "" || len(got.Advice) != 1 || len(got.Advice[0]) == 0 || !strings.Contains(strings.Join(got.Advice[0], "\n"), test.want) {
			t.Errorf("%s: %q, %s", name, got.Advice, got.Failure)
		}
		if strings.Contains(strings.Join(got.Advice[0], "\n"), "verify ") {
			t.Errorf("%s: the page cannot run %q", name, got.Advice)
		}
	}
}

// TestSpeaksOfTheBrowser checks that what is said of texts without tools names no command.
func TestSpeaksOfTheBrowser(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"import os\n", "const a = 1;\n", `{"mcpServers": {"a": {"command": "b"}}}`, `{"name": "x", "version": "1.0.0", "dependencies": {}}`,
		`{"openapi": "3.1.0", "info": {}, "paths": {}}`, "hello", "[mcp_servers.a]\ncommand = \"b\"\n", `{"type": "json_schema"}`, `{"jsonrpc": "2.0", "method": "tools/list"}`,
	} {
		got := ask(t, playground.Question{Do: "check", Tools: text})
		if len(got.Problems) == 0 || strings.Contains(got.Problems[0].Text, "verify") || strings.Contains(got.Problems[0].Text, "COMMAND") {
			t.Errorf("%s: %+v", text, got.Problems)
		}
	}
}
