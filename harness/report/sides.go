package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// Sides writes tools as given beside the tools that were made of them.
type Sides struct {
	Out   io.Writer
	Color bool
	Width int // width of both sides together, in characters

	terminal *Terminal
}

// Err returns the first error of writing.
func (s *Sides) Err() error {
	if s.terminal == nil {
		return nil
	}
	return s.terminal.Err()
}

// Result writes one tool.
func (s *Sides) Result(result verdict.Result) {
	if s.terminal == nil {
		s.terminal = &Terminal{Out: s.Out, Color: s.Color}
	}
	t := s.terminal
	sides := result.Sides()
	if sides.Normalized == nil {
		t.Result(result)
		return
	}
	t.printf("%s: %s for %s: %s\n", placeOfTool(result.Source, result.Line), t.paint(bold, escape.Line(result.Tool)), result.Target, t.outcome(result))
	given, normalized := indented(sides.Given), indented(sides.Normalized.Tool)
	column := max((s.Width-3)/2, 20)
	for _, row := range rows(string(given), string(normalized)) {
		mark, code := " ", ""
		switch {
		case row.right == "" && !row.same:
			mark, code = "<", red
		case row.left == "" && !row.same:
			mark, code = ">", green
		case !row.same:
			mark, code = "|", yellow
		}
		line := fmt.Sprintf("%s %s %s", fit(escape.Line(row.left), column), mark, strings.TrimRight(fit(escape.Line(row.right), column), " "))
		if code != "" {
			line = t.paint(code, line)
		}
		t.printf("%s\n", strings.TrimRight(line, " "))
	}
	t.printf("\n")
}

// row is a line of the left text beside one of the right text.
type row struct {
	left, right string
	same        bool
}

// rows pairs the lines of two texts.
func rows(left, right string) []row {
	if left == right {
		var same []row
		for line := range strings.Lines(left) {
			line = strings.TrimSuffix(line, "\n")
			same = append(same, row{line, line, true})
		}
		return same
	}
	var paired []row
	var removed, added []string
	flush := func() {
		paired = append(paired, pair(removed, added)...)
		removed, added = nil, nil
	}
	for line := range strings.Lines(string(whole(left, right))) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "-"):
			removed = append(removed, line[1:])
		case strings.HasPrefix(line, "+"):
			added = append(added, line[1:])
		default:
			flush()
			paired = append(paired, row{strings.TrimPrefix(line, " "), strings.TrimPrefix(line, " "), true})
		}
	}
	flush()
	return paired
}

// pair puts lines that are about the same member side by side, and keeps the order of both lists.
func pair(removed, added []string) []row {
	places := map[string][]int{} // indices in added, by member
	for i, line := range added {
		places[about(line)] = append(places[about(line)], i)
	}
	var paired []row
	next := 0 // index in added
	for _, line := range removed {
		same := places[about(line)]
		for len(same) > 0 && same[0] < next {
			same = same[1:]
		}
		places[about(line)] = same
		if len(same) == 0 {
			paired = append(paired, row{left: line})
			continue
		}
		for ; next < same[0]; next++ {
			paired = append(paired, row{right: added[next]})
		}
		paired = append(paired, row{left: line, right: added[next]})
		next++
	}
	for _, line := range added[next:] {
		paired = append(paired, row{right: line})
	}
	return paired
}

// about returns the name of the member that a line of indented JSON begins, or else the line
// without its comma.
func about(line string) string {
	name, _, isMember := strings.Cut(line, `": `)
	if isMember {
		return name
	}
	return strings.TrimSuffix(line, ",")
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

// fit cuts or pads a text to a width.
func fit(text string, width int) string {
	length := utf8.RuneCountInString(text)
	if length <= width {
		return text + strings.Repeat(" ", width-length)
	}
	return string([]rune(text)[:width-1]) + "…"
}
