package emulator_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolproof/harness/emulator"
	"toolproof/harness/provider"
)

// oddRequests are requests by API. Their tool is called with the arguments of quirkScript.
var oddRequests = map[provider.API][2]string{
	provider.ChatCompletions: {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"get_weather","parameters":%s}}]}`},
	provider.Responses:       {"/v1/responses", `{"model":"gpt-4o","stream":true,"input":"hi","tools":[{"type":"function","name":"get_weather","strict":false,"parameters":%s}]}`},
	provider.Messages:        {"/v1/messages", `{"model":"claude-sonnet-5","max_tokens":99,"stream":true,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"get_weather","input_schema":%s}]}`},
	provider.GenerateContent: {"/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"get_weather","parameters":%s}]}]}`},
}

const (
	oddParameters = `{"type":"object","properties":{"city":{"type":"string"},"at":{"type":"object","properties":{"h":{"type":"integer"}}},"note":{"type":"string"}},"required":["city","at"]}`
	oddArguments  = `{"at":{"h":1},"city":"Ål \"b\"\n"}`
)

// oddly answers a request, with the given arguments of the call, in the shapes that are named.
func oddly(t *testing.T, api provider.API, arguments string, isStream bool, quirks ...string) string {
	t.Helper()
	named, err := json.Marshal(quirks)
	if err != nil {
		t.Fatal(err)
	}
	script, err := emulator.ParseScript(fmt.Appendf(nil, `{"steps":[{"answers":[{"calls":[{"name":"get_weather","arguments":%s}],"quirks":%s}]}]}`, arguments, named))
	if err != nil {
		t.Fatal(err)
	}
	path, body := oddRequests[api][0], fmt.Sprintf(oddRequests[api][1], oddParameters)
	if !isStream {
		path, body = strings.Replace(path, "streamGenerateContent?alt=sse", "generateContent", 1), strings.Replace(body, `"stream":true,`, "", 1)
	}
	answer := httptest.NewRecorder()
	func() {
		defer func() {
			if failure := recover(); failure != nil && failure != http.ErrAbortHandler { //nolint:errorlint,err113 // it is that value
				panic(failure)
			}
		}()
		emulator.New(emulator.Options{AsOf: day, Script: script}).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), "POST", path, strings.NewReader(body)))
	}()
	if answer.Code != 200 {
		t.Fatalf("%s: %d %s", path, answer.Code, answer.Body)
	}
	return answer.Body.String()
}

// argumentsFor returns arguments with which a quirk shows.
func argumentsFor(quirk *emulator.Quirk) string {
	if strings.HasSuffix(quirk.Name, "-arguments") && quirk.Name != "object-arguments" && quirk.Name != "whole-arguments" {
		return "{}"
	}
	return oddArguments
}

// TestQuirkBytes compares what each quirk sends on each of its APIs with testdata/quirks.txt, which has the
// lines that differ from the plain answer. UPDATE=1 writes it.
func TestQuirkBytes(t *testing.T) {
	t.Parallel()
	const file = "testdata/quirks.txt"
	// split-bytes changes no byte and crlf all lines. Both have tests of their own.
	var text strings.Builder
	for _, quirk := range emulator.Quirks {
		for _, api := range quirk.APIs {
			if quirk.Name == "split-bytes" || quirk.Name == "crlf" {
				continue
			}
			arguments := argumentsFor(quirk)
			plain := strings.Split(oddly(t, api, arguments, true), "\n")
			odd := strings.Split(oddly(t, api, arguments, true, quirk.Name), "\n")
			fmt.Fprintf(&text, "== %s %s\n", quirk.Name, api)
			var changes []string
			for _, line := range odd {
				if !slices.Contains(plain, line) {
					changes = append(changes, shortened(line))
				}
			}
			for _, line := range plain {
				if !slices.Contains(odd, line) {
					changes = append(changes, "not "+shortened(line))
				}
			}
			if len(changes) == 0 {
				t.Errorf("%s changes nothing on %s", quirk.Name, api)
			}
			const most = 12 // of the many lines of letters
			text.WriteString(strings.Join(changes[:min(len(changes), most)], "\n") + "\n")
		}
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text.String() {
		t.Errorf("%s differs from what is sent: UPDATE=1 writes it", file)
	}
}

// shortened returns the part of a line that a quirk is about.
func shortened(line string) string {
	line = regexp.MustCompile(`(call|fc|msg|resp|toolu)_[0-9a-z]{20,}`).ReplaceAllString(line, "${1}_id")
	for _, member := range []string{`"choices":\[.*?\]`, `"candidates":\[.*\]`, `"delta":.*`, `"item":.*`} {
		if found := regexp.MustCompile(member).FindString(line); found != "" && len(line) > 120 {
			return found[:min(len(found), 200)]
		}
	}
	return line[:min(len(line), 200)]
}

// TestQuirkCalls puts streams together by the rules of the APIs: where a quirk keeps to them, the calls are
// those of the plain stream, and where it does not, they are lost.
func TestQuirkCalls(t *testing.T) {
	t.Parallel()
	// What these send is not the stream of the description.
	breaks := []string{"no-index", "reused-index", "empty-id", "null-id", "object-arguments", "null-arguments", "absent-arguments", "no-finish", "null-optional", "stringified"}
	for _, quirk := range emulator.Quirks {
		for _, api := range quirk.APIs {
			arguments := argumentsFor(quirk)
			for _, isStream := range []bool{true, false} {
				want := []string{"get_weather " + arguments}
				if quirk.Name == "parallel" {
					want = append(want, want[0])
				}
				got := callsIn(oddly(t, api, arguments, isStream, quirk.Name))
				switch isSame := slices.Equal(got, want); {
				case slices.Contains(breaks, quirk.Name):
				case quirk.Outcome == emulator.Failed && isStream:
					if isSame {
						t.Errorf("%s on %s: the call is whole: %q", quirk.Name, api, got)
					}
				case !isSame:
					t.Errorf("%s on %s, stream %t: got %q, want %q", quirk.Name, api, isStream, got, want)
				}
			}
		}
	}
}

// callsIn returns the names and arguments of the calls in an answer.
func callsIn(answer string) []string {
	var names, texts []string
	at := func(index float64, name, text string) {
		for len(names) <= int(index) {
			names, texts = append(names, ""), append(texts, "")
		}
		names[int(index)] += name
		texts[int(index)] += text
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(answer, "\r\n", "\n"), "\n") {
		line = strings.TrimPrefix(line, "data: ")
		var event struct {
			Type    string
			Index   float64
			Output  float64 `json:"output_index"`
			Item    struct{ Type, Name string }
			Choices []struct {
				Delta, Message struct {
					Calls []struct {
						Index    *float64
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
			}
			Block   struct{ Type, Name string } `json:"content_block"`
			Delta   json.RawMessage
			Content []struct {
				Name, Type string
				Input      json.RawMessage
			}
			Items      []struct{ Type, Name, Arguments string } `json:"output"`
			Candidates []struct {
				Content struct {
					Parts []struct {
						Call *struct {
							Name string
							Args json.RawMessage
						} `json:"functionCall"` //nolint:tagliatelle // Google's name
					}
				}
			}
		}
		if json.Unmarshal([]byte(line), &event) != nil { //nolint:musttag // the names differ in case only
			continue
		}
		for _, choice := range event.Choices {
			for i, call := range append(choice.Delta.Calls, choice.Message.Calls...) {
				index := float64(i)
				if call.Index != nil {
					index = *call.Index
				}
				at(index, call.Function.Name, call.Function.Arguments)
			}
		}
		var delta struct {
			JSON string `json:"partial_json"`
		}
		var text string
		switch {
		case event.Block.Type == "tool_use":
			at(event.Index, event.Block.Name, "")
		case event.Type == "content_block_delta" && json.Unmarshal(event.Delta, &delta) == nil:
			at(event.Index, "", delta.JSON)
		case event.Type == "response.output_item.added" && event.Item.Type == "function_call":
			at(event.Output, event.Item.Name, "")
		case event.Type == "response.function_call_arguments.delta" && json.Unmarshal(event.Delta, &text) == nil:
			at(event.Output, "", text)
		}
		for _, block := range event.Content {
			if block.Type == "tool_use" {
				at(float64(len(names)), block.Name, string(block.Input))
			}
		}
		for _, item := range event.Items {
			at(float64(len(names)), item.Name, item.Arguments)
		}
		for _, candidate := range event.Candidates {
			for _, part := range candidate.Content.Parts {
				if part.Call != nil {
					at(float64(len(names)), part.Call.Name, string(part.Call.Args))
				}
			}
		}
	}
	var calls []string
	for i, name := range names {
		if name != "" {
			calls = append(calls, name+" "+cmp.Or(texts[i], "{}"))
		}
	}
	return calls
}

// TestQuirkWrites tests how split-bytes and crlf deliver an answer.
func TestQuirkWrites(t *testing.T) {
	t.Parallel()
	plain := oddly(t, provider.ChatCompletions, oddArguments, true)
	if got := oddly(t, provider.ChatCompletions, oddArguments, true, "split-bytes"); got != plain {
		t.Errorf("split-bytes changes what is sent: %s", got)
	}
	if got := oddly(t, provider.ChatCompletions, oddArguments, true, "crlf"); got != strings.ReplaceAll(plain, "\n", "\r\n") {
		t.Errorf("crlf sends %q", got)
	}
}

// TestQuirkTable compares the table of quirks in docs/emulator.md. UPDATE=1 writes it.
func TestQuirkTable(t *testing.T) {
	t.Parallel()
	const file = "../../docs/emulator.md"
	var table strings.Builder
	table.WriteString("| quirk | what is sent | on | sent by | a client makes |\n|---|---|---|---|---|\n")
	for _, quirk := range emulator.Quirks {
		senders := make([]string, len(quirk.Senders))
		for i, sender := range quirk.Senders {
			senders[i] = fmt.Sprintf("[%s](%s) (%s)", sender.Who, sender.Source, sender.Date)
		}
		if len(senders) == 0 {
			senders = []string{"nobody known: the description allows it"}
		}
		apis := make([]string, len(quirk.APIs))
		for i, api := range quirk.APIs {
			apis[i] = string(api)
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | %s |\n", quirk.Name, quirk.Doc, strings.Join(apis, ", "), strings.Join(senders, ", "), quirk.Outcome)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(page), "<!-- quirks -->\n")
	_, after, ok := strings.Cut(rest, "<!-- end -->")
	want := before + "<!-- quirks -->\n" + table.String() + "<!-- end -->" + after
	if !ok || want != string(page) {
		if os.Getenv("UPDATE") == "" {
			t.Fatal("docs/emulator.md differs from the quirks: UPDATE=1 writes it")
		}
		if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestParseQuirks tests names.
func TestParseQuirks(t *testing.T) {
	t.Parallel()
	if quirks, err := emulator.ParseQuirks("no-index, cut"); err != nil || len(quirks) != 2 {
		t.Errorf("got %v, %v", quirks, err)
	}
	if _, err := emulator.ParseQuirks("no-index,none"); err == nil || !strings.Contains(err.Error(), `unknown quirk "none"`) {
		t.Errorf("got %v", err)
	}
	if _, err := emulator.ParseScript([]byte(`{"steps":[{"answers":[{"text":"a","quirks":["none"]}]}]}`)); err == nil {
		t.Error("a script with an unknown quirk is read")
	}
}
