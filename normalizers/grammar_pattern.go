package normalizers

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// mostRepetitions is how often an element of a grammar of llama.cpp may repeat:
// MAX_REPETITION_THRESHOLD of llama-grammar.cpp.
const mostRepetitions = 2000

// inLlamaGrammar reports whether llama.cpp has a grammar for a pattern that means the
// same. It copies classes and escapes as they are, knows no anchor within, and repeats
// nothing that may be empty.
//
//nolint:gocognit // one case for each sign of a pattern
func inLlamaGrammar(pattern string) bool {
	inner, begins := strings.CutPrefix(pattern, "^")
	inner, ends := strings.CutSuffix(inner, "$")
	if !begins || !ends {
		return false
	}
	groups := []patternGroup{{}} // the ones that are open, and the whole
	for len(inner) > 0 {
		here := &groups[len(groups)-1]
		size := 1
		switch c := inner[0]; c {
		case '\\':
			if size = 2; len(inner) < size || strings.IndexByte(escapedInGrammar, inner[1]) < 0 {
				return false
			}
			here.add(isAtom)
		case '[':
			if size = grammarClass(inner); size == 0 {
				return false
			}
			here.add(isAtom)
		case '(':
			if strings.HasPrefix(inner, "(?") {
				return false
			}
			groups = append(groups, patternGroup{})
		case ')':
			if len(groups) == 1 {
				return false
			}
			groups = groups[:len(groups)-1]
			last := isAtom
			if here.mayBeEmpty || !here.isFilled {
				last = isEmptyAtom
			}
			groups[len(groups)-1].add(last)
		case '|':
			if len(groups) == 1 { // the anchors belong to one branch each
				return false
			}
			*here = patternGroup{mayBeEmpty: here.mayBeEmpty || !here.isFilled}
		case '*', '+', '?', '{':
			isOptional := c == '*' || c == '?' || strings.HasPrefix(inner, "{0")
			if c == '{' {
				size = repetition(inner)
			}
			if size == 0 || here.last != isAtom {
				return false
			}
			here.last = nothing
			if isOptional {
				here.isFilled = here.wasFilled
			}
		case '^', '$', ']', '}':
			return false
		default:
			here.add(isAtom)
			if c >= utf8.RuneSelf { // a quantifier would be that of its last byte
				here.last = nothing
			}
		}
		inner = inner[size:]
	}
	return len(groups) == 1
}

// patternGroup is a group of a pattern as far as it has been read.
type patternGroup struct {
	// mayBeEmpty is set where a branch before this one may be empty; isFilled where this one
	// may not, and wasFilled where that held before its last part.
	mayBeEmpty, isFilled, wasFilled bool
	last                            patternPart
}

// patternPart is what a quantifier would stand behind.
type patternPart uint8

const (
	nothing     patternPart = iota
	isAtom                  // that is never empty
	isEmptyAtom             // a group that may be empty
)

// add adds a part to the branch.
func (g *patternGroup) add(part patternPart) {
	g.wasFilled = g.isFilled
	g.isFilled = g.isFilled || part == isAtom
	g.last = part
}

// What a backslash may stand before, outside of a class and in one.
const (
	escapedInGrammar = `^$.[](){}|*+?\"nrt`
	escapedInClass   = `\][nrt"`
)

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
		case strings.IndexByte(escapedInClass, text[i+1]) >= 0:
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
