package engines

import (
	"fmt"
	"strings"
)

// The escapes of xgrammar's grammars, both ways.
var (
	escapeOf = map[rune]string{
		'\'': `\'`, '"': `\"`, '?': `\?`, '\\': `\\`, '\a': `\a`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\v': `\v`,
		0: `\0`, 0x1B: `\e`,
	}
	escaped = map[byte]rune{
		'\'': '\'', '"': '"', '?': '?', '\\': '\\', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '0': 0, 'e': 0x1B,
	}
)

// escapedInRegex are the characters that a pattern escapes for their own sake.
const escapedInRegex = `^$.*+?\()[]{}|/-`

// escapeRune writes a character as xgrammar's grammars have it in a literal.
func escapeRune(char rune) string {
	switch {
	case escapeOf[char] != "":
		return escapeOf[char]
	case char >= 0x20 && char <= 0x7E:
		return string(char)
	case char <= 0xFF:
		return fmt.Sprintf(`\x%02x`, char)
	case char <= 0xFFFF:
		return fmt.Sprintf(`\u%04x`, char)
	default:
		return fmt.Sprintf(`\U%08x`, char)
	}
}

// regex converts a pattern to the body of a grammar's rule, as xgrammar 0.1.27 does.
// https://github.com/mlc-ai/xgrammar/blob/v0.1.27/cpp/regex_converter.cc
type regex struct {
	text  []rune
	at    int
	depth int // of open parentheses
	out   strings.Builder
	fault string
}

// convertRegex returns the body, and why a pattern cannot be converted, or "". xgrammar
// reads no further than a character of the code 0.
func convertRegex(pattern string) (body, fault string) {
	pattern, _, _ = strings.Cut(pattern, "\x00")
	r := &regex{text: []rune(pattern)}
	for r.at < len(r.text) && r.fault == "" {
		r.next()
	}
	if r.fault == "" && r.depth != 0 {
		r.fail("The parenthesis is not closed.")
	}
	if r.fault != "" {
		return "", r.fault
	}
	if strings.Trim(pattern, "^$") == "" {
		r.add(`""`)
	}
	return r.out.String(), ""
}

// fail keeps the first fault; positions count from 1.
func (r *regex) fail(words string) {
	if r.fault == "" {
		r.fault = fmt.Sprintf("Regex parsing error at position %d: %s", r.at+1, words)
	}
}

// add writes a part of a sequence.
func (r *regex) add(part string) {
	if r.out.Len() > 0 {
		r.out.WriteByte(' ')
	}
	r.out.WriteString(part)
}

// peek returns the character so many places ahead, or 0 at the end.
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
		r.add(r.class())
	case '(':
		r.at++
		r.depth++
		r.add("(")
		if r.peek(0) == '?' {
			r.at++
			r.modifier()
		}
	case ')':
		if r.depth == 0 {
			r.fail("Unmatched ')'")
			return
		}
		if r.at > 0 && r.text[r.at-1] == '|' {
			r.add(`""`)
		}
		r.depth--
		r.add(")")
		r.at++
	case '*', '+', '?':
		r.out.WriteRune(char)
		r.at++
		r.repeated()
	case '{':
		r.out.WriteString(r.repetition())
		r.repeated()
	case '|':
		r.add("|")
		r.at++
	case '\\':
		r.add(r.escape())
	case '.':
		r.add(`[\u0000-\U0010FFFF]`)
		r.at++
	default:
		r.add(`"` + escapeRune(char) + `"`)
		r.at++
	}
}

// repeated passes over the mark of a repetition that is not greedy.
func (r *regex) repeated() {
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

// class reads a set of characters.
func (r *regex) class() string {
	var out strings.Builder
	out.WriteByte('[')
	r.at++
	if r.peek(0) == ']' {
		r.fail("Empty character class is not allowed in regex.")
		return ""
	}
	for r.at < len(r.text) && r.text[r.at] != ']' && r.fault == "" {
		if r.text[r.at] == '\\' {
			out.WriteString(r.escapeInClass())
			continue
		}
		out.WriteRune(r.text[r.at])
		r.at++
	}
	if r.at == len(r.text) {
		r.fail("Unclosed '['")
	}
	out.WriteByte(']')
	r.at++
	return out.String()
}

// repetition reads {n}, {n,} or {n,m}.
func (r *regex) repetition() string {
	const words = "Invalid repetition count."
	start := r.at
	r.at++
	if !isDigit(r.peek(0)) {
		r.fail(words)
		return ""
	}
	for isDigit(r.peek(0)) {
		r.at++
	}
	switch r.peek(0) {
	case '}':
		r.at++
		return string(r.text[start:r.at])
	case ',':
		r.at++
	default:
		r.fail(words)
		return ""
	}
	for isDigit(r.peek(0)) {
		r.at++
	}
	if r.peek(0) != '}' {
		r.fail(words)
		return ""
	}
	r.at++
	return string(r.text[start:r.at])
}

// escape reads an escape outside of classes.
func (r *regex) escape() string {
	if len(r.text)-r.at < 2 {
		r.fail("Escape sequence is not finished.")
		return ""
	}
	switch letter := r.text[r.at+1]; letter {
	case 'd', 'D', 'w', 'W', 's', 'S':
		r.at += 2
		return map[rune]string{
			'd': `[0-9]`, 'D': `[^0-9]`, 'w': `[a-zA-Z0-9_]`, 'W': `[^a-zA-Z0-9_]`,
			's': `[\f\n\r\t\v\u0020\u00a0]`, 'S': `[^[\f\n\r\t\v\u0020\u00a0]`,
		}[letter]
	case '1', '2', '3', '4', '5', '6', '7', '8', '9', 'k':
		r.fail("Backreference is not supported yet.")
	case 'p', 'P':
		r.fail("Unicode character class escape sequence is not supported yet.")
	case 'b', 'B':
		r.fail("Word boundary is not supported yet.")
	default:
		return `"` + r.character() + `"`
	}
	return ""
}

// escapeInClass reads an escape inside of a class.
func (r *regex) escapeInClass() string {
	if len(r.text)-r.at < 2 {
		r.fail("Escape sequence is not finished.")
		return ""
	}
	switch letter := r.text[r.at+1]; letter {
	case 'd', 'D', 'w', 'W', 's', 'S':
		r.at += 2
		return map[rune]string{
			'd': `0-9`, 'D': `\x00-\x2F\x3A-\U0010FFFF`, 'w': `a-zA-Z0-9_`, 'W': `\x00-\x2F\x3A-\x40\x5B-\x5E\x60\x7B-\U0010FFFF`,
			's': `\f\n\r\t\v\u0020\u00a0`, 'S': `\x00-\x08\x0E-\x1F\x21-\x9F\xA1-\U0010FFFF`,
		}[letter]
	}
	character := r.character()
	if character == "]" || character == "-" {
		return `\` + character
	}
	return character
}

// character reads the escape of one character and writes it as a grammar does.
func (r *regex) character() string {
	left := len(r.text) - r.at
	letter := r.peek(1)
	if left < 2 || letter == 'u' && left < 5 || letter == 'x' && left < 4 || letter == 'c' && left < 3 {
		r.fail("Escape sequence is not finished.")
		return ""
	}
	if char, length := readEscape(r.peek, escapedInRegex); length > 0 {
		r.at += length
		return escapeRune(char)
	}
	switch {
	case letter == 'u' && r.peek(2) == '{':
		const most = 6
		r.at += 3
		value, length := hexadecimal(r.peek, 0, most+1)
		if length == 0 || length > most || r.peek(length) != '}' {
			r.fail("Invalid Unicode escape sequence.")
			return ""
		}
		r.at += length + 1
		return escapeRune(value)
	case letter == 'c':
		const control = 32
		r.at += 2
		if !isLetter(r.peek(0)) {
			r.fail("Invalid control character escape sequence.")
			return ""
		}
		r.at++
		return escapeRune(r.text[r.at-1] % control)
	default: // the character itself
		r.at += 2
		return escapeRune(letter)
	}
}

// readEscape reads the escape that begins at peek(0), as xgrammar's grammars and patterns
// have it. Each of own stands for itself. The length is 0 where it is none.
func readEscape(peek func(int) rune, own string) (char rune, length int) {
	const afterLetter = 2
	letter := peek(1)
	if letter != 0 && strings.ContainsRune(own, letter) {
		return letter, afterLetter
	}
	if letter < 0x80 { //nolint:mnd // the ASCII characters
		if char, ok := escaped[byte(letter)]; ok { //nolint:gosec // checked above
			return char, afterLetter
		}
	}
	var digits int
	switch letter {
	case 'x':
		char, length := hexadecimal(peek, afterLetter, 1<<30)
		if length == 0 {
			return 0, 0
		}
		return char, afterLetter + length
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		return 0, 0
	}
	char, length = hexadecimal(peek, afterLetter, digits)
	if length < digits {
		return 0, 0
	}
	return char, afterLetter + digits
}

// hexadecimal reads at most so many digits from a place on. It computes in 32 bits, as
// xgrammar does.
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
