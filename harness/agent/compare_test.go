package agent

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"toolproof/harness/emulator"
	"toolproof/schema"
)

// asking returns a request that declares tools, at a path of OpenAI's API.
func asking(path string, names ...string) *emulator.Entry {
	declared := make([]string, len(names))
	for i, name := range names {
		declared[i] = `{"type": "function", "function": {"name": "` + name + `", "parameters": {"type": "object", "properties": {}}}}`
	}
	body := `{"model": "gpt-4o", "messages": [{"role": "user", "content": "a"}], "tools": [` + strings.Join(declared, ",") + `]}`
	if len(names) == 0 {
		body = `{"model": "gpt-4o", "messages": [{"role": "user", "content": "a"}]}`
	}
	return &emulator.Entry{Method: http.MethodPost, Path: path, Body: json.RawMessage(body)}
}

// TestWithMost: the request with the most of the tools speaks for a run, and of several the first. A
// request without any tool gives way to one that has some, though none of ours.
func TestWithMost(t *testing.T) {
	t.Parallel()
	const chat = "/v1/chat/completions"
	tools := []schema.Tool{{Name: "f"}, {Name: "g"}}
	for name, test := range map[string]struct {
		requests []*emulator.Entry
		want     int // -1 means none
		found    int
	}{
		"the most":                  {[]*emulator.Entry{asking(chat, "f"), asking(chat, "f", "g"), asking(chat, "g")}, 1, 2},
		"the first of equals":       {[]*emulator.Entry{asking(chat, "f"), asking(chat, "g"), asking(chat, "f")}, 0, 1},
		"the first of others":       {[]*emulator.Entry{asking(chat, "Bash"), asking(chat, "Bash", "Read")}, 0, 0},
		"a title, then others":      {[]*emulator.Entry{asking(chat), asking(chat, "Bash")}, 1, 0},
		"a title, then ours":        {[]*emulator.Entry{asking(chat), asking(chat, "f")}, 1, 1},
		"two titles":                {[]*emulator.Entry{asking(chat), asking(chat)}, 0, 0},
		"others, then a title":      {[]*emulator.Entry{asking(chat, "Bash"), asking(chat)}, 0, 0},
		"what is no surface":        {[]*emulator.Entry{asking("/v1/models", "f")}, -1, 0},
		"a surface behind no other": {[]*emulator.Entry{asking("/v1/models", "f", "g"), asking(chat, "f")}, 1, 1},
	} {
		chosen, declared, found := withMost(tools, "srv", test.requests)
		if test.want < 0 {
			if chosen != nil {
				t.Errorf("%s: %s was chosen", name, chosen.Path)
			}
			continue
		}
		if chosen != test.requests[test.want] || count(found) != test.found {
			t.Errorf("%s: the request with %s was chosen, with %d of the tools", name, chosen.Body, count(found))
		}
		if strings.Count(string(chosen.Body), `"name"`) != len(declared) {
			t.Errorf("%s: %d declarations of %s", name, len(declared), chosen.Body)
		}
	}
}
