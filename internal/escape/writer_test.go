package escape_test

import (
	"bytes"
	"strings"
	"testing"

	"toolproof/internal/escape"
)

// TestWriterLooksAtEachLetter puts each byte at each place of a text that is looked at in
// words of eight, and holds it against the text that comes byte by byte.
func TestWriterLooksAtEachLetter(t *testing.T) {
	t.Parallel()
	for letter := range 0x100 {
		for at := range 18 {
			text := []byte("x" + strings.Repeat("a", at) + string([]byte{byte(letter)}) + "[ ~a" + strings.Repeat(" ", 17-at) + "\n")
			var whole, single bytes.Buffer
			if _, err := (&escape.Writer{Out: &whole}).Write(text); err != nil {
				t.Fatal(err)
			}
			writer := &escape.Writer{Out: &single}
			for i := range text {
				if _, err := writer.Write(text[i : i+1]); err != nil {
					t.Fatal(err)
				}
			}
			if whole.String() != single.String() {
				t.Fatalf("%q is written as %q, and byte by byte as %q", text, whole.String(), single.String())
			}
		}
	}
}
