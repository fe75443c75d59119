package normalizers

import (
	"strconv"
	"strings"
)

// mostRepetitions is how often an element of a grammar of llama.cpp may repeat:
// MAX_REPETITION_THRESHOLD of llama-grammar.cpp.
const mostRepetitions = 2000

// inLlamaGrammar reports whether llama.cpp has a grammar for a pattern that means the
// same. It copies classes and escapes as they are, and knows no anchor within.
func inLlamaGrammar(pattern string) bool {
	inner, begins := strings.CutPrefix(pattern, "^")
	inner, ends := strings.CutSuffix(inner, "$")
	if !begins || !ends {
		return false
	}
	depth, isAtom := 0, false // isAtom is set behind what a quantifier may follow
	for len(inner) > 0 {
		size := 1
		switch c := inner[0]; c {
		case '\\':
			if size = 2; len(inner) < size || !strings.Contains(`^$.[](){}|*+?\"nrt`, inner[1:2]) {
				return false
			}
			isAtom = true
		case '[':
			if size = grammarClass(inner); size == 0 {
				return false
			}
			isAtom = true
		case '(':
			if strings.HasPrefix(inner, "(?") {
				return false
			}
			depth, isAtom = depth+1, false
		case ')':
			depth, isAtom = depth-1, true
		case '|':
			if depth == 0 { // the anchors belong to one branch each
				return false
			}
			isAtom = false
		case '*', '+', '?', '{':
			if c == '{' {
				size = repetition(inner)
			}
			if size == 0 || !isAtom {
				return false
			}
			isAtom = false
		case '^', '$', ']', '}':
			return false
		default:
			isAtom = true
		}
		if depth < 0 {
			return false
		}
		inner = inner[size:]
	}
	return depth == 0
}

// grammarClass returns the bytes of the class that a text begins with, or 0 where a
// grammar reads it otherwise.
func grammarClass(text string) int {
	i := 1
	if strings.HasPrefix(text, "[^") {
		i++
	}
	first := i
	for i < len(text) && text[i] != ']' {
		switch {
		case text[i] == '[' || text[i] == '\\' && i+1 == len(text):
			return 0
		case text[i] != '\\':
			i++
		case strings.Contains(`\][nrt"`, text[i+1:i+2]):
			i += len(`\n`)
		case text[i+1] == 'x' && i+len(`\x00`) <= len(text):
			if _, err := strconv.ParseUint(text[i+2:i+4], 16, 8); err != nil {
				return 0
			}
			i += len(`\x00`)
		default:
			return 0
		}
	}
	if i == first || i == len(text) {
		return 0
	}
	return i + 1
}

// repetition returns the bytes of the braces that a text begins with, or 0 where they
// are none, or too many.
func repetition(text string) int {
	end := strings.IndexByte(text, '}')
	if end < 0 {
		return 0
	}
	least, most, isRange := strings.Cut(text[1:end], ",")
	for _, count := range []string{least, most} {
		if number, err := strconv.Atoi(count); count != "" && (err != nil || number > mostRepetitions) {
			return 0
		}
	}
	if least == "" || !isRange && most != "" {
		return 0
	}
	return end + 1
}
