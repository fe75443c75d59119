package protocol

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"toolproof/harness/server"
	"toolproof/schema"
)

// plant is a fault of the server of the tests, named as the check that finds it, and planted over a transport. Others
// are the checks that find it, too.
type plant struct {
	check, over string
	others      []string
}

// plants are the faults, one for each check.
var plants = []plant{
	{check: "stdout_messages", over: Stdio},
	{check: "message_form", over: Stdio},
	{check: "error_code", over: Stdio, others: []string{"unknown_method_code"}},
	{check: "same_id", over: Stdio, others: []string{"answers_once", "lists"}},
	{check: "answers_once", over: Stdio},
	{check: "string_id", over: Stdio, others: []string{"answers_once"}},
	{check: "notifications_unanswered", over: Stdio},
	{check: "survives", over: Stdio},
	{check: "stays", over: Stdio},
	{check: "receives_batches", over: Stdio},
	{check: "at_once", over: Stdio, others: []string{"answers_once"}},
	{check: "exits", over: Stdio, others: []string{"exits_on_close"}},
	{check: "exits_on_close", over: Stdio, others: []string{"exits"}},
	{check: "initialize_result", over: Stdio},
	{check: "another_version", over: Stdio},
	{check: "latest_version", over: Stdio},
	{check: "waits_for_initialized", over: Stdio, others: []string{"negotiated_capabilities", "negotiated_capabilities_before"}},
	{check: "negotiated_capabilities", over: Stdio, others: []string{"negotiated_capabilities_before"}},
	{check: "negotiated_capabilities_before", over: Stdio, others: []string{"negotiated_capabilities"}},
	{check: "declares_logging", over: Stdio},
	{check: "ping", over: Stdio},
	{check: "ignores_cancellations", over: Stdio, others: []string{"stays"}},
	{check: "cancels", over: Stdio},
	{check: "progress_increases", over: Stdio},
	{check: "progress_tokens", over: Stdio},
	{check: "declares_tools", over: Stdio},
	{check: "declares_prompts", over: Stdio},
	{check: "declares_resources", over: Stdio},
	{check: "lists", over: Stdio},
	{check: "cursor", over: Stdio},
	{check: "bad_cursor", over: Stdio},
	{check: "same_order", over: Stdio},
	{check: "unknown_method", over: Stdio, others: []string{"unknown_method_code"}},
	{check: "unknown_method_code", over: Stdio},
	{check: "unknown_tool", over: Stdio},
	{check: "malformed_call", over: Stdio},
	{check: "unknown_prompt", over: Stdio},
	{check: "unknown_resource", over: Stdio},
	{check: "resource_not_found", over: Stdio},
	{check: "unknown_completion", over: Stdio},
	{check: "bad_log_level", over: Stdio},
	{check: "content_type", over: HTTP},
	{check: "accepted", over: HTTP},
	{check: "unreadable_body", over: HTTP},
	{check: "get_stream", over: HTTP},
	{check: "version_header", over: HTTP},
	{check: "origin", over: HTTP},
	{check: "session_form", over: HTTP},
	{check: "session_required", over: HTTP},
	{check: "session_ended", over: HTTP},
	{check: "event_ids", over: HTTP},
	{check: "resumes", over: HTTP},
	{check: "discover", over: Stdio},
	{check: "first_request", over: Stdio},
	{check: "result_type", over: Stdio},
	{check: "caching", over: Stdio},
	{check: "server_info", over: Stdio},
	{check: "unsupported_version", over: Stdio},
	{check: "required_meta", over: Stdio},
	{check: "method_status", over: HTTP},
	{check: "header_mismatch", over: HTTP},
	{check: "no_requests", over: Stdio},
	{check: "no_logging", over: Stdio},
	{check: "reserved_codes", over: Stdio, others: []string{"resource_not_found"}},
	{check: "no_sessions", over: HTTP},
}

// TestMain is the server of the tests in a process that a test starts.
func TestMain(m *testing.M) {
	if plant, isServer := os.LookupEnv("PROTOCOL_TEST_SERVER"); isServer {
		(&planted{plant: plant}).serve(os.Stdin, os.Stdout)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// run asks the server of the tests with a fault; "" for none.
func run(t *testing.T, plant, over string) *Report {
	t.Helper()
	var asked *server.Server
	if over == HTTP {
		web := httptest.NewServer(&planted{plant: plant})
		t.Cleanup(web.Close)
		asked = server.At(web.URL)
	} else {
		self, err := os.Executable()
		if err != nil {
			t.Error(err)
		}
		asked = server.Program(t.Context(), self)
		asked.Env = []string{"PROTOCOL_TEST_SERVER=" + plant}
	}
	report, err := Run(t.Context(), asked, Options{
		Start: 10 * time.Second, Answers: time.Second, Tool: slowTool, Arguments: func(*schema.Node) json.RawMessage { return json.RawMessage("{}") },
	})
	if err != nil {
		t.Errorf("with %s over %s: %v", plant, over, err)
		return &Report{}
	}
	return report
}

// TestKept asks the server without a fault: it breaks nothing, and each check is seen over one of the transports.
func TestKept(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"delete": true, "no_sessions": true} // for servers that are otherwise
	for _, over := range []string{Stdio, HTTP} {
		report := run(t, "", over)
		if !slices.Equal(report.Spoken, Revisions) {
			t.Errorf("over %s it speaks %v", over, report.Spoken)
		}
		for _, finding := range report.Findings {
			if finding.Outcome == Broken {
				t.Errorf("over %s in %s it breaks %s: %s", over, finding.Revision, finding.Check.Name, finding.Saw)
			}
			seen[finding.Check.Name] = seen[finding.Check.Name] || finding.Outcome == Kept
		}
	}
	for _, check := range Checks {
		if !seen[check.Name] {
			t.Errorf("%s is never seen", check.Name)
		}
	}
}

// TestPlanted asks a server with one fault after another: the check of the fault finds it, and no other does. Most of
// the time the servers are waited for, so that many are asked at once.
func TestPlanted(t *testing.T) {
	t.Parallel()
	var group errgroup.Group
	const atOnce = 32
	group.SetLimit(atOnce)
	for _, plant := range plants {
		group.Go(func() error {
			isFound := false
			for _, finding := range run(t, plant.check, plant.over).Findings {
				isFound = isFound || finding.Outcome == Broken && finding.Check.Name == plant.check
				if finding.Outcome == Broken && finding.Check.Name != plant.check && !slices.Contains(plant.others, finding.Check.Name) {
					t.Errorf("with %s it breaks %s in %s, too: %s", plant.check, finding.Check.Name, finding.Revision, finding.Saw)
				}
			}
			if !isFound {
				t.Errorf("nobody finds the fault of %s", plant.check)
			}
			return nil
		})
	}
	_ = group.Wait() // its functions return no errors
}

// TestChecks checks that each check that can be broken has a planted fault, and that names are unique.
func TestChecks(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, check := range Checks {
		if names[check.Name] {
			t.Errorf("%s is the name of two checks", check.Name)
		}
		names[check.Name] = true
		isPlanted := slices.ContainsFunc(plants, func(planted plant) bool { return planted.check == check.Name })
		if isPlanted == (check.Level == May) {
			t.Errorf("%s: a fault is planted: %v", check.Name, isPlanted)
		}
		if !slices.Contains(Revisions, check.Since) || check.Until != "" && !slices.Contains(Revisions, check.Until) {
			t.Errorf("%s is of no known revisions", check.Name)
		}
		if check.Says == "" || check.Page == "" {
			t.Errorf("%s has no source", check.Name)
		}
	}
}

// pages are those of each revision that the checks cite, as its folder in the specification has them.
var pages = map[string]string{
	"2024-11-05": "basic/lifecycle basic/messages basic/transports basic/utilities/cancellation basic/utilities/ping basic/utilities/progress " +
		"server/prompts server/resources server/tools server/utilities/logging server/utilities/pagination",
	"2025-03-26": laterPages, "2025-06-18": laterPages, "2025-11-25": laterPages,
	Stateless: "basic basic/patterns/progress basic/transports/stdio basic/transports/streamable-http basic/versioning changelog " +
		"server/prompts server/resources server/tools server/utilities/caching server/utilities/completion server/utilities/pagination",
}

const laterPages = "basic basic/lifecycle basic/transports basic/utilities/cancellation basic/utilities/ping basic/utilities/progress " +
	"server/prompts server/resources server/tools server/utilities/completion server/utilities/logging server/utilities/pagination"

// TestAddress checks that each check cites a page that each of its revisions has.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, check := range Checks {
		for _, revision := range Revisions {
			if !check.holds(revision, check.Over) || check.Page == jsonRPC {
				continue
			}
			page, _, _ := strings.Cut(strings.TrimPrefix(check.Address(revision), "https://modelcontextprotocol.io/specification/"+revision+"/"), "#")
			if !slices.Contains(strings.Fields(pages[revision]), page) {
				t.Errorf("%s cites %s, which %s does not have", check.Name, page, revision)
			}
		}
	}
}

// TestRevisions asks in one revision alone.
func TestRevisions(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(&planted{})
	t.Cleanup(web.Close)
	for _, revision := range Revisions {
		report, err := Run(t.Context(), server.At(web.URL), Options{Answers: time.Second, Revisions: []string{revision}})
		if err != nil || len(report.Findings) == 0 || slices.ContainsFunc(report.Findings, func(finding Finding) bool { return finding.Revision != revision }) {
			t.Errorf("%s: %v, %v", revision, report, err)
		}
	}
}

// TestNoSuchTool names a tool that the server does not have.
func TestNoSuchTool(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(&planted{})
	t.Cleanup(web.Close)
	arguments := func(*schema.Node) json.RawMessage { return json.RawMessage("{}") }
	if _, err := Run(t.Context(), server.At(web.URL), Options{Answers: time.Second, Tool: "none", Arguments: arguments}); err == nil || !strings.Contains(err.Error(), `no tool "none"`) {
		t.Errorf("the error is %v", err)
	}
}

// TestRunEnds asks servers that are none.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	silent := server.Program(t.Context(), "cat", "/dev/null")
	if report, err := Run(t.Context(), silent, Options{Start: time.Second, Answers: time.Second}); err == nil {
		t.Errorf("a program that says nothing is judged: %v", report.Findings)
	}
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	if report, err := Run(t.Context(), server.At(web.URL), Options{Answers: time.Second}); err == nil {
		t.Errorf("an address without a server is judged: %v", report.Findings)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, server.At(web.URL), Options{Answers: time.Minute}); err == nil {
		t.Error("a run that is over goes on")
	}
}

// planted is a server with at most one fault, over both transports.
type planted struct {
	plant string

	mutex    sync.Mutex
	sessions map[string]bool
	count    int
	streams  []stream
	ended    bool // the program ends
	began    bool // a request came before
	// cancelled has a channel for each call of the slow tool that goes on, by its ID.
	cancelled map[string]chan bool
	ready     bool // notifications/initialized came
}

// stream is what a stream of HTTP has had after its first event.
type stream struct{ first, data string }

// request is what the server reads.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name            string                     `json:"name"`
		Cursor          string                     `json:"cursor"`
		ProtocolVersion string                     `json:"protocolVersion"` //nolint:tagliatelle // as the protocol
		RequestID       json.RawMessage            `json:"requestId"`       //nolint:tagliatelle // as the protocol
		Meta            map[string]json.RawMessage `json:"_meta"`           //nolint:tagliatelle // as the protocol
	} `json:"params"`
}

// is reports whether a fault is planted.
func (p *planted) is(plant string) bool { return p.plant == plant }

// answer returns the messages that answer a request, and the status of HTTP.
func (p *planted) answer(text []byte) (messages []string, status int) {
	var asked request
	if err := json.Unmarshal(text, &asked); err != nil || asked.Method == "" {
		if p.ended = p.is("survives"); p.ended {
			return nil, 400
		}
		return []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}`}, 400
	}
	before := p.began
	p.began = true
	if asked.ID == nil {
		return p.notified(asked)
	}
	revision := strings.Trim(string(asked.Params.Meta["io.modelcontextprotocol/protocolVersion"]), `"`)
	body, code := p.result(asked, revision, before)
	status = 200
	jsonrpc, id, member := "2.0", string(asked.ID), "result"
	if code != 0 {
		member = "error"
		body = fmt.Sprintf(`{"code":%d,"message":"no","data":{"supported":["2026-07-28"]}}`, code)
		if revision != "" {
			status = map[int]int{-32601: 404, -32022: 400, -32602: 400, -32020: 400}[code]
		}
		if p.is("method_status") && code == -32601 {
			status = 200
		}
		if p.is("error_code") {
			body = strings.Replace(body, "-32601", `"-32601"`, 1)
		}
	} else if revision == Stateless {
		body = p.stateless(asked, body)
	}
	switch {
	case p.is("message_form") && asked.Method == "tools/list":
		jsonrpc = "1.0"
	case p.is("same_id") && asked.Method == "prompts/list":
		id = "99999"
	case p.is("string_id") && id == `"a/1"`, p.is("at_once") && id == `"p"`:
		return nil, 200
	}
	text = fmt.Appendf(nil, `{"jsonrpc":%q,"id":%s,%q:%s}`, jsonrpc, id, member, body)
	messages = append(p.further(asked, revision), string(text))
	if p.is("answers_once") && asked.Method == "prompts/list" {
		messages = append(messages, string(text))
	}
	return messages, status
}

// further returns what comes before an answer.
func (p *planted) further(asked request, revision string) []string {
	notice := func(method, params string) []string {
		return []string{`{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`}
	}
	isFirst := asked.Method == "tools/list"
	switch {
	case p.is("waits_for_initialized") && asked.Method == "initialize":
		return []string{`{"jsonrpc":"2.0","id":"s","method":"roots/list"}`}
	case strings.HasPrefix(p.plant, "negotiated_capabilities") && isFirst && revision == "":
		return notice("notifications/resources/updated", `{"uri":"a:b"}`)
	case p.is("declares_logging") && isFirst && revision == "", p.is("no_logging") && isFirst && revision != "":
		return notice("notifications/message", `{"level":"info","data":"x"}`)
	case p.is("progress_tokens") && isFirst:
		return notice("notifications/progress", `{"progressToken":"other","progress":1}`)
	case p.is("no_requests") && isFirst && revision != "":
		return []string{`{"jsonrpc":"2.0","id":"s","method":"ping"}`}
	case isFirst && asked.Params.Meta["progressToken"] != nil:
		return notice("notifications/progress", `{"progressToken":"progress","progress":1}`)
	}
	return nil
}

// notified takes a notification.
func (p *planted) notified(asked request) (messages []string, status int) {
	isCancelled := asked.Method == "notifications/cancelled"
	switch {
	case p.is("notifications_unanswered") && !isCancelled && p.ready:
		return []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}`}, 202
	case p.is("ignores_cancellations") && isCancelled:
		p.ended = true
	}
	p.ready = p.ready || asked.Method == "notifications/initialized"
	return nil, 202
}

// stateless adds what a result of the stateless revision has.
func (p *planted) stateless(asked request, body string) string {
	var members map[string]any
	if json.Unmarshal([]byte(body), &members) != nil {
		return body
	}
	if !p.is("result_type") || asked.Method == "server/discover" {
		members["resultType"] = "complete"
	}
	if !p.is("server_info") {
		members["_meta"] = map[string]any{"io.modelcontextprotocol/serverInfo": map[string]any{"name": "t", "version": "1"}}
	}
	if strings.HasSuffix(asked.Method, "/list") {
		members["ttlMs"], members["cacheScope"] = 0, "public"
		if p.is("caching") {
			members["ttlMs"] = -1
		}
	}
	return string(marshal(members))
}

// result returns a result, or the code of an error.
func (p *planted) result(asked request, revision string, before bool) (body string, code int) {
	capabilities := map[string]string{
		"tools": `{"listChanged":false}`, "prompts": "{}", "resources": "{}", "completions": "{}", "logging": "{}",
	}
	for _, name := range []string{"tools", "prompts", "resources", "logging"} {
		if p.is("declares_" + name) {
			delete(capabilities, name)
		}
	}
	var declared []string
	for name, value := range capabilities {
		declared = append(declared, strconv.Quote(name)+":"+value)
	}
	offers := `"capabilities":{` + strings.Join(declared, ",") + `}`
	info := `"serverInfo":{"name":"t","version":"1"}`
	if revision != "" {
		_, hasCapabilities := asked.Params.Meta["io.modelcontextprotocol/clientCapabilities"]
		switch {
		case revision != Stateless && !p.is("unsupported_version"):
			return "", -32022
		case !hasCapabilities && !p.is("required_meta"):
			return "", -32602
		case p.is("first_request") && !before && asked.Method == "tools/list":
			return "", -32600
		}
	}
	if p.is("no_sessions") && revision == "" {
		return "", -32601
	}
	switch asked.Method {
	case "initialize":
		version := asked.Params.ProtocolVersion
		if !slices.Contains(Revisions[:4], version) {
			version = "2025-11-25"
			switch {
			case p.is("another_version"):
				version = "1900-01-01"
			case p.is("latest_version"):
				version = "2025-06-18"
			}
		}
		if p.is("initialize_result") {
			info = `"serverInfo":{"name":"t"}`
		}
		return `{"protocolVersion":"` + version + `",` + offers + `,` + info + `}`, 0
	case "server/discover":
		if revision == "" {
			return "", -32601
		}
		if p.is("discover") {
			return `{"supportedVersions":["2026-07-28"]}`, 0
		}
		return `{"supportedVersions":["2026-07-28"],` + offers + `}`, 0
	case "ping":
		if p.is("ping") {
			return `{"pong":true}`, 0
		}
		return "{}", 0
	case "toolproof/unknown":
		p.ended = p.is("stays")
		switch {
		case p.is("unknown_method"):
			return "{}", 0
		case p.is("unknown_method_code"):
			return "", -32600
		}
		return "", -32601
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		return p.list(asked)
	default:
		return p.refuse(asked, revision)
	}
}

// list returns a list.
func (p *planted) list(asked request) (body string, code int) {
	switch asked.Method {
	case "prompts/list":
		return `{"prompts":[{"name":"p"}]}`, 0
	case "resources/list":
		if p.is("lists") {
			return `{"items":[]}`, 0
		}
		return `{"resources":[{"name":"r","uri":"a:b"}]}`, 0
	case "resources/templates/list":
		return `{"resourceTemplates":[]}`, 0
	}
	cursor := asked.Params.Cursor
	switch {
	case cursor == "2":
		if p.is("cursor") {
			return `{"tools":[{"name":"c","inputSchema":{"type":"object"}}],"nextCursor":null}`, 0
		}
		return `{"tools":[{"name":"c","inputSchema":{"type":"object"}}]}`, 0
	case cursor != "" && !p.is("bad_cursor"):
		return "", -32602
	}
	first, second := "a", "b"
	if p.is("same_order") && asked.Params.Meta["progressToken"] != nil {
		first, second = second, first
	}
	return fmt.Sprintf(`{"tools":[{"name":%q,"inputSchema":{"type":"object"}},{"name":%q,"inputSchema":{"type":"object"}}],"nextCursor":"2"}`, first, second), 0
}

// refuse refuses a request that names nothing that there is.
func (p *planted) refuse(asked request, revision string) (body string, code int) {
	switch {
	case asked.Method == "tools/call" && asked.Params.Name == slowTool: // over HTTP
		return `{"content":[]}`, 0
	case asked.Method == "tools/call" && asked.Params.Name != "" && p.is("unknown_tool"):
		return `{"content":[],"isError":true}`, 0
	case asked.Method == "tools/call" && asked.Params.Name == "" && p.is("malformed_call"):
		return `{"content":[]}`, 0
	case asked.Method == "prompts/get" && p.is("unknown_prompt"),
		asked.Method == "completion/complete" && p.is("unknown_completion"),
		asked.Method == "resources/read" && revision == "" && p.is("unknown_resource"),
		asked.Method == "resources/read" && revision != "" && p.is("resource_not_found"),
		asked.Method == "logging/setLevel" && p.is("bad_log_level"):
		return "", -32603
	case asked.Method == "resources/read" && (revision == "" || p.is("reserved_codes")):
		return "", -32002
	}
	return "", -32602
}

// serve serves on standard input and output until the input ends.
func (p *planted) serve(in io.Reader, out io.Writer) {
	if p.is("stdout_messages") {
		fmt.Fprintln(out, "Server is running")
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var batch []json.RawMessage
		if json.Unmarshal(lines.Bytes(), &batch) == nil {
			for _, one := range batch[:len(batch)-map[bool]int{true: 1}[p.is("receives_batches")]] {
				answers, _ := p.answer(one)
				fmt.Fprintln(out, strings.Join(answers, "\n"))
			}
			continue
		}
		if p.call(lines.Bytes(), out) {
			continue
		}
		answers, _ := p.answer(lines.Bytes())
		if len(answers) > 0 {
			p.write(out, answers...)
		}
		if p.ended {
			return
		}
	}
	if p.is("exits") || p.is("exits_on_close") {
		time.Sleep(time.Hour)
	}
}

// slowTool is a tool that takes long and says how far it is.
const slowTool = "a"

// write writes messages, each in a line.
func (p *planted) write(out io.Writer, messages ...string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	fmt.Fprintln(out, strings.Join(messages, "\n"))
}

// call begins a call of the slow tool, or cancels one, and reports whether the text does that.
func (p *planted) call(text []byte, out io.Writer) bool {
	var asked request
	if json.Unmarshal(text, &asked) != nil {
		return false
	}
	if p.cancelled == nil {
		p.cancelled = map[string]chan bool{}
	}
	if ends := p.cancelled[string(asked.Params.RequestID)]; asked.Method == "notifications/cancelled" && ends != nil {
		close(ends)
		return true
	}
	if asked.Method != "tools/call" || asked.Params.Name != slowTool {
		return false
	}
	ends := make(chan bool)
	p.cancelled[string(asked.ID)] = ends
	go func() {
		for _, progress := range []int{1, map[bool]int{true: 1, false: 2}[p.is("progress_increases")]} {
			p.write(out, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"call","progress":%d}}`, progress))
		}
		select {
		case <-ends:
			if !p.is("cancels") {
				return
			}
			time.Sleep(400 * time.Millisecond)
		case <-time.After(400 * time.Millisecond):
		}
		result := `{"content":[]}`
		if asked.Params.Meta["io.modelcontextprotocol/protocolVersion"] != nil {
			result = p.stateless(asked, result)
		}
		p.write(out, `{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"result":`+result+`}`)
	}()
	return true
}

// ServeHTTP serves streamable HTTP, with sessions and streams of events for the revisions with a handshake.
func (p *planted) ServeHTTP(writer http.ResponseWriter, got *http.Request) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	refuse := func(status int) { http.Error(writer, "no", status) }
	session, version := got.Header.Get("Mcp-Session-Id"), got.Header.Get("Mcp-Protocol-Version")
	known, isKnown := p.sessions[session]
	switch {
	case got.Header.Get("Origin") != "" && !p.is("origin"):
		refuse(http.StatusForbidden)
	case session != "" && isKnown && !known && p.is("session_ended"):
		refuse(http.StatusGone)
	case session != "" && !known:
		refuse(http.StatusNotFound)
	case version != "" && !slices.Contains(Revisions, version) && !p.is("version_header") && got.Header.Get("Mcp-Method") == "":
		refuse(http.StatusBadRequest)
	case got.Method == http.MethodDelete:
		p.sessions[session] = false
	case got.Method == http.MethodGet && got.Header.Get("Last-Event-ID") != "":
		p.again(writer, got.Header.Get("Last-Event-ID"))
	case got.Method == http.MethodGet && (version == Stateless || p.is("get_stream")):
		refuse(map[bool]int{true: http.StatusNotFound, false: http.StatusMethodNotAllowed}[p.is("get_stream")])
	case got.Method == http.MethodGet:
		writer.Header().Set("Content-Type", "text/event-stream")
	default:
		p.post(writer, got, session)
	}
}

// post answers a POST.
func (p *planted) post(writer http.ResponseWriter, got *http.Request, session string) {
	text, _ := io.ReadAll(got.Body)
	var asked request
	_ = json.Unmarshal(text, &asked)
	isModern := asked.Params.Meta["io.modelcontextprotocol/protocolVersion"] != nil
	isWrong := got.Header.Get("Mcp-Method") != asked.Method || !strings.Contains(string(asked.Params.Meta["io.modelcontextprotocol/protocolVersion"]), got.Header.Get("Mcp-Protocol-Version"))
	needs := p.plant == "session_required"
	switch {
	case isModern && asked.ID != nil && isWrong && !p.is("header_mismatch"):
		writer.Header().Set("Content-Type", "application/json")
		writer.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(writer, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32020,"message":"no"}}`, asked.ID)
		return
	case !isModern && session == "" && asked.Method != "initialize" && asked.Method != "":
		writer.WriteHeader(map[bool]int{true: http.StatusUnauthorized, false: http.StatusBadRequest}[needs])
		return
	}
	var batch []json.RawMessage
	if json.Unmarshal(text, &batch) == nil {
		var answers []string
		for _, one := range batch {
			messages, _ := p.answer(one)
			answers = append(answers, messages...)
		}
		writer.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(writer, "[%s]", strings.Join(answers, ","))
		return
	}
	messages, status := p.answer(text)
	if asked.Method == "initialize" && status == http.StatusOK {
		p.count++
		session = fmt.Sprintf("session-%d", p.count)
		if p.is("session_form") {
			session += " and more"
		}
		if p.sessions == nil {
			p.sessions = map[string]bool{}
		}
		p.sessions[session] = true
		writer.Header().Set("Mcp-Session-Id", session)
	}
	if p.is("no_sessions") {
		writer.Header().Set("Mcp-Session-Id", "s")
	}
	switch {
	case status == 202 && p.is("accepted"):
		status = 200
	case status == 400 && asked.Method == "" && p.is("unreadable_body"):
		status = 200
	}
	if len(messages) == 0 {
		writer.WriteHeader(status)
		return
	}
	writer.Header().Set("Content-Type", "application/json")
	if isModern || asked.Method == "" || p.is("content_type") {
		if p.is("content_type") {
			writer.Header().Set("Content-Type", "text/plain")
		}
		writer.WriteHeader(status)
		fmt.Fprintln(writer, messages[len(messages)-1])
		return
	}
	p.count++
	first := fmt.Sprintf("%d-1", p.count)
	of := p.count
	if p.is("event_ids") {
		of = 0
	}
	var data strings.Builder
	for i, one := range messages {
		fmt.Fprintf(&data, "id: %d-%d\ndata: %s\n\n", of, i+2, one)
	}
	p.streams = append(p.streams, stream{first, data.String()})
	writer.Header().Set("Content-Type", "text/event-stream")
	writer.WriteHeader(status)
	fmt.Fprintf(writer, "id: %s\ndata:\n\n%s", first, data.String())
}

// again sends what followed an event on its stream.
func (p *planted) again(writer http.ResponseWriter, event string) {
	writer.Header().Set("Content-Type", "text/event-stream")
	isBehind := false
	for _, one := range p.streams {
		if one.first == event || isBehind && p.is("resumes") {
			isBehind = true
			fmt.Fprint(writer, one.data)
		}
	}
}
