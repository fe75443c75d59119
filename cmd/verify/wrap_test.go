package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/agent"
	"toolproof/harness/meaning"
	"toolproof/schema"
	"toolproof/schema/instance"
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

// answersOf sends requests, each when the one before is answered, and then those that more returns for the
// answers, if it is not nil. It returns the answers by ID, and everything else that was said.
func answersOf(t *testing.T, to io.WriteCloser, from io.Reader, requests []string, more func(answers map[string]string) []string) (answers map[string]string, said []string) {
	t.Helper()
	answers = map[string]string{}
	reader := bufio.NewReader(from)
	for i := 0; i < len(requests); i++ {
		request := requests[i]
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
			said = append(said, line)
		}
		if i == len(requests)-1 && more != nil {
			requests, more = append(requests, more(answers)...), nil
		}
	}
	_ = to.Close()
	_, _ = io.Copy(io.Discard, reader)
	return answers, said
}

// wrapped runs verify wrap with words, and returns what answersOf does and what it says on standard error.
func wrapped(t *testing.T, requests []string, more func(answers map[string]string) []string, words ...string) (answers map[string]string, said []string, errs string) {
	t.Helper()
	in, toIn := io.Pipe()
	out, toOut := io.Pipe()
	var warned bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), append([]string{"wrap"}, words...), in, toOut, &warned)
		_ = toOut.Close()
	}()
	answers, said = answersOf(t, toIn, out, requests, more)
	if code := <-ended; code != cli.CodeConforms {
		t.Errorf("exit code %d: %s", code, &warned)
	}
	return answers, said, warned.String()
}

// fromNPM are the servers of lab/clients/servers. Those that want a key are given one that nobody has.
var fromNPM = []struct {
	name        string
	arguments   []string
	environment []string
	isLocal     bool // its tools that only read ask nobody else, and are called
}{
	{name: "@antv/mcp-server-chart"},
	{name: "@brave/brave-search-mcp-server", environment: []string{"BRAVE_API_KEY=none"}},
	{name: "@eslint/mcp", isLocal: true},
	{name: "@hubspot/mcp-server", environment: []string{"PRIVATE_APP_ACCESS_TOKEN=none"}},
	{name: "@kazuph/mcp-taskmanager", environment: []string{"TASK_MANAGER_FILE_PATH=/nowhere/tasks.json"}},
	{name: "@modelcontextprotocol/server-everything", isLocal: true},
	{name: "@modelcontextprotocol/server-filesystem", arguments: []string{"."}, isLocal: true},
	{name: "@modelcontextprotocol/server-github"},
	{name: "@modelcontextprotocol/server-gitlab", environment: []string{"GITLAB_PERSONAL_ACCESS_TOKEN=none"}},
	{name: "@modelcontextprotocol/server-google-maps", environment: []string{"GOOGLE_MAPS_API_KEY=none"}},
	{name: "@modelcontextprotocol/server-memory", isLocal: true},
	{name: "@modelcontextprotocol/server-postgres", arguments: []string{"postgresql://127.0.0.1:1/none"}},
	{name: "@modelcontextprotocol/server-sequential-thinking", isLocal: true},
	{name: "@modelcontextprotocol/server-slack", environment: []string{"SLACK_BOT_TOKEN=none", "SLACK_TEAM_ID=none"}},
	{name: "@notionhq/notion-mcp-server"},
	{name: "@playwright/mcp"},
	{name: "@upstash/context7-mcp"},
	{name: "airtable-mcp-server", environment: []string{"AIRTABLE_API_KEY=none"}},
	{name: "chrome-devtools-mcp"},
	{name: "exa-mcp-server"},
	{name: "figma-developer-mcp", arguments: []string{"--stdio", "--figma-api-key=none"}},
	{name: "firecrawl-mcp"},
	{name: "mcp-server-commands"},
	{name: "tavily-mcp"},
}

// scriptOf returns the script of a server from npm, as its package names it.
func scriptOf(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	var read struct {
		Bin any `json:"bin"`
	}
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	script, _ := read.Bin.(string)
	programs, _ := read.Bin.(map[string]any)
	if own, isThere := programs[filepath.Base(folder)]; isThere {
		programs = map[string]any{"": own}
	}
	for _, program := range programs {
		script, _ = program.(string)
	}
	return filepath.Join(folder, script)
}

// TestWrappedServers: servers from npm say the same as without verify wrap, message by message, but for
// their tools, of which nothing but names, descriptions and input schemas is another, and wrong calls.
func TestWrappedServers(t *testing.T) {
	t.Parallel()
	folder, err := filepath.Abs(filepath.Join("..", "..", "lab", "clients", "servers"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		t.Skip("the servers are not installed: make servers does so, and needs npm")
	}
	for _, server := range fromNPM {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			words := append([]string{"env", "HOME=" + home}, server.environment...)
			words = append(append(words, "node", scriptOf(t, filepath.Join(folder, "node_modules", server.name))), server.arguments...)
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
			const list = "3"
			var given []listedTool
			want, wantSaid := answersOf(t, to, from, requestsTo(`{"name":"nobody"}`), func(answers map[string]string) []string {
				given = toolsIn(t, answers[list])
				return callsOf(t, given, given, server.isLocal)
			})
			_ = alone.Wait() // its answers are read
			got, gotSaid, _ := wrapped(t, requestsTo(`{"name":"nobody"}`), func(answers map[string]string) []string {
				return callsOf(t, given, toolsIn(t, answers[list]), server.isLocal)
			}, append([]string{"--"}, words...)...)
			if difference := cmp.Diff(listed(t, want[list]), listed(t, got[list])); difference != "" || len(given) == 0 {
				t.Errorf("%d tools: %s", len(given), difference)
			}
			delete(want, list)
			delete(got, list)
			wrong := 0
			for id, answer := range got {
				got[id], want[id] = clock.ReplaceAllString(answer, "now"), clock.ReplaceAllString(want[id], "now")
				// A wrong call, which the session answers in other words than the server.
				if strings.Contains(answer, "was not called, because its arguments are not valid") && strings.Contains(want[id], `rror"`) {
					wrong++
					delete(want, id)
					delete(got, id)
				}
			}
			if difference := cmp.Diff(want, got) + cmp.Diff(wantSaid, gotSaid); difference != "" {
				t.Error(difference)
			}
			t.Logf("%d tools; %d answers and %d other messages are equal, and %d calls are wrong", len(given), len(got), len(gotSaid), wrong)
		})
	}
}

// clock is the time of day, which some answers say.
var clock = regexp.MustCompile(`\d+:\d\d:\d\d [AP]M`)

// callsOf returns a call of each tool that only reads, with arguments that its schema takes, under the name
// that the client sees; and if the tools would ask somebody else, one call with wrong arguments instead.
func callsOf(t *testing.T, given, seen []listedTool, isLocal bool) (requests []string) {
	t.Helper()
	for i, tool := range given[:min(len(given), len(seen))] {
		arguments := []byte(`[]`)
		if isLocal {
			if !tool.Annotations.ReadOnlyHint {
				continue
			}
			arguments = argumentsOf(t, tool.InputSchema)
		} else if i > 0 {
			break
		}
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, 100+i, seen[i].Name, arguments)
		requests = append(requests, call)
	}
	return requests
}

// argumentsOf returns arguments that a schema takes.
func argumentsOf(t *testing.T, text []byte) []byte {
	t.Helper()
	node, err := schema.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := instance.Compile(node)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range meaning.Instances(node, 1, 60) {
		if value.Kind == schema.Object && compiled.Accepts(value) {
			return value.JSON()
		}
	}
	t.Fatalf("no arguments are found for %s", text)
	return nil
}

// listedTool is a tool as a client sees it.
type listedTool struct {
	Name        string          `json:"name"`
	InputSchema json.RawMessage `json:"inputSchema"` //nolint:tagliatelle // the protocol's name
	Annotations struct {
		ReadOnlyHint bool `json:"readOnlyHint"` //nolint:tagliatelle // likewise
	} `json:"annotations"`
}

// toolsIn returns the tools in an answer.
func toolsIn(t *testing.T, answer string) []listedTool {
	t.Helper()
	var read struct {
		Result struct {
			Tools []listedTool `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(answer), &read); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	return read.Result.Tools
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
	answers, _, errs := wrapped(t, requestsTo(`{"name":"a.b","arguments":"{}"}`), nil, "--observe", "--", "sh", "-c", server)
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

// TestWrapResumes: the client of the TypeScript SDK, whose connection breaks after the first progress of a
// call, gets the rest of the progress once and the result.
func TestWrapResumes(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "lab", "clients", "servers")
	server := filepath.Join(folder, "node_modules", "@modelcontextprotocol", "server-everything")
	if _, err := os.Stat(server); err != nil {
		t.Skip("the servers are not installed: make servers does so, and needs npm")
	}
	ctx, interrupt := context.WithCancel(t.Context())
	out, toOut := io.Pipe()
	var said bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"wrap", "--listen", "127.0.0.1:0", "--", "node", scriptOf(t, server)}, strings.NewReader(""), toOut, &said)
		_ = toOut.Close()
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %d, %s", err, <-ended, &said)
	}
	behind, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	var cuts atomic.Int32
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: behind.Host})
	proxy.FlushInterval = -1
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	proxy.ModifyResponse = func(response *http.Response) error {
		response.Body = &cutting{ReadCloser: response.Body, cuts: &cuts}
		return nil
	}
	web := httptest.NewServer(proxy)
	defer web.Close()
	client := exec.CommandContext(t.Context(), "node", filepath.Join(folder, "resume.mjs"), web.URL+behind.Path)
	client.Stderr = os.Stderr
	printed, err := client.Output()
	want := `{"progress":[1,2,3,4],"text":"Long running operation completed. Duration: 2 seconds, Steps: 4."}` + "\n"
	if err != nil || string(printed) != want || cuts.Load() != 1 {
		t.Errorf("the client prints %s after %d cuts: %v", printed, cuts.Load(), err)
	}
	interrupt()
	if code := <-ended; code != cli.CodeConforms {
		t.Errorf("exit code %d: %s", code, &said)
	}
}

// cutting breaks off the first body that tells progress, after that.
type cutting struct {
	io.ReadCloser

	cuts  *atomic.Int32
	isCut bool
}

func (c *cutting) Read(buffer []byte) (int, error) {
	if c.isCut {
		return 0, io.ErrUnexpectedEOF
	}
	count, err := c.ReadCloser.Read(buffer)
	if bytes.Contains(buffer[:count], []byte("notifications/progress")) {
		c.isCut = c.cuts.CompareAndSwap(0, 1)
	}
	return count, err
}
