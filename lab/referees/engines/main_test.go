package main

import (
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
)

// TestEachToolHasAnAnswer: an answer that is missing, of another tool or left over is noticed.
func TestEachToolHasAnAnswer(t *testing.T) {
	t.Parallel()
	const tool, other = `{"id":"a","name":"f","schema":{"type":"object"}}` + "\n", `{"id":"b","name":"f","schema":{"type":"object"}}` + "\n"
	const accepted, unasked = `{"id":"a","verdict":"accepted"}` + "\n", `{"id":"b","verdict":"accepted"}` + "\n"
	for _, test := range []struct{ tools, answers, want string }{
		{tool, accepted, ""},
		{"", "", "there are no tools"},
		{tool, "", "only 0 answers"},
		{tool + other, accepted, "only 1 answers"},
		{tool, accepted + unasked, "more answers than the 1 tools"},
		{tool, unasked, `the answer is to "b"`},
		{tool, "{", "reading line 1"},
	} {
		counted := &comparison{model: provider.Model{Dialect: engines.OllamaChat}}
		err := counted.all(strings.NewReader(test.tools), strings.NewReader(test.answers))
		if got := err == nil; got != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q with %q: %v, want %q", test.tools, test.answers, err, test.want)
		}
	}
}

// TestCrashIsNoVerdict: an engine that crashes has neither accepted nor refused a tool. It differs from the
// model unless the model says that the engine ends.
func TestCrashIsNoVerdict(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]comparison{
		`{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/properties/a/allOf/0"}]}}}`: {tools: 1, crashed: 1},
		`{"type":"object","properties":{"a":{"type":"any"}}}`:                                {tools: 1, differ: 1}, // refused in words
		`{"type":"object"}`: {tools: 1, differ: 1},
	} {
		counted := &comparison{model: provider.Model{Dialect: engines.LlamaChat}}
		tool, answer := `{"id":"a","name":"f","schema":`+schema+"}", `{"id":"a","verdict":"crashes","message":"RangeError"}`
		if err := counted.all(strings.NewReader(tool), strings.NewReader(answer)); err != nil {
			t.Fatal(err)
		}
		if counted.verdicts != 0 || counted.refused != 0 || counted.crashed != want.crashed || counted.differ != want.differ {
			t.Errorf("%s: %v, %d differ", schema, counted, counted.differ)
		}
	}
}
