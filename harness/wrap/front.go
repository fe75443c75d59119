package wrap

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Front serves clients that speak streamable HTTP. Each of them has a session and a server of its own.
// Clients that have no sessions, as since 2026-07-28, share those of their name. A Front answers on the
// loopback alone, and pages of other hosts get nothing.
type Front struct {
	// Start returns a new session, and its server.
	Start func() (*Session, Server, error)
	// Ended is called when a session has ended, with the error of Serve.
	Ended func(*Session, error)

	mutex         sync.Mutex
	conversations map[string]*conversation // by the IDs of their sessions, and by the names of clients
	isClosed      bool
	running       sync.WaitGroup
}

// The bounds of what clients may leave behind.
const (
	maxSessions = 100
	maxQueue    = 1000
	maxKept     = 8 << 20         // bytes of the events that a session keeps for streams that break; one event may be longer
	idle        = time.Hour       // of a session
	idleShared  = 5 * time.Minute // of one that has nothing to lose
	stalled     = 10 * time.Second
)

// ServeHTTP answers a request.
func (f *Front) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	switch {
	case !isLoopback(request.Host) || !isOwn(request.Header.Get("Origin")):
		http.Error(writer, "only the loopback is served", http.StatusForbidden)
	case request.Method == http.MethodPost:
		f.post(writer, request)
	case request.Method == http.MethodGet || request.Method == http.MethodDelete:
		conversation := f.known(request)
		switch {
		case request.Header.Get(sessionHeader) == "":
			http.Error(writer, sessionHeader+" is required", http.StatusBadRequest)
		case conversation == nil:
			http.Error(writer, "no such session", http.StatusNotFound)
		case request.Method == http.MethodGet:
			conversation.get(writer, request)
		default:
			f.forget(conversation)
			_ = conversation.in.Close() // the session ends as with a client that has said its last
			writer.WriteHeader(http.StatusNoContent)
		}
	default:
		writer.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(writer, "use GET, POST or DELETE", http.StatusMethodNotAllowed)
	}
}

// isLoopback reports whether a host, with or without a port, is this machine. A page that reaches it by
// a name of its own says that name.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// isOwn reports whether the origin of a request is a page of this machine, or none.
func isOwn(origin string) bool {
	address, err := url.Parse(origin)
	return origin == "" || err == nil && isLoopback(address.Host)
}

// Close ends all sessions, and returns when they have ended.
func (f *Front) Close() {
	f.mutex.Lock()
	f.isClosed = true
	for _, conversation := range f.conversations {
		conversation.cancel()
	}
	f.mutex.Unlock()
	f.running.Wait()
}

// known returns the conversation whose session a request names, or nil.
func (f *Front) known(request *http.Request) *conversation {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	found := f.conversations[request.Header.Get(sessionHeader)]
	if found == nil || found.isShared {
		return nil
	}
	return found
}

func (f *Front) forget(gone *conversation) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.conversations[gone.id] == gone {
		delete(f.conversations, gone.id)
	}
}

// post takes messages of a client.
func (f *Front) post(writer http.ResponseWriter, request *http.Request) {
	if !isOf(request.Header, "application/json") {
		http.Error(writer, "use application/json", http.StatusUnsupportedMediaType) // a form of any page could be posted
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, maxBytes))
	if err != nil {
		http.Error(writer, "the message cannot be read: "+err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	text := inLine(body)
	messages := envelopes(text)
	if len(messages) == 0 {
		http.Error(writer, "the body is no message of JSON-RPC", http.StatusBadRequest)
		return
	}
	parameters := members(text, messages[0].params)
	about := members(text, parameters["_meta"])
	conversation := f.known(request)
	switch {
	case request.Header.Get(sessionHeader) != "":
	case messages[0].method == "initialize":
		conversation, err = f.begin(rand.Text(), false) //nolint:contextcheck // the session outlives the request
	case about["io.modelcontextprotocol/protocolVersion"].isThere():
		name := textOf(members(text, about["io.modelcontextprotocol/clientInfo"])["name"].of(text))
		conversation, err = f.begin("client "+name, true) //nolint:contextcheck // likewise
	default:
		http.Error(writer, sessionHeader+" is required", http.StatusBadRequest)
		return
	}
	switch {
	case err != nil:
		http.Error(writer, err.Error(), http.StatusServiceUnavailable)
	case conversation == nil:
		http.Error(writer, "no such session", http.StatusNotFound)
	default:
		conversation.post(writer, request, text, messages)
	}
}

// begin starts the session of a client, unless it shares one that is there.
func (f *Front) begin(id string, isShared bool) (*conversation, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if found := f.conversations[id]; found != nil {
		return found, nil
	}
	if f.isClosed || len(f.conversations) >= maxSessions {
		return nil, fmt.Errorf("there are %d sessions: end one", len(f.conversations))
	}
	session, server, err := f.Start()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	reader, in := io.Pipe()
	begun := &conversation{id: id, isShared: isShared, idle: idle, in: in, cancel: cancel, waiting: map[string]*stream{}, ended: make(chan struct{})}
	if isShared {
		begun.idle = idleShared
	}
	begun.timer = time.AfterFunc(begun.idle, begun.expire)
	if f.conversations == nil {
		f.conversations = map[string]*conversation{}
	}
	f.conversations[id] = begun
	f.running.Go(func() {
		defer cancel()
		err := session.Serve(ctx, reader, begun, server)
		_ = reader.Close() // it never fails
		f.forget(begun)
		begun.end(err)
		f.Ended(session, err)
	})
	return begun, nil
}

// conversation is the session of one client, or of the clients of one name.
type conversation struct {
	id       string
	isShared bool
	idle     time.Duration  // how long it lives without a stream
	in       *io.PipeWriter // to the session
	cancel   context.CancelFunc
	ended    chan struct{}

	mutex     sync.Mutex
	timer     *time.Timer // ends a session that nobody uses
	isOver    bool
	count     int                // of the requests of a shared session
	waiting   map[string]*stream // by the IDs of requests, as the server knows them
	opened    int                // how many streams there were
	streams   []*stream          // that have not ended, in the order in which they were opened
	kept      []event            // the latest, for streams that break
	keptSize  int
	queue     [][]byte // what the server has said while none was open
	queueSize int
}

// stream is an answer to a client that takes events. If the connection breaks, a GET resumes the stream.
type stream struct {
	number   int                 // in the session; its events are named after it
	events   int                 // how many there were
	writer   http.ResponseWriter // nil while the stream has no connection
	lost     chan struct{}       // closed when another connection resumes the stream
	requests map[string][]byte   // the IDs as the client wrote them, by those that the server knows
	tokens   []string            // those for the progress of the requests
	listens  bool                // it takes what belongs to no request
	done     chan struct{}       // closed when all requests are answered; nil if there are none
}

// event is a message that was said to a stream, with its number in the stream.
type event struct {
	to      *stream
	number  int
	message []byte
}

// open registers a stream, and begins it on a connection. The channel is closed when another connection
// resumes the stream; it is nil if the session is over.
func (c *conversation) open(opened *stream, writer http.ResponseWriter, request *http.Request) (lost <-chan struct{}) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.isOver {
		return nil
	}
	for id := range opened.requests {
		c.waiting[id] = opened
	}
	c.opened++
	opened.number = c.opened
	if at := slices.IndexFunc(c.streams, func(open *stream) bool { return !open.isConnected() }); at >= 0 && len(c.streams) >= maxQueue {
		c.drop(c.streams[at]) // nobody has resumed it for the longest
	}
	c.streams = append(c.streams, opened)
	lost = c.connect(opened, writer)
	if !c.isShared && request.Header.Get(versionHeader) >= emptyEvents {
		c.write(event{to: opened}) // after which a stream that breaks before its first message is resumed
	}
	c.sayQueued(opened)
	return lost
}

// emptyEvents is the version of the protocol since which clients take events without a message.
const emptyEvents = "2025-11-25"

// connect makes a connection that of a stream, and begins its answer.
func (c *conversation) connect(to *stream, writer http.ResponseWriter) (lost <-chan struct{}) {
	if to.lost != nil {
		close(to.lost)
	}
	to.writer, to.lost = writer, make(chan struct{})
	header := writer.Header()
	header.Set("Content-Type", eventStream)
	header.Set("Cache-Control", "no-cache")
	writer.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(writer).Flush() // the client may be gone
	return to.lost
}

// sayQueued says to a stream what the server has said while none had a connection.
func (c *conversation) sayQueued(to *stream) {
	for _, message := range c.queue {
		c.send(to, message)
	}
	c.queue, c.queueSize = nil, 0
}

// resume gives a connection the events of its stream after the one that it names, and makes it that of the
// stream. It returns nil, and has answered, if that cannot be done without a gap.
func (c *conversation) resume(writer http.ResponseWriter, last string) (resumed *stream, lost <-chan struct{}) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var number, after int
	_, err := fmt.Sscanf(last, "%d-%d", &number, &after)
	found, missed := c.numbered(number), []event(nil)
	for _, known := range c.kept {
		if found != nil && known.to == found && known.number > after {
			missed = append(missed, known)
		}
	}
	switch {
	case c.isOver:
		http.Error(writer, "no such session", http.StatusNotFound)
		return nil, nil
	case err != nil, found == nil, after < 0, after+len(missed) != found.events:
		http.Error(writer, "the events after this one are no longer kept", http.StatusGone)
		return nil, nil
	}
	lost = c.connect(found, writer)
	for _, known := range missed {
		c.write(known)
	}
	if found.listens || len(found.requests) > 0 {
		c.sayQueued(found)
	}
	return found, lost
}

// numbered returns the stream with a number, which may have ended if events of it are kept; or nil.
func (c *conversation) numbered(number int) *stream {
	for _, open := range c.streams {
		if open.number == number {
			return open
		}
	}
	for _, known := range c.kept {
		if known.to.number == number {
			return known.to
		}
	}
	return nil
}

// wait returns when a stream has ended, or its connection. Nothing is written to the connection afterwards.
// The requests of clients that have no session end with their connection, and are returned.
func (c *conversation) wait(opened *stream, lost <-chan struct{}, request *http.Request) (unanswered []string) {
	select {
	case <-opened.done:
	case <-lost:
	case <-request.Context().Done():
	case <-c.ended:
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.timer.Reset(c.idle)
	select {
	case <-lost:
		return nil // another connection has the stream
	default:
	}
	opened.writer = nil // the client may resume the stream
	if !c.isShared {
		return nil
	}
	for id := range opened.requests {
		unanswered = append(unanswered, id)
	}
	c.drop(opened)
	return unanswered
}

// drop forgets a stream and its requests.
func (c *conversation) drop(gone *stream) {
	for id := range gone.requests {
		delete(c.waiting, id)
	}
	c.close(gone)
}

// close takes a stream off those that have not ended.
func (c *conversation) close(gone *stream) {
	c.streams = slices.DeleteFunc(c.streams, func(open *stream) bool { return open == gone })
}

// isConnected reports whether a client reads the stream.
func (s *stream) isConnected() bool { return s.writer != nil }

// expire ends a session that nobody uses.
func (c *conversation) expire() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !slices.ContainsFunc(c.streams, (*stream).isConnected) {
		_ = c.in.Close() // it never fails
	}
}

// end answers what is not answered, because the session is over.
func (c *conversation) end(err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.isOver = true
	c.timer.Stop()
	why := "the session is over"
	if err != nil {
		why = err.Error()
	}
	for _, open := range c.streams {
		for _, id := range open.requests {
			c.send(open, inLine(failure(id, busy, why)))
		}
	}
	close(c.ended)
}

// get gives a client what belongs to none of its requests, or the rest of a stream that broke.
func (c *conversation) get(writer http.ResponseWriter, request *http.Request) {
	if last := request.Header.Get("Last-Event-ID"); last != "" {
		if resumed, lost := c.resume(writer, last); resumed != nil {
			c.wait(resumed, lost, request)
		}
		return
	}
	c.mutex.Lock()
	isTaken := slices.ContainsFunc(c.streams, func(open *stream) bool { return open.listens && open.isConnected() })
	c.streams = slices.DeleteFunc(c.streams, func(open *stream) bool { return open.listens && open.requests == nil && !open.isConnected() })
	c.mutex.Unlock()
	if isTaken {
		http.Error(writer, "the session has a stream", http.StatusConflict)
		return
	}
	opened := &stream{listens: true}
	lost := c.open(opened, writer, request)
	if lost == nil {
		http.Error(writer, "no such session", http.StatusNotFound)
		return
	}
	c.wait(opened, lost, request)
}

// post passes messages to the session, and what answers them to the client.
func (c *conversation) post(writer http.ResponseWriter, request *http.Request, text []byte, messages []envelope) {
	if !c.isShared {
		writer.Header().Set(sessionHeader, c.id)
	}
	text, opened, err := c.expect(text, messages)
	if err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	if len(opened.requests) == 0 {
		if _, err := c.in.Write(append(text, '\n')); err != nil {
			http.Error(writer, "no such session", http.StatusNotFound)
			return
		}
		writer.WriteHeader(http.StatusAccepted)
		return
	}
	lost := c.open(opened, writer, request)
	if lost == nil {
		http.Error(writer, "no such session", http.StatusNotFound)
		return
	}
	_, _ = c.in.Write(append(text, '\n')) // the end of the session answers
	for _, id := range c.wait(opened, lost, request) {
		if request.Context().Err() != nil {
			// A client without a session has no other way to cancel a request.
			_, _ = fmt.Fprintf(c.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`+"\n", id)
		}
	}
}

// expect returns the stream for the answers to messages, and the messages as the server gets them: the
// requests of a shared session get IDs of their own.
func (c *conversation) expect(text []byte, messages []envelope) ([]byte, *stream, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	opened := &stream{requests: map[string][]byte{}, done: make(chan struct{})}
	var edits []edit
	for _, message := range messages {
		if message.method == "" || message.id == "" {
			continue
		}
		id := message.id
		if c.isShared {
			c.count++
			id = strconv.Itoa(c.count)
			edits = append(edits, edit{message.rawID, []byte(id)})
		}
		if c.waiting[id] != nil || opened.requests[id] != nil {
			return nil, nil, errors.New("a request with this id is not answered yet")
		}
		opened.requests[id] = message.rawID.of(text)
		opened.listens = opened.listens || message.method == "subscriptions/listen"
		if token := members(text, members(text, message.params)["_meta"])["progressToken"]; token.isThere() {
			opened.tokens = append(opened.tokens, idOf(token.of(text)))
		}
	}
	return apply(text, span{0, len(text)}, edits), opened, nil
}

// Write passes a message of the server, or of the session, to the client. An answer, and a notification
// of progress, go to the stream of their request. Every other message goes to the streams that listen
// or, if none does, to the one that was opened last.
func (c *conversation) Write(message []byte) (int, error) {
	line := inLine(message)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var edits []edit
	var to *stream
	read := envelopes(line)
	for _, said := range read {
		if said.method != "" {
			continue
		}
		if asked := c.waiting[said.id]; asked != nil {
			to = asked
			edits = append(edits, edit{said.rawID, asked.requests[said.id]})
			delete(c.waiting, said.id)
			delete(asked.requests, said.id)
		}
	}
	switch {
	case to != nil:
		c.send(to, apply(line, span{0, len(line)}, edits))
		if len(to.requests) == 0 {
			close(to.done)
			c.close(to) // its client reads no further
		}
	case len(read) > 0 && read[0].method != "":
		c.tell(line, read[0])
	default: // no client has asked for it
	}
	return len(message), nil
}

// tell passes a request or a notification of the server.
func (c *conversation) tell(line []byte, message envelope) {
	var to []*stream
	var latest *stream
	isOfRequest := false
	if message.method == "notifications/progress" {
		token := idOf(members(line, message.params)["progressToken"].of(line))
		if at := slices.IndexFunc(c.streams, func(open *stream) bool { return slices.Contains(open.tokens, token) }); at >= 0 {
			to, isOfRequest = []*stream{c.streams[at]}, true
		}
	}
	for _, open := range c.streams {
		if open.isConnected() {
			latest = open
			if open.listens && !isOfRequest {
				to = append(to, open)
			}
		}
	}
	if to == nil && latest != nil {
		to = []*stream{latest}
	}
	for _, open := range to {
		c.send(open, line)
	}
	if to == nil && len(c.queue) < maxQueue && c.queueSize+len(line) < maxBytes {
		c.queue, c.queueSize = append(c.queue, line), c.queueSize+len(line)
	}
}

// send makes a message an event of a stream, which is kept as long as there are not too many others.
func (c *conversation) send(to *stream, message []byte) {
	to.events++
	said := event{to, to.events, message}
	if !c.isShared {
		c.kept, c.keptSize = append(c.kept, said), c.keptSize+len(message)
		for len(c.kept) > 1 && (len(c.kept) > maxQueue || c.keptSize > maxKept) {
			c.keptSize -= len(c.kept[0].message)
			c.kept[0] = event{}
			c.kept = c.kept[1:]
		}
	}
	c.write(said)
}

// write writes an event to a client that reads it soon, if the stream has a connection.
func (c *conversation) write(said event) {
	writer := said.to.writer
	if writer == nil {
		return
	}
	var text []byte
	if !c.isShared {
		text = fmt.Appendf(text, "id: %d-%d\n", said.to.number, said.number)
	}
	if said.message != nil {
		text = append(text, "event: message\n"...)
	}
	control := http.NewResponseController(writer)
	_ = control.SetWriteDeadline(time.Now().Add(stalled)) // every server has it
	if _, err := fmt.Fprintf(writer, "%sdata: %s\n\n", text, said.message); err == nil {
		_ = control.Flush() // the request ends with its client
	}
}

// inLine returns a message in one line, without its end. Line breaks are between its tokens alone.
func inLine(message []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(bytes.TrimSpace(message), []byte("\n"), []byte(" ")), []byte("\r"), []byte(" "))
}
