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
