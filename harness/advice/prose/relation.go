package prose

import (
	"slices"
	"strings"
)

// Link is how one parameter depends on another.
type Link uint8

// The links between the parameter that a text describes and another one.
const (
	Needs    Link = iota // it goes only with the other, or the other makes it necessary
	Excludes             // only one of the two may be given
	Ignored              // the other makes it meaningless
)

// Relation is a link to another parameter that a text states.
type Relation struct {
	Link Link
	// Other is the name of the parameter, or a value of it; empty if the text says only for what
	// the tool needs the parameter.
	Other string
	// Text is the sentence.
	Text string
}

// linkings are the phrases that state a link, by link; the first that a sentence has counts.
var linkings = []struct {
	link    Link
	phrases []Phrase
}{
	{Excludes, Phrases("mutually exclusive", "not both", "cannot be used with", "cannot be combined", "incompatible with", "alternative to", "otherwise use", "use this or", "either this or", "either this parameter or", "instead of")},
	{Ignored, Phrases("ignored if", "ignored when", "ignored for", "is ignored", "are ignored", "no effect", "takes precedence", "overrides")},
	{Needs, Phrases("required if", "required when", "required for", "required with", "required unless", "requires", "must also", "only used", "only valid", "only applies", "only applicable", "only when", "only if", "only for", "only with", "used only",
		"applies only", "in combination with", "together with", "depends on", "mandatory when", "needed for")},
}

// ofVerbs are phrases that make a parameter necessary for what the tool is to do.
var ofVerbs = Phrases("required when creating", "required when updating", "required for create", "required for update", "required for updates", "required for add", "required for new",
	"required if creating", "required if updating", "only when creating")

// exceptions are phrases of sentences that turn a link round.
var exceptions = Phrases("except", "unlike", "not only", "not required", "not needed")

// Relation returns the first link to one of some others that the text about a parameter
// states, or nil. The others are names of parameters or values of them, which the text has as words.
func (t *Text) Relation(others []string) *Relation {
	if len(others) == 0 && !t.Has(ofVerbs...) {
		return nil
	}
	for _, sentence := range t.Sentences {
		link, isStated := sentence.link()
		if sentence.Has(ofVerbs...) && isStated {
			return &Relation{Link: Needs, Text: t.Raw[sentence[0].At:sentence[len(sentence)-1].End]}
		}
		for _, other := range others {
			if sentence.isConditional(other) {
				return &Relation{Link: Needs, Other: other, Text: t.Raw[sentence[0].At:sentence[len(sentence)-1].End]}
			}
			at := sentence.Mentions(other)
			if isStated && sentence.speaksOf(other) || at >= 0 && (sentence.is(at+1, "only") || sentence.is(at-1, "only")) {
				return &Relation{Link: link, Other: other, Text: t.Raw[sentence[0].At:sentence[len(sentence)-1].End]}
			}
			if tied, isTied := sentence.ties(at, other); isTied {
				relation := &Relation{Link: tied, Other: other, Text: t.Raw[sentence[0].At:sentence[len(sentence)-1].End]}
				if sentence.Has(exceptions...) {
					relation.Link, relation.Other = Needs, ""
				}
				return relation
			}
		}
	}
	return nil
}

// Case returns the link to the one of some values of other parameters for which a text is by its last words, as in
// "for upload" or "in raw mode"; nil if there is none.
func (t *Text) Case(values []string) *Relation {
	const shortest = 4 // letters of a value that is no other word
	for _, sentence := range t.Sentences {
		for i, token := range sentence {
			isLast := i+1 == len(sentence) || sentence[i+1].Kind == Sign
			isLastButOne := !isLast && (i+2 == len(sentence) || sentence[i+2].Kind == Sign) // as in raw mode
			if len(token.Text) < shortest || token.Kind == Sign || i < 2 || sentence.is(i-2, "is", "are") || !(sentence.is(i-1, "for") && isLast || sentence.is(i-1, "for", "in") && isLastButOne) {
				continue
			}
			if at := slices.IndexFunc(values, func(value string) bool { return strings.EqualFold(value, token.Text) }); at >= 0 {
				return &Relation{Link: Needs, Other: values[at], Text: t.Raw[sentence[0].At:sentence[len(sentence)-1].End]}
			}
		}
	}
	return nil
}

// link returns the link that a sentence states; Needs if it states none.
func (s Sentence) link() (Link, bool) {
	if s.Has(exceptions...) {
		return Needs, false
	}
	if s.Has(turning...) {
		return Needs, true
	}
	for _, known := range linkings {
		if s.Has(known.phrases...) {
			return known.link, true
		}
	}
	return Needs, false
}

// turning are phrases by which a parameter counts only with another one.
var turning = Phrases("ignored unless", "ignored without")

// bindings are phrases that state a link to whatever parameter the sentence mentions.
var bindings = []struct {
	link    Link
	phrases []Phrase
}{
	{Excludes, Phrases("alias", "either", "exactly one of", "at most one of", "this or", "should not be set", "cannot be set", "instead")},
	{Ignored, Phrases("ignores", "ignoring", "ignored", "supersedes", "overridden", "replacing", "unused")},
	{Needs, Phrases("required", "require", "mandatory", "needs", "should also", "must be set", "must be provided", "use with", "used with", "used when", "used if", "used by", "paired with", "optional if", "optional when", "applies to", "at least one of")},
}

// unbound are phrases of sentences that mention a parameter for another reason.
var unbound = Phrases("defaults", "default to", "default is", "default :", "typically", "not required", "not needed")

// ties returns the link that a sentence states to a parameter, which it mentions at an index, or which is a word after
// one such as if.
func (s Sentence) ties(at int, name string) (Link, bool) {
	if s.Has(unbound...) {
		return Needs, false
	}
	if s.offers(name) {
		return Excludes, true
	}
	if at >= 0 {
		if s.Has(turning...) {
			return Needs, true
		}
		for _, known := range bindings {
			if s.Has(known.phrases...) {
				return known.link, true
			}
		}
		before := at - 1
		for s.is(before, "the", "using", "parameter", "both") {
			before--
		}
		isFor := s.is(before, "for") && (before == 0 || s[at].Kind == Word && strings.ToUpper(s[at].Text) != s[at].Text)
		return Needs, (isFor || s.is(before, "when", "if", "unless")) && (at+1 == len(s) || s[at+1].Kind == Sign || s.is(at+1, "is", "are", "not", "isn't", "set", "provided", "specified", "given", "omitted", "and", "or"))
	}
	for i, token := range s {
		if token.Text == name && token.Kind == Word && s.is(i-1, "when", "if", "unless", "the") && (s.is(i+1, "is", "=", "==") && s.isSetting(i+2) ||
			s.is(i+1, "must") && s.is(i+2, "be") && s.isSetting(i+3) || s.is(i+1, "provided", "specified", "set", "given", "omitted") && !s.is(i-1, "the")) {
			link, _ := s.link()
			return link, true
		}
	}
	return Needs, false
}

// offers reports whether a sentence has a name as one of two of which a call is to have one: behind either, or around
// "or" where the sentence begins with an order to give them.
func (s Sentence) offers(name string) bool {
	const apart = 3 // tokens from either to the second name
	return slices.ContainsFunc(s, func(token Token) bool { return token.Lower == "or" }) && slices.ContainsFunc(s, func(token Token) bool {
		i := slices.Index(s, token)
		if token.Kind == Sign || !strings.EqualFold(token.Text, name) {
			return false
		}
		isBeside := s.is(i-1, "or") || s.is(i+1, "or")
		return isBeside && (s.is(i-1, "either") || s.is(i-apart, "either")) || isBeside && s.Mentions(name) == i && s.is(0, "provide", "use", "specify", "pass", "set", "supply", "give")
	})
}

// isSetting reports whether the token at an index is a value that a parameter can be said to have.
func (s Sentence) isSetting(i int) bool {
	return i < len(s) && (s[i].Kind == Literal || s[i].Kind == Number || s.is(i, "true", "false", "set", "provided", "specified", "given", "omitted", "enabled"))
}

// eithers are words before two names of which one is to be given.
var eithers = Phrases("either")

// choosing are words before names of which one or several are to be given.
var choosing = Phrases("either", "one of", "exactly one of", "at least one of", "at least one", "one or more of", "any one of", "only one of", "provide exactly one", "must provide")

// Alternatives returns those of some names of which a sentence of a text says that one is to be given, and the
// sentence; nil if there are none.
func (t *Text) Alternatives(names []string) (some []string, sentence string) {
	for _, s := range t.Sentences {
		found := s.handles(names)
		if found == nil {
			found = s.chosen(names)
		}
		if found != nil {
			return found, t.Raw[s[0].At:s[len(s)-1].End]
		}
	}
	return nil, ""
}

// chosen returns the names behind words such as either, of which one is to be given.
func (s Sentence) chosen(names []string) []string {
	from := s.after(choosing)
	if from < 0 || s.Has(exceptions...) || !slices.ContainsFunc(s[from:], func(token Token) bool { return token.Lower == "or" || token.Lower == "," || token.Lower == "/" }) {
		return nil
	}
	some := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return s[from:].Mentions(name) < 0 })
	if len(some) < 2 {
		some = s.oneOf(from, names)
	}
	return some
}

// indexOf returns the index of the name that a token is, or -1.
func indexOf(names []string, token Token) int {
	return slices.IndexFunc(names, func(name string) bool { return IsSame(name, token.Text) })
}

// IsSame reports whether a word is a name, but for capitals and for what joins its parts.
func IsSame(name, word string) bool {
	if name == "" || word == "" || name[0]|0x20 != word[0]|0x20 {
		return false
	}
	return strings.EqualFold(joined.Replace(name), joined.Replace(word))
}

// Bare returns a name in lower case without what joins its parts.
func Bare(name string) string { return strings.ToLower(joined.Replace(name)) }

// joined drops what joins the parts of a name.
var joined = strings.NewReplacer("-", "", "_", "")

// narrowing are phrases of sentences about what may be left out.
var narrowing = Phrases("filter", "filtered", "filters", "optional", "optionally", "search", "sort", "sorted", "grouped", "list")

// handles returns the names that a sentence has behind "by", such as by ID or email.
func (s Sentence) handles(names []string) []string {
	if s.Has(narrowing...) {
		return nil
	}
	for i := range s {
		if s.is(i, "by", "using", "via") {
			if some := s.oneOf(i+1, names); some != nil {
				return some
			}
		}
	}
	return nil
}

// oneOf returns the names of a list that begins at a token and has "or"; nil if it has fewer than two.
func (s Sentence) oneOf(i int, names []string) []string {
	var some []string
	isChoice := false
	const most = 20 // tokens of a list of names
	for last := min(len(s), i+most); i < last; i++ {
		if s.is(i, ",", "or", "/") {
			isChoice = isChoice || s.is(i, "or")
			continue
		}
		at := indexOf(names, s[i])
		if at < 0 && s[i].Kind == Word && i+1 < len(s) { // of what it is, as in by order ID
			i++
			at = indexOf(names, s[i])
		}
		if at < 0 {
			break
		}
		some = append(some, names[at])
	}
	if !isChoice || len(some) < 2 {
		return nil
	}
	return some
}

// speaksOf reports whether a sentence names a parameter: as Mentions, or as a word before a
// sign or a verb that gives it a value.
func (s Sentence) speaksOf(name string) bool {
	if s.Mentions(name) >= 0 {
		return true
	}
	for i, token := range s {
		if token.Kind == Word && token.Text == name && (s.follows(i) || s.is(i-1, "or") && s.Has(eithers...) || s.is(i+1, "=", "==") || s.is(i+1, "is") && s.is(i-1, "if", "when", "unless") || s.is(i+1, "parameter") || s.is(i-1, "parameter")) {
			return true
		}
	}
	return false
}

// follows reports whether the token at an index is what a link is to: the phrase of a link is
// before it, or before the names before it.
func (s Sentence) follows(i int) bool {
	if i+1 < len(s) && s[i+1].Kind != Sign && !s.is(i+1, "is", "or", "and", "mode", "modes", "action", "actions", "operation", "operations", "object", "parameter", "field") {
		return false // a word of a sentence
	}
	for i > 0 {
		if s.endsLink(i) || s.is(i-1, ":", "for", "when", "if", "with", "in") && s.endsLink(i-1) {
			return true
		}
		before := i
		for s.is(i-1, ",", "/", "or", "and") {
			i--
		}
		if i == before || i == 0 || s[i-1].Kind == Sign {
			return false
		}
		i--
	}
	return false
}

// endsLink reports whether the phrase of a link ends before the token at an index.
func (s Sentence) endsLink(i int) bool {
	for _, known := range linkings {
		for _, phrase := range known.phrases {
			if phrase.at(s, i-len(phrase.words)) {
				return true
			}
		}
	}
	return false
}

// isAside reports whether a bracket before a token says for what the sentence holds, as in (for: upload) or
// (only for action upload).
func (s Sentence) isAside(i int) bool {
	const shortest = 3 // letters of a value that is no other word
	if len(s[i].Text) < shortest || s[i].Kind == Sign || s.is(i, "all", "each", "every", "any") {
		return false
	}
	i--
	for s.is(i, ":", "the", "action", "actions", "type", "types", "mode", "modes", "operation", "operations", "=", "is", "used", "required", "only") {
		i--
	}
	return s.is(i, "for", "if", "when") && (s.is(i-1, "(", "（", "[") || s.is(i-1, "only", "required", "used", "optional") && s.is(i-2, "(", "（", "["))
}

// isConditional reports whether a sentence holds for a value of another parameter alone: it has
// name=value in brackets or behind a word such as for.
func (s Sentence) isConditional(name string) bool {
	for i, token := range s {
		if i == 0 && token.Text == name && s.is(1, ":", "=") && len(s) > 3 && s[2].Kind == Literal {
			return true
		}
		if strings.EqualFold(token.Text, name) && token.Kind != Sign && s.is(i-1, "(", "（", "[") && s.is(i+1, "only") && (i < 2 || s[i-2].Kind != Literal) {
			return true
		}
		if isLast := i+1 == len(s) || s[i+1].Kind == Sign; isLast && i > 1 && s.is(i-1, "for") && s[i-2].Kind == Literal && strings.EqualFold(token.Text, name) {
			return true
		}
		if token.Text == name && token.Kind != Sign && s.is(i+1, "=", "==") && s.is(i-1, "(", "（", "[", "for", "when", "if", "only") || token.Text == name && s.isAside(i) {
			return true
		}
	}
	return false
}

// IsAssigned reports whether the token at an index is given a value, as in an example, or part of a path.
func (s Sentence) IsAssigned(i int) bool { return s.is(i+1, "=", ":") || s.is(i-1, "/", ".") }

// Binds reports whether a sentence says of the token at an index that a call has it, too, or must not.
func (s Sentence) Binds(i int) bool {
	for s.is(i-1, "the", "a") {
		i--
	}
	for _, phrase := range binding {
		if from := i - len(phrase.words); phrase.at(s, from) && !s.is(from-1, "you") {
			return true
		}
	}
	return false
}

// Requires reports whether a sentence, or a part of it in brackets, begins with what it requires: one of some phrases.
func (s Sentence) Requires(what []Phrase) bool {
	for i := range s {
		if s.is(i, "requires") && (i == 0 || s.is(i-1, "(", "[")) {
			return s[i:].Has(what...)
		}
	}
	return false
}

// Sets reports whether a sentence is about a value that the token at an index has.
func (s Sentence) Sets(i int) bool { return s.is(i+1, "is") && s.is(i+2, "set") && s.is(i+3, "to") }

// Calls reports whether a sentence says to call what the token at an index names.
func (s Sentence) Calls(i int) bool {
	for s.is(i-1, "the") {
		i--
	}
	return s.is(i-1, "use", "using", "call", "calling", "via", "run", "invoke", "with") && !s.is(i+1, "action", "mode", "field", "parameter", "operation", "method") || s.is(i+1, "tool")
}

// EndsPart reports whether the token at an index ends a sentence or a part of it, behind a word such as for.
func (s Sentence) EndsPart(i int) bool {
	return (i+1 == len(s) || s[i+1].Kind == Sign) && s.is(i-1, "for", "of", "with", "and", "or")
}

// binding are phrases before the name of a parameter.
var binding = Phrases("used with", "use with", "combined with", "combine with", "together with", "exclusive with", "specified with", "alternative to", "alias for", "alias of", "ignored if", "ignored when", "required if", "required when", "either this or", "ignored unless", "only when", "only if")
