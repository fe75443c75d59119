package wrap

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"toolproof/internal/sse"
)

// Remote is a server at an address that speaks streamable HTTP. It is written and read like a program:
// each line that is written is posted, and each message of an answer is a line to read.
type Remote struct {
	client  *http.Client
	address string
	lines   *io.PipeReader
	write   *io.PipeWriter
	cancel  context.CancelFunc
	ctx     context.Context //nolint:containedctx // that of the connection, which a Writer is not given
	posts   sync.WaitGroup
	slots   chan struct{} // has an element for each post that expects an answer

	mutex            sync.Mutex
	session, version string // of the protocol; empty until the server has said it
}

// Connect returns the server at an address. The client adds the keys of the address to each request.
func Connect(ctx context.Context, client *http.Client, address string) *Remote {
	lines, write := io.Pipe()
	ctx, cancel := context.WithCancel(ctx)
	return &Remote{client: client, address: address, lines: lines, write: write, ctx: ctx, cancel: cancel, slots: make(chan struct{}, maxLists)}
}

// Read reads the messages of the server.
func (r *Remote) Read(buffer []byte) (int, error) {
	return r.lines.Read(buffer) //nolint:wrapcheck // the error of the pipe, as io.Reader has it
}

// Write posts a message. It returns when the server has taken it or, if an answer is expected, at once.
func (r *Remote) Write(line []byte) (int, error) {
	text := bytes.Clone(bytes.TrimSpace(line))
	messages := envelopes(text)
	if len(messages) == 0 {
		return len(line), nil // no server takes it
	}
	for _, message := range messages {
		if message.method != "" && message.id != "" {
			select {
			case r.slots <- struct{}{}:
				r.posts.Go(func() {
					r.post(text, messages)
					<-r.slots
				})
			default:
				r.fail(text, unanswered(messages, nil), fmt.Sprintf("%d requests are not answered yet", cap(r.slots)))
			}
			return len(line), nil
		}
	}
	r.post(text, messages)
	if messages[0].method == "notifications/initialized" {
		go r.listen()
	}
	return len(line), nil
}

// post sends messages, and writes the messages of the answer. A failure is the answer to the requests.
func (r *Remote) post(text []byte, messages []envelope) {
	request, err := http.NewRequestWithContext(r.ctx, http.MethodPost, r.address, bytes.NewReader(text))
	if err != nil {
		r.fail(text, unanswered(messages, nil), err.Error())
		return
	}
	request.Header.Set("Content-Type", "application/json")
	r.describe(request, text, messages)
	response, err := r.do(request)
	if err != nil {
		r.fail(text, unanswered(messages, nil), err.Error())
		return
	}
	defer response.Body.Close() //nolint:errcheck // it is read
	if session := response.Header.Get(sessionHeader); session != "" {
		r.mutex.Lock()
		r.session = session
		r.mutex.Unlock()
	}
	answered := map[string]bool{}
	switch isOK := response.StatusCode < http.StatusMultipleChoices; {
	case isOK && isOf(response.Header, eventStream):
		err = r.follow(response.Body, answered, func() bool { return len(unanswered(messages, answered)) == 0 })
	case isOf(response.Header, "application/json"):
		var body []byte
		body, err = io.ReadAll(io.LimitReader(response.Body, maxBytes))
		if read := envelopes(body); len(read) > 0 && (isOK || read[0].id != "") {
			r.say(body, answered)
		}
	default:
		_, err = io.Copy(io.Discard, io.LimitReader(response.Body, maxBytes))
	}
	why := "the server does not answer: its status is " + response.Status
	if err != nil {
		why = err.Error()
	}
	r.fail(text, unanswered(messages, answered), why)
}

// unanswered returns the requests whose IDs are not answered.
func unanswered(messages []envelope, answered map[string]bool) []envelope {
	return slices.DeleteFunc(slices.Clone(messages), func(message envelope) bool {
		return message.method == "" || message.id == "" || answered[message.id]
	})
}

// follow writes the messages of a stream of events. When the stream ends, follow asks for what comes after
// its last event, until isDone or the server has nothing more. A stream whose events have no IDs cannot be
// asked for.
func (r *Remote) follow(body io.Reader, answered map[string]bool, isDone func() bool) error {
	last, wait, err := r.events(body, answered)
	for last != "" && !isDone() {
		select {
		case <-r.ctx.Done():
			return r.ctx.Err()
		case <-time.After(wait):
		}
		response, failed := r.get(last)
		if failed != nil {
			return failed
		}
		var next string
		next, wait, err = r.events(response.Body, answered)
		_ = response.Body.Close() // it is read
		last = cmp.Or(next, last)
	}
	return err
}

// listen writes the messages that the server sends of its own accord, if it offers a stream of them.
func (r *Remote) listen() {
	response, err := r.get("")
	if err != nil {
		return
	}
	defer response.Body.Close()                                    //nolint:errcheck // it is read
	_ = r.follow(response.Body, nil, func() bool { return false }) // requests still have answers
}

// get asks for the stream of events after the last one.
func (r *Remote) get(last string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(r.ctx, http.MethodGet, r.address, nil)
	if err != nil {
		return nil, err //nolint:wrapcheck // the address was asked before
	}
	r.describe(request, nil, nil)
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	response, err := r.do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK || !isOf(response.Header, eventStream) {
		_ = response.Body.Close() // it says nothing
		return nil, fmt.Errorf("the server has no further events: its status is %s", response.Status)
	}
	return response, nil
}

// events writes the messages of events, and returns the ID of the last one and how long to wait before
// asking for more.
func (r *Remote) events(body io.Reader, answered map[string]bool) (last string, wait time.Duration, err error) {
	const shortest = 100 * time.Millisecond
	wait = time.Second
	for events := sse.NewReader(body, maxBytes); ; {
		event, err := events.Next()
		switch {
		case errors.Is(err, io.EOF):
			return last, wait, nil
		case err != nil:
			return last, wait, err
		}
		last = cmp.Or(event.Get("id"), last)
		if milliseconds, failed := strconv.Atoi(event.Get("retry")); failed == nil {
			wait = min(max(time.Duration(milliseconds)*time.Millisecond, shortest), time.Minute)
		}
		if data := event.Data(); len(bytes.TrimSpace(data)) > 0 && cmp.Or(event.Get("event"), "message") == "message" {
			r.say(data, answered)
		}
	}
}

// CloseInput ends Read when all requests are answered.
func (r *Remote) CloseInput() error {
	go func() {
		r.posts.Wait()
		_ = r.write.Close() // it never fails
	}()
	return nil
}

// End ends the session and all requests.
func (r *Remote) End() error {
	r.cancel()
	_ = r.lines.Close() // it never fails
	defer r.client.CloseIdleConnections()
	r.mutex.Lock()
	session := r.session
	r.mutex.Unlock()
	if session == "" {
		return nil // there is none to end
	}
	ctx, cancel := context.WithTimeout(context.Background(), ending)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodDelete, r.address, nil)
	if err != nil {
		return nil
	}
	r.describe(request, nil, nil)
	if response, err := r.client.Do(request); err == nil {
		_ = response.Body.Close() // the server need not allow that
	}
	return nil
}

// ending is how long the end of a session may take.
const ending = 2 * time.Second

// do sends a request. Its error does not have the address, which may hold keys.
func (r *Remote) do(request *http.Request) (*http.Response, error) {
	response, err := r.client.Do(request)
	if failed, isOfURL := errors.AsType[*url.Error](err); isOfURL {
		err = failed.Err
	}
	if err != nil {
		return nil, fmt.Errorf("asking the server: %w", err)
	}
	return response, nil
}

// The headers of the protocol.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
	eventStream   = "text/event-stream"
)

// describe sets the headers that say what a request is about.
func (r *Remote) describe(request *http.Request, text []byte, messages []envelope) {
	request.Header.Set("Accept", "application/json, text/event-stream")
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.session != "" {
		request.Header.Set(sessionHeader, r.session)
	}
	if r.version != "" {
		request.Header.Set(versionHeader, r.version)
	}
	if len(messages) != 1 {
		return
	}
	parameters := members(text, messages[0].params)
	version := members(text, parameters["_meta"])["io.modelcontextprotocol/protocolVersion"]
	if !version.isThere() {
		return
	}
	// Since 2026-07-28 each message says its version, and the headers what it is.
	request.Header.Set(versionHeader, textOf(version.of(text)))
	request.Header.Set("Mcp-Method", messages[0].method)
	for _, name := range []string{"name", "uri"} {
		if at := parameters[name]; at.isThere() {
			request.Header.Set("Mcp-Name", textOf(at.of(text)))
			break
		}
	}
}

// isOf reports whether the body after a header is of a media type.
func isOf(header http.Header, media string) bool {
	found, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && found == media
}

// say writes a message as a line, and notes the IDs that it answers.
func (r *Remote) say(message []byte, answered map[string]bool) {
	line := inLine(message)
	for _, read := range envelopes(line) {
		if read.method == "" && answered != nil {
			answered[read.id] = true
		}
		if version := members(line, read.result)["protocolVersion"]; version.isThere() {
			r.mutex.Lock()
			r.version = cmp.Or(r.version, textOf(version.of(line))) // of the answer to initialize
			r.mutex.Unlock()
		}
	}
	_, _ = r.write.Write(append(line, '\n')) // the reader may be gone
}

// fail answers requests with why they have no other answer.
func (r *Remote) fail(text []byte, messages []envelope, why string) {
	for _, message := range messages {
		if r.ctx.Err() == nil {
			_, _ = r.write.Write(failure(message.rawID.of(text), busy, why)) // the reader may be gone
		}
	}
}
