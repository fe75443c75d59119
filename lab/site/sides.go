package site

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// sides are a text before and after a rewrite, by lines.
type sides struct {
	Before, After []line
}

// line is a line of a side; Changed says that the other side does not have it.
type line struct {
	Text    string
	Changed bool
}

func (s sides) lines() int { return max(len(s.Before), len(s.After)) }

// sidesOf returns two values as they are compared; after is nil where there is none.
func sidesOf(before, after *schema.Node) sides {
	left := strings.Split(string(before.Indented()), "\n")
	if after == nil {
		return sides{Before: linesOf(left, left)}
	}
	right := strings.Split(string(after.Indented()), "\n")
	return sides{linesOf(left, right), linesOf(right, left)}
}

// linesOf marks the lines that another text does not have. A comma at the end is no change.
func linesOf(text, other []string) []line {
	bare := func(line string) string { return strings.TrimSuffix(line, ",") }
	left := map[string]int{}
	for _, line := range other {
		left[bare(line)]++
	}
	lines := make([]line, len(text))
	for i, one := range text {
		lines[i] = line{one, left[bare(one)] == 0}
		left[bare(one)] = max(left[bare(one)]-1, 0)
	}
	return slices.Clip(lines)
}
