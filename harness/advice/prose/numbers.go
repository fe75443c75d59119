package prose

import (
	"slices"
	"strconv"
	"strings"
)

// Bound is a limit of a value that a text states.
type Bound struct {
	Number  string
	IsUpper bool
	// Unit is the word behind the number in lower case, such as characters; empty if there
	// is none.
	Unit string
	// Text is what states the limit, and Sentence where: within a pair of brackets, or in a sentence outside of them.
	Text     string
	Sentence Sentence
}

// uppers and lowers are words before a limit.
var (
	uppers = Phrases("最 大", "最 多", "不 超 过", "不 超 過", "上 限", "max", "maximum", "at most", "up to", "no more than", "not exceed", "cannot exceed", "<", "≤", "less than or equal to", "maximum value", "max value", "capped at", "upper limit", "limit of", "not more than") //nolint:gosmopolitan // Chinese
	lowers = Phrases("最 小", "最 少", "至 少", "min", "minimum", "at least", "no less than", "no fewer than", "≥", ">", "greater than or equal to", "minimum value", "min value")                                                                                               //nolint:gosmopolitan // Chinese
)

// between are words between a limit and its number.
var betweens = []string{"of", "is", "are", "allowed", "value", "number", ":", "=", "to", "length", "为", "為", "值", "：", "是"} //nolint:gosmopolitan // Chinese

// Bounds returns the limits that a text states.
func (t *Text) Bounds() []Bound {
	if !strings.ContainsAny(t.Raw, "0123456789") {
		return nil
	}
	var bounds []Bound
	for _, sentence := range t.Sentences {
		for i := range sentence {
			if isUpper, end := sentence.limit(i); end > 0 {
				bounds = append(bounds, t.bound(sentence, i, end, isUpper))
			}
			if high := sentence.span(i); high > 0 {
				bounds = append(bounds, t.bound(sentence, i, i, false), t.bound(sentence, i, high, true))
				bounds[len(bounds)-2].Unit = bounds[len(bounds)-1].Unit
				bounds[len(bounds)-2].Text = bounds[len(bounds)-1].Text
			}
		}
	}
	return bounds
}

// bound returns the limit whose number has an index.
func (t *Text) bound(s Sentence, from, number int, isUpper bool) Bound {
	bound := Bound{Number: s[number].Text, IsUpper: isUpper, Text: t.Raw[s[from].At:s[number].End], Sentence: s.around(from)}
	if next := number + 1; next < len(s) && (s[next].Kind == Word || s.is(next, "%")) {
		bound.Unit = s[next].Lower
		if s[next].At > s[number].End+1 || s[next].At == s[number].End || bound.Unit == "%" {
			return bound
		}
	}
	return bound
}

// around returns the tokens of the pair of brackets that a token stands in, or those of the sentence outside of brackets.
func (s Sentence) around(at int) Sentence {
	var outside Sentence
	first := -1 // within brackets
	for i := range s {
		switch {
		case s.is(i, "(", "["):
			first = i + 1
		case s.is(i, ")", "]"):
			if first >= 0 && first <= at && at < i {
				return s[first:i]
			}
			first = -1
		case first < 0:
			outside = append(outside, s[i])
		}
	}
	if first >= 0 && first <= at {
		return s[first:]
	}
	return outside
}

// limit returns the index of the number behind the words of a limit; 0 if there is none.
func (s Sentence) limit(i int) (isUpper bool, number int) {
	end := s.phrase(i, uppers)
	isUpper = end > 0
	if !isUpper {
		end = s.phrase(i, lowers)
	}
	if end == 0 {
		return false, 0
	}
	isOrEqual, isSign := s.is(end, "="), s.is(i, "<", ">", "≤", "≥")
	if isSign && i > 0 && s[i-1].Kind != Sign && !s.is(i-1, "be") { // the sign compares the word before it
		return false, 0
	}
	for s.is(end, betweens...) {
		end++
	}
	const nouns = 2 // of what is counted, as in max items: 5
	for j := end; j < min(end+nouns+1, len(s)-1); j++ {
		if s.is(j, ":", "=") {
			end = j + 1
			break
		}
		if s[j].Kind != Word {
			break
		}
	}
	if s.is(i, "<", ">") && !isOrEqual || end >= len(s) || s[end].Kind != Number && !isNumeral(s[end]) || s.is(i-1, "/") {
		return false, 0
	}
	return isUpper, end
}

// isNumeral reports whether a token is a number in quotes.
func isNumeral(token Token) bool {
	return token.Kind == Literal && token.Text != "" && strings.Trim(token.Text, "0123456789") == ""
}

// span returns the index of the second number of a range whose first one is at an index: behind
// a bracket or words such as between, or with nothing behind that it would count.
func (s Sentence) span(low int) (high int) {
	const width = 2 // from one number to the other
	high = low + width
	if s[low].Kind != Number || high >= len(s) || s[high].Kind != Number || s.is(high+1, "-", "/", ":", "°") || s.is(low-1, "each", "e.g", "e.g.", ".", "eg", "about", "around", "like", "example", "-", "/") {
		return 0
	}
	isOpened := s.is(low-1, "(", "[", ":", "between", "from", "range")
	if !isOpened && high+1 < len(s) && !s.is(high+1, "(", ",", ".", ")", ";") {
		return 0
	}
	if isInterval := s.is(low-1, "[") && s.is(low+1, ",") && s.is(high+1, "]") && s.is(low-2, "is", "range", "between", "in"); isInterval {
		return s.ascends(low, high)
	}
	joint := s[low+1].Text
	if joint != "-" && joint != "–" && joint != "—" && joint != "to" && !(joint == "and" && s.is(low-1, "between")) {
		return 0
	}
	return s.ascends(low, high)
}

// ascends returns the index of the second of two numbers if it is the larger one; otherwise 0.
func (s Sentence) ascends(low, high int) int {
	first, _ := strconv.ParseFloat(s[low].Text, 64)
	last, err := strconv.ParseFloat(s[high].Text, 64)
	if err != nil || first >= last {
		return 0
	}
	return high
}

// Default returns the default that a text states, as it is written, or "".
func (t *Text) Default() string {
	if !strings.Contains(t.Lower, "default") && !strings.Contains(t.Lower, "if not") && !strings.Contains(t.Raw, "默") { //nolint:gosmopolitan // Chinese
		return ""
	}
	for _, sentence := range t.Sentences {
		for i := range sentence {
			if value := t.defaultAt(sentence, i); value != "" {
				return value
			}
		}
	}
	return ""
}

// defaultAt returns the default that the words at an index state, or "".
func (t *Text) defaultAt(s Sentence, i int) string {
	switch {
	case s.is(i, "if") && s.is(i+1, "not") && s.is(i+2, "specified", "provided", "set", "given"):
		return s.countedBefore(i)
	case s.is(i-1, "默") && s.is(i, "认", "認"): //nolint:gosmopolitan // Chinese
	case !s.is(i, "default", "defaults", "defaulting"):
		return ""
	}
	if value := s.marked(i); value != "" {
		return value
	}
	end := i + 1
	for s.is(end, "is", "to", "value", "of", ":", "=", "*", "：", "为", "為", "值", "是") { //nolint:gosmopolitan // Chinese
		end++
	}
	if end >= len(s) {
		return ""
	}
	isStated := s.is(end-1, "is", "to", ":", "=", "*")
	if path := t.pathFrom(s, end); path != "" && isStated {
		return path
	}
	token, isLast := s[end], end+1 == len(s) || s.is(end+1, ")", "]", ",", ".", ";", "(", "，", "。", "）", "、", "；")
	if (s.is(i-1, "(", "[") && s.is(end+1, ")", "]", ",", ";") || s.is(i-1, ",", ";") && s.is(end+1, ")", "]")) && token.Kind == Word && isStated && !s.is(end, meaningless...) {
		return token.Text
	}
	if isStated && token.Kind == Literal && token.Text != "" && !strings.Contains(token.Text, "`") && isLast || token.Kind == Number && !s.is(end+1, "=", "-", "–") && (isLast || end+1 < len(s) && s[end+1].At > token.End) || s.is(end, "true", "false") && isLast {
		return token.Text
	}
	return ""
}

// meaningless are words behind default that are no values.
var meaningless = []string{"all", "none", "any", "auto", "automatic", "current", "active", "empty", "null", "nil", "today", "now", "yes", "no", "on", "off", "enabled", "disabled", "unlimited", "latest", "first", "last", "undefined", "unset", "root", "random", "true", "false", "varies", "optional", "primary"}

// pathFrom returns the path such as /var/log that begins at a token and ends a sentence or a bracket; "" if there is
// none.
func (t *Text) pathFrom(s Sentence, first int) string {
	if !s.is(first, "/") {
		return ""
	}
	last := first
	for last+1 < len(s) && s[last+1].At == s[last].End && !s.is(last+1, ")", ".", ",", ";") {
		last++
	}
	if last+1 < len(s) && !s.is(last+1, ")", ".") {
		return ""
	}
	return t.Raw[s[first].At:s[last].End]
}

// countedBefore returns the number before a word that has an index, or before the unit before it; "" if there is none.
func (s Sentence) countedBefore(i int) string {
	if i > 1 && s[i-1].Kind == Word {
		i--
	}
	if i < 1 || s[i-1].Kind != Number {
		return ""
	}
	return s[i-1].Text
}

// DefaultAmong returns which of some values a text states as the default, or "".
func (t *Text) DefaultAmong(values []string) string {
	if !strings.Contains(t.Lower, "default") {
		return ""
	}
	for _, sentence := range t.Sentences {
		for i := range sentence {
			if value := sentence.defaultAmong(i, values); value != "" {
				return value
			}
		}
	}
	return ""
}

// defaultAmong returns which of some values the words at an index state as the default, or "".
func (s Sentence) defaultAmong(i int, values []string) string {
	if !s.is(i, "default", "defaults", "defaulting") {
		return ""
	}
	if before := i - 2; before >= 0 && slices.Contains(values, s[before].Text) && (s.is(i-1, "(", "[") && s.is(i+1, "]", ",") || s.is(i-1, "by")) {
		return s[before].Text
	}
	if s.is(i-1, "(") && s.is(i+1, ")") && (i+2 >= len(s) || s[i+2].Kind == Sign) {
		for before := i - 2; before >= 0; before-- { // of the value that the words before the bracket explain
			if slices.Contains(values, s[before].Text) {
				return s[before].Text
			}
		}
	}
	end := i + 1
	for s.is(end, "is", "to", "value", ":", "=") {
		end++
	}
	if isLast := end+1 == len(s) || s.is(end+1, ")", "]", ",", ".", ";"); end < len(s) && isLast && slices.Contains(values, s[end].Text) {
		return s[end].Text
	}
	return ""
}

// marked returns the value before a mark such as (default) or by default, whose word has an index; "" if there is
// none.
func (s Sentence) marked(i int) string {
	isMark := s.is(i-1, "(", "[") && s.is(i+1, ")", "]") || s.is(i, "default") && s.is(i-1, "by")
	if !isMark || i < 2 || s[i-2].Kind != Number && s[i-2].Kind != Literal {
		return ""
	}
	return s[i-2].Text
}

// Special is a value to which a text gives a meaning of its own.
type Special struct {
	Value   string // as written, with quotes
	Meaning string
}

// specials are words before such a value, and meanings those behind it.
var (
	specials = []string{"use", "pass", "specify", "leave", "provide", "enter", "send", "or", "="}
	meanings = []string{"to", "for", "means", "=", ":", "if", "when", "as", "disables", "removes", "clears", "indicates", "selects", "returns", "uses", "→"}
	// unusual are words that show that a number stands for something else than itself.
	unusual = []string{"no", "unlimited", "all", "none", "disable", "disabled", "disables", "infinite", "infinity", "forever", "never", "last", "latest", "any", "entire", "whole", "auto", "automatic", "without", "unset", "remove", "everything", "random", "off", "full", "end", "default", "unassign", "omit", "beginning", "immediate", "immediately", "current", "every", "clear", "start", "top"}
)

// Special returns the first value with a special meaning that the text about something of a name has,
// or nil.
func (t *Text) Special(name string) *Special {
	isEmpty := strings.Contains(t.Lower, "empty") || strings.Contains(t.Lower, "blank")
	if !isEmpty && !strings.ContainsAny(t.Raw, "01\"'`“<") {
		return nil
	}
	for _, sentence := range t.Sentences {
		for i, token := range sentence {
			if meaning := sentence.emptiness(i); meaning > 0 {
				return &Special{Value: `""`, Meaning: t.Raw[sentence[meaning].At:sentence[sentence.endOfMeaning(meaning)-1].End]}
			}
			if !sentence.isSpecial(i, name) {
				continue
			}
			end := sentence.endOfMeaning(i + 2) //nolint:mnd // behind the value and what gives the meaning
			const least = 2                     // what gives the meaning, and a word
			if end-i <= least || sentence.isCode(i, end) {
				continue
			}
			if token.Kind == Number && !sentence[i+1:end].hasUnusual() {
				continue
			}
			return &Special{Value: t.Raw[token.At:token.End], Meaning: t.Raw[sentence[i+2].At:sentence[end-1].End]}
		}
	}
	return nil
}

// endOfMeaning returns the index behind the words of a meaning that begins at a token.
func (s Sentence) endOfMeaning(i int) int {
	const longest = 7
	end := i
	for end < len(s) && end < i+longest && !s.is(end, ",", ")", ".", "(", "]") {
		end++
	}
	return end
}

// emptiness returns the index of what an empty string means, if the token at an index is the word for one, as in "leave
// empty for all"; 0 if it is not.
func (s Sentence) emptiness(i int) int {
	if !s.is(i, "empty", "blank") || !s.is(i-1, "leave", "or", "(", "if", "an", "=") {
		return 0
	}
	isString := s.is(i+1, "string")
	if s.is(i-1, "an", "if", "or") && !isString {
		return 0
	}
	if isString {
		i++
	}
	if !s.is(i+1, "to", "for", "=", "means", ":") || i+2 >= len(s) || s[i+2].Kind == Sign {
		return 0
	}
	return i + 2
}

// isSpecial reports whether a token is a value that words give a meaning.
func (s Sentence) isSpecial(i int, name string) bool {
	token := s[i]
	isSet := s.is(i-1, "to") && s.is(i-2, "set")
	if !s.is(i+1, meanings...) && !(isSet && s.is(i+1, ",")) || i+2 >= len(s) {
		return false
	}
	isAsked := s.is(i-1, specials...) || isSet
	switch token.Kind {
	case Number:
		isVerb := s.is(i+1, "to") && s[i+2].Kind == Word
		return (token.Text == "-1" || token.Text == "0") && (isAsked || i == 0 || s.is(i-1, "(", ",", ".", "-", "–")) && !s.is(i+1, ":") && (isVerb && isAsked || !s.is(i+1, "to"))
	case Literal:
		isAssigned := s.is(i-1, "=") && i > 1 && s[i-2].Text == name && s.is(i+1, "to")
		isWord := isAssigned || isAsked && slices.Contains(wholes, token.Lower) && !s.is(i+1, "=", ":") || s.isOnly(i) && isAsked && !s.is(i-1, "=") && isValue(token) && s.is(i+1, "to", "for", "as", "means")
		return isWord || (isAsked || i == 0 || s.is(i-1, "(", ",", ":", ".", "-")) && (token.Text == "*" || token.Text == "" || isLoud(token.Text))
	default:
		return false
	}
}

// wholes are literals that stand for something else than themselves.
var wholes = []string{"all", "none", "any", "-1", "0", "current", "me", "@me", "auto", "latest", "null", "unassigned"}

// isOnly reports whether a sentence has one literal only, which is then neither an example nor a member of a list.
func (s Sentence) isOnly(i int) bool {
	isLiteral := func(token Token) bool { return token.Kind == Literal }
	return !slices.ContainsFunc(s[:i], isLiteral) && !slices.ContainsFunc(s[i+1:], isLiteral) && !s.Has(aside...)
}

// aside are words of sentences that name something else.
var aside = Phrases("instead", "confirm")

// isCode reports whether the words of a meaning go on with another value, as a list of codes
// does.
func (s Sentence) isCode(i, end int) bool {
	return s.is(end, ",") && end+2 < len(s) && s[end+1].Kind == s[i].Kind && s.is(end+2, meanings...) && s[i].Kind == Number
}

func (s Sentence) hasUnusual() bool {
	for i := range s {
		if s.is(i, unusual...) {
			return true
		}
	}
	return false
}

// isLoud reports whether a literal is in capitals, with an underscore or in angle brackets,
// unlike what a person would type.
func isLoud(text string) bool {
	const least = 4
	capitals, hasSign := 0, false
	for _, letter := range text {
		switch {
		case 'A' <= letter && letter <= 'Z':
			capitals++
		case letter == '_', letter == '<', letter == '>':
			hasSign = true
		default:
			return false
		}
	}
	return capitals >= 3 && hasSign && len(text) > least
}

// units are names of units in lower case.
var units = strings.Fields(`ms msec millis milliseconds millisecond microseconds microsecond nanoseconds s sec secs second seconds m min mins minute minutes h hr hrs hour hours d day days week weeks month months year years
	ticks tick frames frame blocks block epoch epochs px pixel pixels pt point points emu em rem km kilometer kilometers kilometres meter meters metre metres mile miles mi feet foot ft cm mm inch inches degree degrees percent % candles bars
	iterations iteration steps step rounds iso unix cron old beats turns ledgers slots byte bytes kb mb gb kib mib characters chars tokens`)

// HasUnit reports whether a text names a unit.
func (t *Text) HasUnit() bool {
	return slices.ContainsFunc(t.Sentences, Sentence.HasUnit)
}

// HasUnit reports whether a sentence names a unit, as a word, or as the last part of one, such
// as of timeout_ms.
func (s Sentence) HasUnit() bool {
	return slices.ContainsFunc(s, func(token Token) bool {
		word := token.Lower[strings.LastIndexAny(token.Lower, "_-")+1:]
		return (token.Kind == Word || word == "%") && slices.Contains(units, word)
	})
}
