//go:build unix

package server_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolproof/harness/server"
)

// script is a server written for the shell. It answers the methods that it knows and ignores
// all others.
const script = `
while read -r line; do
	id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
	case $line in
	*'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}}' ;;
	*'"tools/list"'*) LIST ;;
	esac
done
`

const found = `echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"found","inputSchema":{"type":"object"}}]}}'`

func scripted(t *testing.T, list string, arguments ...string) *server.Server {
	t.Helper()
	return server.Program(t.Context(), "sh", append([]string{"-c", strings.ReplaceAll(script, "LIST", list), "sh"}, arguments...)...)
}

// TestDropsUnknownMethods checks that a server is initialized even if it ignores methods that
// it does not know.
func TestDropsUnknownMethods(t *testing.T) {
	t.Parallel()
	if text, err := scripted(t, found).List(t.Context()); err != nil || !strings.Contains(string(text), `"found"`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestReadsPastLines checks that lines that are no messages are read past and told, wherever they are.
func TestReadsPastLines(t *testing.T) {
	t.Parallel()
	logging := server.Program(t.Context(), "sh", "-c", `echo Starting up...; echo '{"level":30,"msg":"ready"}'; echo; `+strings.ReplaceAll(script, "LIST", `printf '[listing]\n'; `+found))
	text, err := logging.List(t.Context())
	if err != nil || !strings.Contains(string(text), `"found"`) {
		t.Errorf("%s, %v", text, err)
	}
	want := []string{"it writes 4 lines to its standard output that are no messages, last of all:\nStarting up...\n{\"level\":30,\"msg\":\"ready\"}\n[listing]\n[listing]"}
	if got := logging.Remarks(); !slices.Equal(got, want) {
		t.Errorf("the remarks are %q", got)
	}
}

// TestBlamesNoServer checks that a server does not fail for a pipe that List closes early, and that
// the error is about the message that could not be read.
func TestBlamesNoServer(t *testing.T) {
	t.Parallel()
	refused := scripted(t, `echo '{"jsonrpc":"2.0","id":'$id',"result":'; head -c 1000000 /dev/zero | tr '\\0' x || echo EPIPE >&2; exit 1`)
	text, err := refused.List(t.Context())
	if err == nil || !strings.Contains(err.Error(), "reading a message") || refused.Complaint() != "" {
		t.Errorf("%s, %v, and it says %q", text, err, refused.Complaint())
	}
}

// TestLongLine checks that a message may be longer than the SDK allows.
func TestLongLine(t *testing.T) {
	t.Parallel()
	const size = 17 << 20
	text, err := scripted(t, `printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"long","description":"' "$id"; head -c 17825792 /dev/zero | tr '\0' x; echo '"}]}}'`).List(t.Context())
	if err != nil || len(text) < size {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// TestMembersByCase checks that a list is read as clients read it: TOOLS is another member than tools,
// and of two members of one name the last counts, which is told.
func TestMembersByCase(t *testing.T) {
	t.Parallel()
	result := func(members string) string { return `echo '{"jsonrpc":"2.0","id":'$id',"result":{` + members + `}}'` }
	cased := scripted(t, result(`"tools":[{"name":"shown"}],"TOOLS":[{"name":"hidden"}],"NextCursor":"2"`))
	if text, err := cased.List(t.Context()); err != nil || !strings.Contains(string(text), "shown") || len(cased.Remarks()) > 0 {
		t.Errorf("%s, %v, %q", text, err, cased.Remarks())
	}
	twice := scripted(t, result(`"tools":[{"name":"hidden"}],"tools":[{"name":"shown"}]`))
	want := []string{`its list has the member "tools" twice: most clients read the last one, as is done here`}
	if text, err := twice.List(t.Context()); err != nil || !strings.Contains(string(text), "shown") || strings.Contains(string(text), "hidden") || !slices.Equal(twice.Remarks(), want) {
		t.Errorf("%s, %v, %q", text, err, twice.Remarks())
	}
	if text, err := scripted(t, result(`"Tools":[{"name":"hidden"}]`)).List(t.Context()); err == nil {
		t.Errorf("a list without tools is %s", text)
	}
}

// TestChangedList checks that the list is asked for again when the server says that it has changed,
// but not for ever.
func TestChangedList(t *testing.T) {
	t.Parallel()
	const note = `echo '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'; `
	text, err := scripted(t, `count=$((count+1)); if [ $count = 1 ]; then `+note+`fi; echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"list'$count'"}]}}'`).List(t.Context())
	if err != nil || !strings.Contains(string(text), "list2") {
		t.Errorf("%s, %v", text, err)
	}
	restless := scripted(t, note+found)
	if _, err := restless.List(t.Context()); err != nil || !slices.Equal(restless.Remarks(), []string{"it goes on changing its list of tools: this is one of them"}) {
		t.Errorf("%v, %q", err, restless.Remarks())
	}
}

// TestOtherList checks the remark about a server whose second list differs from its first, and that a server that
// lists the same, or does not answer again, gets none.
func TestOtherList(t *testing.T) {
	t.Parallel()
	const first, second = `{"name":"a","inputSchema":{"type":"object"}}`, `{"name":"b","inputSchema":{"type":"object"}}`
	answer := func(tools string) string {
		return `echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[` + tools + `]}}'`
	}
	later := func(then string) string {
		return `count=$((count+1)); if [ $count = 1 ]; then ` + answer(first+","+second) + `; else ` + then + `; fi`
	}
	for then, want := range map[string]string{
		answer(second + "," + first): "it lists the same tools in another order when it is asked again",
		answer(first):                "it lists other tools when it is asked again",
		answer(first + "," + second): "",
		"true":                       "",
	} {
		asked := scripted(t, later(then))
		if text, err := asked.List(t.Context()); err != nil || strings.Index(string(text), `"a"`) > strings.Index(string(text), `"b"`) {
			t.Errorf("then %s: %s, %v", then, text, err)
		}
		if remarks := strings.Join(asked.Remarks(), "; "); want == "" && remarks != "" || !strings.HasPrefix(remarks, want) {
			t.Errorf("then %s: the remarks are %q", then, remarks)
		}
	}
}

// TestAgain checks what is said of a server whose list is another one once it is started again, and that the second
// start adds no remarks.
func TestAgain(t *testing.T) {
	t.Parallel()
	const first, second = `{"name":"a","inputSchema":{"type":"object"}}`, `{"name":"b","inputSchema":{"type":"object"}}`
	const changed = `{"name":"b","description":"New.","inputSchema":{"type":"object"}}`
	answer := func(tools string) string {
		return `echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[` + tools + `]}}'`
	}
	for then, want := range map[string]server.Change{
		answer(second + "," + first): {Kind: server.OtherOrder, Says: "it lists the same tools in another order when it is started again, so that no provider can cache the prompt " +
			"(specification of 2026-07-28, server/tools: servers SHOULD return tools in a deterministic order)"},
		answer(first): {Kind: server.OtherTools, Says: "it lists other tools when it is started again: none more; 1 fewer (b)"},
		answer(first + "," + second + "," + `{"name":"c"}`): {Kind: server.OtherTools, Says: "it lists other tools when it is started again: 1 more (c); none fewer"},
		answer(first + "," + changed):                       {Kind: server.OtherTexts, Says: "it lists tools with other texts or schemas when it is started again, so that no provider can cache the prompt: 1 changed (b)"},
		answer(first + "," + second):                        {},
		"echo stray; " + answer(first+","+second):           {},
		"exit 1":   {},
		"sleep 60": {},
	} {
		file := filepath.Join(t.TempDir(), "started")
		asked := scripted(t, `if [ -e "$1" ]; then `+then+`; else `+answer(first+","+second)+`; fi`, file)
		list, err := asked.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		within := time.Minute
		if then == "sleep 60" {
			within = 100 * time.Millisecond
		}
		if got := asked.Again(t.Context(), list, within); got != want || len(asked.Remarks()) > 0 {
			t.Errorf("then %s: %+v, with the remarks %q; want %+v", then, got, asked.Remarks(), want)
		}
	}
}

// TestCapabilities checks that a server sees the capabilities of a whole client, without those that
// are withheld.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	for withheld, want := range map[string]string{"": "roots sampling elicitation tasks ", "roots": "sampling elicitation tasks ", "tasks": "roots sampling elicitation "} {
		told := server.Program(t.Context(), "sh", "-c", strings.ReplaceAll(strings.Replace(script, `*'"initialize"'*) `,
			`*'"initialize"'*) for name in roots sampling elicitation tasks; do case $line in *'"'$name'":{'*) echo "$name " >&2;; esac; done; `, 1), "LIST", found))
		told.Withhold = []string{withheld}
		if text, err := told.List(t.Context()); err != nil {
			t.Errorf("%s, %v", text, err)
		}
		if got := strings.ReplaceAll(told.Complaint(), "\n", ""); got+" " != want {
			t.Errorf("without %q it sees %q, want %q", withheld, got, want)
		}
	}
}

// TestEndlessProgram checks the limits on standard output.
func TestEndlessProgram(t *testing.T) {
	t.Parallel()
	const note = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	if _, err := scripted(t, `yes '`+note+`'`).List(t.Context()); err == nil || err.Error() != "the server sends more than 10000 messages" {
		t.Errorf("the error is %v", err)
	}
	if _, err := scripted(t, `cat /dev/zero | tr '\0' ' '`).List(t.Context()); err == nil {
		t.Error("a message that never ends is one")
	}
}

// TestLeavesNothing checks that a process that a server has started in the background does
// not outlive the server, however that ends. The test reads a pipe that such a process can
// write to: the pipe ends only when no such process is left.
func TestLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]string{
		"waits":  `tail -f /dev/null >"$1" & : >"$2"; ` + found + `; wait`,
		"leaves": `tail -f /dev/null >"$1" & : >"$2"; ` + found,
		"dies":   `tail -f /dev/null >"$1" & : >"$2"; kill -9 $$`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pipe, begun := filepath.Join(t.TempDir(), "pipe"), filepath.Join(t.TempDir(), "begun")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Skip(err)
			}
			reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0) // to open it waits for nobody
			if err != nil {
				t.Fatal(err)
			}
			_, _ = scripted(t, list, pipe, begun).List(t.Context())
			if _, err := os.Stat(begun); err != nil {
				t.Fatal("nothing was started")
			}
			if _, err := io.Copy(io.Discard, reader); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestProgramFails checks that the error says how a program failed, and that Complaint returns
// its last lines whole.
func TestProgramFails(t *testing.T) {
	t.Parallel()
	failing := server.Program(t.Context(), "sh", "-c", `head -c 20000 /dev/zero | tr '\0' 'k' >&2; echo >&2; echo "$WORD in $(basename "$(pwd)")" >&2; exit 3`)
	failing.Env, failing.Dir = []string{"WORD=here"}, t.TempDir()
	_, err := failing.List(t.Context())
	if err == nil || err.Error() != "the server ended before it answered: exit status 3" {
		t.Errorf("%v", err)
	}
	if want := "here in " + filepath.Base(failing.Dir); failing.Complaint() != want {
		t.Errorf("it says %q, want %q", failing.Complaint(), want)
	}
	ended := server.Program(t.Context(), "true")
	if _, err := ended.List(t.Context()); err == nil || errors.Is(err, server.ErrLate) {
		t.Errorf("%v", err)
	}
	silent := server.Program(t.Context(), "sh", "-c", `cat >/dev/null`)
	silent.Start = time.Nanosecond
	if _, err := silent.List(t.Context()); !errors.Is(err, server.ErrLate) {
		t.Errorf("%v", err)
	}
}
