// Package escape makes untrusted texts harmless on terminals, in the logs of workflows and in
// Markdown. Names, messages, files and the output of programs can contain control sequences.
package escape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Line returns a text as one line, in which every character that controls a terminal or is
// invisible is escaped.
func Line(text string) string {
	if strings.IndexFunc(text, isHidden) < 0 {
		return text
	}
	var shown strings.Builder
	for _, letter := range text {
		if isHidden(letter) {
			shown.WriteString(spelt(letter))
		} else {
			shown.WriteRune(letter)
		}
	}
	return shown.String()
}

// Lines returns a text with every line escaped as by Line. All lines but the first begin with
// the indent.
func Lines(text, indent string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Line(line)
	}
	return strings.Join(lines, "\n"+indent)
}

// isHidden reports whether a character is invisible: a control character, one that changes the
// direction of the text, an unusual space, or half of a surrogate pair.
func isHidden(letter rune) bool { return !unicode.IsPrint(letter) }

// spelt returns the escape sequence of a character. For a character that may stand unescaped in a
// JSON string it is one of JSON's, so that the string keeps its value.
func spelt(letter rune) string {
	switch {
	case letter < ' ':
		quoted := strconv.QuoteRune(letter)
		return quoted[1 : len(quoted)-1]
	case letter > 0xffff:
		high, low := utf16.EncodeRune(letter)
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	default:
		return fmt.Sprintf(`\u%04x`, letter)
	}
}

// Code returns a text as a Markdown code span, which shows it as it is, without links,
// pictures, HTML or mentions. The span may stand in a table.
func Code(words string) string {
	words = strings.TrimSpace(Line(words))
	if words == "" {
		return ""
	}
	// A bar ends a table cell, and a backslash before a bar escapes it.
	words = strings.NewReplacer(`\|`, `\\u007c`, `|`, `\|`).Replace(words)
	fence := strings.Repeat("`", longestRun(words)+1)
	if strings.HasPrefix(words, "`") || strings.HasSuffix(words, "`") {
		words = " " + words + " "
	}
	return fence + words + fence
}

// longestRun returns the length of the longest run of backquotes.
func longestRun(words string) int {
	longest, run := 0, 0
	for _, letter := range words {
		if letter == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}
