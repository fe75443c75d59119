package report

import (
	"crypto/sha256"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// Bounds of the sides of tools.
const (
	mostSides   = 320 << 10 // bytes of all sides of a page
	mostHeld    = 8 << 20   // bytes of the sides among which those of the page are chosen
	longestSide = 48 << 10  // bytes of the sides of a tool for one target
	largestSide = 5000      // values of a tool
	wholeSide   = 4 << 10   // bytes of a tool below which the lines that are the same are shown, too
)

// htmlSides holds the tools of a run as given and normalized.
type htmlSides struct{ held int }

// htmlSide is a tool as given and as it is made for targets, as a diff.
type htmlSide struct {
	Targets []string
	Text    template.HTML

	sum [sha256.Size]byte // of the normalized tool
}

// add adds both sides of a tool to its row, once for all targets for which they are the same.
func (h *htmlSides) add(row *htmlRow, result verdict.Result) {
	sides := result.Sides()
	if sides.Given == nil || sides.Normalized == nil || sides.Normalized.Tool == nil {
		return
	}
	if h.held > mostHeld || max(sides.Given.Size(), sides.Normalized.Tool.Size()) > largestSide {
		row.LeftSides++
		return
	}
	normalized := indented(sides.Normalized.Tool)
	sum := sha256.Sum256(normalized)
	if at := slices.IndexFunc(row.Sides, func(other *htmlSide) bool { return other.sum == sum }); at >= 0 {
		row.Sides[at].Targets = append(row.Sides[at].Targets, result.Target)
		return
	}
	given := indented(sides.Given)
	var text template.HTML
	if len(given) < wholeSide {
		text = marked(whole(string(given), string(normalized)))
	} else {
		text = marked(diff.Diff("", given, "", normalized))
	}
	if len(text) > longestSide {
		row.LeftSides++
		return
	}
	h.held += len(text)
	row.Sides = append(row.Sides, &htmlSide{Targets: []string{result.Target}, Text: text, sum: sum})
}

// choose leaves to the rows the sides for which a page has room: the first of each row, and then the
// next ones.
func (*htmlSides) choose(rows []*htmlRow) {
	size := 0
	for i, isMore := 0, true; isMore; i++ {
		isMore = false
		for _, row := range rows {
			if i >= len(row.Sides) {
				continue
			}
			isMore = true
			if size += len(row.Sides[i].Text); size > mostSides {
				row.LeftSides += len(row.Sides) - i
				row.Sides = row.Sides[:i]
			}
		}
	}
}

// inHTML escapes what acts in the text of an element. Unlike html/template it leaves quotes, of which
// JSON has many.
var inHTML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// marked returns a diff as HTML, in which runs of lines that differ are elements.
func marked(text []byte) template.HTML {
	var out strings.Builder
	within := ' ' // the mark of the lines before
	begin := func(mark rune) {
		if mark == within {
			return
		}
		switch within {
		case '-':
			out.WriteString("</del>")
		case '+':
			out.WriteString("</ins>")
		}
		switch mark {
		case '-':
			out.WriteString("<del>")
		case '+':
			out.WriteString("<ins>")
		}
		within = mark
	}
	for line := range strings.Lines(string(text)) {
		mark := rune(line[0])
		switch {
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
			continue // there are no names
		case mark == '@':
			mark, line = ' ', "  ⋯"
		}
		begin(mark)
		out.WriteString(inHTML.Replace(escape.Line(strings.TrimSuffix(line, "\n"))) + "\n")
	}
	begin(' ')
	return template.HTML(out.String()) //nolint:gosec // each line is escaped
}

// whole returns a diff that shows every line. The diff of the library leaves out lines that are far
// from any difference; whole puts them back between its hunks.
func whole(left, right string) []byte {
	lines := strings.SplitAfter(left, "\n")
	var out []byte
	next := 0
	for text := range strings.Lines(string(diff.Diff("", []byte(left), "", []byte(right)))) {
		var start, count int
		switch {
		case strings.HasPrefix(text, "diff "), strings.HasPrefix(text, "--- "), strings.HasPrefix(text, "+++ "):
			continue
		case strings.HasPrefix(text, "@@ "):
			if _, err := fmt.Sscanf(text, "@@ -%d,%d", &start, &count); err != nil {
				continue
			}
			for ; next < start-1; next++ {
				out = append(append(out, ' '), lines[next]...)
			}
			continue
		case !strings.HasPrefix(text, "+"):
			next++
		}
		out = append(out, text...)
	}
	for ; next < len(lines) && lines[next] != ""; next++ {
		out = append(append(out, ' '), lines[next]...)
	}
	return out
}
