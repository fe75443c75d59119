package schema

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// HasLookaround reports whether a regular expression has look-ahead or look-behind, which
// engines without backtracking do not take. Escaped parentheses and those in a character class
// do not count.
func HasLookaround(pattern string) bool {
	inClass := false
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '(':
			rest := pattern[i+1:]
			if !inClass && (strings.HasPrefix(rest, "?=") || strings.HasPrefix(rest, "?!") || strings.HasPrefix(rest, "?<=") || strings.HasPrefix(rest, "?<!")) {
				return true
			}
		}
	}
	return false
}

// GoPattern returns a pattern of ECMAScript as Go writes it: \x{002D} for \u002D, unless that is half
// of a surrogate pair, and classes that mean something else to Go, such as []a] and [[:alpha:]].
func GoPattern(pattern string) string {
	if !strings.Contains(pattern, `\u`) && !strings.Contains(pattern, "[") {
		return pattern
	}
	var text strings.Builder
	inClass := false
	for rest := pattern; rest != ""; {
		read, written := rest[:1], rest[:1]
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			read, written = escapeInGo(rest)
		case inClass && rest[0] == '[':
			written = `\[`
		case inClass:
			inClass = rest[0] != ']'
		case strings.HasPrefix(rest, "[]"):
			read, written = "[]", nothingInGo
		case strings.HasPrefix(rest, "[^]"):
			read, written = "[^]", anythingInGo
		default:
			inClass = rest[0] == '['
		}
		text.WriteString(written)
		rest = rest[len(read):]
	}
	return text.String()
}

// nothingInGo and anythingInGo are the classes [] and [^] of ECMAScript.
const (
	nothingInGo  = `[^\x00-\x{10FFFF}]`
	anythingInGo = `[\x00-\x{10FFFF}]`
)

// escapeInGo returns the escape at the beginning of a text and how Go writes it.
func escapeInGo(text string) (read, written string) {
	const digits = 4
	read = text[:2]
	if number := text[2:]; text[1] == 'u' && len(number) >= digits {
		code, err := strconv.ParseUint(number[:digits], 16, 16)
		if err == nil && !utf16.IsSurrogate(rune(code)) {
			return text[:2+digits], `\x{` + number[:digits] + `}`
		}
	}
	return read, read
}
