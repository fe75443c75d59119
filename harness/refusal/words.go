package refusal

import (
	"html"
	"strconv"
	"strings"
	"unicode"

	"toolproof/internal/lazy"
)

// Clean returns a pasted text without what terminals, logs and chats add to a message: colours,
// the frames of boxes, marks of quotations and of code, and the time and level before a line.
func Clean(text string) string {
	text = escaped.ReplaceAllStringFunc(text, unescaped)
	text = control.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.Contains(text, "&#39;") || strings.Contains(text, "&quot;") {
		text = html.UnescapeString(text)
	}
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for _, line := range lines {
		line = strings.TrimRight(strings.Trim(line, frame), " \t")
		line = stamp.ReplaceAllString(mark.ReplaceAllString(line, ""), "")
		if !fence.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return strings.Trim(strings.Join(kept, "\n"), "\n")
}

// The decorations of pasted texts.
var (
	// escaped matches an escape character or a letter that a printed string has as an escape
	// sequence, however often it was escaped.
	escaped = lazy.Compile(`\\+(?:u([0-9a-fA-F]{4})|x1[bB]|033|e\[)`)
	control = lazy.Compile(`\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x{200b}\x{2060}\x{feff}]`)
	mark    = lazy.Compile(`^(?:[ \t]*[>|][ \t]?)+`)
	fence   = lazy.Compile("^[ \t]*(?:```|~~~)[\\w-]*$")
	// stamp matches a date or a time with what a logger puts after it, up to the message.
	stamp = lazy.Compile(`^\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]?)?(?:\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)\]?\s+` +
		`(?:\[?(?i:trace|debug|info|warn|warning|error|fatal|critical)\]?:?\s+)?(?:\[[\w./ -]+\]\s+)?(?:[\w.-]+(?::\d+)?\s*[:-]\s+)?`)
)

// frame are the characters of boxes.
const frame = "│┃║╎┆┊╭╮╰╯┌┐└┘├┤─━═╔╗╚╝▌▐█"

// unescaped returns what an escape sequence stands for.
func unescaped(sequence string) string {
	digits := strings.TrimLeft(sequence, `\`)
	switch digits[0] {
	case 'u':
		code, err := strconv.ParseUint(digits[1:], 16, 16)
		if err != nil || code == '"' || code == '\\' || code < ' ' && code != '\x1b' {
			return sequence // decoded, the character would end or break the string around it
		}
		return string(rune(code))
	case 'e':
		return "\x1b["
	default:
		return "\x1b"
	}
}

// lineEnd matches the escape sequence of a line break or a tab, however often it was escaped.
var lineEnd = lazy.Compile(`\\+[nrt]`)

// letters returns what is left of a text after any quoting, escaping and breaking of lines:
// letters, digits, and the marks that names are made of.
func letters(text string) string {
	if strings.Contains(text, "&") {
		text = html.UnescapeString(text)
	}
	if strings.Contains(text, `\`) {
		text = lineEnd.ReplaceAllString(text, "")
	}
	return strings.Map(func(letter rune) rune {
		if letter == '$' || letter == '_' || unicode.IsLetter(letter) || unicode.IsDigit(letter) {
			return letter
		}
		return -1
	}, text)
}

// ordinal matches the number of a tool in its list, after letters has removed the brackets.
var ordinal = lazy.Compile(`(tools|functions|function_declarations|functionDeclarations)\d+`)

// words is a text in the forms in which it is compared, the most exact first: with all numbers,
// without those that count tools, which differ if tools were added or left out, and without any.
type words [grades]string

// The indices of words.
const (
	exact = iota
	uncounted
	unnumbered
	grades
)

func wordsOf(text string) words {
	var w words
	w[exact] = letters(text)
	w[uncounted] = ordinal.ReplaceAllString(w[exact], "$1")
	w[unnumbered] = strings.Map(func(letter rune) rune {
		if unicode.IsDigit(letter) {
			return -1
		}
		return letter
	}, w[exact])
	return w
}

// Bounds of what counts as a message.
const (
	fewest    = 10 // letters of a message, that another text may hold
	fewestCut = 20 // letters of a part of a message
)

// match says how a pasted text has a message.
type match struct {
	grade      int // index of words
	start, end int // in the text without numbers
}

// find returns how a text has a message, whole or as a part of it.
func (w *words) find(message *words) (match, bool) {
	needle := message[unnumbered]
	at := strings.Index(w[unnumbered], needle)
	if len(needle) < fewest || at < 0 {
		return match{}, false
	}
	found := match{unnumbered, at, at + len(needle)}
	for grade := range unnumbered {
		if strings.Contains(w[grade], message[grade]) {
			found.grade = grade
			break
		}
	}
	return found, true
}

// findCut is like find for a message whose end the text lacks.
func (w *words) findCut(message *words) (match, bool) {
	length := overlap(w[unnumbered], message[unnumbered])
	if length < fewestCut {
		return match{}, false
	}
	found := match{unnumbered, len(w[unnumbered]) - length, len(w[unnumbered])}
	for grade := range unnumbered {
		if common := overlap(w[grade], message[grade]); len(w[grade]) > 0 && common >= length {
			found.grade = grade
			break
		}
	}
	return found, true
}

// overlap returns the length of the longest end of a text with which a message begins.
func overlap(text, message string) int {
	text = text[max(0, len(text)-len(message)):]
	// The prefix function of Knuth, Morris and Pratt.
	borders := make([]int, len(message)+1)
	for i, length := 1, 0; i < len(message); i++ {
		for length > 0 && message[i] != message[length] {
			length = borders[length-1]
		}
		if message[i] == message[length] {
			length++
		}
		borders[i] = length
	}
	length := 0
	for i := range len(text) {
		for length > 0 && (length == len(message) || text[i] != message[length]) {
			length = borders[length-1]
		}
		if len(message) > 0 && text[i] == message[length] {
			length++
		}
	}
	return length
}

// ellipsis matches the mark of what a person left out.
var ellipsis = lazy.Compile(`\[(?:…|\.\.\.+|N|n|i|<[^>\]]*>)\]|…|\.\.\.+|\.[Nn]\.|\*\.|\.\*`)

// findParts is like find for a text that has only parts of a message, in their order.
func findParts(parts []words, message *words) (match, bool) {
	for grade := range grades {
		rest, isIn, total := message[grade], true, 0
		for _, part := range parts {
			at := strings.Index(rest, part[grade])
			if isIn = at >= 0; !isIn {
				break
			}
			rest = rest[at+len(part[grade]):]
			total += len(part[unnumbered])
		}
		if isIn && total >= fewestCut {
			return match{grade, 0, total}, true
		}
	}
	return match{}, false
}
