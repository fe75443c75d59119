package normalizers

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolproof/internal/lazy"
)

// mostRepetitions is the greatest number of repetitions of an element in a grammar of llama.cpp:
// MAX_REPETITION_THRESHOLD of llama-grammar.cpp.
const mostRepetitions = 2000

// mostOptionalItems is the greatest number of elements of an array that may be empty. Each element is
// a rule of the grammar, and so are their group, the group of all but the first, and their schema.
const mostOptionalItems = mostRepetitions - 2

// The tokens of a pattern that mean the same in a grammar of llama.cpp.
var (
	llamaEscape = lazy.Compile(`^\\[\^$.\[\](){}|*+?\\"nrt]`)
	llamaClass  = lazy.Compile(`^\[(?:\^` + llamaInClass + `+|[^\^\[\]\\\x00]` + llamaInClass + `*|` + llamaEscapeInClass + llamaInClass + `*)\]`)
	repetition  = lazy.Compile(`^\{(\d+)(?:,(\d*))?\}`)
)

// The characters and escapes in a class of llama.cpp.
const (
	llamaInClass       = `(?:[^\[\]\\\x00]|` + llamaEscapeInClass + `)`
	llamaEscapeInClass = `\\(?:[\\\]\[nrt"]|x[0-9A-Fa-f]{2})`
)

// The tokens that llama.cpp reads of a pattern since September 2026.
var (
	llamaReadEscape = lazy.Compile(`^\\(?:[\^$.\[\](){}|*+?\\"nrt]|` + llamaCode + `)`)
	llamaOpenClass  = lazy.Compile(`^\[(?:[^\]\\]|\\(?:[\\\]\[nrt"]|` + llamaCode + `))*`)
	llamaReadCounts = lazy.Compile(`^\{(?:-?\d{1,10})?(?:,(?:-?\d{1,10})?)?\}`)
)

// llamaCode is the rest of the escape of a character by its number.
const llamaCode = `x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}`

// isTakenByLlama reports whether llama.cpp takes a pattern today, and does not enforce another one in
// its place.
func isTakenByLlama(pattern string) bool {
	return hasLlamaGrammar(pattern, true) || isSkippedByLlama(pattern)
}

// isSkippedByLlama reports whether llama.cpp lets any string pass for a pattern, because it comes to a
// token without a grammar before it finds that the pattern is no regular expression.
func isSkippedByLlama(pattern string) bool {
	inner, begins := strings.CutPrefix(pattern, "^")
	inner, ends := strings.CutSuffix(inner, "$")
	if !begins || !ends {
		return true
	}
	const deepest = 100
	isFilled := []bool{false} // whether the pattern, and each open group in it, has a part
	for len(inner) > 0 && len(isFilled) <= deepest+1 {
		here, size := len(isFilled)-1, 1
		c := inner[0]
		switch c {
		case '\\':
			if size = len(llamaReadEscape.FindString(inner)); size == 0 {
				return len(inner) > 1
			}
		case '[':
			if size = len(llamaOpenClass.FindString(inner)) + 1; size > len(inner) || inner[size-1] != ']' {
				return size <= len(inner)
			}
		case '(':
			if strings.HasPrefix(inner, "(?:") {
				size = len("(?:")
			} else if strings.HasPrefix(inner, "(?") {
				return true
			}
			isFilled = append(isFilled, false)
		case ')':
			if here == 0 {
				return false
			}
			isFilled = isFilled[:here]
		case '{':
			if size = len(llamaReadCounts.FindString(inner)); size <= len("{}") {
				return true
			}
		case '^', '$', ']', '}':
			return true
		}
		here = len(isFilled) - 1
		if strings.IndexByte("*+?{", c) >= 0 && !isFilled[here] {
			return false
		}
		isFilled[here] = isFilled[here] || c != '('
		inner = inner[size:]
	}
	return len(inner) > 0
}

// inLlamaGrammar reports whether llama.cpp makes a grammar of a pattern that means the same. llama.cpp
// copies classes and escapes as they are, knows anchors only at the ends, and repeats nothing that may
// be empty.
func inLlamaGrammar(pattern string) bool { return hasLlamaGrammar(pattern, false) }

// hasLlamaGrammar is inLlamaGrammar for the builds before September 2026 or, if isToday is set, for
// those since, which read (?:a) as (a) and drop a maximum that is too large.
//
//nolint:gocognit // one case for each sign of a pattern
func hasLlamaGrammar(pattern string, isToday bool) bool {
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
			if isToday && strings.HasPrefix(inner, "(?:") {
				size = len("(?:")
			} else if strings.HasPrefix(inner, "(?") {
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
				size = llamaRepetition(inner, isToday)
			}
			if here.last != isAtom {
				return false
			}
			here.last = nothing
			if isOptional {
				here.isFilled = here.wasFilled
			}
		case '^', '$', ']', '}', 0:
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
// there is none, a count is too large or the maximum below the minimum. The maximum may be too large if
// dropsMost is set.
func llamaRepetition(text string, dropsMost bool) int {
	quantifier := repetition.FindStringSubmatch(text)
	if quantifier == nil {
		return 0
	}
	least, err := strconv.Atoi(quantifier[1])
	if err != nil || least > mostRepetitions {
		return 0
	}
	if quantifier[2] != "" {
		most, err := strconv.Atoi(quantifier[2])
		if err != nil || most < least || most > mostRepetitions && !dropsMost || most > math.MaxInt32 {
			return 0
		}
	}
	return len(quantifier[0])
}
