package wrap_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/wrap"
	"toolproof/normalizers"
)

// portable returns a session that normalizes for Portable, and fails the test for a warning.
func portable(t *testing.T) *wrap.Session {
	t.Helper()
	return &wrap.Session{
		Target: func(string) *normalizers.Pipeline { return normalizers.Portable },
		Warn:   func(sentence string) { t.Error(sentence) },
	}
}

// asks passes a message of the client that must reach the server, and returns what the server gets.
func asks(t *testing.T, session *wrap.Session, message string) string {
	t.Helper()
	toServer, answers := session.FromClient(t.Context(), []byte(message))
	if len(answers) > 0 {
		t.Fatalf("%s is answered: %s", message, answers)
	}
	return string(toServer)
}

// lists asks for a page, and returns what the client gets for a result.
func lists(t *testing.T, session *wrap.Session, parameters, result string) string {
	t.Helper()
	request := `{"jsonrpc":"2.0","id":"l","method":"tools/list","params":` + parameters + `}`
	if got := asks(t, session, request); got != request {
		t.Fatalf("the server gets %s", got)
	}
	return string(session.FromServer(t.Context(), []byte(`{"jsonrpc":"2.0","id":"l","result":`+result+`}`)))
}

// names are the names of the tools in the answer to tools/list.
func names(t *testing.T, answer string) []string {
	t.Helper()
	var read struct {
		Result struct {
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(answer), &read); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	var names []string
	for _, tool := range read.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// TestPassesUnchanged: whatever is no list of tools and no call of a listed one passes byte for byte, in
// both directions, while requests of both have equal IDs.
func TestPassesUnchanged(t *testing.T) {
	t.Parallel()
	huge := `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"` + strings.Repeat("x", 3<<20) + `"}}`
	messages := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{"x-unknown":{}},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"id":1,"result":{"protocolVersion":"2026-07-28","capabilities":{"tools":{"listChanged":true}}},"jsonrpc":"2.0"}`,
		`{"jsonrpc" : "2.0",  "method":"notifications/initialized"}` + "\r",
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[],"tools":[{"name":"a.b","inputSchema":{}}]}}`,
		`{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"requestedSchema":{"type":"object","properties":{}}}}`,
		`{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"a/b","inputSchema":{"type":"object","properties":{"x":{"const":1}}}}]}}`,
		`{"jsonrpc":"2.0","id":7,"method":"roots/list"}`,
		`{"jsonrpc":"2.0","id":7,"result":{"roots":[]},"result":{}}`,
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"no"}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"l","progress":0.50}}`,
		`{"jsonrpc":"2.0","id":1e2,"method":"x/unknown","params":[1.0,  2]}`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"unlisted","arguments":{"a":1,"a":2},"_meta":{"progressToken":1}}}`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call"}`, `{"jsonrpc":"2.0","method":"tools/list"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}, {"jsonrpc":"2.0","id":2,"method":"resources/list"} ]`,
		`[]`, `[1,{}]`, `{}`, `null`, `"tools/list"`, ``, `{`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`, "Starting up ...", "\xff\xfe{}",
		`{"method":"ping","id":1} trailing`, "\u00a0{}", `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, huge, strings.Repeat("[", 20_000),
	}
	session := portable(t)
	for _, message := range messages {
		for _, line := range []string{message + "\n", message} {
			toServer, answers := session.FromClient(t.Context(), []byte(line))
			if string(toServer) != line || len(answers) > 0 {
				t.Errorf("the server gets %.200s, and the client %.200s, for %.200s", toServer, answers, line)
			}
			if got := session.FromServer(t.Context(), []byte(line)); string(got) != line {
				t.Errorf("the client gets %.200s for %.200s", got, line)
			}
		}
	}
}

// tricky is a tool of which every part that a client sees is either rewritten or kept as it is spelled.
const tricky = `{ "title":"T", "name":"files/read" ,"x-unknown":[1.00, {"b":2,"a":1}],"inputSchema":{"type":"object","properties":{"k y":{"const":"x"},"o":{"type":"object"}},"required":["k y"]},` +
	`"outputSchema":{"type":["object","null"]},"annotations":{"readOnlyHint":true},"execution":{"taskSupport":"optional"},"icons":[{"src":"d"}],"_meta":{"v":1e3}}`

// TestList: of the answer to tools/list only what the normalizer rewrites of a tool is another.
func TestList(t *testing.T) {
	t.Parallel()
	result := `{"_meta":{"a":1.0}, "ttlMs":5,"tools":[` + tricky + `, {"name":"plain","description":"d","inputSchema":{"type":"object","properties":{}}}],"nextCursor":"x","other":{}}`
	got := lists(t, portable(t), `{}`, result)
	for _, kept := range []string{
		`{"jsonrpc":"2.0","id":"l","result":{"_meta":{"a":1.0}, "ttlMs":5,"tools":[{ "title":"T", "name":"files_read"`, ` ,"x-unknown":[1.00, {"b":2,"a":1}],"inputSchema":{"type":"object",`,
		`,"outputSchema":{"type":["object","null"]},"annotations":{"readOnlyHint":true},"execution":{"taskSupport":"optional"},"icons":[{"src":"d"}],"_meta":{"v":1e3}}`,
		`, {"name":"plain","description":"d","inputSchema":{"type":"object","properties":{}}}],"nextCursor":"x","other":{}}}`,
	} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s\nlacks %s", got, kept)
		}
	}
	if strings.Contains(got, `"k y":`) || strings.Contains(got, `"const"`) {
		t.Errorf("%s\nis not normalized", got)
	}
}

// TestNames: two tools of one name get two, over pages and lists; a tool keeps its name as long as it is
// listed; and calls come back to the name of the server.
func TestNames(t *testing.T) {
	t.Parallel()
	tool := func(name string) string {
		return `{"name":"` + name + `","inputSchema":{"type":"object","properties":{}}}`
	}
	page := func(next string, given ...string) string {
		var tools []string
		for _, name := range given {
			tools = append(tools, tool(name))
		}
		return `{"tools":[` + strings.Join(tools, ",") + `],"nextCursor":"` + next + `"}`
	}
	long := strings.Repeat("n", 70)
	session := portable(t)
	const slash, space, underline, second = "a_b_c14cddc0", "a_b_c8687a08", "a_b_648fa9b3", "a_b_2872f17d"
	for _, step := range []struct {
		cursor, result string
		want           []string
	}{
		{`{}`, page("2", "a.b", "a/b", long), []string{"a_b", slash, strings.Repeat("n", 35) + "_85069ddf"}},
		{`{"cursor":"2"}`, page("", "a_b", "a b"), []string{underline, space}},
		{`{"cursor":"2"}`, page("", "a_b", "a b"), []string{underline, space}}, // asked for again
		{`{}`, page("2", "a b", "new", "a/b"), []string{space, "new", slash}},  // the list has changed
		{`{"cursor":"2"}`, page("", "a_b", "a.b"), []string{underline, "a_b"}}, // others are on this page
		{`{}`, page("", "a b"), []string{space}},                               // the others are gone
		{`{}`, page("", "a/b", "a b", "a/b"), []string{"a_b", space, slash}},   // two of one name
		{`{"cursor":"other"}`, page("", "a/b"), []string{second}},              // a third one
	} {
		if got := names(t, lists(t, session, step.cursor, step.result)); cmp.Diff(step.want, got) != "" {
			t.Errorf("%s for %s: %s", step.cursor, step.result, cmp.Diff(step.want, got))
		}
	}
	for name, want := range map[string]string{space: "a b", "a_b": "a/b", slash: "a/b", second: "a/b"} {
		const call = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":%q,"arguments":{"x": 1.0}}}`
		if got := asks(t, session, fmt.Sprintf(call, name)); got != fmt.Sprintf(call, want) {
			t.Errorf("%s arrives as %s", name, got)
		}
	}
}

// called passes a call of the only tool of a list, and returns what the server gets, and the answers.
func called(t *testing.T, session *wrap.Session, parameters, call string) (toServer, answers string) {
	t.Helper()
	listed := lists(t, session, `{}`, `{"tools":[{"name":"a.tool","inputSchema":`+parameters+`}]}`)
	message := strings.Replace(call, "NAME", names(t, listed)[0], 1)
	passed, own := session.FromClient(t.Context(), []byte(message))
	return string(passed), string(bytes.Join(own, nil))
}

// TestCall: arguments come back to those of the server. They are only rewritten where the server's schema
// refuses what came and accepts what it becomes, or where the normalizer has changed it.
func TestCall(t *testing.T) {
	t.Parallel()
	const (
		mixed    = `{"type":"object","properties":{"o":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"l":{"type":"array","items":{"type":"integer"}},"s":{"type":"string"},"so":{"type":["string","object"]},"n":{"type":["string","null"]},"i":{"type":"integer"}}}`
		renamed  = `{"type":"object","properties":{"k y":{"type":"string"}},"required":["k y"],"additionalProperties":false}`
		nullable = `{"type":"object","properties":{"a":{"type":["integer","null"]}},"required":["a"]}`
		wrapped  = `{"type":"array","items":{"type":"string"}}`
		strict   = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]}},"additionalProperties":false}`
	)
	for _, test := range []struct {
		target                  *normalizers.Pipeline
		schema, arguments, want string
	}{
		{normalizers.Portable, mixed, `{"o": {"n": 1.0}, "s":"{}","so":"{\"a\":1}", "n":null, "other":"[1]"}`, `{"o": {"n": 1.0}, "s":"{}","so":"{\"a\":1}", "n":null, "other":"[1]"}`},
		{normalizers.Portable, mixed, `{"o":"{\"n\": 1.0}","s":"{}","so":"{\"a\":1}"}`, `{"o":{"n":1.0},"s":"{}","so":"{\"a\":1}"}`},
		{normalizers.Portable, mixed, `{"o":"{\"n\":\"1\"}"}`, `{"o":{"n":1}}`},
		{normalizers.Portable, mixed, `{"l":"[1, 2]","i":null}`, `{"l":[1,2]}`},
		{normalizers.Portable, mixed, `{"l":["1",2],"s":null}`, `{"l":[1,2]}`},
		{normalizers.Portable, mixed, `"{\"i\":1}"`, `{"i":1}`},
		{normalizers.Portable, renamed, `{"k_y":"v"}`, `{"k y":"v"}`},
		{normalizers.Portable, renamed, `{"k y":"v"}`, `{"k y":"v"}`},
		{normalizers.Portable, nullable, `{"a":1}`, `{"a":1}`},
		{normalizers.CodeAssistClaude, nullable, `{}`, `{"a":null}`},
		{normalizers.OpenAI, wrapped, `{"value":["v"]}`, `["v"]`},
		{normalizers.OpenAIStrict, strict, `{"a":null,"b":null}`, `{}`},
		{normalizers.OpenAIStrict, strict, `{"a":"v","b":{"value":null}}`, `{"a":"v","b":null}`},
		{normalizers.Portable, `{"type":"object","properties":{"p":{"type":"string","pattern":"("}}}`, `{"p":"x"}`, `{"p":"x"}`},
	} {
		session := portable(t)
		session.Target = func(string) *normalizers.Pipeline { return test.target }
		const call = `{"jsonrpc":"2.0", "id":4,"method":"tools/call","params":{"_meta":{"progressToken":1.50},"name":"NAME","arguments":%s,"x":[ 1]}}`
		got, answer := called(t, session, test.schema, fmt.Sprintf(call, test.arguments))
		want := strings.Replace(fmt.Sprintf(call, test.want), "NAME", "a.tool", 1)
		if got != want || answer != "" {
			t.Errorf("%s for %s:\n%s\nwant\n%s\n%s", test.arguments, test.schema, got, want, answer)
		}
	}
}

// TestRefusal: a call that the server's schema refuses is answered with what a model can act on, and does
// not reach the server.
func TestRefusal(t *testing.T) {
	t.Parallel()
	const (
		forecast = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","maximum":7},"k y":{"enum":["a","b"]},"o":{"type":"object","properties":{"n":{"type":"integer"}}},"u":{"anyOf":[{"type":"string"},{"type":"array"}]}},"required":["city"],"additionalProperties":false}`
		call     = `{"jsonrpc":"2.0","id":"7é","method":"tools/call","params":{"name":"NAME","arguments":%s%s}}`
		head     = "The tool a_tool was not called, because its arguments are not valid:\n"
		foot     = "\nCorrect the arguments and call the tool again."
	)
	for arguments, want := range map[string]string{
		`{"city":"Rome","days":"three"}`:        `/days: got string, want integer; you wrote "three"`,
		`{"city":"Rome","days":"9"}`:            `/days: got string, want integer; you wrote "9"`,
		`{"city":null}`:                         `/city: got null, want string; you wrote null`,
		`{"city":"Rome","u":true}`:              `/u: none of the 2 forms that are allowed here: {"anyOf":[{"type":"string"},{"type":"array"}]}; you wrote true`,
		`{}`:                                    `arguments: missing property 'city'`,
		`[]`:                                    `arguments: got array, want object`,
		`{"city":"Rome","o":"{\"n\":\"x\"}"}`:   `/o: got string, want object; you wrote "{\"n\":\"x\"}"`,
		`{"city":"Rome","k_y":"c"}`:             `/k_y: value must be one of 'a', 'b'; you wrote "c"`,
		`{"city":"Rome","days":1,"towns":true}`: `arguments: additional properties 'towns' not allowed`,
	} {
		session := portable(t)
		got, answer := called(t, session, forecast, fmt.Sprintf(call, arguments, ""))
		text, err := json.Marshal(head + want + foot)
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"jsonrpc":"2.0","id":"7é","result":{"content":[{"text":` + string(text) + `,"type":"text"}],"isError":true}}` + "\n"; got != "" || answer != want {
			t.Errorf("the server gets %q, and the client\n%s\nwant\n%s", got, answer, want)
		}
		if counts := session.Counts(); counts != (wrap.Counts{Tools: 1, Changed: 1, Renamed: 1, Calls: 1, Refused: 1}) {
			t.Errorf("%+v", counts)
		}
	}
	for further, want := range map[string]string{
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`: `"isError":true,"resultType":"complete"}}` + "\n",
		`,"task":{"ttl":1}`: `"error":{"code":-32602,"message":"The tool a_tool was not called, because its arguments are not valid:\narguments: missing property 'city'\nCorrect the arguments and call the tool again."}}` + "\n",
	} {
		if got, answer := called(t, portable(t), forecast, fmt.Sprintf(call, `{}`, further)); got != "" || !strings.HasSuffix(answer, want) {
			t.Errorf("%s: the server gets %q, and the client %s", further, got, answer)
		}
	}
}

// TestOldList: an error in place of a list leaves the known tools as they are. After the server has said
// that its tools have changed, the session judges no call until the server has listed them again.
func TestOldList(t *testing.T) {
	t.Parallel()
	session := portable(t)
	const list, call = `{"tools":[{"name":"a.b","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}`, `{"id":3,"method":"tools/call","params":{"name":"%s","arguments":{"n":"x"}}}`
	isRefused := func() bool {
		toServer, answers := session.FromClient(t.Context(), fmt.Appendf(nil, call, "a_b"))
		if want := fmt.Sprintf(call, "a.b"); len(answers) == 0 && string(toServer) != want {
			t.Errorf("the server gets %s", toServer)
		}
		return len(answers) > 0
	}
	lists(t, session, `{}`, list)
	for _, failed := range []string{`{}`, `{"tools":null}`, `null`, `[]`} {
		lists(t, session, `{}`, failed)
	}
	if !isRefused() {
		t.Error("the tool is forgotten")
	}
	session.FromServer(t.Context(), []byte(`{"method":"notifications/tools/list_changed"}`))
	lists(t, session, `{"cursor":"2"}`, `{"tools":[],"nextCursor":"3"}`)
	if isRefused() {
		t.Error("the old list judges a call")
	}
	lists(t, session, `{"cursor":null}`, list)
	if !isRefused() {
		t.Error("the new list judges no call")
	}
}

// TestBatch: a batch passes with the messages in it that the server gets, rewritten like single ones.
func TestBatch(t *testing.T) {
	t.Parallel()
	session := portable(t)
	lists(t, session, `{}`, `{"tools":[{"name":"a.b","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}`)
	const ping, right, wrong = `{"jsonrpc":"2.0", "id":1,"method":"ping"}`, `{"id":2,"method":"tools/call","params":{"name":"%s","arguments":{"n": 1}}}`, `{"id":3,"method":"tools/call","params":{"name":"a_b","arguments":{"n":true}}}`
	for batch, want := range map[string]string{
		`[ ` + ping + `, ` + fmt.Sprintf(right, "a_b") + ` ]`:                `[ ` + ping + `, ` + fmt.Sprintf(right, "a.b") + ` ]`,
		`[ ` + ping + `, ` + wrong + ", " + fmt.Sprintf(right, "a_b") + ` ]`: `[` + ping + `,` + fmt.Sprintf(right, "a.b") + "]\n",
		`[` + wrong + `,` + wrong + `]`:                                      ``,
	} {
		toServer, answers := session.FromClient(t.Context(), []byte(batch))
		if string(toServer) != want || len(answers) != strings.Count(batch, wrong) {
			t.Errorf("%s arrives as %s, %s", batch, toServer, answers)
		}
	}
	asks(t, session, `[{"id":5,"method":"tools/list"},{"id":6,"method":"ping"}]`)
	const answers = `[{"id":6,"result":{"tools":[{"name":"c.d"}]}}, {"id":5.0,"result":{"tools":[ {"name":"c.d","description":"C.","inputSchema":{"type":"object","properties":{}}} ]}}]`
	if got := string(session.FromServer(t.Context(), []byte(answers))); got != strings.Replace(answers, `[ {"name":"c.d"`, `[ {"name":"c_d"`, 1) {
		t.Errorf("the client gets %s", got)
	}
}

// TestObserve: a session that observes counts, and changes nothing.
func TestObserve(t *testing.T) {
	t.Parallel()
	session := portable(t)
	session.Observe = true
	const result = `{"tools":[{"name":"a.b","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}},{"name":"plain","description":"Plain.","inputSchema":{"type":"object","properties":{}}}]}`
	for range 2 {
		if got := lists(t, session, `{}`, result); got != `{"jsonrpc":"2.0","id":"l","result":`+result+`}` {
			t.Errorf("the client gets %s", got)
		}
	}
	for _, arguments := range []string{`{"n":1}`, `{"n":"1"}`, `{"n":"x"}`} {
		call := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a.b","arguments":` + arguments + `}}`
		if got := asks(t, session, call); got != call {
			t.Errorf("the server gets %s", got)
		}
	}
	if counts := session.Counts(); counts != (wrap.Counts{Tools: 2, Changed: 1, Renamed: 1, Calls: 3, Mended: 1, Refused: 1}) {
		t.Errorf("%+v", counts)
	}
}

// TestPassesTool: a tool that cannot be read or normalized passes as it is, and the session says so once.
func TestPassesTool(t *testing.T) {
	t.Parallel()
	var said []string
	session := &wrap.Session{
		Target: func(string) *normalizers.Pipeline {
			return normalizers.Portable.With(normalizers.Options{MaxSteps: 50})
		},
		Warn: func(sentence string) { said = append(said, sentence) },
	}
	const result = `{"tools":[{"name":"twice","name":"twice"},{"description":"d"},3,{"name":"large.tool","inputSchema":{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"object","properties":{"x":{"const":1}}}}]}}}}]}`
	for range 2 {
		if got := lists(t, session, `{}`, result); got != `{"jsonrpc":"2.0","id":"l","result":`+result+`}` {
			t.Errorf("the client gets %s", got)
		}
	}
	if len(said) != 4 || !strings.HasPrefix(said[0], "tool 1 of the list passes as it is: ") || !strings.HasPrefix(said[3], `"large.tool" passes as it is: `) {
		t.Errorf("it says %q", said)
	}
}

// TestForgets: what a session remembers of requests that are cancelled or never answered is bounded.
func TestForgets(t *testing.T) {
	t.Parallel()
	session := portable(t)
	const list, most = `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, 1000
	for id := range most {
		asks(t, session, fmt.Sprintf(list, id))
	}
	toServer, answers := session.FromClient(t.Context(), fmt.Appendf(nil, list, most))
	if want := `{"jsonrpc":"2.0","id":1000,"error":{"code":-32000,"message":"1000 requests for tools/list are not answered yet"}}` + "\n"; len(toServer) > 0 || len(answers) != 1 || string(answers[0]) != want {
		t.Errorf("the server gets %s, and the client %s", toServer, answers)
	}
	asks(t, session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	session.FromServer(t.Context(), []byte(`{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"no"}}`))
	asks(t, session, fmt.Sprintf(list, most))
	asks(t, session, fmt.Sprintf(list, most+1))
}

// TestTargetOf: a client gets the target of its only surface if it leaves tools as they are, with room for
// what it puts in front of their names.
func TestTargetOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "portable", "nobody": "portable", "claude-code": "anthropic", "gemini-cli-mcp-client": "gemini-json", "gemini-cli-mcp-client-files": "gemini-json",
		"claude-codex": "portable", "codex-mcp-client": "portable", "Visual Studio Code": "portable", "cursor-vscode": "portable", "opencode": "portable", "claude-ai": "portable",
	} {
		pipeline := wrap.TargetOf(name)
		if pipeline.Name() != want || pipeline.Limits().NameLength != normalizers.Portable.Limits().NameLength {
			t.Errorf("%q: %s with names of %d characters", name, pipeline.Name(), pipeline.Limits().NameLength)
		}
	}
	for _, hello := range []string{
		`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"claude-code"}}}`,
		`{"id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"claude-code"}}}}`,
	} {
		session := portable(t)
		session.Target = wrap.TargetOf
		asks(t, session, hello)
		if got := lists(t, session, `{}`, `{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"u":{"anyOf":[{"type":"string"},{"type":"null"}]}}}}]}`); !strings.Contains(got, "anyOf") {
			t.Errorf("after %s the client gets %s", hello, got)
		}
	}
}
