package normalizers

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"toolproof/internal/lazy"
)

// mostRepetitions is the greatest number of repetitions of an element in a grammar of llama.cpp:
// MAX_REPETITION_THRESHOLD of llama-grammar.cpp.
const mostRepetitions = 2000

// The tokens of a pattern that mean the same in a grammar of llama.cpp.
var (
	llamaEscape = lazy.Compile(`^\\[\^$.\[\](){}|*+?\\"nrt]`)
	llamaClass  = lazy.Compile(`^\[(?:\^` + llamaInClass + `+|[^\^\[\]\\]` + llamaInClass + `*|` + llamaEscapeInClass + llamaInClass + `*)\]`)
	repetition  = lazy.Compile(`^\{(\d+)(?:,(\d*))?\}`)
)

// The characters and escapes in a class of llama.cpp.
const (
	llamaInClass       = `(?:[^\[\]\\]|` + llamaEscapeInClass + `)`
	llamaEscapeInClass = `\\(?:[\\\]\[nrt"]|x[0-9A-Fa-f]{2})`
)

// inLlamaGrammar reports whether llama.cpp makes a grammar of a pattern that means the same. llama.cpp
// copies classes and escapes as they are, knows anchors only at the ends, and repeats nothing that may
// be empty.
//
//nolint:gocognit // one case for each sign of a pattern
func inLlamaGrammar(pattern string) bool {
	inner, begins := strings.CutPrefix(pattern, "^")
	inner, ends := strings.CutSuffix(inner, "$")
	if !begins || !ends {
		return false
	}
	groups := []patternGroup{{}} // the pattern, and the open groups in it
	for len(inner) > 0 {
		here := &groups[len(groups)-1]
		size := 1
		switch c := inner[0]; c {
		case '\\':
			size = len(llamaEscape.FindString(inner))
			here.add(isAtom)
		case '[':
			size = len(llamaClass.FindString(inner))
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
			if len(groups) == 1 { // each anchor belongs to one branch only
				return false
			}
			*here = patternGroup{mayBeEmpty: here.mayBeEmpty || !here.isFilled}
		case '*', '+', '?', '{':
			isOptional := c == '*' || c == '?' || strings.HasPrefix(inner, "{0")
			if c == '{' {
				size = llamaRepetition(inner)
			}
			if here.last != isAtom {
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
			if c >= utf8.RuneSelf { // a quantifier would apply to the last byte only
				here.last = nothing
			}
		}
		if size == 0 {
			return false
		}
		inner = inner[size:]
	}
	return len(groups) == 1
}

// patternGroup is a group of a pattern, or the whole pattern, as far as it has been read.
type patternGroup struct {
	mayBeEmpty bool // a branch before the current one may be empty
	isFilled   bool // the current branch cannot be empty
	wasFilled  bool // isFilled before the last part
	last       patternPart
}

// patternPart is the kind of the part to which a quantifier would apply.
type patternPart uint8

const (
	nothing     patternPart = iota // there is none
	isAtom                         // one that cannot be empty
	isEmptyAtom                    // a group that may be empty
)

// add adds a part to the current branch.
func (g *patternGroup) add(part patternPart) {
	g.wasFilled = g.isFilled
	g.isFilled = g.isFilled || part == isAtom
	g.last = part
}

// llamaRepetition returns the length of the quantifier in braces at the beginning of a text, or 0 if
// there is none or a count is too large.
func llamaRepetition(text string) int {
	quantifier := repetition.FindStringSubmatch(text)
	if quantifier == nil {
		return 0
	}
	for _, count := range quantifier[1:] {
		if number, err := strconv.Atoi(count); count != "" && (err != nil || number > mostRepetitions) {
			return 0
		}
	}
	return len(quantifier[0])
}
