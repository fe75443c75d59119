package rules

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// SpillKeywords serves targets that refuse keywords.
var SpillKeywords = &engine.Rule{
	Name: "spill_keywords",
	Doc: `a keyword that the target has no field for goes into the description

The description ends in {pattern: "^\\d+$", minLength: 1}, after a blank line and in the
order of the schema, so that a model still reads the keywords. title, propertyOrdering, and
true or false under additionalProperties and similar keywords are left out, because a model
cannot act on them. If nothing checks the arguments of a call, the description also repeats
additionalProperties: false, and titles that say more than the name of the property. A
target may move fewer keywords, or none. A number of repetitions that a grammar cannot
express stays if an engine ignores it, such as beside a union. An unknown name with a short
value may be a hint, and moves without loss. Sources: docs/seeds.md#seed-004-21;
docs/seeds.md#seed-002-log-002, patterns 10, 16 to 18 and 20 to 22.`,
	Before: `{"type": "string", "description": "ID", "contentEncoding": "base64", "not": {"const": "x"}}`,
	After:  `{"type": "string", "description": "ID\n\n{contentEncoding: \"base64\", not: {\"const\":\"x\"}}"}`,
	Loss:   rewrite.Both,
	Idle: func(target *engine.Target, keyword string) bool {
		switch {
		case hasOwnRule(target, engine.LimitsOf[KeywordLimits](target), keyword) || schema.IsMeta(keyword):
			return true
		case !target.Takes(keyword, false) || !target.Takes(keyword, true):
			return false
		case target.Keywords != nil && isNumeric(keyword), target.RefusedIf[keyword] != nil:
			return false
		default:
			return !isRepetition(keyword) && keyword != "format"
		}
	},
	Rewrite: func(p *engine.Pass) {
		limits := engine.LimitsOf[KeywordLimits](p.Target)
		p.RemoveEach(func(member schema.Member) (engine.Fate, rewrite.Loss) {
			switch {
			case hasOwnRule(p.Target, limits, member.Key) || schema.IsMeta(member.Key):
				return engine.Stays, rewrite.Exact
			case p.Refuses(member.Key), isRefusedBeside(p, member.Key):
				return fateOf(p, member, limits.Unenforced)
			case p.Target.Keywords != nil && isOutOfRange(member), member.Key == "minItems" && isAbove(member.Value, limits.MinItems):
				return engine.IsSpilled, rewrite.Widens
			case isRepetition(member.Key) && isBeyondRepeating(p, member, limits) && isReadFirst(p, member.Key):
				return engine.IsSpilled, lossOfStripping(p, member.Key)
			case member.Key == "format" && refusesFormat(p, member.Value.Text):
				return engine.IsSpilled, rewrite.Exact
			default:
				return engine.Stays, rewrite.Exact
			}
		})
	},
}

// KeywordLimits are the limits of a target on single keywords.
type KeywordLimits struct {
	// Unenforced is set if nothing checks the arguments of a call, so that a constraint
	// counts only where a model reads it: titles and closed objects are spilled too.
	Unenforced bool
	// Strips removes each keyword that the surface does not take, even if another rule could
	// express it in another way. Only const stays.
	Strips bool
	// AnyOfNumbers is set if the surface takes any format beside a type of numbers.
	AnyOfNumbers bool
	// Repetitions bounds minItems, maxItems, minLength and maxLength, MinItems bounds minItems
	// alone, and OptionalItems bounds maxItems where minItems is 0. 0 means no bound.
	Repetitions, MinItems, OptionalItems int
	// DropsMost is beyond what maxLength has no effect, and maxItems without the first element.
	// 0 means that it always has.
	DropsMost int
}

// isRefusedBeside reports whether the target refuses a keyword because of the members beside it.
func isRefusedBeside(p *engine.Pass, keyword string) bool {
	isRefused := p.Target.RefusedIf[keyword]
	return isRefused != nil && isRefused(p.Schema, p.Keyword())
}

// propertyNames holds the names of the properties that a tool declares, by their schemas.
type propertyNames map[*schema.Node]string

// repeatsName reports whether a title only repeats the name of its property, or, for the title of the
// parameters, begins with the name of the tool as frameworks write it.
func repeatsName(p *engine.Pass, title string) bool {
	title = lettersOf(title)
	if p.IsRoot() {
		return strings.HasPrefix(title, lettersOf(p.ToolName()))
	}
	name, isProperty := propertyName(p)
	return isProperty && title == lettersOf(name)
}

// propertyName returns the name of the property whose schema the schema is, if it was one when the
// current rule first called propertyName.
func propertyName(p *engine.Pass) (name string, isProperty bool) {
	names := engine.State[propertyNames](p)
	if *names == nil {
		*names = propertyNames{}
		p.Root().Each(func(node *schema.Node) bool {
			for _, property := range membersOf(node.Get("properties")) {
				p.Charge(1)
				(*names)[property.Value] = property.Key
			}
			return true
		})
	}
	name, isProperty = (*names)[p.Schema]
	return name, isProperty
}

// lettersOf returns the letters and digits of a text, in lower case.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// refusesFormat reports whether the target does not take a format here.
func refusesFormat(p *engine.Pass, format string) bool {
	if p.Target.Formats == nil || slices.Contains(p.Target.Formats, format) {
		return false
	}
	if p.Target.TypeDecides {
		return namesType(p.Schema, "string")
	}
	return !engine.LimitsOf[KeywordLimits](p.Target).AnyOfNumbers || !namesTypes(p.Schema) || namesType(p.Schema, "string")
}

// hasOwnRule reports whether another rule replaces a keyword.
func hasOwnRule(target *engine.Target, limits KeywordLimits, keyword string) bool {
	switch keyword {
	case "const":
		// Only a target that lists its keywords, or lacks this one, has const_to_enum.
		return target.Keywords != nil || !target.Takes("const", false)
	case "allOf", "oneOf", "anyOf", "prefixItems", "$ref", "$dynamicRef", "$recursiveRef", "additionalItems", "nullable":
		return !limits.Strips
	case "exclusiveMinimum":
		return target.Takes("minimum", false) && !limits.Strips
	case "exclusiveMaximum":
		return target.Takes("maximum", false) && !limits.Strips
	default:
		return false
	}
}

// fateOf returns what becomes of a member that the target refuses.
func fateOf(p *engine.Pass, member schema.Member, unenforced bool) (engine.Fate, rewrite.Loss) {
	class := schema.ClassOf(member.Key)
	switch {
	case isProtoAssertion(p, member.Key):
		return engine.IsSpilled, rewrite.Widens
	case member.Key == "title" && unenforced && !repeatsName(p, member.Value.Text):
		return engine.IsSpilled, rewrite.Exact
	case class == schema.Unknown && !isShort(member.Value), member.Key == "title" || member.Key == "propertyOrdering":
		return engine.Goes, rewrite.Exact
	case class == schema.Unknown || schema.IsAnnotation(member.Key) || belongsElsewhere(p.Schema, member.Key):
		return engine.IsSpilled, rewrite.Exact
	case class == schema.OneSchema && takesAll(member.Key, member.Value) && (member.Value.From == nil || takesAll(member.Key, member.Value.From)):
		isSilent := !slices.ContainsFunc(member.Value.Members, func(of schema.Member) bool { return schema.IsAnnotation(of.Key) })
		if isSilent {
			return engine.Goes, rewrite.Exact
		}
		return engine.IsSpilled, rewrite.Exact
	case class == schema.OneSchema && member.Value.Kind == schema.Bool:
		if member.Key == "not" || member.Key == "contains" || unenforced && member.Value.IsFalse() {
			return engine.IsSpilled, lossOfStripping(p, member.Key)
		}
		return engine.Goes, lossIf(!member.Value.IsTrue(), lossOfStripping(p, member.Key))
	case member.Key == "patternProperties" && !p.Refuses("additionalProperties") && p.Schema.Has("additionalProperties"):
		// Properties that matched a pattern are now among the additional properties.
		return engine.IsSpilled, rewrite.Both
	case isFormatOnly(member.Key):
		return engine.IsSpilled, rewrite.Exact
	default:
		return engine.IsSpilled, lossOfStripping(p, member.Key)
	}
}

// takesAll reports whether a keyword has no effect because its schema accepts all that it is asked
// about. The names of properties are strings.
func takesAll(keyword string, value *schema.Node) bool {
	switch keyword {
	case "not", "contains", "if":
		return false
	case "propertyNames":
		return isAnything(without(value, "type")) && (!value.Has("type") || namesType(value, "string"))
	default:
		return isAnything(value)
	}
}

// isProtoAssertion reports whether a name is that of a field in Google's proto, which a pipeline
// without proto_names leaves, and stands for an assertion.
func isProtoAssertion(p *engine.Pass, name string) bool {
	keyword := protoFields[name]
	return keyword != "" && keyword != "propertyOrdering" && !p.Schema.Has(keyword) && isOfType(p.Root(), "OBJECT")
}

// lossOfStripping returns the loss of the tool when an assertion is removed. Without prefixItems, items
// applies to all elements.
func lossOfStripping(p *engine.Pass, keyword string) rewrite.Loss {
	if keyword == "prefixItems" && p.Schema.Has("items") {
		return rewrite.Both
	}
	return lossIn(p, rewrite.Widens)
}

// isNumeric reports whether a keyword's value is a number.
func isNumeric(keyword string) bool {
	return schema.TypeOf(keyword) == "integer" || schema.TypeOf(keyword) == "number"
}

// isOutOfRange reports whether a number does not fit into 64 bits, the size of a field of a
// message.
func isOutOfRange(member schema.Member) bool {
	switch schema.TypeOf(member.Key) {
	case "integer":
		_, ok := member.Value.Int64()
		return !ok
	case "number":
		_, err := strconv.ParseFloat(member.Value.Text, 64)
		return err != nil
	default:
		return false
	}
}

// isRepetition reports whether a keyword bounds the number of elements or characters.
func isRepetition(keyword string) bool {
	return keyword == "minItems" || keyword == "maxItems" || keyword == "minLength" || keyword == "maxLength"
}

// isBeyondRepeating reports whether a grammar cannot repeat as often as a keyword says. It takes
// the greatest number of 32 bits for no bound.
func isBeyondRepeating(p *engine.Pass, member schema.Member, limits KeywordLimits) bool {
	isMost := strings.HasPrefix(member.Key, "max")
	fewest, _ := p.Schema.Get("minItems").Int64()
	isTooOptional := member.Key == "maxItems" && fewest == 0 && isAbove(member.Value, limits.OptionalItems)
	switch {
	case limits.Repetitions == 0:
		return false
	case isMost && isBelowLeast(p, member):
		return true
	case member.Key == "maxLength" && isAbove(member.Value, limits.DropsMost), member.Key == "maxItems" && isAbove(member.Value, limits.DropsMost+1) && limits.DropsMost > 0:
		return false
	case member.Key == "maxItems" && limits.DropsMost > 0:
		return isTooOptional || isAbove(member.Value, limits.Repetitions+1)
	case isMost && member.Value.Text == strconv.Itoa(math.MaxInt32):
		return false
	default:
		return isTooOptional || isAbove(member.Value, limits.Repetitions)
	}
}

// isBelowLeast reports whether a maximum is below the minimum beside it, which a grammar cannot
// express.
func isBelowLeast(p *engine.Pass, most schema.Member) bool {
	least, ok := strings.CutPrefix(most.Key, "max")
	if !ok {
		return false
	}
	fewest, ok := p.Schema.Get("min" + least).Int64()
	count, isCount := most.Value.Int64()
	return ok && isCount && count < fewest
}

// isAbove reports whether a number is above a limit; 0 means no limit.
func isAbove(value *schema.Node, limit int) bool {
	count, ok := value.Int64()
	return limit > 0 && ok && count > int64(limit)
}

// maxHint is the greatest length in bytes of a value under an unknown name that is spilled.
const maxHint = 200

func isShort(value *schema.Node) bool {
	switch value.Kind {
	case schema.Object:
		return false
	case schema.Array:
		return !slices.ContainsFunc(value.Elements, func(element *schema.Node) bool { return len(element.Members)+len(element.Elements) > 0 }) &&
			len(value.JSON()) <= maxHint
	default:
		return len(value.Text) <= maxHint
	}
}

// isFormatOnly reports whether a keyword describes the content of strings, which asserts nothing
// since draft 2019-09.
func isFormatOnly(keyword string) bool {
	return keyword == "contentEncoding" || keyword == "contentMediaType" || keyword == "contentSchema"
}

// belongsElsewhere reports whether a keyword applies only to types that the schema does not have, so
// that it has no effect. A type that is not one of JSON Schema may mean any type.
func belongsElsewhere(node *schema.Node, keyword string) bool {
	about := belongsTo[keyword]
	return len(about) > 0 && namesTypes(node) && everyType(node, func(name string) bool {
		return slices.Contains(engine.TypeNames, name) && !slices.Contains(about, name)
	})
}
