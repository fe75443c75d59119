package engines

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/engines/gbnf"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// llamaDialects are the surfaces of llama.cpp's server.
var llamaDialects = []*provider.Dialect{LlamaChat, LlamaResponseFormat}

// llamaRefuses is since when llama-server answers with 400 to a schema that it cannot
// convert; before it was 500. https://github.com/ggml-org/llama.cpp/pull/17572 was proposed
// on 2025-11-28, and https://github.com/browseros-ai/BrowserOS/issues/255 shows a 400.
const llamaRefuses = "2025-12-18"

// llamaReleases are builds whose answers are known: the first in public reports alone, the
// second by its code, which Ollama 0.13.5 took over that day.
var llamaReleases = []provider.Version{
	{Name: "b7188 (7c6980ae)", Date: "2025-11-28"},
	{Name: "ec98e2002", Date: llamaRefuses},
}

var llamaTraffic = provider.Traffic{Provider: "llamacpp", Hosts: []string{"*llamacpp*", "*llama.cpp*", "*llama-server*"}}

// The surfaces.
var (
	// LlamaChat makes a grammar of all tools of a request, with any tool_choice but none.
	LlamaChat = &provider.Dialect{
		Name: "llamacpp/chat", Doc: "functions of llama.cpp's server, started with --jinja: all become one grammar, with every tool_choice but none",
		API: provider.ChatCompletions, Path: completions, Subject: provider.Arguments, Portable: true, Schema: inLlamaFunction,
		Account: "llamacpp", Control: unknownTypeControl,
		Traffic: llamaTraffic, Versions: llamaReleases,
		Rules:   slices.Concat(llamaConversionRules, llamaGrammarRules, llamaPassedOver),
		Declare: declareFunction, Envelope: requestWithTools,
		Render: llamaRender, Classify: llamaClassify, Locate: llamaLocate(inLlamaFunction),
	}

	// LlamaResponseFormat makes a grammar of the schema of an answer. One that it cannot
	// read is left out.
	LlamaResponseFormat = &provider.Dialect{
		Name: "llamacpp/response_format", Doc: "response_format of llama.cpp's server, type json_schema",
		API: provider.ChatCompletions, Path: completions, Subject: provider.Answer, Schema: inLlamaFormat, MostTools: 1,
		Account: "llamacpp", Control: unknownTypeControl,
		Traffic: llamaTraffic, Versions: llamaReleases,
		Rules:   slices.Concat(llamaConversionRules, []*provider.Rule{LlamaNoGrammar}, llamaPassedOver),
		Declare: declareAnswer, Envelope: requestForAnswer,
		Render: llamaRender, Classify: llamaClassify, Locate: llamaLocate(inLlamaFormat),
	}
)

// Where a declaration has its schema.
const (
	inLlamaFunction = schema.Pointer("/function/parameters")
	inLlamaFormat   = schema.Pointer("/schema")
)

// llamaSource is what the rules are read from, and were compared with by running it.
const llamaSource = "llama.cpp ec98e2002, as in ollama v0.17.4: json-schema-to-grammar.cpp"

// llamaGrammarSource is that of the rules about the grammar itself.
const llamaGrammarSource = "llama.cpp ec98e2002, as in ollama v0.17.4: llama-grammar.cpp"

// llamaStarts are the schemas of a request. A tool's rules begin with its name.
func llamaStarts(declarations []*schema.Node, at schema.Pointer) []gbnf.Start {
	starts := make([]gbnf.Start, len(declarations))
	for i, declaration := range declarations {
		starts[i].Schema = declaration.Find(at)
		if at == inLlamaFunction {
			starts[i].Name = declaration.Get("function").GetString("name") + "-args"
		}
	}
	return starts
}

// llamaFault is the Subject of the conversion.
type llamaFault struct {
	gbnf.Fault

	day provider.Date
}

// The keys of what both stages ask for.
type (
	llamaMade struct{}
	llamaRead struct{}
)

// llamaGrammar returns the grammar of all schemas of a request.
func llamaGrammar(request provider.Request, visitor *provider.Visitor) *gbnf.Grammar {
	return provider.Keep(visitor, llamaMade{}, func() *gbnf.Grammar {
		return gbnf.Convert(llamaStarts(request.Declarations, visitor.Dialect.Schema), visitor.Charge)
	})
}

// llamaUnreadable returns why the grammar of a request cannot be read, or nil.
func llamaUnreadable(grammar *gbnf.Grammar, visitor *provider.Visitor) *gbnf.Fault {
	return provider.Keep(visitor, llamaRead{}, func() *gbnf.Fault { return grammar.Unreadable(visitor.Charge) })
}

// llamaConversion is the stage that makes the grammar of all schemas of a request, and
// reads it. What ends the conversion has a message alone. The faults that the
// conversion finds share one, and only a grammar without a fault is read.
var llamaConversion = &provider.Stage{
	Name:   "conversion",
	Shared: "tools and response_format go through the same converter",
	All:    true,
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		visit := func(fault *gbnf.Fault) bool {
			at := fault.At.Pointer()
			visitor.ChargeText(len(at))
			return visitor.Visit(&provider.Pass{
				Request: request, Declaration: fault.At.Declaration, Node: fault.At.Node, At: []byte(at), Subject: &llamaFault{*fault, visitor.Day},
			})
		}
		grammar := llamaGrammar(request, visitor)
		if grammar.Death != nil && visit(grammar.Death) {
			return
		}
		for i := range grammar.Faults {
			visit(&grammar.Faults[i])
		}
		if grammar.Death != nil || len(grammar.Faults) > 0 {
			return
		}
		if fault := llamaUnreadable(grammar, visitor); fault != nil {
			visit(fault)
		}
	},
	Compose: func(findings []provider.Finding) string {
		messages := make([]string, len(findings))
		for i, finding := range findings {
			messages[i] = finding.Message
		}
		if !gbnf.Flaw(findings[0].Rule.Name).IsConversion() {
			return messages[0]
		}
		return llamaFailed + "\n" + strings.Join(messages, "\n")
	},
}

const llamaFailed = "JSON schema conversion failed:"

// llamaRule makes the rule of a flaw.
func llamaRule(flaw gbnf.Flaw, source, doc string, evidence ...string) *provider.Rule {
	return &provider.Rule{
		Name: string(flaw), Effect: provider.Rejects, Stage: llamaConversion, Source: source, Doc: doc, Evidence: evidence,
		Check: func(p *provider.Pass) {
			fault := p.Subject.(*llamaFault) //nolint:forcetypeassert // of the stage
			if fault.Flaw != flaw {
				return
			}
			finding := provider.Finding{Message: fault.Words}
			if fault.day < llamaRefuses || flaw == gbnf.KeywordValue || flaw == gbnf.NumberTooLarge || flaw == gbnf.NumberOverflow || fault.Words == gbnf.Crashes {
				finding.Status = 500
			}
			p.Report(finding)
		},
	}
}

// llamaConversionRules are those of what the converter refuses, and of what ends the
// server.
var llamaConversionRules = []*provider.Rule{
	llamaRule(gbnf.KeywordValue, llamaSource, `the value of a keyword is of the JSON type that the converter reads

Of $ref, format and pattern it reads a text, of oneOf and anyOf a list, of bounds a number.
A $ref counts anywhere, also in data and where it is the name of a property. The words are
those of nlohmann::json alone, and the status is 500.`),
	llamaRule(gbnf.NumberTooLarge, llamaSource, `a number has room in C++

It is an index in a reference, or a count in a pattern. The words are those of the
function that failed, and the status is 500. An integer whose bounds are all of 64 bits
has no bound: that is refused with other words.`),
	llamaRule(gbnf.NumberOverflow, llamaSource, `a number has room in a double

A larger one, such as 1e400, makes the whole request unreadable. The status is 500.`),
	llamaRule(gbnf.NothingRepeated, llamaSource, `a pattern repeats something

A quantifier at the beginning of a pattern, a group or after nothing ends the server. So do
(?:, (?=, (?! and (?i), whose question mark is read as a quantifier. Newer builds were seen
to warn instead. Thousands of groups within groups end the server too. Each byte of a
property's name is a group where additionalProperties allows other names.`),
	llamaRule(gbnf.StrayBracket, llamaSource, `a pattern has no ] and } without its partner

The reader of patterns stays at such a bracket forever.`),
	llamaRule(gbnf.EndlessAllOf, llamaSource, `a part of allOf does not lead back to itself

The parts are merged without an end, which ends the server.`),
	llamaRule(gbnf.UnsupportedRef, llamaSource, `a reference begins with #/ or https://

What https:// leads to is not fetched: any object passes.`),
	llamaRule(gbnf.UnresolvedRef, llamaSource, `a reference leads somewhere

The tokens are taken as they are: the escapes ~0, ~1 and %25 of a JSON Pointer are not read.
The message has the whole value that lacks the token.`),
	llamaRule(gbnf.Unrecognized, llamaSource, `a schema has something that decides what it is

The first of these decides: $ref, oneOf, anyOf, a list of types, const, enum, properties.
Then come additionalProperties that is not true, allOf, items, prefixItems and pattern. Then
come a format that has a rule, the length of a string and the bounds of an integer. The type
comes last. An empty schema is an object. Everything else is refused: mostly a schema with a
description or a default alone, true, false, and not.`,
		"llamacpp/chat/a38b1fd00e42", "llamacpp/chat/09cac3f10ebd"),
	llamaRule(gbnf.NotAnchored, llamaSource, `a pattern begins with ^ and ends with $`,
		"llamacpp/chat/b64a8a812f0f", "llamacpp/chat/9b57546a6c75", "llamacpp/chat/09cac3f10ebd"),
	llamaRule(gbnf.Unbalanced, llamaSource, `the brackets of a pattern are closed

Parentheses are not checked.`),
	llamaRule(gbnf.BadCount, llamaSource, `the braces of a pattern hold one number or two`),
	llamaRule(gbnf.BoundsReversed, llamaGrammarSource, `the least count is not more than the greatest

It is so for elements, letters and counts in patterns. It is also so for the digits of an
integer whose minimum alone has more than sixteen. The server counts down from beyond the greatest
number, and its memory ends.`),
}

// llamaGrammarRules are those of a grammar that is made and cannot be read. Tools are
// refused then.
var llamaGrammarRules = []*provider.Rule{
	llamaRule(gbnf.PatternEscape, llamaGrammarSource, `a pattern has no escapes that grammars lack

Escapes are copied into the grammar, which knows \n, \r, \t, \x, \u, \U, \\, \", \[ and \]. An
escaped ^ $ . [ ] ( ) | { } * + ? is read where it is in no class. All others cannot be
parsed: \d, \w, \s, \b, \/, \-, and \. in a class.`,
		"llamacpp/chat/eb9376b74f3e", "llamacpp/chat/09cac3f10ebd"),
	llamaRule(gbnf.TooOften, llamaGrammarSource, `nothing is counted beyond 2000, or below 0

That is so for minItems, maxItems, minLength, maxLength and the counts of patterns.`,
		"llamacpp/chat/30ce6f9d545e", "llamacpp/chat/09cac3f10ebd"),
	llamaRule(gbnf.NameInClass, llamaGrammarSource, `names of properties are ASCII without brackets where further ones are allowed

With additionalProperties, each byte of a name is copied into a class of letters. A class
of one byte of a longer letter, of ] or of \ cannot be read.`),
	llamaRule(gbnf.LeftRecursion, llamaGrammarSource, `no rule begins with itself

A reference that leads back to itself through unions alone does so. A repeated part of a
pattern does so where an alternative of it is empty.`),
	llamaRule(gbnf.NoAlternative, llamaGrammarSource, `anyOf, oneOf and lists of types are not empty`),
}

// llamaGaps is the stage that finds what a grammar does not hold.
var llamaGaps = &provider.Stage{
	Name:   "enforcement",
	Shared: "tools and response_format go through the same converter",
	All:    true,
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		grammar := llamaGrammar(request, visitor)
		visit := func(declaration int, at schema.Pointer, member schema.Member, gap *llamaGap) {
			visitor.ChargeText(len(at))
			visitor.Visit(&provider.Pass{
				Request: request, Declaration: declaration, Key: member.Key, KeyPosition: member.Position, Node: member.Value, At: []byte(at), Subject: gap,
			})
		}
		if fault := llamaUnreadable(grammar, visitor); fault != nil {
			at := fault.At.Pointer()
			visit(fault.At.Declaration, at, schema.Member{Value: fault.At.Node}, &llamaGap{unread: fault})
			return
		}
		for _, shadowed := range grammar.Shadowed {
			visit(shadowed.Declaration, shadowed.Pointer(), schema.Member{Key: "$ref", Value: shadowed.Node}, &llamaGap{isShadowed: true})
		}
		seen := map[*schema.Node]bool{}
		for _, decision := range grammar.Decisions {
			if decision.At == nil || decision.At.Node == nil || decision.At.IsCopy || seen[decision.At.Node] {
				continue
			}
			node := decision.At.Node
			seen[node] = true
			visitor.Charge(cost(node))
			isPassedOver := passedOver(node, decision.By, visitor.Charge)
			at := schema.Pointer("")
			for _, member := range node.Members {
				if !isPassedOver(member) {
					continue
				}
				if at == "" {
					at = decision.At.Pointer()
				}
				visit(decision.At.Declaration, at.Child(member.Key), member, &llamaGap{by: decision.By, node: node})
			}
		}
	},
}

// llamaGap is the Subject of what a grammar does not hold.
type llamaGap struct {
	unread     *gbnf.Fault // why there is no grammar
	isShadowed bool
	by         gbnf.Branch
	node       *schema.Node // that has the keyword
}

func llamaGapOf(p *provider.Pass) *llamaGap {
	return p.Subject.(*llamaGap) //nolint:forcetypeassert // of the stage
}

// LlamaNoGrammar reports a grammar that cannot be read, where that is no refusal.
var LlamaNoGrammar = &provider.Rule{
	Name:   "no_grammar",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `a schema whose grammar cannot be read is not enforced at all

llama-server writes a line to its log, answers 200, and the model is free:
https://github.com/ggml-org/llama.cpp/issues/19051 of 2026-01-23. Tools are refused for the
same: the rules of llamacpp/chat say why. Newer builds may refuse an answer's schema, too.`,
	Source: llamaGrammarSource + "; https://github.com/ggml-org/llama.cpp/issues/19051",
	Check: func(p *provider.Pass) {
		if gap := llamaGapOf(p); gap.unread != nil {
			p.Reportf("the grammar cannot be parsed because of this, and nothing of the schema is enforced")
		}
	},
}

// llamaPassedOver are the rules of what the converter drops in silence.
var llamaPassedOver = []*provider.Rule{LlamaShadowedReference, LlamaRemoteReference, LlamaUnknownFormat, LlamaNumberBounds, LlamaKeyword, LlamaSibling}

// LlamaShadowedReference reports a reference that leads into another tool.
var LlamaShadowedReference = &provider.Rule{
	Name:   "reference_of_another_tool",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `references of one spelling lead into the first tool that has it

All tools of a request share one table of references. A second tool with a #/$defs/Item
of its own gets that of the first.`,
	Source: llamaSource,
	Check: func(p *provider.Pass) {
		if llamaGapOf(p).isShadowed {
			p.Reportf("'%s' is that of an earlier tool: what it leads to here is not enforced", p.Node.Text)
		}
	},
}

// LlamaRemoteReference reports a reference that would have to be fetched.
var LlamaRemoteReference = &provider.Rule{
	Name:   "remote_reference",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `what https:// leads to is not fetched

Any object passes.`,
	Source: llamaSource,
	Check: func(p *provider.Pass) {
		if p.Key == "$ref" && !llamaGapOf(p).isShadowed {
			p.Reportf("'%s' is not fetched: any object passes", p.Node.Text)
		}
	},
}

// LlamaUnknownFormat reports a format without a rule.
var LlamaUnknownFormat = &provider.Rule{
	Name:   "unknown_format",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `format is enforced for date, time, date-time, uuid and uuid1 to uuid5 alone

Others pass, beside the type string, and any string with them.`,
	Source: llamaSource,
	Check: func(p *provider.Pass) {
		if p.Key == "format" && llamaGapOf(p).by == gbnf.ByType {
			p.Reportf("the format '%s' is not enforced", p.Node.Text)
		}
	},
}

// LlamaNumberBounds reports bounds of numbers that are not whole.
var LlamaNumberBounds = &provider.Rule{
	Name:   "number_bounds",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `bounds are enforced for the type integer alone

A number passes whatever its minimum, maximum, exclusiveMinimum and exclusiveMaximum say.`,
	Source: llamaSource,
	Check: func(p *provider.Pass) {
		gap := llamaGapOf(p)
		if gap.by == gbnf.ByType && slices.Contains(llamaBounds, p.Key) {
			p.Reportf("'%s' of a number is not enforced", p.Key)
		}
	},
}

var llamaBounds = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}

// LlamaKeyword reports a keyword that is never looked at.
var LlamaKeyword = &provider.Rule{
	Name:   "unknown_keyword",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `not, if, contains, patternProperties, uniqueItems, multipleOf and others have no effect

The converter does not look at them. The model's template still shows it the schema.`,
	Source: llamaSource,
	Check: func(p *provider.Pass) {
		if isConstraint := llamaConstraints[p.Key]; isConstraint && !llamaKnown[p.Key] {
			p.Reportf("'%s' is not enforced", p.Key)
		}
	},
}

// LlamaSibling reports the keywords beside the one that decided.
var LlamaSibling = &provider.Rule{
	Name:   "sibling",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `the keywords beside the one that decides are not enforced

One keyword decides about a schema, in the order that unrecognized_schema has. A few more
count. properties has required and additionalProperties. items that is no list has minItems
and maxItems. An integer has minimum and maximum. A string without pattern has minLength
and maxLength. Of the parts of allOf, properties or enum count alone. A type beside enum or const
is reported where a value is not of it.`,
	Source: llamaSource,
	Check: func(p *provider.Pass) {
		gap := llamaGapOf(p)
		isOthers := gap.by == gbnf.ByType && (p.Key == "format" || slices.Contains(llamaBounds, p.Key)) // rules before have these
		if gap.node == nil || !llamaKnown[p.Key] || p.Key == "$ref" || isOthers {
			return
		}
		if p.Key == "required" {
			p.Reportf("'required' is not enforced for all that it names")
			return
		}
		p.Reportf("'%s' is not enforced: the schema is decided by %s", p.Key, gap.by)
	},
}

// llamaKnown are the keywords that decide, or count beside one that does.
var llamaKnown = setOf("type", "$ref", "oneOf", "anyOf", "allOf", "const", "enum", "properties", "required", "additionalProperties", "items", "prefixItems",
	"minItems", "maxItems", "pattern", "format", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")

// llamaConstraints are the keywords that narrow what a schema accepts.
var llamaConstraints = func() map[string]bool {
	all := setOf("not", "if", "then", "else", "$dynamicRef", "$recursiveRef", "nullable")
	for name := range llamaKnown {
		all[name] = true
	}
	for name := range llamaTypes {
		all[name] = true
	}
	return all
}()

// llamaTypes are the types of values that a keyword constrains; a keyword without any
// constrains all values.
var llamaTypes = func() map[string][]string {
	types := map[string][]string{}
	for _, group := range []struct{ types, keywords string }{
		{"string", "pattern format minLength maxLength"},
		{"number integer", "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"},
		{"array", "items prefixItems additionalItems contains minContains maxContains minItems maxItems uniqueItems unevaluatedItems"},
		{"object", "properties required additionalProperties patternProperties propertyNames minProperties maxProperties " +
			"dependentRequired dependentSchemas dependencies unevaluatedProperties"},
	} {
		for keyword := range strings.FieldsSeq(group.keywords) {
			types[keyword] = strings.Fields(group.types)
		}
	}
	return types
}()

// llamaCounts are the keywords that count, by what decides.
var llamaCounts = map[gbnf.Branch]map[string]bool{
	gbnf.ByRef:            setOf("$ref"),
	gbnf.ByOneOf:          setOf("oneOf"),
	gbnf.ByAnyOf:          setOf("anyOf"),
	gbnf.ByConst:          setOf("const"),
	gbnf.ByEnum:           setOf("enum"),
	gbnf.ByProperties:     setOf("type", "properties", "additionalProperties"),
	gbnf.ByAllOf:          setOf("type", "allOf", "additionalProperties"),
	gbnf.ByItems:          setOf("type", "items", "minItems", "maxItems"),
	gbnf.ByPrefixItems:    setOf("type", "prefixItems"),
	gbnf.ByPattern:        setOf("type", "pattern"),
	gbnf.ByFormat:         setOf("type", "format"),
	gbnf.ByLength:         setOf("type", "minLength", "maxLength"),
	gbnf.ByBounds:         setOf("type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
	gbnf.ByType:           setOf("type"),
	gbnf.ByPartRef:        setOf("$ref"),
	gbnf.ByPartProperties: setOf("type", "properties"),
	gbnf.ByPartEnum:       setOf("enum"),
	gbnf.ByNoPart:         setOf("type"),
}

// passedOver returns whether a member of a subschema says something that the grammar does
// not. Of a list of types, a member counts where it does for one of them.
func passedOver(node *schema.Node, by gbnf.Branch, charge func(steps int)) func(schema.Member) bool {
	if by != gbnf.ByTypes {
		return func(member schema.Member) bool { return isPassedOver(node, member, by) }
	}
	counts := map[string]bool{"type": true}
	for _, one := range node.Get("type").Elements {
		charge(2 * cost(node))
		ofType := node.With("type", one)
		by := gbnf.Decide(ofType)
		for _, member := range ofType.Members {
			if by != gbnf.ByTypes && isAbout(ofType, member.Key) && !isPassedOver(ofType, member, by) {
				counts[member.Key] = true
			}
		}
	}
	return func(member schema.Member) bool { return !counts[member.Key] && isConstraint(node, member) }
}

// isConstraint reports whether a member of a subschema narrows what it accepts.
func isConstraint(node *schema.Node, member schema.Member) bool {
	return llamaConstraints[member.Key] && !isTrivial(member.Key, member.Value) && isAbout(node, member.Key)
}

// isPassedOver reports whether a member of a subschema without a list of types says
// something that the grammar does not.
func isPassedOver(node *schema.Node, member schema.Member, by gbnf.Branch) bool {
	if !isConstraint(node, member) {
		return false
	}
	keyword, value := member.Key, member.Value
	switch {
	case keyword == "type" && (by == gbnf.ByEnum || by == gbnf.ByConst || by == gbnf.ByPartEnum):
		return !areOf(node, node.Types())
	case keyword == "type" && (by == gbnf.ByAnyOf || by == gbnf.ByOneOf):
		return !sayTypes(node.Get(string(by)))
	case keyword == "required":
		return !isRequiredEnforced(node, value, by)
	case keyword == "$ref" && by == gbnf.ByRef:
		return strings.HasPrefix(value.Text, "https://")
	case by == gbnf.ByItems && (keyword == "minItems" || keyword == "maxItems"):
		return node.Get("items").Kind == schema.Array || keyword == "maxItems" && !gbnf.IsInteger(value)
	case by == gbnf.ByBounds && keyword == "exclusiveMinimum":
		return node.Has("minimum")
	case by == gbnf.ByBounds && keyword == "exclusiveMaximum":
		return node.Has("maximum")
	case by == gbnf.ByProperties && keyword == "unevaluatedProperties", by == gbnf.ByAllOf && keyword == "unevaluatedProperties":
		return !value.IsFalse() || isObject(node.Get("additionalProperties"))
	default:
		return !llamaCounts[by][keyword]
	}
}

// isTrivial reports whether a keyword says nothing with its value.
func isTrivial(keyword string, value *schema.Node) bool {
	switch keyword {
	case "uniqueItems", "nullable":
		return !value.IsTrue()
	case "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems", "items":
		return value.IsTrue()
	case "minLength", "minItems", "minProperties", "minContains":
		return value.Kind == schema.Number && value.Text == "0"
	case "required", "dependentRequired", "properties", "patternProperties":
		return len(value.Members)+len(value.Elements) == 0
	default:
		return false
	}
}

// isAbout reports whether a keyword is about a type that the subschema has.
func isAbout(node *schema.Node, keyword string) bool {
	about := llamaTypes[keyword]
	if about == nil {
		return true
	}
	said := node.Types()
	return len(said) == 0 || slices.ContainsFunc(about, func(one string) bool { return slices.Contains(said, one) })
}

// areOf reports whether the values of enum, or that of const, are of a type.
func areOf(node *schema.Node, types []string) bool {
	values := []*schema.Node{node.Get("const")}
	if values[0] == nil {
		values = node.Get("enum").Elements
	}
	for _, value := range values {
		if !slices.ContainsFunc(types, value.IsOf) {
			return false
		}
	}
	return true
}

// sayTypes reports whether all alternatives say a type themselves.
func sayTypes(alternatives *schema.Node) bool {
	return !slices.ContainsFunc(alternatives.Elements, func(one *schema.Node) bool { return len(one.Types()) == 0 })
}

// isRequiredEnforced reports whether the properties that are required are those that the
// grammar demands: it knows those in properties, and demands all of a part of allOf.
func isRequiredEnforced(node, required *schema.Node, by gbnf.Branch) bool {
	properties := node.Get("properties")
	switch by {
	case gbnf.ByProperties:
		index := properties.Indexed()
		return !slices.ContainsFunc(required.Strings(), func(name string) bool { return index(name) < 0 })
	case gbnf.ByPartProperties:
		isRequired := schema.Among(required.Strings())
		return !slices.ContainsFunc(properties.Keys(), func(name string) bool { return !isRequired(name) })
	default:
		return false
	}
}

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// llamaError is a refusal.
type llamaError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Type    string `json:"type"`
}

func llamaRender(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	kind := "invalid_request_error"
	if response.Status/100 == 5 {
		kind = "server_error"
	}
	text, err := json.Marshal(map[string]llamaError{"error": {response.Status, response.Message, kind}})
	if err != nil {
		panic(err) // strings and a number alone: cannot fail
	}
	return text
}

// llamaAbout are the words of refusals that are about a schema. Newer builds put others
// before them.
var llamaAbout = lazy.Compile(`JSON schema conversion failed:|failed to parse grammar|\[json\.exception\.(?:type_error\.302|out_of_range\.406)\] |` +
	`^sto(?:ul|i)$|^At least one of min_value or max_value must be set$`)

func llamaClassify(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body struct {
		Error llamaError `json:"error"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return provider.Response{}, fmt.Errorf("reading an answer of status %d: %w", status, err)
	}
	if !llamaAbout.MatchString(body.Error.Message) {
		return provider.Response{}, fmt.Errorf("status %d: %w", status, provider.ErrNothingLearnt)
	}
	return provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Error.Message}, nil
}

// llamaLocate finds the places of a refusal: where the model says the same.
func llamaLocate(at schema.Pointer) func(provider.Response, []*schema.Node) []provider.Place {
	return func(refusal provider.Response, declarations []*schema.Node) []provider.Place {
		said := llamaAbout.FindStringIndex(refusal.Message)
		if said == nil {
			return nil
		}
		message := refusal.Message[said[0]:]
		var places []provider.Place
		err := bounded(func(charge func(steps int)) {
			places = llamaPlaces(message, llamaStarts(declarations, at), charge)
		})
		if err != nil || len(places) == 0 {
			return []provider.Place{{Declaration: provider.Nowhere, Message: message}}
		}
		return places
	}
}

// llamaPlaces returns the places that a message has words for.
func llamaPlaces(message string, starts []gbnf.Start, charge func(steps int)) (places []provider.Place) {
	add := func(fault *gbnf.Fault, words string) {
		at := fault.At.Pointer()
		charge(written(len(at)))
		places = append(places, provider.Place{Declaration: fault.At.Declaration, At: at, Message: words})
	}
	grammar := gbnf.Convert(starts, charge)
	switch {
	case grammar.Death != nil:
		if strings.Contains(message, grammar.Death.Words) {
			add(grammar.Death, grammar.Death.Words)
		}
	case strings.HasPrefix(message, llamaFailed):
		for i := range grammar.Faults {
			fault := &grammar.Faults[i]
			charge(written(len(message)))
			if strings.Contains(message, fault.Words) {
				add(fault, fault.Words)
			}
		}
	case len(grammar.Faults) == 0:
		if fault := grammar.Unreadable(charge); fault != nil && fault.Words == gbnf.ParseFailure {
			add(fault, fault.Words)
		}
	}
	return places
}
