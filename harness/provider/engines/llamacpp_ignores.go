package engines

import (
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// llamaGaps is the stage that finds keywords that the grammar does not enforce.
var llamaGaps = &provider.Stage{
	Name:   "enforcement",
	Shared: "tools and response_format go through the same converter",
	All:    true,
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		walk := llamaWalkOf(request, visitor)
		visit := func(declaration int, at schema.Pointer, member schema.Member, gap *llamaGap) {
			visitor.ChargeText(len(at))
			visitor.Visit(&provider.Pass{
				Request: request, Declaration: declaration, Key: member.Key, KeyPosition: member.Position, Node: member.Value, At: []byte(at), Subject: gap,
			})
		}
		if fault := walk.unreadable(); fault != nil {
			at := fault.pointer()
			visit(fault.step.place.declaration, at, schema.Member{Value: fault.node()}, &llamaGap{unread: true})
			return
		}
		for _, shadowed := range walk.shadowed {
			visit(shadowed.declaration, shadowed.pointer(), schema.Member{Key: "$ref", Value: shadowed.node}, &llamaGap{isShadowed: true})
		}
		seen := map[*schema.Node]bool{}
		for _, step := range walk.steps {
			node := step.place.node
			if step.by.isAbout() || node == nil || step.isCopy || seen[node] {
				continue
			}
			seen[node] = true
			visitor.Charge(cost(node))
			isPassedOver := walk.passedOver(node, step.by)
			at := schema.Pointer("")
			for _, member := range node.Members {
				if !isPassedOver(member) {
					continue
				}
				if at == "" {
					at = step.place.pointer()
				}
				isSkipped := (step.by == byPattern || step.by == byTypes) && member.Key == "pattern" && walk.skipped[member.Value.Text]
				visit(step.place.declaration, at.Child(member.Key), member, &llamaGap{by: step.by, node: node, isSkipped: isSkipped})
			}
		}
	},
}

// llamaGap is the Subject of llamaGaps.
type llamaGap struct {
	unread     bool // whether the place makes the grammar unreadable
	isShadowed bool
	isSkipped  bool // whether the converter skips the pattern
	by         llamaBranch
	node       *schema.Node // that has the keyword
}

func llamaGapOf(p *provider.Pass) *llamaGap {
	return p.Subject.(*llamaGap) //nolint:forcetypeassert // of the stage
}

// llamaNoGrammar reports an unreadable grammar that is not refused.
var llamaNoGrammar = &provider.Rule{
	Name:   "no_grammar",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Until:  llamaFailsClosed,
	Doc: `a schema whose grammar cannot be read is not enforced at all

llama-server writes a line to its log, answers 200, and the model is free:
https://github.com/ggml-org/llama.cpp/issues/19051 of 2026-01-23. Tools are refused for the
same, and since June 2026 the schema of an answer is, too: the rules of llamacpp/chat say why.`,
	Source: llamaGrammarSource + "; https://github.com/ggml-org/llama.cpp/issues/19051",
	Check: func(p *provider.Pass) {
		if gap := llamaGapOf(p); gap.unread {
			p.Reportf("the grammar cannot be parsed because of this, and nothing of the schema is enforced")
		}
	},
}

// llamaPassedOver are the rules about keywords that the converter drops without a word.
var llamaPassedOver = []*provider.Rule{
	llamaShadowedReference, llamaRemoteReference, llamaSkippedPattern, llamaUnknownFormat, llamaNumberBounds, llamaManyTimes, llamaKeyword, llamaSibling,
}

// llamaShadowedReference reports a reference that leads into an earlier tool.
var llamaShadowedReference = &provider.Rule{
	Name:   "reference_of_another_tool",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `equal references lead into the first tool that has them

All tools of a request share one table of references. If two tools have a #/$defs/Item, the second tool
gets that of the first.`,
	Source: llamaSource,
	Check: func(p *provider.Pass) {
		if llamaGapOf(p).isShadowed {
			p.Reportf("'%s' is that of an earlier tool: what it leads to here is not enforced", p.Node.Text)
		}
	},
}

// llamaRemoteReference reports a reference that would have to be fetched.
var llamaRemoteReference = &provider.Rule{
	Name:   "remote_reference",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `what https:// leads to is not fetched

Any object passes.`,
	Source: llamaSource,
	Until:  llamaParses,
	Check: func(p *provider.Pass) {
		if p.Key == "$ref" && !llamaGapOf(p).isShadowed {
			p.Reportf("'%s' is not fetched: any object passes", p.Node.Text)
		}
	},
}

// llamaSkippedPattern reports a pattern that the converter skips.
var llamaSkippedPattern = &provider.Rule{
	Name:   "pattern_skipped",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Since:  llamaSkipsPatterns,
	Doc: `a pattern that has no grammar is not enforced

Any string passes. A pattern has a grammar if it begins with ^ and ends with $, has no other anchors,
no lookaround and no named groups, and no escapes except those that pattern_escape lists.`,
	Source: llamaPatternSource,
	Check: func(p *provider.Pass) {
		if llamaGapOf(p).isSkipped {
			p.Reportf("the pattern has no grammar, and any string passes")
		}
	},
}

// llamaUnknownFormat reports a format that the converter has no rule for.
var llamaUnknownFormat = &provider.Rule{
	Name:   "unknown_format",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `format is enforced for date, time, date-time, uuid and uuid1 to uuid5 alone

With any other format, any string passes.`,
	Source: llamaSource,
	Check: func(p *provider.Pass) {
		if p.Key == "format" && isOfType(llamaGapOf(p).by) {
			p.Reportf("the format '%s' is not enforced", p.Node.Text)
		}
	},
}

// llamaNumberBounds reports the bounds of a number that is not an integer.
var llamaNumberBounds = &provider.Rule{
	Name:   "number_bounds",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `bounds are enforced for the type integer alone

The grammar does not enforce minimum, maximum, exclusiveMinimum and exclusiveMaximum of a number.`,
	Source: llamaSource,
	Check: func(p *provider.Pass) {
		gap := llamaGapOf(p)
		if isOfType(gap.by) && slices.Contains(llamaBounds, p.Key) {
			p.Reportf("'%s' of a number is not enforced", p.Key)
		}
	},
}

// isOfType reports whether a schema is converted by its type, or as any value.
func isOfType(by llamaBranch) bool { return by == byType || by == byAny }

var llamaBounds = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}

// llamaManyTimes reports a maximum beyond what a grammar may repeat.
var llamaManyTimes = &provider.Rule{
	Name:   "many_times",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Since:  llamaDropsMost,
	Doc: `a maxLength above 2000 and a maxItems above 2001 are not enforced

Before August 2026 they were refused: see repetition_most.`,
	Source: "https://github.com/ggml-org/llama.cpp/pull/26613 (2026-08-05)",
	Check: func(p *provider.Pass) {
		if gap := llamaGapOf(p); isDropped(gap.by, p.Key, p.Node) {
			p.Reportf("'%s' is not enforced beyond %d", p.Key, mostRepetitions)
		}
	},
}

// isDropped reports whether a maximum is beyond what a grammar may repeat. The grammar does not repeat
// the first element of an array.
func isDropped(by llamaBranch, keyword string, value *schema.Node) bool {
	switch {
	case by == byLength && keyword == "maxLength":
		return intOf(value, 0) > mostRepetitions
	case (by == byItems || by == byPrefixItems || by == byArray) && keyword == "maxItems":
		return isWhole(value) && intOf(value, 0) > mostRepetitions+1
	default:
		return false
	}
}

// llamaKeyword reports a keyword that the converter never reads.
var llamaKeyword = &provider.Rule{
	Name:   "unknown_keyword",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `not, if, contains, patternProperties, uniqueItems, multipleOf and others have no effect

The converter does not read them. The model still sees them if its template shows it the schema.`,
	Source: llamaSource,
	Check: func(p *provider.Pass) {
		if isConstraint := llamaConstraints[p.Key]; isConstraint && !llamaKnown[p.Key] {
			p.Reportf("'%s' is not enforced", p.Key)
		}
	},
}

// llamaSibling reports a keyword that the converter does not read beside the one that decides.
var llamaSibling = &provider.Rule{
	Name:   "sibling",
	Effect: provider.Ignores,
	Stage:  llamaGaps,
	Doc: `the keywords beside the one that decides are not enforced

One keyword decides how a schema is converted, in the order of unrecognized_schema. Beside it the
converter reads required and additionalProperties with properties, minItems and maxItems with an items
that is not a list, minimum and maximum of an integer, and minLength and maxLength of a string without
a pattern. In the parts of allOf it reads only properties or enum. A type beside enum or const is
reported if one of the values does not have it.`,
	Source: llamaSource,
	Check: func(p *provider.Pass) {
		gap := llamaGapOf(p)
		isOthers := isOfType(gap.by) && (p.Key == "format" || slices.Contains(llamaBounds, p.Key)) // earlier rules report these
		if gap.node == nil || !llamaKnown[p.Key] || p.Key == "$ref" || isOthers || gap.isSkipped || isDropped(gap.by, p.Key, p.Node) {
			return
		}
		if p.Key == "required" {
			p.Reportf("'required' is not enforced for all that it names")
			return
		}
		p.Reportf("'%s' is not enforced: the schema is decided by %s", p.Key, gap.by)
	},
}

// llamaKnown are the keywords that the converter reads in some branch.
var llamaKnown = setOf("type", "$ref", "oneOf", "anyOf", "allOf", "const", "enum", "properties", "required", "additionalProperties", "items", "prefixItems",
	"minItems", "maxItems", "pattern", "format", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")

// llamaConstraints are the keywords that restrict the instances of a schema.
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

// llamaTypes are the types of the instances that a keyword constrains. A keyword that is not in it
// constrains instances of all types.
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

// llamaCounts are the keywords that the converter reads in each branch.
var llamaCounts = map[llamaBranch]map[string]bool{
	byRef:            setOf("$ref"),
	byOneOf:          setOf("oneOf"),
	byAnyOf:          setOf("anyOf"),
	byConst:          setOf("const"),
	byEnum:           setOf("enum"),
	byProperties:     setOf("type", "properties", "additionalProperties"),
	byAllOf:          setOf("type", "allOf", "additionalProperties"),
	byItems:          setOf("type", "items", "minItems", "maxItems"),
	byPrefixItems:    setOf("type", "prefixItems"),
	byArray:          setOf("type", "minItems", "maxItems"),
	byPattern:        setOf("type", "pattern"),
	byFormat:         setOf("type", "format"),
	byLength:         setOf("type", "minLength", "maxLength"),
	byBounds:         setOf("type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
	byType:           setOf("type"),
	byPartRef:        setOf("$ref"),
	byPartProperties: setOf("type", "properties"),
	byPartEnum:       setOf("enum"),
	byNoPart:         setOf("type"),
}

// passedOver returns a function that reports whether the grammar does not enforce a member of a
// subschema. With a list of types, it is enough that the grammar enforces the member for one of them.
func (w *llamaWalk) passedOver(node *schema.Node, by llamaBranch) func(schema.Member) bool {
	if by != byTypes {
		return func(member schema.Member) bool { return w.isPassedOver(node, member, by) }
	}
	counts := map[string]bool{"type": true}
	for _, name := range node.Get("type").Elements {
		w.charge(2 * cost(node))
		ofType := node.With("type", name)
		by := w.decides(ofType)
		for _, member := range ofType.Members {
			if by != byTypes && isAbout(ofType, member.Key) && !w.isPassedOver(ofType, member, by) {
				counts[member.Key] = true
			}
		}
	}
	return func(member schema.Member) bool { return !counts[member.Key] && isConstraint(node, member) }
}

// isConstraint reports whether a member of a subschema restricts its instances.
func isConstraint(node *schema.Node, member schema.Member) bool {
	return llamaConstraints[member.Key] && !isTrivial(member.Key, member.Value) && isAbout(node, member.Key)
}

// isPassedOver is what passedOver returns for a subschema without a list of types.
func (w *llamaWalk) isPassedOver(node *schema.Node, member schema.Member, by llamaBranch) bool {
	if !isConstraint(node, member) {
		return false
	}
	keyword, value := member.Key, member.Value
	switch {
	case keyword == "type" && (by == byEnum || by == byConst || by == byPartEnum):
		return !areOf(node, node.Types())
	case keyword == "type" && (by == byAnyOf || by == byOneOf):
		return !sayTypes(node.Get(string(by)))
	case keyword == "required":
		return !isRequiredEnforced(node, value, by)
	case keyword == "$ref" && by == byRef:
		return strings.HasPrefix(value.Text, "https://")
	case isDropped(by, keyword, value):
		return true
	case by == byPattern && keyword == "pattern":
		return w.skipped[value.Text]
	case by == byItems && (keyword == "minItems" || keyword == "maxItems"):
		return node.Get("items").Kind == schema.Array || keyword == "maxItems" && !isWhole(value)
	case by == byBounds && keyword == "exclusiveMinimum":
		return node.Has("minimum")
	case by == byBounds && keyword == "exclusiveMaximum":
		return node.Has("maximum")
	case by == byProperties && keyword == "unevaluatedProperties", by == byAllOf && keyword == "unevaluatedProperties":
		return !value.IsFalse() || isObject(node.Get("additionalProperties"))
	default:
		return !llamaCounts[by][keyword]
	}
}

// isTrivial reports whether a keyword with the given value restricts nothing.
func isTrivial(keyword string, value *schema.Node) bool {
	switch keyword {
	case "uniqueItems", "nullable":
		return !value.IsTrue()
	case "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems", "items":
		return value.IsTrue()
	case "minLength", "minItems", "minProperties", "minContains":
		return value.Kind == schema.Number && value.Text == "0"
	case "pattern":
		return value.Is("")
	case "required", "dependentRequired", "properties", "patternProperties":
		return len(value.Members)+len(value.Elements) == 0
	default:
		return false
	}
}

// isAbout reports whether a keyword constrains instances of a type of the subschema.
func isAbout(node *schema.Node, keyword string) bool {
	about := llamaTypes[keyword]
	if about == nil {
		return true
	}
	types := node.Types()
	return len(types) == 0 || slices.ContainsFunc(about, func(name string) bool { return slices.Contains(types, name) })
}

// areOf reports whether all values of enum, or the value of const, have one of the types.
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

// sayTypes reports whether all alternatives have a type.
func sayTypes(alternatives *schema.Node) bool {
	return !slices.ContainsFunc(alternatives.Elements, func(branch *schema.Node) bool { return len(branch.Types()) == 0 })
}

// isRequiredEnforced reports whether the grammar requires exactly the required properties. It knows only
// those in properties, and requires all properties in a part of allOf.
func isRequiredEnforced(node, required *schema.Node, by llamaBranch) bool {
	properties := node.Get("properties")
	switch by {
	case byProperties:
		index := properties.Indexed()
		return !slices.ContainsFunc(required.Strings(), func(name string) bool { return index(name) < 0 })
	case byPartProperties:
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
