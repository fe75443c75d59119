package bounded_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"toolproof/internal/bounded"
)

// compressed returns a text compressed by gzip.
func compressed(t *testing.T, text io.Reader) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, err := io.Copy(writer, text)
	if err := errors.Join(err, writer.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAll(t *testing.T) {
	t.Parallel()
	whole := compressed(t, strings.NewReader("12345"))
	for name, test := range map[string]struct {
		given    []byte
		text, is string
	}{
		"fits":             {[]byte("12345"), "12345", ""},
		"too large":        {[]byte("123456"), "", "too large: there is more than 5 bytes: split it"},
		"compressed":       {whole, "12345", ""},
		"a bomb":           {compressed(t, strings.NewReader("123456")), "", "too large: there is more than 5 bytes after decompression: split it"},
		"cut short":        {whole[:len(whole)-4], "12345", "decompressing: unexpected EOF"},
		"no gzip after it": {[]byte{0x1f, 0x8b, 0}, "", "decompressing: unexpected EOF"},
		"empty":            {nil, "", ""},
	} {
		text, err := bounded.All(bytes.NewReader(test.given), 5)
		if err == nil && test.is != "" || err != nil && err.Error() != test.is || string(text) != test.text {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if strings.HasPrefix(test.is, "too large") != errors.Is(err, bounded.ErrTooLarge) {
			t.Errorf("%s: the error is %v, and errors.Is ErrTooLarge disagrees", name, err)
		}
	}
}

// zeros is an endless reader that counts the bytes read.
type zeros struct{ count int }

func (z *zeros) Read(buffer []byte) (int, error) {
	clear(buffer)
	z.count += len(buffer)
	return len(buffer), nil
}

// TestEnds checks that endless input is read only up to the limit and not kept beyond it.
func TestEnds(t *testing.T) { // not parallel, because it counts allocations
	const most = 8 << 20
	endless := &zeros{}
	if _, err := bounded.All(endless, most); !errors.Is(err, bounded.ErrTooLarge) || endless.count > 2*most {
		t.Errorf("%d bytes were read: %v", endless.count, err)
	}
	var before, after runtime.MemStats
	bomb := compressed(t, io.LimitReader(&zeros{}, 64<<20))
	runtime.ReadMemStats(&before)
	lines, err := bounded.NewLines(bytes.NewReader(bomb), 1<<20, most)
	if err != nil {
		t.Fatal(err)
	}
	if lines.Next() || lines.Err() == nil || lines.Err().Error() != "too large: the line is longer than 1 MB" {
		t.Errorf("line %d: %v", lines.Number(), lines.Err())
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > most {
		t.Errorf("%d bytes were allocated", allocated)
	}
}

// TestLines reads lines in one piece and byte by byte.
func TestLines(t *testing.T) {
	t.Parallel()
	const text = "a\n\n \r\n b \nlonger\n"
	for _, reader := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		lines, err := bounded.NewLines(reader, 5, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			number int
			text   string
		}{{1, "a"}, {4, "b"}} {
			if !lines.Next() || string(lines.Text()) != want.text || lines.Number() != want.number {
				t.Errorf("line %d is %q", lines.Number(), lines.Text())
			}
		}
		if lines.Next() || !errors.Is(lines.Err(), bounded.ErrTooLarge) {
			t.Errorf("%q, %v", lines.Text(), lines.Err())
		}
	}
	for _, text := range []string{"one\n\ntwo", "one\r\n\ntwo\n"} {
		lines, err := bounded.NewLines(iotest.OneByteReader(strings.NewReader(text)), 10, 100)
		if err != nil {
			t.Fatal(err)
		}
		if !lines.Next() || string(lines.Text()) != "one" || !lines.Next() || string(lines.Text()) != "two" || lines.Number() != 3 || lines.Next() || lines.Err() != nil {
			t.Errorf("line %d of %q is %q, %v", lines.Number(), text, lines.Text(), lines.Err())
		}
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"a": {Data: []byte("12345")}, "b": {Data: []byte("123456")}}
	if text, err := bounded.File(files, "a", 5); string(text) != "12345" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := bounded.File(files, "b", 5); !errors.Is(err, bounded.ErrTooLarge) {
		t.Error(err)
	}
}
