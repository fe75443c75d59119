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
		same := make([]line, len(left))
		for i, text := range left {
			same[i].Text = text
		}
		return sides{Before: same}
	}
	right := strings.Split(string(after.Indented()), "\n")
	shown := sides{make([]line, len(left)), make([]line, len(right))}
	common := commonLines(left, right)
	for i, j := 0, 0; i < len(left) || j < len(right); {
		switch {
		case i < len(left) && j < len(right) && bare(left[i]) == bare(right[j]):
			shown.Before[i], shown.After[j] = line{Text: left[i]}, line{Text: right[j]}
			i, j = i+1, j+1
		case j == len(right) || i < len(left) && common[i+1][j] >= common[i][j+1]:
			shown.Before[i] = line{left[i], true}
			i++
		default:
			shown.After[j] = line{right[j], true}
			j++
		}
	}
	return shown
}

// bare returns a line without a comma at the end, which does not count.
func bare(line string) string { return strings.TrimSuffix(line, ",") }

// commonLines returns the length of the longest common subsequence of the lines of two texts from each
// line on.
func commonLines(left, right []string) [][]int {
	lengths := make([][]int, len(left)+1)
	lengths[len(left)] = make([]int, len(right)+1)
	for i, before := range slices.Backward(left) {
		lengths[i] = make([]int, len(right)+1)
		for j, after := range slices.Backward(right) {
			if bare(before) == bare(after) {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	return lengths
}
