package sse_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"toolproof/internal/bounded"
	"toolproof/internal/sse"
)

func TestNext(t *testing.T) {
	t.Parallel()
	const text = ": a comment\r\nid: 1\r\ndata: {\r\ndata:}\r\n\r\n\nevent:\ndata:  two\nretry: 5\nretry: 7\n\ndata: cut"
	reader := sse.NewReader(iotest.OneByteReader(strings.NewReader(text)), len(text))
	var all strings.Builder
	for _, want := range []struct{ data, id, retry string }{{"{\n}", "1", ""}, {"", "", ""}, {" two", "", "7"}} {
		event, err := reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		all.Write(event)
		if string(event.Data()) != want.data || event.Get("id") != want.id || event.Get("retry") != want.retry {
			t.Errorf("read %q, want %q", event, want)
		}
	}
	rest, err := reader.Next()
	if all.String()+string(rest) != text || !errors.Is(err, io.EOF) {
		t.Errorf("after the events come %q and %v", rest, err)
	}
}

func TestLongEvents(t *testing.T) {
	t.Parallel()
	const most = 10_000
	long := "data: " + strings.Repeat("x", most-8) + "\n\n"
	if event, err := sse.NewReader(strings.NewReader(long), most).Next(); err != nil || string(event) != long {
		t.Errorf("the longest event: %d bytes, %v", len(event), err)
	}
	if _, err := sse.NewReader(strings.NewReader(long), most-1).Next(); !errors.Is(err, bounded.ErrTooLarge) {
		t.Errorf("an event of one byte more: %v", err)
	}
	if _, err := sse.NewReader(iotest.ErrReader(io.ErrClosedPipe), most).Next(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a broken stream: %v", err)
	}
}
