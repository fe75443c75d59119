package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"toolproof/harness/breaking"
	"toolproof/internal/escape"
	"toolproof/schema"
)

// Changes writes what differs between two versions of a list of tools.
type Changes struct {
	Old, New string // names of the lists
	Findings []breaking.Finding
	Summary  breaking.Summary
	// Verbose shows safe differences one by one, too.
	Verbose bool
}

// colorOf maps levels to the colors in which they are shown.
var colorOf = map[breaking.Level]string{breaking.Breaking: red, breaking.Dangerous: yellow, breaking.Inconclusive: yellow, breaking.Safe: green}

// headline returns the verdict in one line.
func (c *Changes) headline() string {
	if len(c.Findings) == 0 {
		return "nothing changed in " + Count(c.Summary.New, "tool")
	}
	var parts []string
	for _, level := range breaking.Levels {
		if count := c.Summary.Levels[level]; count > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", level, Count(count, "change")))
		}
	}
	return fmt.Sprintf("%s; unchanged: %s of %d", strings.Join(parts, ", "), Count(c.Summary.Unchanged, "tool"), c.Summary.New)
}

// Terminal writes the differences for people.
func (c *Changes) Terminal(t *Terminal) error {
	t.printf("%s\n", t.paint(bold, c.headline()))
	safe := map[breaking.What]int{}
	var order []breaking.What
	for _, finding := range c.Findings {
		if finding.Level == breaking.Safe && !c.Verbose {
			if safe[finding.What]++; safe[finding.What] == 1 {
				order = append(order, finding.What)
			}
			continue
		}
		t.printf("\n%s %s: %s\n", t.paint(colorOf[finding.Level], strings.ToUpper(string(finding.Level))), t.paint(bold, escape.Line(finding.Tool)), escape.Line(cut(finding.Message)))
		t.printf("    %s\n", escape.Line(placeOfChange(finding)))
		for _, line := range detail(finding) {
			t.printf("    %s\n", escape.Line(line))
		}
	}
	if len(order) > 0 {
		t.printf("\n")
	}
	for _, what := range order {
		t.printf("%6d safe  %s\n", safe[what], strings.ReplaceAll(string(what), "_", " "))
	}
	return t.Err()
}

// placeOfChange returns the place of a finding as FILE:LINE:COLUMN, or, where it is in no file, as the name of
// the list, followed by the pointer.
func placeOfChange(finding breaking.Finding) string {
	place := finding.Source
	if finding.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", place, finding.Line, finding.Column)
	}
	if finding.At != "" {
		place += " " + string(finding.At)
	}
	return place
}

const longestDetail = 400

// cut shortens a text that others wrote.
func cut(text string) string {
	if letters := []rune(text); len(letters) > longestDetail {
		return string(letters[:longestDetail]) + "…"
	}
	return text
}

// detail returns what is shown below a finding: the call, both texts, the surfaces.
func detail(finding breaking.Finding) []string {
	var lines []string
	if finding.Instance != nil {
		lines = append(lines, cut(finding.Instance.String()))
	}
	if finding.Was != nil || finding.Is != nil {
		was, is := around(annotationOf(finding.Was), annotationOf(finding.Is))
		if finding.Was != nil {
			lines = append(lines, "- "+was)
		}
		if finding.Is != nil {
			lines = append(lines, "+ "+is)
		}
	}
	if len(finding.Surfaces) > 0 {
		lines = append(lines, strings.Join(finding.Surfaces, ", "))
	}
	return lines
}

// annotationOf returns a string as it is, and another value as JSON.
func annotationOf(node *schema.Node) string {
	switch {
	case node == nil:
		return ""
	case node.Kind == schema.String:
		return node.Text
	default:
		return node.String()
	}
}

// around returns the parts in which two texts differ, with some words before and after them.
func around(a, b string) (partOfA, partOfB string) {
	const context = 40
	before, after := []rune(a), []rune(b)
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	part := func(text []rune) string {
		from, to := max(start-context, 0), min(len(text)-end+context, len(text))
		for from > 0 && !unicode.IsSpace(text[from-1]) {
			from--
		}
		shown := string(text[from:to])
		if from > 0 {
			shown = "…" + shown
		}
		if letters := []rune(shown); len(letters) > longestDetail {
			shown, to = string(letters[:longestDetail]), 0
		}
		if to < len(text) {
			shown += "…"
		}
		return shown
	}
	return part(before), part(after)
}

// Lines writes JSON Lines, as docs/schema/diff.schema.json describes them.
func (c *Changes) Lines(out io.Writer) error {
	encoder := newEncoder(out)
	for _, finding := range c.Findings {
		if err := encoder.Encode(finding); err != nil {
			return fmt.Errorf("writing a difference: %w", err)
		}
	}
	line := struct {
		Version int              `json:"version"`
		Summary breaking.Summary `json:"summary"`
	}{breaking.Version, c.Summary}
	if err := encoder.Encode(line); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}

// Markdown returns a comment on a pull request.
func (c *Changes) Markdown() string {
	page := &Markdown{}
	page.Text("**" + Text(c.headline()) + "**")
	page.Text(escape.Code(c.Old) + " → " + escape.Code(c.New))
	shown := slices.DeleteFunc(slices.Clone(c.Findings), func(finding breaking.Finding) bool { return finding.Level == breaking.Safe && !c.Verbose })
	if len(shown) == 0 {
		return page.String()
	}
	page.Table("Changes", "level", "tool", "what", "where", "details")
	for _, finding := range shown[:min(len(shown), maxRows)] {
		var details []string
		for _, line := range detail(finding) {
			details = append(details, escape.Code(line))
		}
		page.Row(string(finding.Level), foreign(finding.Tool), foreign(finding.Message), foreign(placeOfChange(finding)), strings.Join(details, " "))
	}
	if more := len(shown) - maxRows; more > 0 {
		page.Text(fmt.Sprintf("%d more: the same command with --json lists them.", more))
	}
	return page.String()
}
