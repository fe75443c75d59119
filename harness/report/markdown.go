package report

import (
	"fmt"
	"strings"

	"toolproof/internal/escape"
	"toolproof/internal/lazy"
)

// Generated is what a page says that is made of data.
const Generated = "Made from the rules and recordings by `make docs`; do not edit."

// Markdown writes a page of tables.
type Markdown struct{ out strings.Builder }

// Title writes the head of the page.
func (m *Markdown) Title(title, text string) {
	fmt.Fprintf(&m.out, "# %s\n\n%s\n\n%s\n", title, Text(text), Generated)
}

// Table begins a table.
func (m *Markdown) Table(title string, columns ...string) {
	fmt.Fprintf(&m.out, "\n## %s\n\n", title)
	m.Row(columns...)
	fmt.Fprintf(&m.out, "|%s\n", strings.Repeat("---|", len(columns)))
}

// Text writes a paragraph.
func (m *Markdown) Text(text string) { fmt.Fprintf(&m.out, "\n%s\n", text) }

// Folded writes a text that is shown when one asks for it. The title is HTML.
func (m *Markdown) Folded(title, text string) {
	fmt.Fprintf(&m.out, "\n<details><summary>%s</summary>\n\n%s\n\n</details>\n", title, text)
}

// Len returns how many bytes the page has.
func (m *Markdown) Len() int { return m.out.Len() }

// Row writes a row of cells, which are Markdown themselves.
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

// Text returns words that Markdown shows as they are.
func Text(words string) string { return inMarkdown.Replace(words) }

// maxForeign is how many bytes of somebody else's words a page shows.
const maxForeign = 200

// alive is what can become a link, a picture, a mention or a reference, and what undoes
// an escape.
var alive = lazy.Compile("(?i)[`&@~#\\\\]|\\][([:]|//|www\\.")

// foreign returns words that others wrote, or their beginning, as a page shows them: as
// they are, and so that nothing in them is Markdown.
func foreign(words string) string {
	if len(words) > maxForeign {
		words = strings.ToValidUTF8(words[:maxForeign], "") + "…"
	}
	if words = escape.Line(words); alive.MatchString(words) {
		return escape.Code(words)
	}
	return Text(words)
}

// Link returns words that lead to an address; to a source without one, words and
// source.
func Link(words, source string) string {
	if strings.HasPrefix(source, "https://") && !strings.ContainsAny(source, " ()|") {
		return "[" + words + "](" + source + ")"
	}
	return words + ", " + Text(source)
}
