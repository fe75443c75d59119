package sample

import (
	"math/big"
	"slices"
	"unicode/utf8"

	"toolproof/schema"
)

// accepts reports whether a schema accepts a value, as far as the sampler understands schemas.
// The result means nothing once no steps are left.
func (s *sampler) accepts(node, value *schema.Node) bool {
	if s.steps--; s.steps < 0 || node.IsFalse() {
		return false
	}
	s.charge(len(node.Members) + len(elements(node.Get("enum"))))
	if node.Kind != schema.Object {
		return true
	}
	if reference := referenceOf(node); reference != nil {
		if target := s.resolve(node, reference.Text); target == nil || !s.accepts(target, value) {
			return false
		}
	}
	return isListed(node, value) && s.combines(node, value) && s.acceptsContent([]*schema.Node{node}, value)
}

// isListed reports whether type, enum and const allow the value.
func isListed(node, value *schema.Node) bool {
	if types := typesOf(node); len(types) > 0 && !slices.ContainsFunc(types, value.IsOf) {
		return false
	}
	isSame := func(other *schema.Node) bool { return schema.Equal(value, other) }
	if node.Has("enum") && !slices.ContainsFunc(elements(node.Get("enum")), isSame) {
		return false
	}
	return !node.Has("const") || isSame(node.Get("const"))
}

// combines reports whether the subschemas that apply to the value itself (allOf, anyOf, oneOf,
// not, if, dependent schemas) allow it.
func (s *sampler) combines(node, value *schema.Node) bool {
	accepting := func(keyword string) int {
		count := 0
		for _, branch := range elements(node.Get(keyword)) {
			if s.accepts(branch, value) {
				count++
			}
		}
		return count
	}
	if accepting("allOf") < len(elements(node.Get("allOf"))) || node.Has("anyOf") && accepting("anyOf") == 0 || node.Has("oneOf") && accepting("oneOf") != 1 {
		return false
	}
	if unwanted := node.Get("not"); unwanted != nil && s.accepts(unwanted, value) {
		return false
	}
	for _, dependency := range slices.Concat(members(node.Get("dependentSchemas")), members(node.Get("dependencies"))) {
		if dependency.Value.Kind != schema.Array && value.Has(dependency.Key) && !s.accepts(dependency.Value, value) {
			return false
		}
	}
	if condition := node.Get("if"); condition != nil {
		next := node.Get("else")
		if s.accepts(condition, value) {
			next = node.Get("then")
		}
		return next == nil || s.accepts(next, value)
	}
	return true
}

// acceptsContent reports whether the keywords for the value's type allow it. flat holds a single
// schema; it is a list because the functions that draw values take one.
func (s *sampler) acceptsContent(flat []*schema.Node, value *schema.Node) bool {
	isWithin := func(count int, least, most string) bool {
		return count >= limit(flat, least, 0) && count <= limit(flat, most, 1<<30)
	}
	areAccepted := func(schemas []*schema.Node, value *schema.Node) bool {
		return !slices.ContainsFunc(schemas, func(node *schema.Node) bool { return !s.accepts(node, value) })
	}
	switch value.Kind {
	case schema.Object:
		for _, name := range slices.Concat(flat[0].Get("required").Strings(), s.dependents(flat, value)) {
			if s.charge(len(value.Members)); s.steps < 0 || !value.Has(name) {
				return false
			}
		}
		known := s.propertiesOf(flat)
		for _, member := range value.Members {
			if !areAccepted(s.schemasOf(flat, known, member.Key), member.Value) {
				return false
			}
		}
		return isWithin(len(value.Members), "minProperties", "maxProperties")
	case schema.Array:
		for i, element := range value.Elements {
			if !areAccepted(itemsAt(flat, i), element) {
				return false
			}
		}
		return isWithin(len(value.Elements), "minItems", "maxItems")
	case schema.String:
		pattern := flat[0].GetString("pattern")
		return isWithin(utf8.RuneCountInString(value.Text), "minLength", "maxLength") && (pattern == "" || s.matches(pattern, value.Text))
	case schema.Number:
		number := value.Rat()
		isMultiple := true
		if step := rational(flat[0].Get("multipleOf")); step != nil && step.Sign() > 0 {
			isMultiple = new(big.Rat).Quo(number, step).IsInt()
		}
		low, high := boundOf(flat[0], "minimum", "exclusiveMinimum", 1), boundOf(flat[0], "maximum", "exclusiveMaximum", -1)
		return number != nil && isMultiple && low.allows(number, 1) && high.allows(number, -1)
	default:
		return true
	}
}
