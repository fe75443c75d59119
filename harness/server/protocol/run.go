package protocol

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"toolproof/harness/server"
	"toolproof/schema"
)

// The steps that checks ask for by name.
const (
	initialize       = "initialize"
	initialized      = "notifications/initialized"
	discover         = "server/discover"
	ping             = "ping"
	textID           = "a ping whose id is a string"
	together         = "two requests at once"
	batch            = "a batch of two pings"
	unknownMethod    = "a request of an unknown method"
	unknownNotice    = "an unknown notification"
	cancelUnknown    = "a cancellation of an unknown request"
	cancelAnswered   = "a cancellation of an answered request"
	listTools        = "tools/list"
	listToolsAgain   = "tools/list once more"
	badCursor        = "tools/list with an unknown cursor"
	listPrompts      = "prompts/list"
	listResources    = "resources/list"
	listTemplates    = "resources/templates/list"
	unknownTool      = "a call of an unknown tool"
	namelessTool     = "a call without a name"
	unknownPrompt    = "prompts/get of an unknown name"
	unknownResource  = "resources/read of an unknown uri"
	unknownCompleted = "completion/complete of an unknown prompt"
	badLevel         = "logging/setLevel with an unknown level"
	unknownVersion   = "initialize with an unknown revision"
	unreadable       = "a message that is no JSON"
	pingAfter        = "a ping after a message that is no JSON"
	get              = "GET"
	badVersion       = "a request with an unknown MCP-Protocol-Version"
	foreignOrigin    = "a request with the header Origin of another site"
	noSession        = "a request without its session"
	deleted          = "DELETE"
	afterDelete      = "a request of a deleted session"
	resume           = "GET with Last-Event-ID"
	fresh            = "tools/list as the first request of a connection"
	noCapabilities   = "a request without clientCapabilities"
	otherRevision    = "a request of an unknown revision"
	otherMethod      = "a request whose Mcp-Method names another method"
	noMethod         = "a request without Mcp-Method"
	callTool         = "a call of the tool"
	cancelCall       = "a call that is cancelled"
	otherVersion     = "a request whose MCP-Protocol-Version names another revision"
)

// nowhere is a name, method, cursor and uri that no server knows.
const nowhere = "toolproof-unknown"

// Options say how a server is asked.
type Options struct {
	// Start is how long the first answer may take, which may install the server, and Answers how long each other one.
	Start, Answers time.Duration
	// Revisions are those to ask in, the oldest first; nil means all.
	Revisions []string
	// Tool is a tool to call, which may take as long as Takes, and Arguments returns its arguments from its entry in
	// the list; nil if none is called.
	Tool      string
	Takes     time.Duration
	Arguments func(entry *schema.Node) json.RawMessage
}

// Run asks a server in all revisions and judges what it does. An error means that nothing was learnt.
func Run(ctx context.Context, s *server.Server, options Options) (*Report, error) {
	r := &runner{Options: options, server: s, start: max(options.Start, options.Answers), answers: options.Answers}
	revisions := options.Revisions
	if revisions == nil {
		revisions = Revisions
	}
	handshakes, hasStateless := revisions, slices.Contains(revisions, Stateless)
	if hasStateless {
		handshakes = slices.DeleteFunc(slices.Clone(revisions), func(revision string) bool { return revision == Stateless })
	}
	var asks []func() (*transcript, error)
	if hasStateless {
		asks = append(asks, func() (*transcript, error) { return r.stateless(ctx) })
	}
	var transcripts []*transcript
	if last := len(handshakes) - 1; last >= 0 {
		first, err := r.handshake(ctx, handshakes[last]) // alone, because it may install the server
		if err != nil {
			return nil, err
		}
		transcripts = append(transcripts, first)
		if first.exchanges[0].lost != "" {
			last = 0 // nor will it answer in others
		}
		for _, revision := range handshakes[:last] {
			asks = append(asks, func() (*transcript, error) { return r.handshake(ctx, revision) })
		}
		asks = append(asks, func() (*transcript, error) { return nil, r.unknown(ctx, first) })
	}
	var group errgroup.Group
	var mutex sync.Mutex
	const atOnce = 4
	group.SetLimit(atOnce)
	for _, ask := range asks {
		group.Go(func() error {
			said, err := ask()
			mutex.Lock()
			defer mutex.Unlock()
			if said != nil {
				transcripts = append(transcripts, said)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err //nolint:wrapcheck // it is an error of this package
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) //nolint:wrapcheck // why the run ended
	}
	isKnown := func(t *transcript) bool { return t.entry(r.Tool) != nil }
	if r.Arguments != nil && !slices.ContainsFunc(transcripts, isKnown) && slices.ContainsFunc(transcripts, (*transcript).isSpoken) {
		return nil, fmt.Errorf("the server has no tool %q", r.Tool)
	}
	return reportOf(transcripts)
}

// reportOf judges the transcripts of the revisions that a server speaks.
func reportOf(transcripts []*transcript) (*Report, error) {
	slices.SortFunc(transcripts, func(a, b *transcript) int { return strings.Compare(a.revision, b.revision) })
	report := &Report{Over: transcripts[0].over}
	for _, said := range transcripts {
		if said.isSpoken() {
			report.Spoken = append(report.Spoken, said.revision)
		}
	}
	for _, said := range transcripts {
		if said.isSpoken() {
			said.spoken = report.Spoken
			report.Findings = append(report.Findings, said.judge()...)
		}
	}
	if len(report.Spoken) == 0 {
		return nil, errors.New(transcripts[0].why())
	}
	return report, nil
}

// isSpoken reports whether the server speaks the revision of the transcript.
func (t *transcript) isSpoken() bool {
	if t.revision == Stateless {
		return slices.Contains(t.result(discover).Get("supportedVersions").Strings(), Stateless) || t.result(listTools).Get("resultType") != nil
	}
	return t.result(initialize).Get("protocolVersion").Is(t.revision)
}

// why says why a revision is not spoken.
func (t *transcript) why() string {
	first := t.exchanges[0]
	switch {
	case first.lost != "":
		return "asking to " + first.step + ": " + first.lost
	case len(first.answers) > 0 && first.answers[0].Has("error"):
		return "asking to " + first.step + ": " + first.answers[0].Get("error").GetString("message")
	default:
		return "the server speaks no known revision of the protocol"
	}
}

// runner asks one server.
type runner struct {
	Options

	server         *server.Server
	start, answers time.Duration
}

// conversation is a connection in a revision.
type conversation struct {
	*transcript

	ctx     context.Context //nolint:containedctx // it is as long as the conversation
	wire    wire
	answers time.Duration
	last    int               // ID of the last request
	header  map[string]string // of each request over HTTP
	// isStateless means that each request names its method, and what it is about, in headers.
	isStateless bool
}

// connect opens a connection that notes what is said in a transcript.
func (r *runner) connect(ctx context.Context, t *transcript) (*conversation, error) {
	const apart = 100 // IDs of a second connection differ from those of the first
	c := &conversation{transcript: t, ctx: ctx, answers: r.answers, header: map[string]string{}, last: apart * len(t.asked)}
	if address := r.server.Address(); address != "" {
		t.over, t.address = HTTP, address
		c.wire = &endpoint{client: r.server.Client(address), address: address, header: c.header}
		return c, nil
	}
	t.over = Stdio
	var err error
	c.wire, err = startProgram(ctx, r.server)
	return c, err
}

// send sends a message and notes what came.
func (c *conversation) send(sent message) *exchange {
	switch {
	case sent.wait > 0:
	case len(sent.ids) == 0 && sent.method == "" && c.over == Stdio:
		sent.wait = settling
	default:
		sent.wait = c.answers
	}
	if c.ended == "" {
		for _, id := range sent.ids {
			c.asked[id] = sent.step
		}
	}
	e := c.wire.send(c.ctx, sent)
	if c.ended == "" && e.isLast {
		c.ended = e.step
	}
	if c.ended == "" || e.isLast {
		c.exchanges = append(c.exchanges, e)
	}
	return e
}

// text writes a request or, if the ID is empty, a notification.
func (c *conversation) text(id, method, params string) string {
	head := `{"jsonrpc":"2.0",`
	if id != "" {
		head += `"id":` + id + ","
	}
	if params != "" {
		params = `,"params":` + params
	}
	return head + `"method":` + quoted(method) + params + "}"
}

// ask makes a request. The header is of HTTP.
func (c *conversation) ask(step, method, params string, header ...map[string]string) *exchange {
	c.last++
	id := strconv.Itoa(c.last)
	sent := message{step: step, text: c.text(id, method, params), ids: []string{id}, header: map[string]string{}}
	if c.isStateless {
		sent.header["Mcp-Method"] = method
		if about := named(params); about != "" {
			sent.header["Mcp-Name"] = about
		}
	}
	for _, further := range header {
		maps.Copy(sent.header, further)
	}
	return c.send(sent)
}

// named returns the name or the uri in the parameters of a request; empty if there is none.
func named(params string) string {
	var about struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
	}
	if json.Unmarshal([]byte(params), &about) != nil {
		return ""
	}
	return cmp.Or(about.Name, about.URI)
}

// tell sends a notification.
func (c *conversation) tell(step, method, params string) {
	c.send(message{step: step, text: c.text("", method, params)})
}

// handshake asks a server in a revision that begins with initialize.
func (r *runner) handshake(ctx context.Context, revision string) (*transcript, error) {
	t := &transcript{revision: revision, asked: map[string]string{}}
	c, err := r.connect(ctx, t)
	if err != nil {
		return nil, err
	}
	defer func() { c.wire.close(t) }()
	c.last = 1
	c.begin(c.send(message{step: initialize, text: c.text("1", "initialize", introduction(revision)), ids: []string{"1"}, wait: r.start}))
	defer c.end()
	if !t.isSpoken() {
		return t, nil
	}
	if revision >= "2025-06-18" {
		c.header["MCP-Protocol-Version"] = revision
	}
	c.tell(initialized, "notifications/initialized", "")
	c.ask(ping, "ping", "")
	c.send(message{step: textID, text: c.text(`"a/1"`, "ping", ""), ids: []string{`"a/1"`}})
	c.lists(func(params string) string { return params })
	if c.over == Stdio {
		c.send(message{step: together, text: c.text(`"t"`, "tools/list", "") + "\n" + c.text(`"p"`, "ping", ""), ids: []string{`"t"`, `"p"`}})
	}
	if revision == "2025-03-26" {
		c.send(message{step: batch, text: "[" + c.text(`"b1"`, "ping", "") + "," + c.text(`"b2"`, "ping", "") + "]", ids: []string{`"b1"`, `"b2"`}, wait: min(c.answers, 2*time.Second)})
	}
	c.errors(func(params string) string { return params })
	if t.declares("logging", "") {
		c.ask(badLevel, "logging/setLevel", `{"level":`+quoted(nowhere)+`}`)
	}
	r.call(c, func(params string) string { return params })
	c.tell(unknownNotice, "notifications/"+nowhere, "")
	c.tell(cancelUnknown, "notifications/cancelled", `{"requestId":"never-asked","reason":"test"}`)
	c.tell(cancelAnswered, "notifications/cancelled", `{"requestId":1,"reason":"test"}`)
	c.transport()
	c.send(message{step: unreadable, text: `{"jsonrpc": "2.0", "id": 1`, wait: settling})
	c.ask(pingAfter, "ping", "")
	return t, nil
}

// begin notes the session that an answer to initialize assigns.
func (c *conversation) begin(e *exchange) { c.header["Mcp-Session-Id"] = e.header["mcp-session-id"] }

// call calls the tool of the options once with a token for its progress, and, over stdio, once more and cancels that.
func (r *runner) call(c *conversation, with func(params string) string) {
	entry := c.entry(r.Tool)
	if r.Arguments == nil || entry == nil {
		return
	}
	params := with(`{"name":` + quoted(r.Tool) + `,"arguments":` + string(r.Arguments(entry)) + `,"_meta":{"progressToken":"call"}}`)
	answers := c.answers
	c.answers = max(answers, r.Takes)
	first := c.ask(callTool, "tools/call", params)
	c.answers = answers
	if c.over != Stdio || c.isStateless || first.lost != "" {
		return
	}
	c.last++
	id := strconv.Itoa(c.last)
	c.asked[id] = cancelCall
	text := c.text(id, "tools/call", params) + "\n" + c.text("", "notifications/cancelled", `{"requestId":`+id+`,"reason":"test"}`)
	c.send(message{step: cancelCall, text: text, wait: first.took + time.Second})
}

// entry returns the entry of a tool in the first page of the list, or nil.
func (t *transcript) entry(name string) *schema.Node {
	tools := t.result(listTools).Get("tools")
	if tools == nil {
		return nil
	}
	for _, entry := range tools.Elements {
		if entry.Get("name").Is(name) {
			return entry
		}
	}
	return nil
}

// introduction returns the parameters of initialize.
func introduction(revision string) string {
	return `{"protocolVersion":` + quoted(revision) + `,"capabilities":{},"clientInfo":{"name":"toolproof","version":"1"}}`
}

// unknown asks for a revision that there is not, over a connection of its own.
func (r *runner) unknown(ctx context.Context, t *transcript) error {
	c, err := r.connect(ctx, t)
	if err != nil {
		return err
	}
	exited := t.exited
	defer func() { c.wire.close(t); t.exited = exited }()
	c.answers = r.start // it is the first answer of the connection
	c.begin(c.ask(unknownVersion, "initialize", introduction("1900-01-01")))
	c.end()
	return nil
}

// lists asks for everything that a server lists, in whole or, if it does not declare it, once.
func (c *conversation) lists(with func(params string) string) {
	page := c.ask(listTools, "tools/list", with(""))
	for pages := 1; pages < 20 && len(page.answers) > 0; pages++ {
		cursor := page.answers[0].Get("result").Get("nextCursor")
		if cursor == nil || cursor.Kind != schema.String {
			break
		}
		page = c.ask("tools/list, page "+strconv.Itoa(pages+1), "tools/list", with(`{"cursor":`+cursor.String()+`}`))
		if pages == 1 {
			c.ask(badCursor, "tools/list", with(`{"cursor":`+quoted(nowhere)+`}`))
		}
	}
	c.ask(listToolsAgain, "tools/list", with(`{"_meta":{"progressToken":"progress"}}`))
	c.ask(listPrompts, "prompts/list", with(""))
	c.ask(listResources, "resources/list", with(""))
	c.ask(listTemplates, "resources/templates/list", with(""))
}

// errors makes requests that have to be refused.
func (c *conversation) errors(with func(params string) string) {
	c.ask(unknownMethod, "toolproof/unknown", with(""))
	if c.declares("tools", "") {
		c.ask(unknownTool, "tools/call", with(`{"name":`+quoted(nowhere)+`,"arguments":{}}`))
		c.ask(namelessTool, "tools/call", with(`{"arguments":{}}`))
	}
	if c.declares("prompts", "") {
		c.ask(unknownPrompt, "prompts/get", with(`{"name":`+quoted(nowhere)+`}`))
	}
	if c.declares("resources", "") {
		c.ask(unknownResource, "resources/read", with(`{"uri":"toolproof://unknown"}`))
	}
	if c.declares("completions", "") {
		c.ask(unknownCompleted, "completion/complete", with(`{"ref":{"type":"ref/prompt","name":`+quoted(nowhere)+`},"argument":{"name":"a","value":""}}`))
	}
}

// transport asks for what only HTTP has.
func (c *conversation) transport() {
	if c.over != HTTP {
		return
	}
	c.send(message{step: get, method: http.MethodGet, header: map[string]string{"Accept": "text/event-stream"}})
	if id := c.resumable(); id != "" {
		c.send(message{step: resume, method: http.MethodGet, header: map[string]string{"Accept": "text/event-stream", "Last-Event-ID": id}, wait: time.Second})
	}
	if c.revision >= "2025-06-18" {
		c.ask(badVersion, "ping", "", map[string]string{"MCP-Protocol-Version": "1900-01-01"})
	}
	c.ask(foreignOrigin, "ping", "", map[string]string{"Origin": "http://toolproof.invalid"})
	if c.header["Mcp-Session-Id"] != "" {
		c.ask(noSession, "tools/list", "", map[string]string{"Mcp-Session-Id": ""})
	}
}

// resumable returns the ID of the first event of the tools/list, behind which the stream may be resumed.
func (c *conversation) resumable() string {
	if e := c.of(listTools); e != nil && len(e.events) > 0 {
		return e.events[0]
	}
	return ""
}

// end ends the session.
func (c *conversation) end() {
	if c.over != HTTP || c.header["Mcp-Session-Id"] == "" {
		return
	}
	if e := c.send(message{step: deleted, method: http.MethodDelete}); e.status/100 == 2 {
		c.ask(afterDelete, "ping", "")
	}
	delete(c.header, "Mcp-Session-Id")
}

// stateless asks a server in the revision without a handshake.
func (r *runner) stateless(ctx context.Context) (*transcript, error) {
	t := &transcript{revision: Stateless, asked: map[string]string{}}
	c, err := r.connect(ctx, t)
	if err != nil {
		return nil, err
	}
	defer func() { c.wire.close(t) }()
	c.header["MCP-Protocol-Version"] = Stateless
	with := func(params string) string {
		return withMeta(params, Stateless, `"io.modelcontextprotocol/clientCapabilities":{}`)
	}
	c.last = 1
	c.send(message{
		step: discover, text: c.text("1", "server/discover", with("")), ids: []string{"1"}, header: map[string]string{"Mcp-Method": "server/discover"}, wait: r.start,
	})
	if !t.isSpoken() && t.answer(discover).Get("error").Get("data").Get("supported") == nil {
		return t, nil
	}
	c.isStateless = true
	c.lists(with)
	if !t.isSpoken() {
		return t, nil
	}
	c.errors(with)
	r.call(c, with)
	c.ask(noCapabilities, "tools/list", withMeta("", Stateless, ""))
	c.ask(otherRevision, "tools/list", withMeta("", "1900-01-01", `"io.modelcontextprotocol/clientCapabilities":{}`), map[string]string{"MCP-Protocol-Version": "1900-01-01"})
	if c.over == HTTP {
		c.ask(otherMethod, "tools/list", with(""), map[string]string{"Mcp-Method": "prompts/list"})
		c.ask(noMethod, "tools/list", with(""), map[string]string{"Mcp-Method": ""})
		c.ask(otherVersion, "tools/list", with(""), map[string]string{"MCP-Protocol-Version": "2025-11-25"})
		c.ask(foreignOrigin, "tools/list", with(""), map[string]string{"Origin": "http://toolproof.invalid"})
		c.send(message{step: get, method: http.MethodGet, header: map[string]string{"Accept": "text/event-stream"}})
	}
	c.tell(unknownNotice, "notifications/"+nowhere, with(""))
	c.send(message{step: unreadable, text: `{"jsonrpc": "2.0", "id": 1`, wait: settling})
	c.ask(pingAfter, "tools/list", with(""))
	return t, r.first(ctx, t, with)
}

// first asks for the tools over a connection of its own, without any request before.
func (r *runner) first(ctx context.Context, t *transcript, with func(string) string) error {
	c, err := r.connect(ctx, t)
	if err != nil {
		return err
	}
	exited := t.exited
	defer func() { c.wire.close(t); t.exited = exited }()
	c.header["MCP-Protocol-Version"], c.isStateless = Stateless, true
	c.answers = r.start // it is the first answer of the connection
	c.ask(fresh, "tools/list", with(""))
	return nil
}

// withMeta adds the _meta of a request of the stateless revision to its parameters. Further members are in more.
func withMeta(params, revision, more string) string {
	members := map[string]json.RawMessage{}
	if params != "" && json.Unmarshal([]byte(params), &members) != nil {
		panic("protocol: the parameters are no object: " + params)
	}
	meta := map[string]json.RawMessage{"io.modelcontextprotocol/protocolVersion": json.RawMessage(quoted(revision))}
	for _, text := range []string{string(members["_meta"]), "{" + more + "}"} {
		var further map[string]json.RawMessage
		if text != "" && json.Unmarshal([]byte(text), &further) == nil {
			maps.Copy(meta, further)
		}
	}
	members["_meta"] = marshal(meta)
	return string(marshal(members))
}

func marshal(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("protocol: %v", err)) // it holds JSON alone
	}
	return text
}

// quoted returns a string in JSON.
func quoted(text string) string { return string(marshal(text)) }
