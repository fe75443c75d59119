package report

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// wrapped cuts a text into lines of at most so many columns. It cuts at a space, after a comma, or, in a
// longer word, anywhere. A width of 0 means that there is no bound.
func wrapped(text string, columns int) []string {
	var lines []string
	for columns > 0 {
		end, used, space, comma := 0, 0, 0, 0
		for at, letter := range text {
			used += columnsOf(letter)
			if used > columns {
				break
			}
			end = at + len(string(letter))
			switch letter {
			case ' ':
				space = end
			case ',':
				comma = end
			}
		}
		switch {
		case used <= columns, end == 0:
			return append(lines, text)
		case text[end] == ' ':
		case space > 0 && space >= comma-columns/2:
			end = space
		case comma > 0:
			end = comma
		}
		lines = append(lines, strings.TrimRight(text[:end], " "))
		text = strings.TrimLeft(text[end:], " ")
	}
	return append(lines, text)
}

// columnsOf returns the number of columns that a letter takes on a terminal.
func columnsOf(letter rune) int {
	switch width.LookupRune(letter).Kind() { //nolint:exhaustive // the others are narrow
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2 //nolint:mnd // columns
	default:
		return 1
	}
}

// wrap writes a text behind an indent, wrapped at the width of the terminal, in one style.
func (t *Terminal) wrap(indent, style, text string) {
	columns := 0
	if t.Width > 0 {
		columns = max(t.Width-len(indent), t.Width/2)
	}
	for _, line := range wrapped(text, columns) {
		if style != "" {
			line = t.paint(style, line)
		}
		t.printf("%s%s\n", indent, line)
	}
}

// hang writes a text beside a label, wrapped at the width of the terminal, or below it if there is no room.
func (t *Terminal) hang(label, text string) {
	const least = 24 // columns for the text
	const below = 4  // columns of the indent below the label
	start := utf8.RuneCountInString(label)
	if t.Width > 0 && t.Width-start < least {
		t.printf("%s\n", strings.TrimRight(label, " "))
		label, start = strings.Repeat(" ", below), below
	}
	for i, line := range wrapped(text, max(t.Width-start, 0)) {
		if i > 0 {
			label = strings.Repeat(" ", start)
		}
		t.printf("%s%s\n", label, line)
	}
}
