package wrap_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolproof/harness/wrap"
	"toolproof/normalizers"
)

// warned returns a session that normalizes for Portable, and the sentences with which it warns.
func warned() (session *wrap.Session, sentences *[]string) {
	sentences = &[]string{}
	return &wrap.Session{
		Target: func(string) *normalizers.Pipeline { return normalizers.Portable },
		Warn:   func(sentence string) { *sentences = append(*sentences, sentence) },
	}, sentences
}

// repeated joins what a format makes of each number below count.
func repeated(count int, format string) string {
	var text strings.Builder
	for i := range count {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, format, i)
	}
	return text.String()
}

// TestHostileTools: beside a hostile tool the other tools are rewritten and called, and what passes as it
// does is said.
func TestHostileTools(t *testing.T) {
	t.Parallel()
	const levels = 2000
	for name, test := range map[string]struct {
		tool, warning string
		answered      bool // a call of it does not reach the server
	}{
		"a million values":     {`{"name":"a","inputSchema":{"type":"object","properties":{"x":{"enum":[` + strings.Repeat("1,", 1_000_000) + `2]}}}}`, "too many values", false},
		"deep":                 {`{"name":"a","inputSchema":` + strings.Repeat(`{"items":`, levels) + "{}" + strings.Repeat("}", levels) + "}", "too deep", false},
		"many properties":      {`{"name":"a","inputSchema":{"type":"object","properties":{` + repeated(20_000, `"p%d":{"const":1}`) + `}}}`, "", false},
		"an endless pattern":   {`{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"string","pattern":"(a{1000}){1000}(b*)*c"}}}}`, "", true},
		"an endless reference": {`{"name":"a","inputSchema":{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}}}}`, "", true},
		"no UTF-8":             {"{\"name\":\"a\",\"description\":\"\xff\",\"inputSchema\":{}}", "invalid UTF-8", false},
		"half a letter":        {`{"name":"a","description":"\ud800","inputSchema":{"type":"object"}}`, "invalid surrogate", false},
		"two names":            {`{"name":"a","name":"c","inputSchema":{"type":"object"}}`, "duplicate", false},
		"no name":              {`{"inputSchema":{}}`, "no name", false},
		"no object":            {`[{"name":"a"}]`, "no name", false},
		"a schema of text":     {`{"name":"a","inputSchema":"object"}`, "", false},
		"a long name":          {`{"name":"` + strings.Repeat("a", 1<<20) + `","inputSchema":{"type":"object"}}`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session, sentences := warned()
			got := lists(t, session, `{}`, `{"tools":[`+test.tool+`,{"name":"b.c","inputSchema":{"type":"object"}}]}`)
			if !strings.Contains(got, `"b_c"`) {
				t.Errorf("the other tool is not rewritten: %.200q", got)
			}
			if said := strings.Join(*sentences, "\n"); !strings.Contains(said, test.warning) || test.warning == "" && said != "" {
				t.Errorf("it warns with %.300q", said)
			}
			if sent := asks(t, session, `{"id":1,"method":"tools/call","params":{"name":"b_c","arguments":{}}}`); !strings.Contains(sent, `"b.c"`) {
				t.Errorf("the server gets %s", sent)
			}
			call := `{"id":2,"method":"tools/call","params":{"name":"a","arguments":{"x":"` + strings.Repeat("a", 100_000) + `"}}}`
			toServer, answers := session.FromClient(t.Context(), []byte(call))
			if test.answered != (len(answers) == 1) || test.answered != (len(toServer) == 0) {
				t.Errorf("the server gets %.200q, and the client %.300q", toServer, answers)
			}
		})
	}
}

// TestHostileAnswers: only the first answer to a request for tools is one, in whatever order and number
// answers come.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	const tools = `"result":{"tools":[{"name":"a.b","inputSchema":{"type":"object"}}]}}`
	session, sentences := warned()
	passes := func(answer string) {
		t.Helper()
		if got := session.FromServer(t.Context(), []byte(answer)); string(got) != answer {
			t.Errorf("%.100q becomes %.100q", answer, got)
		}
	}
	passes(`{"id":1,` + tools) // before the request
	asks(t, session, `{"id":1,"method":"tools/list"}`)
	passes(`{"id":2,` + tools)
	passes(`{"id":null,` + tools)
	passes("{\xff}")
	passes(strings.Repeat("[", 20_000))
	if got := session.FromServer(t.Context(), []byte(`{"id":1,`+tools)); !strings.Contains(string(got), `"a_b"`) {
		t.Errorf("the answer becomes %s", got)
	}
	passes(`{"id":1,` + tools) // again
	asks(t, session, `{"id":1,"method":"tools/list"}`)
	passes(`{"id":1,"result":{"tools":[{"inputSchema":` + strings.Repeat(`{"items":`, 20_000) + "{}" + strings.Repeat("}", 20_000) + `}]}}`)
	if want := []string{"a message that cannot be read as JSON passes as it is, while an answer to tools/list is expected"}; !slices.Equal(*sentences, want) {
		t.Errorf("it warns with %q", *sentences)
	}
	toServer, answers := session.FromClient(t.Context(), []byte(`{"id":7,"method":"tools/list","params":{"cursor":"`+strings.Repeat("x", 1<<20)+`"}}`))
	if len(toServer) > 0 || len(answers) != 1 || !strings.Contains(string(answers[0]), "64 KB") {
		t.Errorf("the server gets %.100q, and the client %.200q", toServer, answers)
	}
}

// TestHostilePages: a list without an end takes bounded memory, and what it has beyond that passes as it is
// with a warning.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	const pages = 10_001
	page := func(session *wrap.Session, cursor, tool string) string {
		return lists(t, session, `{"cursor":"`+cursor+`"}`, `{"tools":[`+tool+`],"nextCursor":"next"}`)
	}
	tool := func(i int) string { return `{"name":"a.` + strconv.Itoa(i) + `","inputSchema":{"type":"object"}}` }
	t.Run("tools", func(t *testing.T) {
		t.Parallel()
		session, sentences := warned()
		for i := range pages {
			if got := page(session, strconv.Itoa(i), tool(i)); strings.Contains(got, `"a_`) != (i < pages-1) {
				t.Fatalf("page %d becomes %.200q", i, got)
			}
		}
		if len(*sentences) != 1 || !strings.Contains((*sentences)[0], "lists 10001 tools") {
			t.Errorf("it warns with %q", *sentences)
		}
	})
	t.Run("empty pages", func(t *testing.T) {
		t.Parallel()
		session, sentences := warned()
		for i := range pages {
			page(session, strconv.Itoa(i), "")
		}
		if len(*sentences) != 1 || !strings.Contains((*sentences)[0], "more than 10000 pages") {
			t.Errorf("it warns with %q", *sentences)
		}
	})
	t.Run("a circle", func(t *testing.T) {
		t.Parallel()
		session, sentences := warned()
		for range pages {
			page(session, "next", tool(0))
		}
		if got := session.Counts().Tools; got != 1 || len(*sentences) > 0 {
			t.Errorf("there are %d tools, and it warns with %q", got, *sentences)
		}
	})
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		session, sentences := warned()
		all := `{"tools":[` + repeated(9000, `{"name":"a.%d","inputSchema":{"type":"object"}}`) + `]}`
		first := lists(t, session, `{}`, all)
		if again := lists(t, session, `{}`, all); again != first || !strings.Contains(first, `"a_8999"`) || len(*sentences) > 0 {
			t.Errorf("the second list begins with %.200q, and it warns with %q", again, *sentences)
		}
	})
}
