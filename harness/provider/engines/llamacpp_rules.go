package engines

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// schemasAt returns the schemas of declarations.
func schemasAt(declarations []*schema.Node, at schema.Pointer) []*schema.Node {
	schemas := make([]*schema.Node, len(declarations))
	for i, declaration := range declarations {
		schemas[i] = declaration.Find(at)
	}
	return schemas
}

// llamaSchemasAt returns the schemas of declarations as llama.cpp reads them: since llamaParses the
// schema of an answer that is no object is none.
func llamaSchemasAt(declarations []*schema.Node, at schema.Pointer, day provider.Date) []*schema.Node {
	schemas := schemasAt(declarations, at)
	if at == inLlamaFormat && day >= llamaParses && !isObject(schemas[0]) {
		schemas[0] = nil
	}
	return schemas
}

// llamaWalked is the key of the walk that the stages share.
type llamaWalked struct{}

func llamaWalkOf(request provider.Request, visitor *provider.Visitor) *llamaWalk {
	return provider.Keep(visitor, llamaWalked{}, func() *llamaWalk {
		day := visitor.Day
		if visitor.Dialect.Service() == "ollama" {
			day = ollamaEmbeds
		}
		return walkLlama(llamaSchemasAt(request.Declarations, visitor.Dialect.Schema, day), day, visitor.Charge)
	})
}

// llamaStage makes a stage that visits the steps which steps returns.
func llamaStage(name string, all bool, steps func(*llamaWalk) []*llamaStep) *provider.Stage {
	return &provider.Stage{
		Name:   name,
		Shared: "tools and response_format go through the same converter",
		All:    all,
		Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
			for _, step := range steps(llamaWalkOf(request, visitor)) {
				if visitor.Done() {
					return
				}
				visitor.Visit(&provider.Pass{Request: request, Declaration: step.place.declaration, Node: step.place.node, Subject: step})
			}
		},
	}
}

// The stages of a request with a schema. What ends the parsing or the conversion has a message
// alone; the faults that the converter lists share one; and only a grammar without a fault is
// read. It is read in the order of a hash table, which has the last rules first, mostly.
var (
	llamaBody     = llamaStage("body", false, llamaSteps)
	llamaConverts = underivable(llamaStage("conversion", false, llamaSteps))
	llamaSchemas  = underivable(llamaStage("schema", false, llamaSteps))
	llamaLists    = func() *provider.Stage {
		stage := underivable(llamaStage("list", true, llamaSteps))
		stage.Compose = func(findings []provider.Finding) string {
			messages := []string{llamaFailed}
			for _, finding := range findings {
				messages = append(messages, finding.Message)
			}
			return strings.Join(messages, "\n")
		}
		return stage
	}()
	llamaReads = llamaStage("grammar", false, func(w *llamaWalk) []*llamaStep {
		reversed := slices.Clone(w.rules)
		slices.Reverse(reversed)
		return reversed
	})
)

func llamaSteps(w *llamaWalk) []*llamaStep { return w.steps }

// underivable makes a stage whose refusals are, since llamaDerivesParsers, those of a parser that
// cannot be derived.
func underivable(stage *provider.Stage) *provider.Stage {
	stage.Preface = func(day provider.Date, first provider.Finding) string {
		if day < llamaDerivesParsers || first.Message == llamaCrashes {
			return ""
		}
		return llamaUnderivable
	}
	return stage
}

const llamaFailed = "JSON schema conversion failed:"

// llamaCheck is one kind of what llama.cpp refuses, or what ends it.
type llamaCheck struct {
	rule  *provider.Rule
	check func(step *llamaStep) (words, keyword string)
}

// refuses makes a check. It returns llama.cpp's words for a step, or "", and the keyword of the
// subschema that they are about, or "" for the whole of it. Where status is 0 it is 400.
func refuses(stage *provider.Stage, status int, name, doc, source string, evidence []string, check func(step *llamaStep) (words, keyword string)) llamaCheck {
	return llamaCheck{check: check, rule: &provider.Rule{
		Name: name, Effect: provider.Rejects, Stage: stage, Source: source, Doc: doc, Evidence: evidence,
		Check: func(p *provider.Pass) {
			step := p.Subject.(*llamaStep) //nolint:forcetypeassert // of the stage
			words, keyword := check(step)
			if words == "" {
				return
			}
			fault := llamaFault{step: step, words: words, keyword: keyword}
			p.At, p.Node = []byte(fault.pointer()), fault.node()
			finding := provider.Finding{Message: words, Status: status}
			switch day := step.walk.day; {
			case day < llamaRefuses || words == llamaCrashes:
				finding.Status = 500
			case day >= llamaDerivesParsers && stage == llamaConverts:
				finding.Status = 0
			}
			p.Report(finding)
		},
	}}
}

// until makes a check of a rule that no longer holds from a day on.
func until(day provider.Date, check llamaCheck) llamaCheck {
	check.rule.Until = day
	return check
}

// since makes a check of a rule that holds from a day on.
func since(day provider.Date, check llamaCheck) llamaCheck {
	check.rule.Since = day
	return check
}

// parses makes a check of what llama.cpp's parser of schemas refuses since llamaParses.
func parses(name, doc string) llamaCheck {
	return since(llamaParses, refuses(llamaSchemas, 0, name, doc, llamaParsedSource, nil, flawOf(name)))
}

// flawOf makes the check of a flaw in a text that the walk has read.
func flawOf(name string) func(*llamaStep) (words, keyword string) {
	return func(step *llamaStep) (words, keyword string) {
		if step.flaw.rule == name {
			return step.flaw.words, ""
		}
		return "", ""
	}
}

// llamaChecks are all of them.
var llamaChecks = []llamaCheck{
	refuses(llamaBody, 500, "number_overflow", `a number has room in a double

A larger one, such as 1e400, makes the whole request unreadable. The status is 500.`, llamaSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if step.by == aboutNumber {
				return "[json.exception.out_of_range.406] number overflow parsing '" + step.place.node.Text + "'", ""
			}
			return "", ""
		}),
	parses("schema_kind", `a schema is an object

true, false and null are none.`),
	parses("ref_kind", `$ref is a text`),
	parses("ref_document", `a reference begins with #/

References into other documents, to anchors and to # alone are refused.`),
	parses("ref_target", `a reference leads somewhere

The tokens are taken as they are: the escapes ~0, ~1 and %25 of a JSON Pointer are not read.`),
	parses("alternatives", `anyOf, oneOf and allOf are lists that are not empty`),
	parses("type_list", `a list of types is not empty`),
	parses("type_kind", `type is a text or a list`),
	parses("type_name", `type has a name of JSON Schema

An empty one is as none.`),
	parses("enum_values", `enum is a list that is not empty`),
	parses("properties_kind", `properties is an object`),
	parses("additional_properties", `additionalProperties is true, false or an object`),
	parses("count", `minItems, maxItems, minLength and maxLength are whole numbers from 0

2.0 is none. Only the last 32 bits of a number count, so that 2147483648 is below 0.`),
	parses("bound", `the bounds of an integer are numbers

minimum wins over exclusiveMinimum, and maximum over exclusiveMaximum.`),
	parses("text_kind", `pattern and format are texts where the value is a text`),
	until(llamaParses, refuses(llamaConverts, 500, "keyword_value", `the value of a keyword is of the JSON type that the converter reads

Of $ref, format and pattern it reads a text, of oneOf and anyOf a list, of bounds a number.
A $ref counts anywhere, also in data and where it is the name of a property. The words are
those of nlohmann::json. The status was 500 until March 2026.`, llamaSource, nil, wrongKeyword)),
	refuses(llamaConverts, 500, "number_too_large", `a number has room in C++

It is an index in a reference, or a count in a pattern. The words are those of the
function that failed, and the status was 500 until March 2026. Since September 2026 such a pattern is
skipped, and since October such an index leads nowhere. A bound of -2^63 that is alone, or one
beyond it, is refused with other words.`, llamaSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if isOpen, _ := step.digits(); isOpen {
				return "At least one of min_value or max_value must be set", ""
			}
			return flawOf("number_too_large")(step)
		}),
	refuses(llamaConverts, 0, "pattern_group", `a pattern repeats something

Until September 2026, a quantifier at the beginning of a pattern, in a group or after nothing ended
the server. So did (?:, (?=, (?! and (?i), whose question mark was read as a quantifier, and
thousands of groups within groups. A long name of a property still does where additionalProperties
allows other names: each letter of it is a group.`, llamaSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if isLong := func(name string) bool { return len(name) > longestName }; slices.ContainsFunc(step.closedNames(), isLong) {
				return llamaCrashes, ""
			}
			return flawOf("pattern_group")(step)
		}),
	until(llamaSkipsPatterns, refuses(llamaConverts, 0, "pattern_bracket", `a pattern has no ] and } without its partner

The reader of patterns stays at such a bracket forever.`, llamaSource, nil, flawOf("pattern_bracket"))),
	refuses(llamaConverts, 0, "all_of_cycle", `a part of allOf does not lead back to itself

The parts are merged without an end, which ends the server.`, llamaSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if step.isEndless {
				return llamaCrashes, ""
			}
			return "", ""
		}),
	until(llamaParses, refuses(llamaLists, 0, "unsupported_ref", `a reference begins with #/ or https://

What https:// leads to is not fetched: any object passes.`, llamaSource, nil, flawOf("unsupported_ref"))),
	until(llamaParses, refuses(llamaLists, 0, "unresolved_ref", `a reference leads somewhere

The tokens are taken as they are: the escapes ~0, ~1 and %25 of a JSON Pointer are not read.
The message has the whole value that lacks the token.`, llamaSource, nil, flawOf("unresolved_ref"))),
	until(llamaParses, refuses(llamaLists, 0, "unrecognized_schema", `a schema has something that decides what it is

The first of these decides: $ref, oneOf, anyOf, a list of types, const, enum, properties.
Then come additionalProperties that is not true, allOf, items, prefixItems and pattern. Then
come a format that has a rule, the length of a string and the bounds of an integer. The type
comes last. An empty schema is an object. Everything else is refused: true, false, a type of another
name and, until September 2026, a schema with a description or a default alone, and not.`, llamaSource, []string{"llamacpp/chat/a38b1fd00e42", "llamacpp/chat/09cac3f10ebd"},
		func(step *llamaStep) (words, keyword string) {
			if step.by == byNothing {
				return "Unrecognized schema: " + step.walk.json(step.place.node), ""
			}
			return "", ""
		})),
	until(llamaSkipsPatterns, refuses(llamaLists, 0, "pattern_not_anchored", `a pattern begins with ^ and ends with $

Since September 2026 any other is skipped: see pattern_skipped.`, llamaSource,
		[]string{"llamacpp/chat/b64a8a812f0f", "llamacpp/chat/9b57546a6c75", "llamacpp/chat/09cac3f10ebd"}, flawOf("pattern_not_anchored"))),
	until(llamaSkipsPatterns, refuses(llamaLists, 0, "pattern_unbalanced", `the brackets of a pattern are closed

Parentheses are not checked.`, llamaSource, nil, flawOf("pattern_unbalanced"))),
	until(llamaSkipsPatterns, refuses(llamaLists, 0, "pattern_count", `the braces of a pattern hold one number or two`, llamaSource, nil, flawOf("pattern_count"))),
	since(llamaSkipsPatterns, refuses(llamaLists, 0, "pattern_invalid", `a pattern is a regular expression

It is refused for parentheses and classes that are not closed, a quantifier after nothing, and a
backslash at the end. The rest of it is not read where it has no grammar: see pattern_skipped.`, llamaPatternSource, nil, flawOf("pattern_invalid"))),
	refuses(llamaReads, 0, "bounds_reversed", `the least count is not more than the greatest

It is so for elements, letters and counts in patterns. It is also so for the digits of an
integer whose minimum alone has more than sixteen. The server counts down from beyond the greatest
number, and its memory ends.`, llamaGrammarSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if _, isReversed := step.digits(); isReversed {
				return llamaCrashes, ""
			}
			return step.counts("bounds_reversed")
		}),
	refuses(llamaReads, 0, "pattern_escape", `a pattern has no escapes that grammars lack

Escapes are copied into the grammar, which knows \n, \r, \t, \x, \u, \U, \\, \", \[ and \]. An
escaped ^ $ . [ ] ( ) | { } * + ? is read where it is in no class. All others cannot be
parsed: \d, \w, \s, \b, \/, \-, and \. in a class. Since September 2026 a pattern with one of them is
skipped; the letter U+0000, a repeated letter beyond ASCII and a repeated empty class still cannot
be parsed.`, llamaGrammarSource,
		[]string{"llamacpp/chat/eb9376b74f3e", "llamacpp/chat/09cac3f10ebd"}, flawOf("pattern_escape")),
	refuses(llamaReads, 0, "repetition", `nothing comes at least more than 2000 times, or less than 0 times

That is so for minItems, maxItems, minLength, maxLength and the counts of patterns.`, llamaGrammarSource, nil,
		func(step *llamaStep) (words, keyword string) { return step.counts("repetition") }),
	until(llamaDropsMost, refuses(llamaReads, 0, "repetition_most", `nothing comes at most more than 2000 times

That is so for maxItems, maxLength and the counts of patterns. Since August 2026 a greater count is none:
https://github.com/ggml-org/llama.cpp/pull/26613. A build of October 2026 was asked and takes it.`, llamaGrammarSource,
		[]string{"llamacpp/chat/30ce6f9d545e", "llamacpp/chat/09cac3f10ebd"},
		func(step *llamaStep) (words, keyword string) { return step.counts("repetition_most") })),
	since(llamaMultiplies, refuses(llamaReads, 0, "repetition_rules", `no repetition has more than 2000 rules

A count is multiplied by the rules of the group that it repeats. Optional elements make a group of
a rule for each: where minItems is 0, the largest maxItems is 1999, or 1998 where the elements have a
rule of their own, and a greater one is refused up to 2001. Optional properties make a group of two
rules for each, and a pattern one for each optional repetition. Until September 2026 the bound was
1999, so that a maxLength of exactly 2000 was refused.`, llamaRulesSource, nil,
		func(step *llamaStep) (words, keyword string) { return step.counts("repetition_rules") })),
	refuses(llamaReads, 0, "property_name", `names of properties are without brackets where further ones are allowed

With additionalProperties, each letter of a name is copied into a class of letters. A class of
] or of \ cannot be read, and neither could, until September 2026, one of a byte of a letter beyond
ASCII.`, llamaGrammarSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if !step.walk.areReadable(step.closedNames()) {
				return llamaUnparsed, ""
			}
			return "", ""
		}),
	until(llamaParses, refuses(llamaReads, 0, "no_alternative", `anyOf, oneOf and lists of types are not empty`, llamaGrammarSource, nil,
		func(step *llamaStep) (words, keyword string) {
			isUnion := step.by == byOneOf || step.by == byAnyOf || step.by == byTypes
			if isUnion && len(step.starts) == 0 {
				return llamaUnparsed, ""
			}
			return "", ""
		})),
	refuses(llamaReads, 0, "left_recursion", `no rule begins with itself

A reference that leads back to itself through unions alone does so. A repeated part of a
pattern does so where an alternative of it is empty.`, llamaGrammarSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if step.isLeftRecursive() {
				return llamaUnparsed, ""
			}
			return flawOf("left_recursion")(step)
		}),
}

// llamaRules are the rules of tools, and llamaRulesOfAnswers those of an answer's schema, which
// llama.cpp did not refuse before llamaFailsClosed where the grammar alone could not be read.
var (
	llamaRules          = rulesOf(llamaChecks)
	llamaRulesOfAnswers = func() []*provider.Rule {
		rules := slices.Clone(llamaRules)
		for i, rule := range rules {
			if rule.Stage == llamaReads && rule.Name != "bounds_reversed" {
				later := *rule
				later.Since = max(rule.Since, llamaFailsClosed)
				rules[i] = &later
			}
		}
		return rules
	}()
)

func rulesOf(checks []llamaCheck) []*provider.Rule {
	rules := make([]*provider.Rule, len(checks))
	for i, one := range checks {
		rules[i] = one.rule
	}
	return rules
}

// llamaFault is what llama.cpp says to a step.
type llamaFault struct {
	rule    *provider.Rule
	step    *llamaStep
	words   string
	keyword string
}

// pointer returns the place of the fault as a JSON Pointer from the tool.
func (f *llamaFault) pointer() schema.Pointer {
	if f.keyword != "" {
		return f.step.place.pointer().Child(f.keyword)
	}
	return f.step.place.pointer()
}

// node returns the value at the place.
func (f *llamaFault) node() *schema.Node {
	if f.keyword != "" {
		return f.step.place.node.Get(f.keyword)
	}
	return f.step.place.node
}

// faults returns what llama.cpp says to the schemas: all that it lists, or the first that ends
// it or makes the grammar unreadable.
func (w *llamaWalk) faults() []llamaFault {
	for _, stage := range []*provider.Stage{llamaBody, llamaSchemas, llamaConverts} {
		if found := w.faultsOf(stage, w.steps); len(found) > 0 {
			return found[:1]
		}
	}
	if found := w.faultsOf(llamaLists, w.steps); len(found) > 0 {
		return found
	}
	if found := w.unreadable(); found != nil {
		return []llamaFault{*found}
	}
	return nil
}

// unreadable returns why the grammar of the schemas cannot be read, or nil.
func (w *llamaWalk) unreadable() *llamaFault {
	reversed := slices.Clone(w.rules)
	slices.Reverse(reversed)
	if found := w.faultsOf(llamaReads, reversed); len(found) > 0 {
		return &found[0]
	}
	return nil
}

// faultsOf returns the faults that the checks of a stage find in steps.
func (w *llamaWalk) faultsOf(stage *provider.Stage, steps []*llamaStep) (found []llamaFault) {
	for _, step := range steps {
		w.charge(1)
		for _, one := range llamaChecks {
			if one.rule.Stage != stage || !one.rule.InForce(w.day, "") {
				continue
			}
			if words, keyword := one.check(step); words != "" {
				found = append(found, llamaFault{one.rule, step, words, keyword})
				break
			}
		}
		if !stage.All && len(found) > 0 {
			break
		}
	}
	return found
}

// wrongKeyword is the check of keyword_value.
func wrongKeyword(step *llamaStep) (words, keyword string) {
	node := step.place.node
	const fails = "[json.exception.type_error.302] type must be "
	wants := func(kind schema.Kind, keywords ...string) bool {
		for _, keyword = range keywords {
			if value := node.Get(keyword); value != nil && value.Kind != kind && !(kind == schema.Number && step.by != byBounds && value.Kind == schema.Bool) {
				words = fails + kind.String() + ", but is " + value.Kind.String()
				return true
			}
		}
		return false
	}
	switch {
	case step.by == aboutReference && node.Kind != schema.String:
		return fails + "string, but is " + node.Kind.String(), ""
	case step.by.isAbout() || step.by.isOfPart():
	case wants(schema.String, "format"):
	case step.by == byOneOf && wants(schema.Array, "oneOf"), step.by == byAnyOf && wants(schema.Array, "anyOf"):
	case step.by == byPattern && wants(schema.String, "pattern"):
	case step.by == byLength && wants(schema.Number, "minLength", "maxLength"):
	case (step.by == byItems || step.by == byPrefixItems) && node.Get(string(step.by)).Kind != schema.Array && wants(schema.Number, "minItems"):
	case step.by == byBounds && wants(schema.Number, boundsOf(node)...):
	}
	if words == "" {
		return "", ""
	}
	return words, keyword
}

// isAbout reports whether a step is not about a subschema.
func (b llamaBranch) isAbout() bool {
	return b == aboutNumber || b == aboutReference || b == aboutPattern || b == aboutParsing
}

// isOfPart reports whether a step is about a part of an allOf.
func (b llamaBranch) isOfPart() bool {
	return b == byPartRef || b == byPartProperties || b == byPartEnum || b == byNoPart
}

// boundsOf returns the keywords of the bounds that count: an inclusive one wins.
func boundsOf(node *schema.Node) []string {
	keywords := []string{"exclusiveMinimum", "exclusiveMaximum"}
	if node.Has("minimum") {
		keywords[0] = "minimum"
	}
	if node.Has("maximum") {
		keywords[1] = "maximum"
	}
	return keywords
}

// unbounded is the count of a bound that is missing.
const unbounded = math.MaxInt32

// mostRepetitions is how often a grammar may repeat a part.
const mostRepetitions = 2000

// counts returns the words where the counts of letters or elements, or those of a pattern, have a flaw.
func (s *llamaStep) counts(rule string) (words, keyword string) {
	var flaw string
	switch s.by {
	case byLength:
		node := s.place.node
		flaw, words = s.walk.countFlaw(intOf(node.Get("minLength"), 0), intOf(node.Get("maxLength"), unbounded), 1)
	case byItems, byPrefixItems, byArray:
		flaw, words = s.elementsFlaw()
	case byProperties:
		flaw, words = s.walk.countFlaw(0, 1, s.optionalRules())
	case aboutPattern:
		return flawOf(rule)(s)
	default:
		return "", ""
	}
	if flaw == rule {
		return words, ""
	}
	return "", ""
}

// elementsFlaw returns the rule that the counts of elements break. The first element stands for
// itself, and the others are repeated; where there may be none, a group has them all.
func (s *llamaStep) elementsFlaw() (rule, words string) {
	node := s.place.node
	items := node.Get(string(s.by))
	if items != nil && items.Kind == schema.Array {
		return "", ""
	}
	least, most := intOf(node.Get("minItems"), 0), unbounded
	if isWhole(node.Get("maxItems")) {
		most = intOf(node.Get("maxItems"), unbounded)
	}
	if most == 0 || least == 0 && most == 1 {
		return "", ""
	}
	others := most
	if most != unbounded {
		others--
	}
	if rule, words = s.walk.countFlaw(max(least-1, min(least, 0)), others, 1); rule != "" || least != 0 {
		return rule, words
	}
	groups := 2
	if !isPrimitive(s.walk, items) {
		groups++ // the rule of an element, which no rule before it names
	}
	return s.walk.countFlaw(0, 1, groups+s.walk.optionalOf(0, others))
}

// isPrimitive reports whether elements have a rule that other schemas share.
func isPrimitive(w *llamaWalk, items *schema.Node) bool {
	switch {
	case items == nil:
		return false
	case items.Has("$ref"):
		return true // it is named by its target, before the rules of the schema
	}
	by := w.decides(items)
	return by == byType && !items.Get("type").Is("object") || by == byArray && !items.Has("minItems") && !items.Has("maxItems")
}

// optionalRules returns how many rules the group has of the properties that an object may have:
// that of each member, that of those after it, and those of further members.
func (s *llamaStep) optionalRules() int {
	properties, required := s.place.node.Get("properties"), s.place.node.Get("required").Strings()
	optional := 0
	if isObject(properties) {
		isRequired := schema.Among(required)
		for _, member := range properties.Members {
			if !isRequired(member.Key) {
				optional++
			}
		}
		s.walk.charge(len(required))
	}
	rules := 0
	if isObject(properties) && optional < len(properties.Members) {
		rules = 1
	}
	if other := s.place.node.Get("additionalProperties"); other.IsTrue() || isObject(other) {
		optional++
		rules += 2
	}
	return rules + 2*optional
}

// countFlaw returns the rule that a repetition breaks, and the words. Repeated are so many rules.
func (w *llamaWalk) countFlaw(least, most, rules int) (rule, words string) {
	mostRules := mostRepetitions
	if !w.since(llamaTakesLimit) {
		mostRules--
	}
	switch {
	case most == 0:
		return "", ""
	case least < 0, most < 0, least > mostRepetitions:
		return "repetition", llamaUnparsed
	case most != unbounded && most > mostRepetitions && !w.since(llamaDropsMost):
		return "repetition_most", llamaUnparsed
	case w.since(llamaMultiplies) && rules*w.timesOf(least, most) > mostRules:
		return "repetition_rules", llamaUnparsed
	case most < least: // it counts down from beyond the largest number
		return "bounds_reversed", llamaCrashes
	default:
		return "", ""
	}
}

// boundOf returns the largest count of a repetition as a grammar has it.
func (w *llamaWalk) boundOf(most int) int {
	if most > mostRepetitions {
		return unbounded
	}
	return most
}

// timesOf returns how often a repetition counts its rules.
func (w *llamaWalk) timesOf(least, most int) int {
	if most = w.boundOf(most); most != unbounded {
		return max(most, 1)
	}
	return max(least, 1)
}

// optionalOf returns how many rules a repetition adds for what may be missing.
func (w *llamaWalk) optionalOf(least, most int) int {
	if most = w.boundOf(most); most != unbounded {
		return max(most-least, 0)
	}
	return 1
}

// isWhole reports whether a value is written as a whole number that has room in 64 bits.
func isWhole(value *schema.Node) bool {
	if value == nil || value.Kind != schema.Number {
		return false
	}
	_, _, ok := wholeOf(value.Text)
	return ok
}

// wholeOf reads a whole number of 64 bits, with a sign or without one. A number beyond the
// signed ones wraps; isLarge says so.
func wholeOf(spelling string) (whole int64, isLarge, ok bool) {
	if strings.ContainsAny(spelling, ".eE") {
		return 0, false, false
	}
	if whole, err := strconv.ParseInt(spelling, 10, 64); err == nil {
		return whole, false, true
	}
	if large, err := strconv.ParseUint(spelling, 10, 64); err == nil {
		return int64(large), true, true //nolint:gosec // it is meant to wrap
	}
	return 0, false, false
}

// longOf returns a number as C's int64_t. One beyond it is the least number, as on x86; since
// llamaParses it is the nearest, as on ARM and in the build that was asked.
func (w *llamaWalk) longOf(value *schema.Node) int64 {
	if whole, _, ok := wholeOf(value.Text); ok {
		return whole
	}
	number := floatOf(value)
	switch {
	case number >= math.MinInt64 && number < math.MaxInt64:
		return int64(number)
	case number > 0 && w.since(llamaParses):
		return math.MaxInt64
	default:
		return math.MinInt64
	}
}

// intOf returns a number as C's int, which loses what it has no room for.
func intOf(value *schema.Node, missing int) int {
	switch {
	case value == nil || value.Kind != schema.Number && value.Kind != schema.Bool:
		return missing
	case value.Kind == schema.Bool:
		return map[bool]int{true: 1}[value.IsTrue()]
	}
	if whole, _, ok := wholeOf(value.Text); ok {
		return int(int32(whole)) //nolint:gosec // it is meant to wrap
	}
	number := floatOf(value)
	if number <= math.MinInt32-1 || number >= math.MaxInt32+1 {
		return math.MinInt32
	}
	return int(number)
}

// digits reports whether an integer has bounds that are none in 64 bits, and whether the digits
// of its bound are more than the converter counts.
func (s *llamaStep) digits() (isOpen, isReversed bool) {
	if s.by != byBounds {
		return false, false
	}
	node := s.place.node
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	for i, keyword := range boundsOf(node) {
		value := node.Get(keyword)
		if value == nil || value.Kind != schema.Number {
			continue
		}
		switch bound := s.walk.longOf(value); {
		case i == 0 && keyword == "minimum":
			least = bound
		case i == 0:
			least = bound + 1
		case keyword == "maximum":
			most = bound
		default:
			most = bound - 1
		}
	}
	if least != math.MinInt64 && most != math.MaxInt64 && least < 0 && most < 0 {
		least, most = -most, -least
	}
	hasLeast, hasMost := least != math.MinInt64, most != math.MaxInt64
	switch {
	case hasLeast && hasMost:
		return false, false
	case hasLeast && least < 0:
		return least == -math.MaxInt64, false
	case hasLeast:
		return false, overrun(least)
	case hasMost && most < 0:
		return most == math.MinInt64, overrun(-most)
	default:
		return !hasMost && !s.walk.since(llamaParses), false
	}
}

// overrun reports whether a least number has more digits than the converter counts: sixteen,
// and one fewer for each digit that it has passed.
func overrun(least int64) bool {
	const mostDigits = 16
	for left := mostDigits - 1; least > 9; left = max(left-1, 1) { //nolint:mnd // one digit
		text := strconv.FormatInt(least, 10)
		if text[0] > '1' && len(text) > left || text[0] < '9' && len(text)-1 > left {
			return true
		}
		least, _ = strconv.ParseInt(text[1:], 10, 64)
	}
	return false
}

// longestName is about how many bytes of a name the stack of llama-server has room for, each of
// which is a group where other names are allowed.
const longestName = 15750

// closedNames returns the names of properties that further ones must not have.
func (s *llamaStep) closedNames() (names []string) {
	if s.by != byProperties {
		return nil
	}
	if other := s.place.node.Get("additionalProperties"); !other.IsTrue() && !isObject(other) {
		return nil
	}
	properties := s.place.node.Get("properties")
	for _, one := range llamaValuesOr(&llamaPlace{node: properties}) {
		names = append(names, one.token)
	}
	return names
}

// areReadable reports whether llama.cpp can read the rule of the names that no property has. It
// writes each letter of a name into a class of letters, without an escape; before
// llamaSkipsPatterns each byte.
func (w *llamaWalk) areReadable(names []string) bool {
	isPlain := func(name string) bool {
		return !strings.ContainsFunc(name, func(letter rune) bool { return letter == ']' || letter == '\\' || letter == 0 || letter > '~' })
	}
	if !slices.ContainsFunc(names, func(name string) bool { return !isPlain(name) }) {
		return true
	}
	sorted := make([][]rune, len(names))
	for i, name := range names {
		sorted[i] = w.lettersOf(name)
	}
	slices.SortFunc(sorted, slices.Compare)
	var text strings.Builder
	text.WriteString("(")
	w.writeOthers(&text, slices.CompactFunc(sorted, slices.Equal), 0)
	text.WriteString(`) ["]`)
	return areBalanced(text.String())
}

// lettersOf returns the letters of a name: its bytes as signed numbers, or its characters.
func (w *llamaWalk) lettersOf(name string) []rune {
	if w.since(llamaSkipsPatterns) {
		return []rune(name)
	}
	letters := make([]rune, len(name))
	for i := range len(name) {
		letters[i] = rune(int8(name[i])) //nolint:gosec // it is meant to wrap
	}
	return letters
}

// writtenLetter returns a letter as it is written into a class.
func writtenLetter(letter rune) string {
	if letter < 0 {
		return string([]byte{byte(letter)}) //nolint:gosec // it is a byte with a sign
	}
	return string(letter)
}

// writeOthers writes the names that begin as some do, and are none of them.
func (w *llamaWalk) writeOthers(text *strings.Builder, names [][]rune, depth int) {
	w.charge(8 + len(names))
	if len(names[0]) == depth {
		names = names[1:]
	}
	taken := ""
	for len(names) > 0 {
		letter := names[0][depth]
		same := 1
		for same < len(names) && names[same][depth] == letter {
			same++
		}
		if taken != "" {
			text.WriteString("|")
		}
		taken += writtenLetter(letter)
		text.WriteString("[" + writtenLetter(letter) + "]")
		if same == 1 && len(names[0]) == depth+1 {
			text.WriteString(" char+")
		} else {
			text.WriteString(" (")
			w.writeOthers(text, names[:same], depth+1)
			text.WriteString(")")
		}
		names = names[same:]
	}
	if taken != "" {
		text.WriteString(` | [^"` + taken + "] char*")
	}
}

// areBalanced reports whether the classes and the parentheses of a rule end where the rule does,
// with nothing unknown between them.
func areBalanced(text string) bool {
	depth := 0
	for len(text) > 0 {
		size := 1
		switch letter := text[0]; {
		case letter == '[':
			var isRead bool
			if size, isRead = classSize(text); !isRead {
				return false
			}
		case letter == '(':
			depth++
		case letter == ')':
			depth--
		case letter == '"' || letter > '~' || strings.IndexByte("]{\\^", letter) >= 0:
			return false
		}
		if depth < 0 {
			return false
		}
		text = text[size:]
	}
	return depth == 0
}

// classSize returns how many bytes the class of letters has that a rule begins with. A byte that
// begins a longer letter takes those that follow it, also where they end the class.
func classSize(text string) (size int, isRead bool) {
	for size = 1; size < len(text) && text[size] != ']'; {
		switch letter := text[size]; {
		case letter == 0:
			return 0, false
		case letter == '\\' && escapeSize(text[size:]) == 0:
			return 0, false
		case letter == '\\':
			size += escapeSize(text[size:])
		default:
			size += bytesOf(letter)
		}
	}
	return size + 1, size < len(text)
}
