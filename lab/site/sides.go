package site

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// sides holds the lines of a text before and after a rewrite.
type sides struct {
	Before, After []line
}

// line is a line of one side. Changed means that the other side lacks it.
type line struct {
	Text    string
	Changed bool
}

func (s sides) lines() int { return max(len(s.Before), len(s.After)) }

// sidesOf compares two values by lines. after may be nil.
func sidesOf(before, after *schema.Node) sides {
	left := strings.Split(string(before.Indented()), "\n")
	if after == nil {
		return sides{Before: linesOf(left, left)}
	}
	right := strings.Split(string(after.Indented()), "\n")
	return sides{linesOf(left, right), linesOf(right, left)}
}

// linesOf marks the lines that the other text lacks. A comma at the end does not count.
func linesOf(text, other []string) []line {
	bare := func(line string) string { return strings.TrimSuffix(line, ",") }
	left := map[string]int{}
	for _, line := range other {
		left[bare(line)]++
	}
	lines := make([]line, len(text))
	for i, content := range text {
		lines[i] = line{content, left[bare(content)] == 0}
		left[bare(content)] = max(left[bare(content)]-1, 0)
	}
	return slices.Clip(lines)
}
