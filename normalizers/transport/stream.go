package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"toolproof/internal/bounded"
	"toolproof/internal/sse"
	"toolproof/schema"
)

const eventStream = "text/event-stream"

// event is an event of a stream.
type event struct {
	raw       []byte       // as it came, with the empty line after it; nil for one that is added
	data      *schema.Node // nil for [DONE]
	isChanged bool
	isNamed   bool // one that is added has a line with its type
}

// set replaces a text in the data.
func (e *event) set(object *schema.Node, key, text string) {
	if object.GetString(key) == text {
		return
	}
	object.Set(key, schema.NewString(text))
	e.isChanged = true
}

// rename replaces the name of a tool in the data.
func (e *event) rename(object *schema.Node, name string) { e.set(object, "name", name) }

// appendTo appends the text of the event. Lines other than those of the data stay as they are.
func (e *event) appendTo(out []byte) []byte {
	if !e.isChanged {
		return append(out, e.raw...)
	}
	data := append([]byte("data: "), e.data.JSON()...)
	if e.raw == nil {
		if e.isNamed {
			out = append(append(append(out, "event: "...), e.data.GetString("type")...), '\n')
		}
		return append(append(out, data...), "\n\n"...)
	}
	isWritten := false
	for line := range bytes.Lines(e.raw) {
		if name, _ := sse.Field(line); name != "data" {
			out = append(out, line...)
			continue
		}
		if !isWritten {
			out = append(append(out, data...), line[len(bytes.TrimRight(line, "\r\n")):]...)
		}
		isWritten = true
	}
	return out
}

// restorer restores the calls of a stream.
type restorer interface {
	// event takes an event, and returns what the client gets of the events until then.
	event(e *event) []*event
	// unfinished returns the name of a tool with a call that is not complete, or "".
	unfinished() string
}

// stream is a body with the events of another.
type stream struct {
	io.Closer

	events   *sse.Reader
	answer   *answer
	restorer restorer
	ready    []byte // for the client
	err      error
}

func newStream(body io.ReadCloser, answer *answer) *stream {
	return &stream{Closer: body, events: sse.NewReader(body, MaxHeld), answer: answer, restorer: answer.api.stream(answer)}
}

// Read waits until an event is complete.
func (s *stream) Read(buffer []byte) (int, error) {
	if len(buffer) == 0 {
		return 0, nil
	}
	for len(s.ready) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.ready, s.err = s.next(s.ready[:0])
	}
	n := copy(buffer, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// next appends what the client gets of the next event.
func (s *stream) next(out []byte) ([]byte, error) {
	block, err := s.events.Next()
	switch {
	case errors.Is(err, bounded.ErrTooLarge):
		return out, ErrTooLarge
	case err != nil && !errors.Is(err, io.EOF):
		return out, err
	}
	out, failure := s.pass(out, block)
	switch {
	case failure != nil:
		return out, failure
	case err == nil:
		return out, nil
	}
	if name := s.restorer.unfinished(); name != "" {
		err = fmt.Errorf("the stream ends within a call of %s: %w", name, io.ErrUnexpectedEOF)
	}
	return out, err
}

// pass appends what the client gets of an event.
func (s *stream) pass(out []byte, block sse.Event) ([]byte, error) {
	text := bytes.TrimSpace(block.Data())
	if len(text) == 0 {
		return append(out, block...), nil
	}
	came := &event{raw: bytes.Clone(block)}
	if !bytes.Equal(text, []byte("[DONE]")) {
		var err error
		if came.data, err = schema.Parse(text); err != nil {
			unread := &unreadError{"an event of the stream", err}
			if s.restorer.unfinished() != "" {
				return out, unread
			}
			s.answer.problem(unread)
			return append(out, block...), nil
		}
	}
	for _, passed := range s.restorer.event(came) {
		out = passed.appendTo(out)
	}
	if s.answer.size > MaxHeld {
		return out, ErrTooLarge
	}
	return out, nil
}

// unreadError says why something passes as it is.
type unreadError struct {
	what string
	err  error
}

func (e *unreadError) Error() string { return fmt.Sprintf("%s cannot be read: %v", e.what, e.err) }

func (e *unreadError) Unwrap() error { return e.err }
