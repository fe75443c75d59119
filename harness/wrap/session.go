// Package wrap stands between a client and a server of the Model Context Protocol. The client sees the
// server's tools as its model's provider takes them, and its calls come back to what the author of the
// server wrote. Every other message passes byte for byte.
package wrap

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"toolproof/normalizers"
)

// The bounds of what a session remembers of a client or a server that never ends its list, or never
// answers.
const (
	maxLists  = 1000
	maxCursor = 64 << 10 // of one list, with its ID, in bytes
	maxTools  = 10_000
	maxBytes  = 64 << 20
)

// Session is the conversation of one client with one server. It reads JSON-RPC messages, and knows
// nothing of how they are transported. It is safe for concurrent use. The exported fields may not
// change after the first message.
type Session struct {
	// Target returns the pipeline for a client by the name with which it introduces itself, which is
	// empty as long as it has not.
	Target func(client string) *normalizers.Pipeline
	// Observe is set if messages are only counted, and all pass unchanged.
	Observe bool
	// Warn is called with a sentence about a tool that cannot be normalized, once for each tool.
	Warn func(sentence string)

	mutex   sync.Mutex
	client  string
	lists   map[string]string // the cursors of the tools/list that are not answered, by ID
	listed  catalogue
	isStale bool // the server has said that its tools have changed, and no list has come since
	warned  map[string]bool
	counts  Counts
}

// Counts say what a session has done to messages or, if it observes, would have done.
type Counts struct {
	// Tools are those of the last list, Changed those of them that were rewritten, and Renamed those
	// that the client knows by another name.
	Tools, Changed, Renamed int
	// Calls are those of listed tools, Mended those whose arguments were rewritten, and Refused those
	// that the server did not get.
	Calls, Mended, Refused int
}

// Counts returns what the session has counted.
func (s *Session) Counts() Counts {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	counts := s.counts
	counts.Tools, counts.Changed, counts.Renamed = s.listed.count()
	return counts
}

// FromClient takes a message of the client, or a batch. It returns what the server gets, which is nil
// if that is nothing, and the messages with which the session itself answers the client.
func (s *Session) FromClient(ctx context.Context, text []byte) (toServer []byte, answers [][]byte) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var edits []edit
	var passed []span
	for _, message := range envelopes(text) {
		changes, answer := s.ask(ctx, text, message)
		if answer != nil {
			answers = append(answers, answer)
			continue
		}
		edits, passed = append(edits, changes...), append(passed, message.whole)
	}
	switch {
	case len(answers) == 0:
		return apply(text, span{0, len(text)}, edits), nil
	case len(passed) == 0:
		return nil, answers
	}
	for _, message := range passed { // the rest of a batch
		toServer = append(append(toServer, ','), apply(text, message, edits)...)
	}
	toServer[0] = '['
	return append(toServer, "]\n"...), answers
}

// ask takes a message of the client. It returns the edits of the text or, if the server does not get the
// message, the answer.
func (s *Session) ask(ctx context.Context, text []byte, message envelope) (changes []edit, answer []byte) {
	if message.method == "" {
		return nil, nil // it answers the server
	}
	parameters := members(text, message.params)
	s.meet(text, parameters)
	switch message.method {
	case "tools/list":
		if message.id == "" {
			return nil, nil
		}
		cursor := textOf(parameters["cursor"].of(text))
		switch {
		case len(s.lists) >= maxLists:
			return nil, failure(message.rawID.of(text), busy, fmt.Sprintf("%d requests for tools/list are not answered yet", maxLists))
		case len(message.id)+len(cursor) > maxCursor:
			return nil, failure(message.rawID.of(text), invalidParameters, fmt.Sprintf("the ID and the cursor have more than %d KB", maxCursor>>10))
		case s.lists == nil:
			s.lists = map[string]string{}
		}
		s.lists[message.id] = cursor
	case "tools/call":
		changes, answer = s.call(ctx, text, message, parameters)
		if s.Observe {
			return nil, nil
		}
		return changes, answer
	case "notifications/cancelled":
		if request := parameters["requestId"]; request.isThere() {
			delete(s.lists, idOf(request.of(text)))
		}
	}
	return nil, nil
}

// meet notes the name of the client, which initialize tells or, since 2026-07-28, each request.
func (s *Session) meet(text []byte, parameters map[string]span) {
	info := parameters["clientInfo"]
	if !info.isThere() {
		info = members(text, parameters["_meta"])["io.modelcontextprotocol/clientInfo"]
	}
	if name := members(text, info)["name"]; name.isThere() {
		s.client = textOf(name.of(text))
	}
}

// FromServer takes a message of the server, or a batch, and returns what the client gets.
func (s *Session) FromServer(ctx context.Context, text []byte) []byte {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.lists) == 0 && !bytes.Contains(text, []byte("list_changed")) {
		return text
	}
	var edits []edit
	messages := envelopes(text)
	if len(messages) == 0 && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		s.warn("a message that cannot be read as JSON passes as it is, while an answer to tools/list is expected")
	}
	for _, message := range messages {
		s.isStale = s.isStale || message.method == "notifications/tools/list_changed"
		cursor, isAnswer := s.lists[message.id]
		if message.method != "" || message.id == "" || !isAnswer {
			continue
		}
		delete(s.lists, message.id)
		result := members(text, message.result)
		if tools := result["tools"]; !tools.isThere() || text[tools.start] != '[' {
			continue // an error, or nothing that a client reads
		}
		s.isStale = s.isStale && cursor != ""
		changes, err := s.list(ctx, text, result, cursor)
		if err != nil {
			s.warn(err.Error())
			continue
		}
		edits = append(edits, changes...)
	}
	return apply(text, span{0, len(text)}, edits)
}

// warn passes a sentence to Warn, once.
func (s *Session) warn(sentence string) {
	if s.warned[sentence] || len(s.warned) >= maxTools {
		return
	}
	if s.warned == nil {
		s.warned = map[string]bool{}
	}
	s.warned[sentence] = true
	s.Warn(sentence)
}
