package report

import (
	"fmt"
	"strings"

	"toolproof/internal/escape"
	"toolproof/internal/lazy"
)

// Generated is the note on pages that are generated from data.
const Generated = "Made from the rules and recordings by `make docs`; do not edit."

// Markdown builds a page of Markdown.
type Markdown struct{ out strings.Builder }

// Title adds the heading of the page, an introduction, and the note Generated.
func (m *Markdown) Title(title, text string) {
	fmt.Fprintf(&m.out, "# %s\n\n%s\n\n%s\n", title, Text(text), Generated)
}

// Table begins a table under a heading.
func (m *Markdown) Table(title string, columns ...string) {
	fmt.Fprintf(&m.out, "\n## %s\n\n", title)
	m.Row(columns...)
	fmt.Fprintf(&m.out, "|%s\n", strings.Repeat("---|", len(columns)))
}

// Text adds a paragraph.
func (m *Markdown) Text(text string) { fmt.Fprintf(&m.out, "\n%s\n", text) }

// Folded adds a text that is folded under a title, which is HTML.
func (m *Markdown) Folded(title, text string) {
	fmt.Fprintf(&m.out, "\n<details><summary>%s</summary>\n\n%s\n\n</details>\n", title, text)
}

// Len returns the size of the page so far, in bytes.
func (m *Markdown) Len() int { return m.out.Len() }

// Row adds a row of cells, which are Markdown.
func (m *Markdown) Row(cells ...string) {
	m.out.WriteByte('|')
	for _, cell := range cells {
		if cell == "" {
			m.out.WriteString(" |")
			continue
		}
		m.out.WriteString(" " + cell + " |")
	}
	m.out.WriteByte('\n')
}

// String returns the page.
func (m *Markdown) String() string { return m.out.String() }

var inMarkdown = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "\n", " ")

// Text escapes words so that Markdown shows them as they are.
func Text(words string) string { return inMarkdown.Replace(words) }

// maxForeign is the number of bytes of foreign text that a page shows.
const maxForeign = 200

// alive matches text that could become a link, a picture, a mention or a reference, or that undoes
// an escape.
var alive = lazy.Compile("(?i)[`&@~#\\\\]|\\][([:]|//|www\\.")

// foreign escapes text that others wrote, cut to maxForeign bytes, so that nothing in it takes
// effect as Markdown.
func foreign(words string) string {
	if len(words) > maxForeign {
		words = strings.ToValidUTF8(words[:maxForeign], "") + "…"
	}
	if words = escape.Line(words); alive.MatchString(words) {
		return escape.Code(words)
	}
	return Text(words)
}

// Link returns words as a link to a source. If the source is not an address, it returns the words
// followed by the source.
func Link(words, source string) string {
	if strings.HasPrefix(source, "https://") && !strings.ContainsAny(source, " ()|") {
		return "[" + words + "](" + source + ")"
	}
	return words + ", " + Text(source)
}
