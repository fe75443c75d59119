package engines

import (
	"fmt"
	"strings"
)

// regex reads a pattern as xgrammar 0.1.27 does, which converts it to a part of a grammar. Source:
// https://github.com/mlc-ai/xgrammar/blob/v0.1.27/cpp/regex_converter.cc.
type regex struct {
	text  []rune
	at    int
	depth int // of open parentheses
	last  regexPart
	fault string // why the pattern cannot be converted

	unread grammarReader // that cannot read the part of the grammar for the pattern
}

// regexPart is the part of a pattern that was converted last.
type regexPart uint8

const (
	anElement regexPart = iota // also the quote before a pattern
	anOpening
	aBar
	aRepetition
)

// checkRegex returns the words with which xgrammar refuses to convert a pattern, or "", and the reader
// that cannot read the converted pattern, or noReader. xgrammar reads a pattern up to the first
// NUL.
func checkRegex(pattern string) (fault string, unread grammarReader) {
	pattern, _, _ = strings.Cut(pattern, "\x00")
	r := &regex{text: []rune(pattern)}
	for r.at < len(r.text) && r.fault == "" {
		r.next()
	}
	if r.depth != 0 {
		r.fail("The parenthesis is not closed.")
	}
	return r.fault, r.unread
}

// fail keeps the first fault; positions count from 1.
func (r *regex) fail(words string) {
	if r.fault == "" {
		r.fault = fmt.Sprintf("Regex parsing error at position %d: %s", r.at+1, words)
	}
}

// cannotRead notes that a reader fails. The lexer comes before the parser, because it reads the whole
// grammar first.
func (r *regex) cannotRead(reader grammarReader) { r.unread = max(r.unread, reader) }

// grammarReader is a part of xgrammar that reads grammars.
type grammarReader uint8

const (
	noReader grammarReader = iota
	parser
	lexer
)

// words returns the words of xgrammar's error, without the line and the column.
func (g grammarReader) words() string {
	return map[grammarReader]string{parser: "EBNF parser error", lexer: "EBNF lexer error"}[g]
}

// peek returns the character that is so many characters ahead, or 0 after the end.
func (r *regex) peek(ahead int) rune {
	if r.at+ahead < len(r.text) {
		return r.text[r.at+ahead]
	}
	return 0
}

func (r *regex) next() {
	switch char := r.text[r.at]; char {
	case '^', '$': // have no effect anywhere
		r.at++
	case '[':
		r.class()
		r.last = anElement
	case '(':
		r.at++
		r.depth++
		r.last = anOpening
		if r.peek(0) == '?' {
			r.at++
			r.modifier()
		}
	case ')':
		if r.depth == 0 {
			r.fail("Unmatched ')'")
			return
		}
		if r.last == aBar && r.text[r.at-1] != '|' { // directly after a bar xgrammar writes an empty string
			r.cannotRead(parser)
		}
		r.depth--
		r.at++
		r.last = anElement
	case '*', '+', '?':
		r.at++
		r.repeated()
	case '{':
		r.repetition()
		r.repeated()
	case '|':
		if r.last == anOpening || r.last == aBar {
			r.cannotRead(parser)
		}
		r.at++
		r.last = aBar
	case '\\':
		r.escape()
		r.last = anElement
	default:
		r.at++
		r.last = anElement
	}
}

// repeated reads the rest of a repetition, which may have the mark of one that is not greedy.
func (r *regex) repeated() {
	if r.last != anElement {
		r.cannotRead(parser)
	}
	r.last = aRepetition
	if r.fault == "" && r.peek(0) == '?' {
		r.at++
	}
	if r.fault == "" && r.at < len(r.text) && strings.ContainsRune("{*+?", r.text[r.at]) {
		r.fail("Two consecutive repetition modifiers are not allowed.")
	}
}

// modifier reads what follows "(?".
func (r *regex) modifier() {
	switch next := r.peek(0); {
	case r.at == len(r.text):
		r.fail("Group modifier is not finished.")
	case next == ':':
		r.at++
	case next == '=' || next == '!':
		r.fail("Lookahead is not supported yet.")
	case next == '<' && (r.peek(1) == '=' || r.peek(1) == '!'):
		r.fail("Lookbehind is not supported yet.")
	case next == '<':
		r.at++
		for isLetter(r.peek(0)) {
			r.at++
		}
		if r.peek(0) != '>' {
			r.fail("Invalid named capturing group.")
			return
		}
		r.at++
	default:
		r.fail("Group modifier flag is not supported yet.")
	}
}

func isLetter(char rune) bool { return char >= 'a' && char <= 'z' || char >= 'A' && char <= 'Z' }

func isDigit(char rune) bool { return char >= '0' && char <= '9' }

// repetition reads {n}, {n,} or {n,m}.
func (r *regex) repetition() {
	const words = "Invalid repetition count."
	r.at++
	least, ok := r.count()
	if !ok {
		r.fail(words)
		return
	}
	if r.peek(0) == ',' {
		r.at++
		if most, ok := r.count(); ok && most < least {
			r.cannotRead(parser)
		}
	}
	if r.peek(0) != '}' {
		r.fail(words)
		return
	}
	r.at++
}

// count reads a number, of which the lexer of grammars reads up to sixteen digits.
func (r *regex) count() (value int64, ok bool) {
	const most = 1_000_000_000_000_000
	for ; isDigit(r.peek(0)); r.at++ {
		value, ok = min(value*10+int64(r.peek(0)-'0'), 2*most), true //nolint:mnd // decimal
	}
	if value > most {
		r.cannotRead(lexer)
	}
	return value, ok
}

// classes are the letters of the escapes that stand for classes of characters.
const classes = "dDwWsS"

// escape reads an escape outside of a class.
func (r *regex) escape() {
	letter := r.peek(1)
	switch {
	case len(r.text)-r.at < 2:
		r.fail("Escape sequence is not finished.")
	case strings.ContainsRune(classes, letter):
		r.at += 2
	case letter >= '1' && letter <= '9' || letter == 'k':
		r.fail("Backreference is not supported yet.")
	case letter == 'p' || letter == 'P':
		r.fail("Unicode character class escape sequence is not supported yet.")
	case letter == 'b' || letter == 'B':
		r.fail("Word boundary is not supported yet.")
	default:
		r.character()
	}
}

const (
	// escaped are the characters after a backslash in a grammar or a pattern, and escapedFor are
	// the characters that they stand for, in the same order.
	escaped    = `'"?\abfnrtv0e`
	escapedFor = "'\"?\\\a\b\f\n\r\t\v\x00\x1b"
	// escapedInRegex are the characters that a backslash makes literal in a pattern.
	escapedInRegex = `^$.*+?\()[]{}|/-`
)

// character reads the escape of one character.
func (r *regex) character() rune {
	const most, control = 6, 32
	left, letter := len(r.text)-r.at, r.peek(1)
	if left < 2 || letter == 'u' && left < 5 || letter == 'x' && left < 4 || letter == 'c' && left < 3 {
		r.fail("Escape sequence is not finished.")
		return 0
	}
	if char, length := readEscape(r.peek, escapedInRegex); length > 0 {
		r.at += length
		return char
	}
	switch {
	case letter == 'u' && r.peek(2) == '{':
		r.at += 3
		value, length := hexadecimal(r.peek, 0, most+1)
		if length == 0 || length > most || r.peek(length) != '}' {
			r.fail("Invalid Unicode escape sequence.")
			return 0
		}
		r.at += length + 1
		return value
	case letter == 'c':
		r.at += 2
		if !isLetter(r.peek(0)) {
			r.fail("Invalid control character escape sequence.")
			return 0
		}
		r.at++
		return r.text[r.at-1] % control
	default: // the character itself
		r.at += 2
		return letter
	}
}

// readEscape reads the escape of a grammar or a pattern that begins at peek(0). The characters of own
// stand for themselves. The length is 0 if there is no escape.
func readEscape(peek func(int) rune, own string) (char rune, length int) {
	const afterLetter = 2
	letter := peek(1)
	if letter != 0 && strings.ContainsRune(own, letter) {
		return letter, afterLetter
	}
	if i := strings.IndexRune(escaped, letter); letter != 0 && i >= 0 {
		return rune(escapedFor[i]), afterLetter
	}
	digits := map[rune]int{'x': 1, 'u': 4, 'U': 8}[letter]
	most := digits
	if letter == 'x' {
		most = 1 << 30
	}
	char, length = hexadecimal(peek, afterLetter, most)
	if digits == 0 || length < digits {
		return 0, 0
	}
	return char, afterLetter + length
}

// hexadecimal reads at most so many hexadecimal digits, the first of which is peek(from). The value
// overflows 32 bits, as it does in xgrammar.
func hexadecimal(peek func(int) rune, from, most int) (value rune, length int) {
	const base, letters = 16, 10
	for length < most {
		digit := peek(from + length)
		switch {
		case isDigit(digit):
			digit -= '0'
		case digit >= 'a' && digit <= 'f':
			digit += letters - 'a'
		case digit >= 'A' && digit <= 'F':
			digit += letters - 'A'
		default:
			return value, length
		}
		value = value*base + digit
		length++
	}
	return value, length
}

// class reads a class of characters. xgrammar copies it into the grammar, with the grammar's own
// escapes, and reads it again with the grammar.
func (r *regex) class() {
	var copied strings.Builder
	r.at++
	if r.peek(0) == ']' {
		r.fail("Empty character class is not allowed in regex.")
		return
	}
	for r.at < len(r.text) && r.text[r.at] != ']' && r.fault == "" {
		if r.text[r.at] == '\\' {
			copied.WriteString(r.escapeInClass())
			continue
		}
		copied.WriteRune(r.text[r.at])
		r.at++
	}
	if r.at == len(r.text) {
		r.fail("Unclosed '['")
	}
	r.at++
	r.readClass([]rune(strings.TrimPrefix(copied.String(), "^")))
}

// escapeInClass reads an escape inside of a class and returns it in the notation of grammars.
func (r *regex) escapeInClass() string {
	letter := r.peek(1)
	if len(r.text)-r.at < 2 {
		r.fail("Escape sequence is not finished.")
		return ""
	}
	if i := strings.IndexRune(classes, letter); i >= 0 {
		r.at += 2
		return []string{
			`0-9`, `\x00-\x2F\x3A-\U0010FFFF`, `a-zA-Z0-9_`, `\x00-\x2F\x3A-\x40\x5B-\x5E\x60\x7B-\U0010FFFF`,
			`\f\n\r\t\v\u0020\u00a0`, `\x00-\x08\x0E-\x1F\x21-\x9F\xA1-\U0010FFFF`,
		}[i]
	}
	switch char := r.character(); {
	case char == ']' || char == '-':
		return `\` + string(char)
	case char <= 0x7F && strings.IndexByte(escapedFor, byte(char)) >= 0: //nolint:gosec // checked
		return `\` + string(escaped[strings.IndexByte(escapedFor, byte(char))]) //nolint:gosec // checked
	case char >= ' ' && char <= '~':
		return string(char)
	case char <= 0xFF: //nolint:mnd // two digits
		return fmt.Sprintf(`\x%02x`, char)
	case char <= 0xFFFF: //nolint:mnd // four digits
		return fmt.Sprintf(`\u%04x`, char)
	default:
		return fmt.Sprintf(`\U%08x`, char)
	}
}

// readClass reads the inside of a class of a grammar.
func (r *regex) readClass(text []rune) {
	type member struct {
		char   rune
		isDash bool
	}
	var members []member
	for at := 0; at < len(text); {
		peek := func(ahead int) rune {
			if at+ahead < len(text) {
				return text[at+ahead]
			}
			return 0
		}
		char, length := text[at], 1
		switch char {
		case '\n', '\r':
			r.cannotRead(lexer)
			return
		case '\\':
			if char, length = readEscape(peek, escapedInRegex); length == 0 {
				r.cannotRead(lexer)
				return
			}
		}
		members = append(members, member{char, text[at] == '-'})
		at += length
	}
	for i := 0; i < len(members); i++ {
		if i+2 < len(members) && members[i+1].isDash {
			if members[i].char > members[i+2].char {
				r.cannotRead(parser)
				return
			}
			i += 2
		}
	}
}

// isReadableName reports whether xgrammar can read a grammar that has the name of a property, without
// escapes, between quotes.
func isReadableName(name string) bool {
	if !strings.ContainsAny(name, "\"\\\n\r\x00") {
		return true
	}
	text := []rune(`"\"` + name + `\""`)
	for at := 0; at < len(text); at++ {
		peek := func(ahead int) rune {
			if at+ahead < len(text) {
				return text[at+ahead]
			}
			return 0
		}
		if text[at] == ' ' || text[at] == '\t' {
			continue
		}
		if text[at] != '"' {
			return false
		}
		for at++; peek(0) != '"'; {
			length := 1
			switch peek(0) {
			case 0, '\n', '\r':
				return false
			case '\\':
				if _, length = readEscape(peek, ""); length == 0 {
					return false
				}
			}
			at += length
		}
	}
	return true
}
