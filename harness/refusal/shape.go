package refusal

import (
	"strings"

	"toolproof/internal/lazy"
)

// Hole stands in a shape for a part that differs from tool to tool.
const Hole = "…"

// The parts of messages that are about a tool: a quoted part outside of words, a part of
// a schema, a path in brackets or with dots, a number.
var (
	quoted   = lazy.Compile(`(^|[^\pL\pN'])'(?:[^'\\]|\\.|'\pL)*'|"(?:[^"\\]|\\.)*"|` + "`[^`]*`")
	braced   = lazy.Compile(`\{[^{}]*\}`)
	within   = lazy.Compile(`context=\([^)]*\)`)
	indexed  = lazy.Compile(`([\w.$]*)\[[^\]]*\](?:[\w.$]*\[[^\]]*\])*((?:\.[\w$]+)*)`)
	dotted   = lazy.Compile(`(?:\$|\b(?:properties|\$?defs|definitions|items|anyOf|oneOf|allOf|not|additionalProperties))(?:\.[\w$*-]+)+|\btop-level\b`)
	number   = lazy.Compile(`\b\d+(?:\.\d+)?\b`)
	repeated = lazy.Compile(`…(?:\.[\w$]+)*\.…|…(?:, …)+`)
)

// Quoted returns the quoted parts of a message in order, with their quotes.
func Quoted(message string) []string {
	var parts []string
	eachQuoted(message, func(part string) string {
		parts = append(parts, part)
		return part
	})
	return parts
}

// Shape returns what a message has in common with the same message about other tools, as
// one line: holes replace names, places, numbers and parts of schemas. keep says which
// quoted parts stay, by their indices in the result of Quoted; nil keeps none.
func Shape(message string, keep func(index int) bool) string {
	var kept []string
	index := -1
	text := eachQuoted(message, func(part string) string {
		index++
		if keep != nil && keep(index) {
			kept = append(kept, part)
			return "\x00"
		}
		return part[:1] + Hole + part[len(part)-1:]
	})
	text = strings.Join(strings.Fields(text), " ")
	for {
		inner := braced.ReplaceAllString(text, "\x01")
		if inner == text {
			break
		}
		text = inner
	}
	text = strings.ReplaceAll(text, "\x01", "{"+Hole+"}")
	text = within.ReplaceAllString(text, "context=("+Hole+")")
	text = indexed.ReplaceAllStringFunc(text, func(place string) string {
		head, _, _ := strings.Cut(place, "[")
		tail := ""
		if at := strings.LastIndexAny(place, ".]"); place[at] == '.' {
			tail = place[at:]
		}
		return head + "[" + Hole + "]" + tail
	})
	text = dotted.ReplaceAllString(text, Hole)
	text = number.ReplaceAllString(text, Hole)
	text = repeated.ReplaceAllString(text, Hole)
	for _, part := range kept {
		text = strings.Replace(text, "\x00", strings.Join(strings.Fields(part), " "), 1)
	}
	return text
}

// eachQuoted replaces the quoted parts of a message.
func eachQuoted(message string, replace func(part string) string) string {
	message = strings.Map(func(letter rune) rune {
		if letter < '\t' {
			return ' ' // the marks are Shape's own
		}
		return letter
	}, message)
	return quoted.ReplaceAllStringFunc(message, func(found string) string {
		at := strings.IndexAny(found, "'\"`")
		return found[:at] + replace(found[at:])
	})
}

// Merge returns what two shapes have in common, and whether they are alike: most words of
// the shorter one, and nearly half of the longer one, appear in both in the same order.
func Merge(a, b string) (string, bool) {
	left, right := strings.Fields(a), strings.Fields(b)
	common := longest(left, right)
	// A hole replaces the words that are not in both.
	var merged []string
	add := func(word string) {
		if word != Hole || len(merged) == 0 || merged[len(merged)-1] != Hole {
			merged = append(merged, word)
		}
	}
	words, i, j := 0, 0, 0
	for _, pair := range append(common, [2]int{len(left), len(right)}) {
		switch {
		case pair[0]-i == 1 && pair[1]-j == 1:
			add(mergeWords(left[i], right[j]))
		case i < pair[0] || j < pair[1]:
			add(Hole)
		}
		if pair[0] == len(left) {
			break
		}
		add(left[pair[0]])
		if !strings.Contains(left[pair[0]], Hole) {
			words++
		}
		i, j = pair[0]+1, pair[1]+1
	}
	short, long := literals(left), literals(right)
	if short > long {
		short, long = long, short
	}
	const most, nearlyHalf = 60, 45 // in percent
	return strings.Join(merged, " "), words > 0 && words*100 >= short*most && words*100 >= long*nearlyHalf
}

// mergeWords returns what two words have in common: a beginning up to a dot, and an end
// from a dot.
func mergeWords(a, b string) string {
	head, tail := 0, 0
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '.' {
			head = i + 1
		}
	}
	for i := 1; i <= min(len(a), len(b))-head && a[len(a)-i] == b[len(b)-i]; i++ {
		if a[len(a)-i] == '.' || i == 1 && a[len(a)-i] == ':' {
			tail = i
		}
	}
	return a[:head] + Hole + a[len(a)-tail:]
}

// literals counts the words without a hole.
func literals(words []string) int {
	count := 0
	for _, word := range words {
		if !strings.Contains(word, Hole) {
			count++
		}
	}
	return count
}

// longest returns pairs of indices of the longest common subsequence of two lists of
// words.
func longest(left, right []string) [][2]int {
	lengths := make([][]int, len(left)+1)
	lengths[len(left)] = make([]int, len(right)+1)
	for i := len(left) - 1; i >= 0; i-- {
		lengths[i] = make([]int, len(right)+1)
		for j := len(right) - 1; j >= 0; j-- {
			if left[i] == right[j] {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < len(left) && j < len(right); {
		switch {
		case left[i] == right[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case lengths[i+1][j] >= lengths[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
