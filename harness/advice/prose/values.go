package prose

import (
	"slices"
	"strconv"
	"strings"
)

// Choice is a list of the only values that a text allows.
type Choice struct {
	Values []string // distinct, without their quotes
	// IsNumbers says that all values are integers.
	IsNumbers bool
	// IsIntroduced says that words such as "one of" introduce the list; otherwise it only
	// follows a colon or stands in brackets.
	IsIntroduced bool
	// IsQuoted says that the values have quotes.
	IsQuoted bool

	isGlossed bool // words explain the values
}

// introductions are words before a list of the only values.
var introductions = Phrases("one of", "any of", "can be", "must be", "may be", "should be", "either", "options", "option", "allowed", "permitted", "valid", "values", "value", "accepts", "accepted",
	"supported", "supports", "set to", "choose", "choose between", "choices", "pick", "available", "enum", "following")

// linking are words between an introduction and its list.
var linking = []string{":", "=", "(", "[", "{", "are", "is", "the", "following", "values", "value", "options", "option", "types", "ids", "of", "one", "from", "either"}

// openings are words that say that a list has only some of the values, before it.
var openings = Phrases("e.g", "eg", "such as", "like", "for example", "for instance", "example", "examples", "including", "includes", "include", "typically", "usually", "common", "commonly", "popular",
	"recommended", "combination", "ex", "i.e", "multiple", "when", "if", "unless", "starting with", "suffix", "prefix", "not", "fields", "standard", "default")

// continuations are words that say the same behind a list.
var continuations = Phrases("etc", "...", "…", "and more", "and others", "and other", "or custom", "or any", "or other", "or a", "or an", "or the", "among others", ", custom", ", any", ", or a", ", or any", ", or custom", ", or the", ", or an", "+")

// Choice returns the first closed list of values in a text, or nil. isChoice says that what
// the text describes is a choice by its name, such as a mode, so that a list of words in
// brackets is one of values.
func (t *Text) Choice(isChoice bool) *Choice {
	if !strings.ContainsAny(t.Raw, ",|/\n") && !strings.Contains(t.Lower, " or ") && !strings.Contains(t.Lower, " and ") || slices.ContainsFunc(opens, func(part string) bool { return strings.Contains(t.Lower, part) }) {
		return nil
	}
	var first *Choice
	for i, sentence := range t.Sentences {
		switch choice := sentence.choice(isChoice); {
		case choice == nil:
		case choice.IsIntroduced:
			return choice
		case first == nil:
			first = choice
		}
		if choice := lines(t.Sentences[i:]); choice != nil && (isChoice || i > 0 && t.Sentences[i-1].Has(introductions...)) {
			return choice
		}
	}
	return first
}

// demands are words before the only value that a text allows.
var demands = Phrases("must be", "must equal", "must be set to", "must be exactly", "has to be")

// Only returns the one value that a text allows, such as DELETE of "must be 'DELETE'", or "".
func (t *Text) Only() string {
	for _, s := range t.Sentences {
		for i := range s {
			if s[i].Kind == Literal && isValue(s[i]) && s.is(i-1, "(") && s.is(i+1, "only") && s.is(i+2, ")") {
				return s[i].Text
			}
		}
		at := s.after(demands)
		if at < 0 || at >= len(s) || s.Has(exceptions...) || s.Has(restricting...) {
			continue
		}
		isLast := at+1 == len(s) || s.is(at+1, "to", ".", ",", ")", "for")
		if isLast && (s[at].Kind == Literal && isValue(s[at]) || s.is(at, "true")) && !s.is(at+2, "or") {
			return s[at].Text
		}
	}
	return ""
}

// Given returns the literal that a text gives to a parameter, as in sort='name', or "".
func (t *Text) Given(name string) string {
	if !strings.Contains(t.Raw, name+"=") {
		return ""
	}
	for _, s := range t.Sentences {
		for i, token := range s {
			if token.Text == name && s.is(i+1, "=") && i+2 < len(s) && s[i+2].Kind == Literal {
				return s[i+2].Text
			}
		}
	}
	return ""
}

// restricting are words of sentences that hold for some values alone.
var restricting = Phrases("if", "when", "unless", "or", "for", "prefix", "starts", "length", "either", "both", "key", "contains")

// opens are parts of texts that show that other values are allowed, too.
var opens = []string{"{", "good:", "bad:", "custom", "append", "suffix", "prefix", "and more", " etc", "and others", "any other", "among others", "or similar"}

// lines returns the values of a list in lines that each begin with a literal.
func lines(sentences []Sentence) *Choice {
	choice := &Choice{IsIntroduced: true, IsQuoted: true}
	for _, sentence := range sentences {
		first := 0
		if sentence.is(0, "-", "*", "•") {
			first++
		}
		if first >= len(sentence) || sentence[first].Kind != Literal || !isValue(sentence[first]) || first == 0 && !sentence.is(1, ":", "-", "—", "–", "=") {
			break
		}
		choice.add(sentence[first])
	}
	if len(choice.Values) < fewest {
		return nil
	}
	return choice
}

// fewest is the number of values from which they are a list.
const fewest = 2

// choice returns the first closed list of values in a sentence, or nil.
func (s Sentence) choice(isChoice bool) *Choice {
	for i := range s {
		choice, end := s.list(i)
		if choice == nil || s[:i].Has(openings...) || s.goesOn(end) || s.isAssigned(i) {
			continue
		}
		choice.IsIntroduced = s.isIntroduced(i)
		isBracketed := s.is(i-1, "(", "[", "{", ":", "=")
		switch isEnd := end == len(s) || s.is(end, ")", "]", "}", ".", ";", "(") || s.is(end, ",") && s.is(end+1, "default", "defaults"); {
		case choice.IsQuoted && (choice.IsIntroduced || isChoice && (isBracketed || i == 0) && !choice.isDotted() || isBracketed && isEnd && !s.is(i-1, ":", "=")):
			return choice
		case choice.IsNumbers && isEnd && (choice.IsIntroduced || isBracketed || i == 0):
			return choice
		case choice.IsQuoted && i == 0 && end == len(s) && !choice.isDotted() && !choice.isGlossed, !choice.IsNumbers && (s.is(i-1, "(", "[", "{") && s.is(end, ")", "]", "}") || i == 0 && end == len(s)) && s.isPiped(i, end):
			return choice
		case !choice.IsQuoted && !choice.IsNumbers && s.is(i-1, "(") && s.is(end, ")") && !choice.isGlossed && choice.isLoud():
			return choice
		case !choice.IsQuoted && !choice.IsNumbers && isEnd && (choice.IsIntroduced || !choice.isGlossed) && isBracketed && (choice.IsIntroduced || isChoice):
			return choice
		}
	}
	return nil
}

// goesOn reports whether a list of values that ends before a token is one of some of them.
func (s Sentence) goesOn(end int) bool {
	return s.phrase(min(end, len(s)-1), continuations) > 0 || s.is(s.separator(end), "...", "…", "etc", "more", "others")
}

// isPiped reports whether all values of a list have | between them.
func (s Sentence) isPiped(i, end int) bool {
	for i++; i+1 < end; i += 2 {
		if !s.is(i, "|") {
			return false
		}
	}
	return true
}

// isLoud reports whether all values are in capitals, unlike words and names of formats.
func (c *Choice) isLoud() bool {
	const shortest = 4
	return !slices.ContainsFunc(c.Values, func(value string) bool {
		return len(value) < shortest || strings.ToUpper(value) != value
	})
}

// isDotted reports whether a value has dots or colons, as an identifier of something else has.
func (c *Choice) isDotted() bool {
	return slices.ContainsFunc(c.Values, func(value string) bool { return strings.ContainsAny(value, ".:") })
}

// isAssigned reports whether the token is the value of something else, as in action:"add".
func (s Sentence) isAssigned(i int) bool {
	return i > 1 && s.is(i-1, ":", "=") && s[i-1].End == s[i].At && s[i-2].End == s[i-1].At
}

// isIntroduced reports whether words that introduce a list precede a token.
func (s Sentence) isIntroduced(i int) bool {
	for i > 0 && s.is(i-1, linking...) {
		i--
		if s.is(i, "one", "either", "values", "value", "options", "option", "types") {
			return true
		}
	}
	for length := 1; length <= 2 && length <= i; length++ {
		if s.phrase(i-length, introductions) == i {
			return true
		}
	}
	return false
}

// list returns the list of values that begins at a token, and the index behind it; nil if
// there is none.
func (s Sentence) list(i int) (*Choice, int) {
	kind := s[i].Kind
	if !isValue(s[i]) {
		return nil, 0
	}
	if first := s.gloss(i+1, kind); s.separator(first) == first {
		return nil, 0
	}
	choice := &Choice{IsQuoted: kind == Literal, IsNumbers: kind == Number}
	end, restricted := i, 0
	for i < len(s) && s[i].Kind == kind && isValue(s[i]) && !(kind == Word && slices.Contains(noValues, s[i].Lower)) {
		choice.add(s[i])
		if i++; s.is(i, "+", "%") {
			return nil, 0
		}
		behind := s.gloss(i, kind)
		choice.isGlossed = choice.isGlossed || behind > i
		if behind > i && s.is(i, "for") {
			restricted++
		}
		i, end = behind, behind
		separator := s.separator(i)
		if separator == i {
			break
		}
		i = separator
	}
	isMixed := restricted > 0 && restricted < len(choice.Values) || i < len(s) && i > end && s[i].Kind == Literal // a part is of something else
	if len(choice.Values) < fewest || isMixed || kind == Number && !isEnumeration(choice.Values, choice.isGlossed) {
		return nil, 0
	}
	return choice, end
}

// gloss returns the index behind what explains the value before a token.
func (s Sentence) gloss(i int, kind Kind) int {
	switch {
	case s.is(i, "(") && !s.is(i+1, "default"):
		for j := i; j < len(s); j++ {
			if s.is(j, ")") {
				return j + 1
			}
		}
	case s.is(i, "(") && s.is(i+2, ")"):
		return i + 3 //nolint:mnd // behind (default)
	case kind != Word && s.is(i, "=", ":", "-", "–", "—", "for", "means", "→"), kind == Literal && s.is(i, "to"):
		depth := 0
		for j := i + 1; j < len(s); j++ {
			switch {
			case s.is(j, "("):
				depth++
			case s.is(j, ")") && depth > 0:
				depth--
				continue
			}
			if behind := s.separator(j); behind > j && behind < len(s) && s[behind].Kind == kind {
				return j
			}
			if s.is(j, ")", "]", ".") {
				return j
			}
		}
		return len(s)
	}
	return i
}

// separator returns the index behind what separates two values, or the index itself.
func (s Sentence) separator(i int) int {
	if s.is(i, ",", "|", "/") {
		i++
	}
	if s.is(i, "or", "and") {
		i++
	}
	if s.is(i, "/") { // and/or
		i++
		if s.is(i, "or") {
			i++
		}
	}
	return i
}

// add adds a value unless it is known.
func (c *Choice) add(token Token) {
	if !slices.Contains(c.Values, token.Text) {
		c.Values = append(c.Values, token.Text)
	}
}

// noValues are words that are no values where words stand in brackets or behind a colon.
var noValues = []string{
	"optional", "required", "string", "strings", "integer", "number", "boolean", "bool", "array", "object", "default", "inclusive", "exclusive", "the", "a", "an", "and", "or", "is", "null", "not",
	"to", "of", "in", "for", "with", "by", "if", "this", "that", "it", "you", "your", "see", "use", "only", "must", "case-insensitive", "case-sensitive", "e.g", "i.e", "etc", "id", "ids", "name", "names", "url", "uuid", "int", "str", "float",
	"one", "more", "min", "max", "read-only", "yyyy-mm-dd", "comma-separated",
}

// isValue reports whether a token can be a value: one word, and no path or pointer.
func isValue(token Token) bool {
	const longest = 40
	if token.Text == "" || len(token.Text) > longest {
		return false
	}
	if token.Kind == Number {
		_, err := strconv.Atoi(token.Text)
		return err == nil
	}
	first := token.Text[0]
	for i := range len(token.Text) {
		if !isWordByte(token.Text[i]) && !strings.ContainsRune("-.+:[]", rune(token.Text[i])) {
			return false
		}
	}
	return isWordByte(first)
}

// isEnumeration reports whether integers are a list of codes: with their meanings they
// follow one another, and without they are at least three in order.
func isEnumeration(values []string, isGlossed bool) bool {
	const several = 3
	before := 0
	for i, value := range values {
		number, _ := strconv.Atoi(value)
		if i > 0 && (number <= before || isGlossed && number != before+1) {
			return false
		}
		before = number
	}
	return isGlossed || len(values) >= several
}

// Listing is how a list in a text compares with some values.
type Listing struct {
	Left   []string // values that neither the list nor the rest of the text has
	Others []string // literals of the list that are no values
	// IsClosed says that the list stands in brackets, and spells the values as they are.
	IsClosed bool
}

// distributing are words of sentences about some of all values.
var distributing = Phrases("every", "each", "only", "any", "some")

// Among compares some values with the first list of a text that has most of them; the zero value means that there is none, or that
// both have the same.
func (t *Text) Among(values []string) Listing {
	isAmong := func(text string) bool {
		return slices.ContainsFunc(values, func(value string) bool { return strings.EqualFold(value, text) })
	}
	for _, s := range t.Sentences {
		for i := range s {
			if !isAmong(s[i].Text) {
				continue
			}
			choice, end := s.list(i)
			if choice == nil || s[:i].Has(openings...) {
				continue
			}
			if s.goesOn(end) {
				return Listing{}
			}
			others := slices.DeleteFunc(slices.Clone(choice.Values), isAmong)
			hits := len(choice.Values) - len(others)
			const most, third = 2, 3 // two thirds of the values make a list of them
			if hits < most || len(others) > 0 && !choice.IsQuoted || third*hits < most*len(choice.Values) {
				continue
			}
			isExact := choice.IsQuoted || !slices.ContainsFunc(choice.Values, func(said string) bool { return !slices.Contains(values, said) })
			listing := Listing{Others: slices.Clip(others), IsClosed: isExact && s.is(i-1, "(") && s.is(end, ")") && !s.Has(distributing...)}
			if hits > most && third*hits >= most*len(values) {
				listing.Left = t.without(values)
			}
			return listing
		}
	}
	return Listing{}
}

// without returns those of some values that a text does not have.
func (t *Text) without(values []string) []string {
	var left []string
	for _, value := range values {
		if !strings.Contains(t.Lower, strings.ToLower(value)) {
			left = append(left, value)
		}
	}
	return left
}
