package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/agent"
)

// requests are those of a client to any server, with a call of a tool.
func requestsTo(call string) []string {
	requests := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
	for i, request := range []string{
		`"method":"ping"`, `"method":"tools/list","params":{}`, `"method":"resources/list"`, `"method":"resources/templates/list"`, `"method":"prompts/list"`, `"method":"x/unknown","params":{"a":1}`,
		`"method":"tools/call","params":{"name":"nobody","arguments":{}}`, `"method":"tools/call","params":` + call,
	} {
		requests = append(requests, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i+2, request))
	}
	return requests
}

// answersOf sends requests, each when the one before is answered, and returns the answers by ID.
func answersOf(t *testing.T, to io.WriteCloser, from io.Reader, requests []string) map[string]string {
	t.Helper()
	answers := map[string]string{}
	reader := bufio.NewReader(from)
	for _, request := range requests {
		if _, err := io.WriteString(to, request+"\n"); err != nil {
			t.Fatal(err)
		}
		for strings.Contains(request, `"id":`) {
			line, err := reader.ReadString('\n')
			if err != nil {
				t.Fatalf("%v after %s, %s", err, request, line)
			}
			var message struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
			}
			if json.Unmarshal([]byte(line), &message) == nil && message.Method == "" {
				answers[string(message.ID)] = line
				break
			}
		}
	}
	_ = to.Close()
	_, _ = io.Copy(io.Discard, reader)
	return answers
}

// wrapped runs verify wrap with words, and returns the answers to requests and what it says.
func wrapped(t *testing.T, requests []string, words ...string) (answers map[string]string, errs string) {
	t.Helper()
	in, toIn := io.Pipe()
	out, toOut := io.Pipe()
	var said bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), append([]string{"wrap"}, words...), in, toOut, &said)
		_ = toOut.Close()
	}()
	answers = answersOf(t, toIn, out, requests)
	if code := <-ended; code != cli.CodeConforms {
		t.Errorf("exit code %d: %s", code, &said)
	}
	return answers, said.String()
}

// TestWrappedServers: servers from npm answer each request byte for byte as without verify wrap, but for
// their tools, of which nothing but names, descriptions and input schemas is another.
func TestWrappedServers(t *testing.T) {
	t.Parallel()
	folder, err := filepath.Abs(filepath.Join("..", "..", "lab", "clients", "servers"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		t.Skip("the servers are not installed: make servers does so, and needs npm")
	}
	calls := map[string]string{
		"@modelcontextprotocol/server-everything/dist/index.js":    `{"name":"get-sum","arguments":{"a":1,"b":2.50},"_meta":{"progressToken":1}}`,
		"@modelcontextprotocol/server-filesystem/dist/index.js":    `{"name":"list_allowed_directories","arguments":{}}`,
		"@modelcontextprotocol/server-memory/dist/index.js":        `{"name":"read_graph","arguments":{}}`,
		"@playwright/mcp/cli.js":                                   `{"name":"browser_tabs","arguments":{"action":"none"}}`,
		"chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js": `{"name":"navigate_page","arguments":{"url":1}}`,
	}
	for _, script := range slices.Sorted(maps.Keys(calls)) {
		t.Run(strings.Split(script, "/")[0]+"/"+strings.Split(script, "/")[1], func(t *testing.T) {
			t.Parallel()
			requests := requestsTo(calls[script])
			words := []string{"node", filepath.Join(folder, "node_modules", script)}
			if strings.Contains(script, "filesystem") {
				words = append(words, folder)
			}
			alone := exec.CommandContext(t.Context(), words[0], words[1:]...)
			to, err := alone.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			from, err := alone.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := alone.Start(); err != nil {
				t.Skip(err)
			}
			want := answersOf(t, to, from, requests)
			_ = alone.Wait() // its answers are read
			got, _ := wrapped(t, requests, append([]string{"--"}, words...)...)
			const list, call = "3", "9"
			seen, given := listed(t, got[list]), listed(t, want[list])
			if difference := cmp.Diff(given, seen); difference != "" || len(given) == 0 {
				t.Errorf("%d tools: %s", len(given), difference)
			}
			delete(want, list)
			delete(got, list)
			if strings.Contains(script, "playwright") || strings.Contains(script, "chrome") {
				// The call is wrong, which the session says in other words than the server.
				if !strings.Contains(got[call], "was not called, because its arguments are not valid") || !strings.Contains(want[call], `"isError":true`) {
					t.Errorf("the answers to the call are\n%s\n%s", got[call], want[call])
				}
				delete(want, call)
				delete(got, call)
			}
			if difference := cmp.Diff(want, got); difference != "" {
				t.Error(difference)
			}
		})
	}
}

// toolsOf returns the tools in an answer without what verify wrap may rewrite.
func listed(t *testing.T, answer string) []map[string]any {
	t.Helper()
	var read struct {
		Result struct {
			Tools []map[string]any `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(answer), &read); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	for _, tool := range read.Result.Tools {
		for _, member := range []string{"name", "description", "inputSchema"} {
			delete(tool, member)
		}
	}
	return read.Result.Tools
}

// TestWrap: the command says what it cannot do, and what a session that observes would have changed.
func TestWrap(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		code  int
		want  string
		words []string
	}{
		{cli.CodeBroken, "one server is required: a command, or --url", []string{"wrap"}},
		{cli.CodeBroken, "one server is required: a command, or --url", []string{"wrap", "--url", "http://127.0.0.1:1/", "--", "sh"}},
		{cli.CodeBroken, "use https://, or --insecure where the network is trusted", []string{"wrap", "--header", "X-Key: canary", "--url", "http://192.0.2.1/"}},
		{cli.CodeBroken, "--target gemini: its schemas are not JSON Schema, and MCP clients refuse them", []string{"wrap", "--target", "gemini", "--", "sh"}},
		{cli.CodeBroken, `unknown target "nobody"`, []string{"wrap", "--target", "nobody", "--", "sh"}},
		{cli.CodeInconclusive, "starting /nowhere/server: no such file or directory", []string{"wrap", "--", "/nowhere/server"}},
		{cli.CodeInconclusive, "the server ended before its client did: exit status 3", []string{"wrap", "--", "sh", "-c", "exec 1>&-; exit 3"}},
		{cli.CodeBroken, `--listen: "192.0.2.1" is no address of the loopback`, []string{"wrap", "--listen", "192.0.2.1:80", "--", "sh"}},
		{cli.CodeBroken, "if any flags in the group", []string{"wrap", "--install", "zed", "--listen", "127.0.0.1:0"}},
		{cli.CodeConforms, "", []string{"wrap", "--", "cat"}},
	} {
		in := io.Reader(strings.NewReader("{\"id\":1,\"method\":\"ping\"}\n"))
		if test.code == cli.CodeInconclusive {
			open, _ := io.Pipe()
			in = open
		}
		var out, errs bytes.Buffer
		if code := run(t.Context(), test.words, in, &out, &errs); code != test.code || !strings.Contains(errs.String(), test.want) {
			t.Errorf("%q: exit code %d: %s", test.words, code, &errs)
		}
		if want := "{\"id\":1,\"method\":\"ping\"}\n"; test.code == cli.CodeConforms && (out.String() != want || errs.Len() > 0) {
			t.Errorf("%q: %s%s", test.words, &out, &errs)
		}
	}
	const server = `echo said >&2; while read -r line; do case $line in *tools/list*) echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"a.b","inputSchema":{"type":"object"}}]}}' ;; *id*) echo "$line" | sed 's/.*"id":\([0-9]*\).*/{"id":\1,"result":{}}/' ;; esac; done`
	answers, errs := wrapped(t, requestsTo(`{"name":"a.b","arguments":"{}"}`), "--observe", "--", "sh", "-c", server)
	if !strings.Contains(answers["3"], `"name":"a.b"`) || answers["9"] != "{\"id\":9,\"result\":{}}\n" {
		t.Errorf("the answers are %q", answers)
	}
	want := "said\n" + cli.ShortName() + ": would have rewritten 1 of 1 tool, 1 of them with another name; would have restored the arguments of 1 of 1 call, and refused 0\n"
	if errs != want {
		t.Errorf("it says %q", errs)
	}
}

// TestGoesAway: a program that go run has built is not written into a configuration.
func TestGoesAway(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]bool{
		"/somewhere/go-build1/b001/exe/verify": true, "/home/u/.cache/go-build/ab/abc-d/verify": true, "/home/u/go/bin/verify": false, "/usr/bin/verify": false,
	} {
		if goesAway(program) != want {
			t.Errorf("%s: %t", program, !want)
		}
	}
}

// TestWrapListens: a client of the SDK speaks to a server that is a program over HTTP. When the command
// is interrupted, the session ends, and what it would have changed is said.
func TestWrapListens(t *testing.T) {
	t.Parallel()
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(file, []byte(`{"tools":[{"name":"a.b","inputSchema":{"type":"object"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, isObserved := range []bool{false, true} {
		ctx, interrupt := context.WithCancel(t.Context())
		out, toOut := io.Pipe()
		var said bytes.Buffer
		ended := make(chan int, 1)
		go func() {
			words := []string{"wrap", fmt.Sprintf("--observe=%t", isObserved), "--listen", "127.0.0.1:0", "--", self, agent.ServerCommand, file}
			ended <- run(ctx, words, strings.NewReader(""), toOut, &said)
			_ = toOut.Close()
		}()
		address, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatalf("%v: %d, %s", err, <-ended, &said)
		}
		client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil)
		connection, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: strings.TrimSpace(address)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tools, err := connection.ListTools(t.Context(), nil)
		if want := map[bool]string{false: "a_b", true: "a.b"}[isObserved]; err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != want {
			t.Errorf("%v, %v", tools, err)
		}
		interrupt()
		if code := <-ended; code != cli.CodeConforms {
			t.Errorf("exit code %d: %s", code, &said)
		}
		_ = connection.Close() // the session is over
		if want := "would have rewritten 1 of 1 tool, 1 of them with another name"; strings.Contains(said.String(), want) != isObserved {
			t.Errorf("it says %s", &said)
		}
	}
}
