package report

import (
	"fmt"
	"strings"

	"golang.org/x/text/width"

	"toolproof/internal/lazy"
)

// wrapped cuts a text into lines of at most so many columns. It cuts at a space, after a comma, or, in a
// longer word, anywhere. A width of 0 means that there is no bound.
func wrapped(text string, columns int) []string {
	var lines []string
	for columns > 0 {
		end, used, space, comma, isCode := 0, 0, 0, 0, false
		for at, letter := range text {
			if isCode = isCode || letter == '\x1b'; !isCode {
				used += columnsOf(letter)
			}
			isCode = isCode && letter != 'm'
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
	switch width.LookupRune(letter).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2 //nolint:mnd // columns
	default:
		return 1
	}
}

// columnsIn returns the number of columns that a text takes, without its styles.
func columnsIn(text string) int {
	columns := 0
	for _, letter := range ansiCode.ReplaceAllString(text, "") {
		columns += columnsOf(letter)
	}
	return columns
}

// ansiCode matches what Terminal.paint adds to a text.
var ansiCode = lazy.Compile("\x1b\\[[0-9]+m")

// wrap writes a text behind an indent, wrapped at the width of the terminal. The further lines have the
// indent, too.
func (t *Terminal) wrap(indent, text string) { t.hang(indent, indent, text) }

// linef writes a line, wrapped at the width of the terminal.
func (t *Terminal) linef(format string, arguments ...any) {
	t.wrap("", fmt.Sprintf(format, arguments...))
}

// hang writes a text behind a label, wrapped at the width of the terminal, and the further lines behind an
// indent. If there is no room beside the label, the text begins below it. A style that a line break
// interrupts is set again.
func (t *Terminal) hang(label, indent, text string) {
	const least = 24 // columns for the text
	if t.Width > 0 && t.Width-columnsIn(label) < least && label != indent {
		t.printf("%s\n", strings.TrimRight(label, " "))
		indent = "    "
		label = indent
	}
	columns := 0
	if t.Width > 0 {
		columns = max(t.Width-columnsIn(label), t.Width/2)
	}
	style := ""
	for _, line := range wrapped(text, columns) {
		line = style + line
		if codes := ansiCode.FindAllString(line, -1); len(codes) > 0 {
			style = strings.TrimSuffix(codes[len(codes)-1], reset)
		}
		if style != "" {
			line += reset
		}
		t.printf("%s%s\n", label, line)
		label = indent
	}
}
