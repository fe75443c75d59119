package emulator_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"toolproof/harness/emulator"
)

// applyPatch is the grammar of the tool with which codex changes files.
const applyPatch = `start: begin_patch hunk+ end_patch
begin_patch: "*** Begin Patch" LF
end_patch: "*** End Patch" LF?

hunk: add_hunk | delete_hunk | update_hunk
add_hunk: "*** Add File: " filename LF add_line+
delete_hunk: "*** Delete File: " filename LF
update_hunk: "*** Update File: " filename LF change_move? change?
filename: /(.+)/
add_line: "+" /(.*)/ LF -> line

change_move: "*** Move to: " filename LF
change: (change_context | change_line)+ eof_line?
change_context: ("@@" | "@@ " /(.+)/) LF
change_line: ("+" | "-" | " ") /(.*)/ LF
eof_line: "*** End of File" LF

%import common.LF
`

// TestGrammars checks that the input of a custom tool is one that its grammar takes. A grammar that nobody
// can satisfy, or that the emulator cannot read, is answered by a text.
func TestGrammars(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ syntax, definition, want string }{
		"codex":              {"lark", applyPatch, `^\*\*\* Begin Patch\n\*\*\* Delete File: .+\n\*\*\* End Patch$`},
		"a regular pattern":  {"regex", `[a-c]{3}-\d+`, `^[a-c]{3}-\d+$`},
		"alternatives":       {"regex", `a|bc`, `^(?:a|bc)$`},
		"the way out":        {"lark", "start: sum\nsum: sum \"+\" product | product\n// the end\nproduct: INT | \"(\" sum \")\"\n%import common.INT", `^\d+$`},
		"the library":        {"lark", "start: CNAME WS ESCAPED_STRING N\n%import common (CNAME, WS, ESCAPED_STRING)\n%import common.INT -> N\n%ignore WS", `^[a-z_]\w* "[a-z]*"\d+$`},
		"over lines":         {"lark", "?start: \"a\"~2..3\n  \"b\"i? [\"c\"] (\"d\" | \"e\") \"0\"..\"9\" // end\n  | \"b\" start \"b\" start\nUNUSED.2: /x\\/y/i", `^aa[de]0$`},
		"flags":              {"lark", `start: /a.b\/c/is`, `^(?is:a.b/c)$`},
		"no end":             {"lark", "start: \"a\" start", ""},
		"no start":           {"lark", "begin: \"a\"", ""},
		"no rule":            {"lark", "start: nothing", ""},
		"no closing":         {"lark", "start: (\"a\"", ""},
		"no library":         {"lark", "start: X\n%import common.X", ""},
		"unknown":            {"lark", "start: \"a\"\n%json {}\n", ""},
		"an unread pattern":  {"regex", `\p{Emoji}`, ""},
		"too long an input":  {"lark", doubling(40), ""},
		"too long a grammar": {"lark", "start: \"a\"\n" + strings.Repeat("// nothing\n", 2000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			grammar, err := json.Marshal(map[string]string{"type": "grammar", "syntax": test.syntax, "definition": test.definition})
			if err != nil {
				t.Fatal(err)
			}
			handler := emulator.New(emulator.Options{AsOf: day})
			flat := post(t, handler, "/v1/responses", []byte(`{"model":"gpt-4.1","input":"hi","tools":[{"type":"custom","name":"f","format":`+string(grammar)+`}]}`))
			deep := post(t, handler, "/v1/chat/completions", []byte(`{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"custom","custom":{"name":"f","format":{"type":"grammar","grammar":`+string(grammar)+`}}}]}`))
			var response struct {
				Output []struct {
					Type  string `json:"type"`
					Input string `json:"input"`
				} `json:"output"`
			}
			var completion struct {
				Choices []struct {
					Message struct {
						Content string `json:"content"`
						Calls   []struct {
							Custom struct {
								Input string `json:"input"`
							} `json:"custom"`
						} `json:"tool_calls"`
					} `json:"message"`
				} `json:"choices"`
			}
			if flat.Code != http.StatusOK || deep.Code != http.StatusOK {
				t.Fatalf("%s\n%s", flat.Body, deep.Body)
			}
			if err := json.Unmarshal(flat.Body.Bytes(), &response); err != nil {
				t.Fatalf("%v: %s", err, flat.Body)
			}
			if err := json.Unmarshal(deep.Body.Bytes(), &completion); err != nil {
				t.Fatalf("%v: %s", err, deep.Body)
			}
			said := completion.Choices[0].Message
			if test.want == "" {
				if response.Output[0].Type != "message" || !strings.Contains(said.Content, "finds no input") {
					t.Errorf("an input was found:\n%s\n%s", flat.Body, deep.Body)
				}
				return
			}
			if len(said.Calls) == 0 {
				t.Fatalf("no call: %s", deep.Body)
			}
			for _, input := range []string{response.Output[0].Input, said.Calls[0].Custom.Input} {
				if !regexp.MustCompile(test.want).MatchString(input) {
					t.Errorf("the input is %q", input)
				}
			}
		})
	}
}

// doubling returns a grammar whose shortest text has two to the power of n letters.
func doubling(n int) string {
	var grammar strings.Builder
	name := "start"
	for range n {
		grammar.WriteString(name + ": " + name + "a " + name + "a\n")
		name += "a"
	}
	return grammar.String() + name + `: "a"`
}
