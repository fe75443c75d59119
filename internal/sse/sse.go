// Package sse reads server-sent events, as the HTML standard defines them; lines end with a line feed, or with
// a carriage return and a line feed.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"toolproof/internal/bounded"
)

// Event is the lines of an event as they came, with the empty line behind them.
type Event []byte

// Data returns the lines of data, joined by line feeds.
func (e Event) Data() []byte {
	var lines [][]byte
	for line := range bytes.Lines(e) {
		if name, value := Field(line); name == "data" {
			lines = append(lines, value)
		}
	}
	return bytes.Join(lines, []byte("\n"))
}

// Get returns the value of the last field of a name, or "".
func (e Event) Get(name string) string {
	found := ""
	for line := range bytes.Lines(e) {
		if other, value := Field(line); other == name {
			found = string(value)
		}
	}
	return found
}

// Field returns the name and the value of a line. A comment has no name.
func Field(line []byte) (name string, value []byte) {
	before, value, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(":"))
	return string(before), bytes.TrimPrefix(value, []byte(" "))
}

// Reader reads the events of a stream.
type Reader struct {
	lines *bufio.Reader
	most  int
	event Event
}

// NewReader returns a reader of events. Each may have so many bytes.
func NewReader(in io.Reader, most int) *Reader {
	return &Reader{lines: bufio.NewReader(in), most: most}
}

// Next returns the next event, which is valid until the next call. With an error, such as io.EOF, it returns the lines of an
// event that is not complete. The error of an event that is too large wraps [bounded.ErrTooLarge].
func (r *Reader) Next() (Event, error) {
	r.event = r.event[:0]
	for start := 0; ; {
		part, err := r.lines.ReadSlice('\n')
		if len(r.event)+len(part) > r.most {
			return nil, fmt.Errorf("%w: an event has more than %s", bounded.ErrTooLarge, bounded.Size(int64(r.most)))
		}
		r.event = append(r.event, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return r.event, err //nolint:wrapcheck // the reader's error
		case len(bytes.TrimRight(r.event[start:], "\r\n")) == 0:
			return r.event, nil
		default:
			start = len(r.event)
		}
	}
}
