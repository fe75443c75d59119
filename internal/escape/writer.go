package escape

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Writer escapes text on its way to a terminal or a log. It passes line ends, tabs and printable
// characters, except that it escapes a :: that begins a line and the bracket of ##[command], which
// workflows execute. JSON keeps its values. A Writer is safe for concurrent use.
type Writer struct {
	Out io.Writer
	// Colors passes the colour sequences of reports.
	Colors bool
	// Annotations passes lines that begin with a workflow command as Annotation returns it. All
	// untrusted text of the annotation must be on that line.
	Annotations bool

	mutex   sync.Mutex
	pending []byte // the beginning of a character, a colour or an annotation
	line    place
	shown   []byte
}

// place is a position in a line, as far as it matters for recognizing commands.
type place uint8

const (
	lineStart  place = iota // after nothing but spaces
	afterColon              // after one colon at the start
	inside
	afterHash   // after #
	afterHashes // after ## and letters
)

// Write writes the escaped text. It keeps the beginning of a character until the rest comes.
func (w *Writer) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	size := len(text)
	if len(w.pending) > 0 {
		text = append(w.pending, text...)
	}
	w.shown = w.shown[:0]
	for len(text) > 0 {
		if size := w.plain(text); size > 0 {
			w.shown, text = append(w.shown, text[:size]...), text[size:]
			continue
		}
		size := w.letter(text)
		if size == 0 {
			break
		}
		text = text[size:]
	}
	w.pending = slices.Clone(text)
	if _, err := w.Out.Write(w.shown); err != nil {
		return 0, err //nolint:wrapcheck // Writer stands in for Out
	}
	return size, nil
}

// plain returns the length of a prefix that passes unchanged and does not change the place. Most
// text is such a prefix.
func (w *Writer) plain(text []byte) int {
	if w.line != inside {
		return 0
	}
	size := 0
	for len(text)-size >= 8 && arePlain(binary.LittleEndian.Uint64(text[size:])) {
		size += 8
	}
	for i, letter := range text[size:] {
		if letter < ' ' || letter > '~' || letter == '#' {
			return size + i
		}
	}
	return len(text)
}

// arePlain reports whether eight bytes pass unchanged. A false may be wrong, because a byte that
// does not pass borrows from the next one; a true never is.
func arePlain(letters uint64) bool {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	hash, control := letters^'#'*ones, letters^'\x7f'*ones
	return (letters|(letters-' '*ones)|(hash-ones)|(control-ones))&highs == 0
}

// letter writes the first character or colour of a text and returns its size, or 0 if it is
// incomplete.
func (w *Writer) letter(text []byte) int {
	if w.Colors && text[0] == '\x1b' {
		if size, isColor := color(text); isColor {
			w.shown = append(w.shown, text[:size]...)
			return size
		}
	}
	if w.Annotations && text[0] == ':' && w.line == lineStart {
		if size, isAnnotation := annotation(text); isAnnotation {
			if size > 0 {
				w.shown, w.line = append(w.shown, text[:size]...), inside
			}
			return size
		}
	}
	if text[0] < utf8.RuneSelf {
		w.ascii(text[0])
		return 1
	}
	if !utf8.FullRune(text) {
		return 0
	}
	letter, size := utf8.DecodeRune(text) // invalid bytes give the replacement character
	w.line = inside
	if isHidden(letter) {
		w.shown = append(w.shown, spelt(letter)...)
	} else {
		w.shown = utf8.AppendRune(w.shown, letter)
	}
	return size
}

func (w *Writer) ascii(letter byte) {
	isCommand := letter == ':' && w.line == afterColon || letter == '[' && w.line == afterHashes
	w.line = w.line.after(letter)
	if isCommand || letter != '\n' && letter != '\t' && isHidden(rune(letter)) {
		w.shown = append(w.shown, spelt(rune(letter))...)
		return
	}
	w.shown = append(w.shown, letter)
}

// after returns the place after a character.
func (p place) after(letter byte) place {
	isLetter := letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z'
	switch {
	case letter == '\n':
		return lineStart
	case p == lineStart && (letter == ' ' || letter == '\t'):
		return lineStart
	case p == lineStart && letter == ':':
		return afterColon
	case letter == '#' && p != afterHash && p != afterHashes:
		return afterHash
	case letter == '#', p == afterHashes && isLetter:
		return afterHashes
	default:
		return inside
	}
}

// longestColor is the size of the longest colour, such as \x1b[31m.
const longestColor = 5

// color returns the size of the colour with which a text begins. The size is 0 if the text is
// too short to tell.
func color(text []byte) (size int, isColor bool) {
	for size, letter := range text {
		switch {
		case size == 0 && letter == '\x1b', size == 1 && letter == '[', size > 1 && letter >= '0' && letter <= '9' && size < longestColor-1:
		case size > 1 && letter == 'm':
			return size + 1, true
		default:
			return 0, false
		}
	}
	return 0, true
}

// annotations are the beginnings of the commands that show a message.
var annotations = []string{"::" + Error + " ", "::" + Error + "::", "::" + Warning + " ", "::" + Warning + "::", "::" + Notice + " ", "::" + Notice + "::"}

// annotation returns the size of the beginning of an annotation with which a text begins. The
// size is 0 if the text is too short to tell.
func annotation(text []byte) (size int, isAnnotation bool) {
	for _, begin := range annotations {
		if bytes.HasPrefix(text, []byte(begin)) {
			return len(begin), true
		}
		isAnnotation = isAnnotation || strings.HasPrefix(begin, string(text)) // perhaps
	}
	return 0, isAnnotation
}
