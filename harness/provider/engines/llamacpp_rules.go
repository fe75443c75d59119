package engines

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// schemasAt returns the schemas at the given place of declarations.
func schemasAt(declarations []*schema.Node, at schema.Pointer) []*schema.Node {
	schemas := make([]*schema.Node, len(declarations))
	for i, declaration := range declarations {
		schemas[i] = declaration.Find(at)
	}
	return schemas
}

// llamaSchemasAt returns the schemas that llama.cpp reads in declarations. Since llamaParses it does not
// read the schema of an answer unless it is an object.
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

// llamaStage returns a stage that visits the steps that the given function selects.
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

// The stages of a request with a schema. A flaw that ends the parsing or the conversion is reported
// alone, and the flaws that the converter collects share a message. llama.cpp reads the grammar only if
// there is none of these. It reads the rules in the order of a hash table, which mostly has the last
// rules first.
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

// underivable gives a stage the words that precede its refusals since llamaDerivesParsers.
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

// llamaCheck is a rule and its check of a step.
type llamaCheck struct {
	rule  *provider.Rule
	check func(step *llamaStep) (words, keyword string)
}

// refuses returns a llamaCheck. check returns llama.cpp's words about a step, or "" if it has no flaw,
// and the keyword with the flaw, or "" for the whole subschema. A status of 0 means 400.
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

// until returns a check whose rule holds before a day only.
func until(day provider.Date, check llamaCheck) llamaCheck {
	check.rule.Until = day
	return check
}

// since returns a check whose rule holds from a day on.
func since(day provider.Date, check llamaCheck) llamaCheck {
	check.rule.Since = day
	return check
}

// parses returns a check for a flaw that llama.cpp's parser of schemas finds since llamaParses.
func parses(name, doc string) llamaCheck {
	return since(llamaParses, refuses(llamaSchemas, 0, name, doc, llamaParsedSource, nil, flawOf(name)))
}

// flawOf returns a check for a flaw that the walk has found.
func flawOf(name string) func(*llamaStep) (words, keyword string) {
	return func(step *llamaStep) (words, keyword string) {
		if step.flaw.rule == name {
			return step.flaw.words, ""
		}
		return "", ""
	}
}

// llamaChecks are the checks in llama.cpp's order.
var llamaChecks = []llamaCheck{
	refuses(llamaBody, 500, "number_overflow", `a number does not overflow a double

llama-server cannot read a request with a number such as 1e400. The status is 500.`, llamaSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if step.by == aboutNumber {
				return "[json.exception.out_of_range.406] number overflow parsing '" + step.place.node.Text + "'", ""
			}
			return "", ""
		}),
	parses("schema_kind", `a schema is an object

llama.cpp does not take true and false for schemas.`),
	parses("ref_kind", `$ref is a text`),
	parses("ref_document", `a reference begins with #/

References to other documents, to anchors and to # are refused.`),
	parses("ref_target", `a reference leads somewhere

llama.cpp does not decode the escapes ~0, ~1 and %25 of a JSON Pointer.`),
	parses("alternatives", `anyOf, oneOf and allOf are lists that are not empty`),
	parses("type_list", `a list of types is not empty`),
	parses("type_kind", `type is a text or a list`),
	parses("type_name", `a type that JSON Schema does not have fails the request

An empty name is taken for no type.`),
	parses("enum_values", `enum is a list that is not empty`),
	parses("properties_kind", `properties is an object`),
	parses("additional_properties", `additionalProperties is true, false or an object`),
	parses("count", `minItems, maxItems, minLength and maxLength are whole numbers from 0

2.0 is refused. llama.cpp keeps the last 32 bits of a number, so that it takes 2147483648 for a
negative one.`),
	parses("bound", `the bounds of an integer are numbers

llama.cpp does not read exclusiveMinimum beside minimum, nor exclusiveMaximum beside maximum.`),
	parses("text_kind", `pattern and format of a string are texts`),
	until(llamaParses, refuses(llamaConverts, 500, "keyword_value", `the value of a keyword has the JSON type that the converter expects

It expects a text under $ref, format and pattern, a list under oneOf and anyOf, and a number under
bounds. It reads $ref in every object, also in data and in an object of properties. The words are
those of nlohmann::json. The status was 500 until March 2026.`, llamaSource, nil, wrongKeyword)),
	refuses(llamaConverts, 500, "number_too_large", `a number fits into the type that C++ has for it

The number is an index in a reference or a count in a pattern, and the words are the name of the
function that failed. The status was 500 until March 2026. Since September 2026 the pattern is
skipped, and since October 2026 the reference leads nowhere. A maximum of -2^63 or below without a
minimum is refused with other words.`, llamaSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if isOpen, _ := step.digits(); isOpen {
				return "At least one of min_value or max_value must be set", ""
			}
			return flawOf("number_too_large")(step)
		}),
	refuses(llamaConverts, 0, "pattern_group", `a quantifier follows something that it can repeat

Until September 2026 the server crashed on a quantifier at the beginning of a pattern or of a group,
and on (?:, (?=, (?! and (?i), because it took the question mark for a quantifier. It also crashed on
thousands of nested groups. It still crashes on a property whose name has thousands of letters if
additionalProperties allows other names, because each letter is a group.`, llamaSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if isLong := func(name string) bool { return len(name) > longestName }; slices.ContainsFunc(step.closedNames(), isLong) {
				return llamaCrashes, ""
			}
			return flawOf("pattern_group")(step)
		}),
	until(llamaSkipsPatterns, refuses(llamaConverts, 0, "pattern_bracket", `] and } close a bracket in a pattern

The converter never gets past a closing bracket without an opening one.`, llamaSource, nil, flawOf("pattern_bracket"))),
	refuses(llamaConverts, 0, "all_of_cycle", `the references in allOf end at a schema

The server follows references that lead back to themselves until it crashes.`, llamaSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if step.isEndless {
				return llamaCrashes, ""
			}
			return "", ""
		}),
	until(llamaParses, refuses(llamaLists, 0, "unsupported_ref", `a reference begins with #/ or https://

What https:// leads to is not fetched: any object passes.`, llamaSource, nil, flawOf("unsupported_ref"))),
	until(llamaParses, refuses(llamaLists, 0, "unresolved_ref", `a reference leads somewhere

llama.cpp does not decode the escapes ~0, ~1 and %25 of a JSON Pointer. The message quotes the
whole value that lacks the token.`, llamaSource, nil, flawOf("unresolved_ref"))),
	until(llamaParses, refuses(llamaLists, 0, "unrecognized_schema", `a schema has something that decides what it is

The converter goes by the first of these that a schema has: $ref, oneOf, anyOf, a list of types,
const, enum, properties or an additionalProperties other than true, allOf, items, prefixItems,
pattern, a format that it has a rule for, the length of a string, the bounds of an integer, and type.
It takes an empty schema for that of an object. It refuses true, false, and types that it does not
know. Until September 2026 it also refused a schema with nothing but other keywords, such as a
description, a default or not.`, llamaSource, []string{"llamacpp/chat/a38b1fd00e42", "llamacpp/chat/09cac3f10ebd"},
		func(step *llamaStep) (words, keyword string) {
			if step.by == byNothing {
				return "Unrecognized schema: " + step.walk.json(step.place.node), ""
			}
			return "", ""
		})),
	until(llamaSkipsPatterns, refuses(llamaLists, 0, "pattern_not_anchored", `a pattern begins with ^ and ends with $

Since September 2026 the converter skips any other pattern: see pattern_skipped.`, llamaSource,
		[]string{"llamacpp/chat/b64a8a812f0f", "llamacpp/chat/9b57546a6c75", "llamacpp/chat/09cac3f10ebd"}, flawOf("pattern_not_anchored"))),
	until(llamaSkipsPatterns, refuses(llamaLists, 0, "pattern_unbalanced", `the brackets of a pattern are closed

Parentheses are not checked.`, llamaSource, nil, flawOf("pattern_unbalanced"))),
	until(llamaSkipsPatterns, refuses(llamaLists, 0, "pattern_count", `the braces of a pattern hold one number or two`, llamaSource, nil, flawOf("pattern_count"))),
	since(llamaSkipsPatterns, refuses(llamaLists, 0, "pattern_invalid", `a pattern is a regular expression

llama.cpp refuses unbalanced parentheses, an open class, a quantifier with nothing to repeat, and a
backslash at the end. It skips the whole pattern if it comes to something without a grammar first:
see pattern_skipped.`, llamaPatternSource, nil, flawOf("pattern_invalid"))),
	refuses(llamaReads, 0, "bounds_reversed", `a minimum is not above its maximum

The server adds rules to the grammar until it runs out of memory if minItems is above maxItems,
minLength above maxLength, or the first count in the braces of a pattern above the second. It does
the same with a minimum of more than sixteen digits without a maximum.`, llamaGrammarSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if _, isReversed := step.digits(); isReversed {
				return llamaCrashes, ""
			}
			return step.counts("bounds_reversed")
		}),
	refuses(llamaReads, 0, "pattern_escape", `a pattern has no escapes that grammars lack

The converter copies escapes into the grammar, which has \n, \r, \t, \x, \u, \U, \\, \", \[ and \].
Outside of a class it removes the backslash before ^ $ . [ ] ( ) | { } * + ?. All other escapes make
the grammar unreadable, such as \d, \w, \s, \b, \/, \-, and \. in a class. Since September 2026 the
converter skips a pattern with one of them, but U+0000, a repeated character beyond ASCII and a
repeated empty class still make the grammar unreadable.`, llamaGrammarSource,
		[]string{"llamacpp/chat/eb9376b74f3e", "llamacpp/chat/09cac3f10ebd"}, flawOf("pattern_escape")),
	refuses(llamaReads, 0, "repetition", `a minimum is not above 2000, and no count below 0

The limit is on minItems, minLength and the counts in patterns.`, llamaGrammarSource, nil,
		func(step *llamaStep) (words, keyword string) { return step.counts("repetition") }),
	until(llamaDropsMost, refuses(llamaReads, 0, "repetition_most", `a maximum is not above 2000

The limit is on maxItems, maxLength and the counts in patterns. Since August 2026 a maximum above it
has no effect: see many_times.`, llamaGrammarSource,
		[]string{"llamacpp/chat/30ce6f9d545e", "llamacpp/chat/09cac3f10ebd"},
		func(step *llamaStep) (words, keyword string) { return step.counts("repetition_most") })),
	since(llamaMultiplies, refuses(llamaReads, 0, "repetition_rules", `a repetition has at most 2000 rules

llama.cpp multiplies a count by the number of rules in the group that it repeats. If minItems is 0, the
elements are in a group with a rule for each of them, so that a maxItems of 2000 or 2001 is refused, and
also 1999 if the elements have a rule of their own. The optional properties of an object are in a group
with two rules for each of them, so that 1001 are refused. Until September 2026 the limit was 1999, so
that a maxLength of exactly 2000 was refused.`, llamaRulesSource, nil,
		func(step *llamaStep) (words, keyword string) { return step.counts("repetition_rules") })),
	refuses(llamaReads, 0, "property_name", `names of properties have no brackets if additional properties are allowed

The converter copies each letter of a name into a class of the grammar, and ] and \ can make the class
unreadable. Until September 2026 the bytes of a letter beyond ASCII did so, too.`, llamaGrammarSource, nil,
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

A reference that leads back to itself through nothing but unions makes such a rule, and so does a
repeated part of a pattern with an empty alternative.`, llamaGrammarSource, nil,
		func(step *llamaStep) (words, keyword string) {
			if step.isLeftRecursive() {
				return llamaUnparsed, ""
			}
			return flawOf("left_recursion")(step)
		}),
}

// llamaRules are the rules for tools. llamaRulesOfAnswers are those for the schema of an answer, which
// llama.cpp did not refuse for an unreadable grammar before llamaFailsClosed.
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
	for i, check := range checks {
		rules[i] = check.rule
	}
	return rules
}

// llamaFault is a violation of a rule at a step, in llama.cpp's words.
type llamaFault struct {
	rule    *provider.Rule
	step    *llamaStep
	words   string
	keyword string
}

// pointer returns the JSON Pointer from the tool to the fault.
func (f *llamaFault) pointer() schema.Pointer {
	if f.keyword != "" {
		return f.step.place.pointer().Child(f.keyword)
	}
	return f.step.place.pointer()
}

// node returns the value at the place of the fault.
func (f *llamaFault) node() *schema.Node {
	if f.keyword != "" {
		return f.step.place.node.Get(f.keyword)
	}
	return f.step.place.node
}

// faults returns all faults that the converter collects, or only the fault that ends the parsing or the
// conversion, or that makes the grammar unreadable.
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

// unreadable returns the fault that makes the grammar unreadable, or nil.
func (w *llamaWalk) unreadable() *llamaFault {
	reversed := slices.Clone(w.rules)
	slices.Reverse(reversed)
	if found := w.faultsOf(llamaReads, reversed); len(found) > 0 {
		return &found[0]
	}
	return nil
}

// faultsOf returns the faults that the checks of a stage find in the steps.
func (w *llamaWalk) faultsOf(stage *provider.Stage, steps []*llamaStep) (found []llamaFault) {
	for _, step := range steps {
		w.charge(1)
		for _, check := range llamaChecks {
			if check.rule.Stage != stage || !check.rule.InForce(w.day, "") {
				continue
			}
			if words, keyword := check.check(step); words != "" {
				found = append(found, llamaFault{check.rule, step, words, keyword})
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

// isAbout reports whether the step is not about a subschema.
func (b llamaBranch) isAbout() bool {
	return b == aboutNumber || b == aboutReference || b == aboutPattern || b == aboutParsing
}

// isOfPart reports whether the step is about a part of allOf.
func (b llamaBranch) isOfPart() bool {
	return b == byPartRef || b == byPartProperties || b == byPartEnum || b == byNoPart
}

// boundsOf returns the keywords of the two bounds that the converter reads. It prefers an inclusive
// bound.
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

// unbounded is the maximum of a repetition without one.
const unbounded = math.MaxInt32

// mostRepetitions is the greatest number of repetitions in a grammar.
const mostRepetitions = 2000

// counts returns llama.cpp's words if the counts of characters, elements or properties, or those in a
// pattern, violate the given rule.
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

// elementsFlaw returns the rule that minItems and maxItems violate. The grammar repeats all elements but
// the first, and has a group around them if the array may be empty.
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
		groups++ // the rule of an element, which the group is the first to name
	}
	return s.walk.countFlaw(0, 1, groups+s.walk.optionalOf(0, others))
}

// isPrimitive reports whether the rule of elements has been named before the rule of their array.
func isPrimitive(w *llamaWalk, items *schema.Node) bool {
	switch {
	case items == nil:
		return false
	case items.Has("$ref"):
		return true // the rules of references come first
	}
	by := w.decides(items)
	return by == byType && !items.Get("type").Is("object") || by == byArray && !items.Has("minItems") && !items.Has("maxItems")
}

// optionalRules returns the number of rules in the group of optional properties. Each property has a
// rule, and another one for the properties after it.
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

// countFlaw returns the rule that a repetition violates, and llama.cpp's words. rules is the number of
// rules that it repeats.
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
	case most < least: // the difference wraps
		return "bounds_reversed", llamaCrashes
	default:
		return "", ""
	}
}

// boundOf returns the maximum of a repetition, or unbounded if the grammar drops it.
func (w *llamaWalk) boundOf(most int) int {
	if most > mostRepetitions {
		return unbounded
	}
	return most
}

// timesOf returns the number by which a repetition multiplies its rules.
func (w *llamaWalk) timesOf(least, most int) int {
	if most = w.boundOf(most); most != unbounded {
		return max(most, 1)
	}
	return max(least, 1)
}

// optionalOf returns the number of rules that a repetition adds for its optional part.
func (w *llamaWalk) optionalOf(least, most int) int {
	if most = w.boundOf(most); most != unbounded {
		return max(most-least, 0)
	}
	return 1
}

// isWhole reports whether a value is spelled as a whole number of 64 bits.
func isWhole(value *schema.Node) bool {
	if value == nil || value.Kind != schema.Number {
		return false
	}
	_, _, ok := wholeOf(value.Text)
	return ok
}

// wholeOf reads a whole number of 64 bits, signed or unsigned. isLarge is set if the number is too large
// for a signed one, and wraps.
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

// longOf converts a number to C's int64_t. A number that does not fit becomes the least one, as on x86,
// and since llamaParses the nearest one, as on ARM and in the build with which the rules were compared.
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

// intOf converts a number to C's int, which keeps the last 32 bits of a whole number.
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

// digits reports whether an integer has bounds that the converter takes for missing ones, and whether a
// bound has more digits than the converter counts.
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

// overrun reports whether a minimum has more digits than the converter counts, which are sixteen less the
// digits before the current one.
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

// longestName is about the number of bytes in the name of a property for which the stack of llama-server
// has room. Each of them is a group if other names are allowed.
const longestName = 15750

// closedNames returns the names of properties that additional properties cannot have.
func (s *llamaStep) closedNames() (names []string) {
	if s.by != byProperties {
		return nil
	}
	if other := s.place.node.Get("additionalProperties"); !other.IsTrue() && !isObject(other) {
		return nil
	}
	properties := s.place.node.Get("properties")
	for _, property := range llamaValuesOr(&llamaPlace{node: properties}) {
		names = append(names, property.token)
	}
	return names
}

// areReadable reports whether llama.cpp can read the rule for all names except the given ones. It writes
// each character of a name, or before llamaSkipsPatterns each byte, into a class without escaping it.
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

// lettersOf splits a name into its characters, or before llamaSkipsPatterns into its bytes as signed
// numbers.
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

// writtenLetter returns a letter of lettersOf as the converter writes it into a class.
func writtenLetter(letter rune) string {
	if letter < 0 {
		return string([]byte{byte(letter)}) //nolint:gosec // it is a byte with a sign
	}
	return string(letter)
}

// writeOthers writes the rule for the names that begin like the given ones and differ from all of them
// after depth letters.
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

// areBalanced reports whether all classes and parentheses of a rule are closed, and nothing else in it is
// unknown to the reader of grammars.
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

// classSize returns the size in bytes of the class at the beginning of a rule. The first byte of a UTF-8
// sequence takes the following ones with it, even if they would end the class.
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
