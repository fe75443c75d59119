// Package escape makes texts of others harmless on a terminal, in the log of a workflow
// and in Markdown. Names, messages, files and the output of programs may hold control
// sequences.
package escape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Line returns a text on one line, without anything that acts on a terminal or hides there.
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

// Lines is Line of each line of a text; all but the first begin with the indent.
func Lines(text, indent string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Line(line)
	}
	return strings.Join(lines, "\n"+indent)
}

// isHidden reports whether a letter is none that one sees: a control character, one that
// turns the direction of a text, an unusual space, half of a letter.
func isHidden(letter rune) bool { return !unicode.IsPrint(letter) }

// spelt returns a letter as an escape sequence. What can stand raw in a string of JSON
// gets one that JSON reads, so that the string keeps its value.
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

// Code returns words as a code span of Markdown, which shows them as they are: there is
// no link, no picture, no HTML and no mention in one. The span may stand in a table.
func Code(words string) string {
	words = strings.TrimSpace(Line(words))
	if words == "" {
		return ""
	}
	// A table ends a cell at a bar, and takes the backslash before one for an escape.
	words = strings.NewReplacer(`\|`, `\\u007c`, `|`, `\|`).Replace(words)
	fence := strings.Repeat("`", longestRun(words)+1)
	if strings.HasPrefix(words, "`") || strings.HasSuffix(words, "`") {
		words = " " + words + " "
	}
	return fence + words + fence
}

// longestRun returns how many backquotes stand together at most.
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
