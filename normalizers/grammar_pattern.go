package normalizers

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mostRepetitions is how often an element of a grammar of llama.cpp may repeat:
// MAX_REPETITION_THRESHOLD of llama-grammar.cpp.
const mostRepetitions = 2000

// mostOptionalItems is how many elements an array may have that may be empty. Each is a rule, and so
// are the group of all, the group of all but the first, and the schema of an element.
const mostOptionalItems = mostRepetitions - 2

// isTakenByLlama reports whether llama.cpp takes a pattern without reading something else in it:
// since September 2026 it skips many that it has no grammar for.
func isTakenByLlama(pattern string) bool {
	return hasLlamaGrammar(pattern, true) || isSkippedByLlama(pattern)
}

// isSkippedByLlama reports whether llama.cpp makes a grammar of any string for a pattern. It refuses
// one that is no regular expression before it comes to what it does not know.
func isSkippedByLlama(pattern string) bool {
	inner, begins := strings.CutPrefix(pattern, "^")
	inner, ends := strings.CutSuffix(inner, "$")
	if !begins || !ends {
		return true
	}
	const deepest = 100
	depth, hasPart := 0, []bool{false} // of the groups that are open, and the whole
	for len(inner) > 0 {
		size := 1
		switch c := inner[0]; c {
		case '\\':
			if size = escapeInGrammar(inner, escapedInGrammar); size == 0 {
				return len(inner) > 1
			}
		case '[':
			if size = skippedClass(inner); size <= 0 {
				return size < 0
			}
		case '(':
			if strings.HasPrefix(inner, "(?:") {
				size = len("(?:")
			} else if strings.HasPrefix(inner, "(?") {
				return true
			}
			if depth++; depth > deepest {
				return true
			}
			hasPart = append(hasPart, false)
		case ')':
			if depth == 0 {
				return false
			}
			depth--
			hasPart = hasPart[:len(hasPart)-1]
		case '{':
			size = strings.IndexByte(inner, '}') + 1
			if size == 0 || !areCounts(inner[1:size-1]) {
				return true
			}
		case '^', '$', ']', '}':
			return true
		}
		if strings.IndexByte("*+?{", inner[0]) >= 0 && !hasPart[depth] {
			return false
		}
		hasPart[depth] = hasPart[depth] || inner[0] != '('
		inner = inner[size:]
	}
	return false
}

// skippedClass returns the bytes of the class that a text begins with, 0 if it does not end, and -1
// if it has an escape that grammars lack.
func skippedClass(text string) int {
	size := 1
	for size < len(text) && text[size] != ']' {
		escape := 1
		if text[size] == '\\' {
			if escape = escapeInGrammar(text[size:], escapedInClass); escape == 0 {
				return -1
			}
		}
		size += escape
	}
	if size >= len(text) {
		return 0
	}
	return size + 1
}

// escapeInGrammar returns the bytes of the escape that a text begins with, or 0 for none that a
// grammar has. letters are what may stand behind the backslash, but for x, u and U and their digits.
func escapeInGrammar(text, letters string) int {
	const short = len(`\n`)
	if len(text) < short {
		return 0
	}
	if strings.IndexByte(letters, text[1]) >= 0 {
		return short
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 || len(text) < short+digits || strings.Trim(text[short:short+digits], "0123456789abcdefABCDEF") != "" {
		return 0
	}
	return short + digits
}

// areCounts reports whether braces hold one number or two of 32 bits, of which of two each may be
// missing.
func areCounts(braces string) bool {
	counts := strings.Split(braces, ",")
	for _, count := range counts {
		if _, err := strconv.ParseInt(count, 10, 32); err != nil && !(count == "" && len(counts) == 2) {
			return false
		}
	}
	return len(counts) <= 2
}

// inLlamaGrammar reports whether llama.cpp has a grammar for a pattern that means the
// same. It copies classes and escapes as they are, knows no anchor within, and repeats
// nothing that may be empty.
func inLlamaGrammar(pattern string) bool { return hasLlamaGrammar(pattern, false) }

// hasLlamaGrammar is inLlamaGrammar, or if isToday is set the same since September 2026: it reads
// (?:a) as (a), and a greatest count that is too large as none.
//
//nolint:gocognit // one case for each sign of a pattern
func hasLlamaGrammar(pattern string, isToday bool) bool {
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
			if len(groups) == 1 { // the anchors belong to one branch each
				return false
			}
			*here = patternGroup{mayBeEmpty: here.mayBeEmpty || !here.isFilled}
		case '*', '+', '?', '{':
			isOptional := c == '*' || c == '?' || strings.HasPrefix(inner, "{0")
			if c == '{' {
				size = repetition(inner, isToday)
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
// are none, or too many. A greatest count may be too many if dropsMost is set.
func repetition(text string, dropsMost bool) int {
	end := strings.IndexByte(text, '}')
	if end < 0 {
		return 0
	}
	least, most, isRange := strings.Cut(text[1:end], ",")
	for i, count := range []string{least, most} {
		number, err := strconv.Atoi(count)
		isDropped := dropsMost && i > 0 && number <= math.MaxInt32
		if count != "" && (err != nil || number > mostRepetitions && !isDropped) {
			return 0
		}
	}
	if least == "" || !isRange && most != "" {
		return 0
	}
	return end + 1
}
