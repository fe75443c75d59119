package rules

import (
	"math/big"
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// intersection merges schemas into one that accepts what all of them accept.
type intersection struct {
	pass *rewrite.Pass
	loss rewrite.Loss
	// growing are the places of the names in large maps of schemas that grow, so that
	// many small maps are merged into one in as many steps as they have members.
	growing map[*schema.Node]map[string]int
}

// into makes dst hold what src demands too. Annotations of dst win. What cannot
// be said of one schema is told in the description, and loss then has Widens.
// src must not be used afterwards.
func (in *intersection) into(dst, src *schema.Node) {
	if src = in.content(dst, src); src == nil {
		return
	}
	in.pass.Charge(1 + len(dst.Members)*len(src.Members))
	in.pass.MoveSpills(src, dst)
	in.closing(dst, src)
	in.units(dst, src)
	// The types come before the rest, because other keywords depend on them.
	in.types(dst, src)
	for _, member := range src.Members {
		existing := dst.Get(member.Key)
		switch {
		case member.Key == "type" || member.Key == "nullable":
		case existing == nil:
			dst.Set(member.Key, member.Value)
		case schema.Equal(existing, member.Value):
		default:
			in.member(dst, member, existing)
		}
	}
	in.listed(dst)
}

// content puts what a reference leads to in its place, because nothing can be merged
// with a reference: in dst, and in the src that it returns. It returns nil where
// that cannot be.
func (in *intersection) content(dst, src *schema.Node) *schema.Node {
	if rewrite.Reference(dst) != "" {
		content := dereferenced(in.pass, "$ref", dst)
		if content == nil {
			return nil
		}
		dst.Kind, dst.Text, dst.Members = content.Kind, content.Text, content.Members
	}
	return dereferenced(in.pass, "$ref", src)
}

// listed leaves the values of an enum that the types allow; where there are none,
// nothing is accepted, which is told.
func (in *intersection) listed(dst *schema.Node) {
	types, enum := typesOf(dst), dst.Get("enum")
	if len(types) == 0 || enum == nil || enum.Kind != schema.Array {
		return
	}
	allowed := slices.DeleteFunc(slices.Clone(enum.Elements), func(value *schema.Node) bool {
		return !isOneOfTypes(value, types) && (value.Kind != schema.Null || !allowsNull(dst))
	})
	switch {
	case len(allowed) == len(enum.Elements):
	case len(allowed) > 0:
		dst.Set("enum", schema.NewArray(allowed...))
	default:
		dst.Delete("enum")
		in.spill(dst, schema.Member{Key: "enum", Value: enum})
	}
}

// member merges a keyword that both schemas have with different values.
func (in *intersection) member(dst *schema.Node, member schema.Member, existing *schema.Node) {
	switch member.Key {
	case "description":
		dst.Set("description", schema.NewString(joinDescriptions(existing.Text, member.Value.Text)))
	case "properties", "patternProperties", "$defs", "dependentSchemas":
		in.byName(existing, member.Value)
	case "required":
		in.pass.Charge(len(existing.Elements) + len(member.Value.Elements))
		dst.Set("required", schema.NewStrings(united(existing.Strings(), member.Value.Strings())...))
	case "enum":
		in.enum(dst, existing, member.Value)
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains":
		in.bound(dst, member, existing, 1)
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains":
		in.bound(dst, member, existing, -1)
	case "uniqueItems":
		dst.Set("uniqueItems", schema.NewBool(true))
	case "items", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
		in.subschema(dst, member, existing)
	case "anyOf", "oneOf", "allOf":
		in.union(dst, member, existing)
	case "not":
		either := schema.NewObject(schema.Member{Key: "anyOf", Value: schema.NewArray(existing, member.Value)})
		dst.Set("not", either)
	case "multipleOf":
		in.multiple(dst, member, existing)
	default:
		if !isAnnotation(member.Key) && !isMeta(member.Key) {
			in.spill(dst, member)
		}
	}
}

// spill tells in the description what one schema cannot say twice.
func (in *intersection) spill(dst *schema.Node, member schema.Member) {
	in.loss |= rewrite.Widens
	in.pass.Below(dst, "").Spill(member.Key, member.Value)
}

// types leaves the types that both schemas allow. integer is within number.
func (in *intersection) types(dst, src *schema.Node) {
	a, b := typesOf(dst), typesOf(src)
	if nullable := src.Get("nullable"); nullable != nil && len(a) == 0 {
		dst.Set("nullable", nullable)
	} else if dst.Get("nullable").IsTrue() && len(b) > 0 && !allowsNull(src) {
		dst.Delete("nullable")
		in.loss |= rewrite.Narrows // null was allowed beside, whatever the other says
	}
	switch {
	case len(b) == 0:
		return
	case dst.Has("type") && len(a) == 0: // an empty list, or no list at all
		dst.Set("type", src.Get("type"))
		return
	case len(a) == 0:
		dst.Members = slices.Insert(dst.Members, 0, schema.Member{Key: "type", Value: src.Get("type")})
		return
	}
	both := commonTypes(a, b)
	switch {
	case len(both) == 0:
		in.spill(dst, schema.Member{Key: "type", Value: src.Get("type")})
	case !slices.Equal(both, a):
		setTypes(dst, both)
	}
}

// commonTypes returns the types that are in both lists.
func commonTypes(a, b []string) []string {
	var both []string
	for _, name := range a {
		switch {
		case slices.Contains(both, name):
		case slices.Contains(b, name), name == "integer" && slices.Contains(b, "number"):
			both = append(both, name)
		case name == "number" && slices.Contains(b, "integer") && !slices.Contains(both, "integer"):
			both = append(both, "integer")
		}
	}
	return both
}

// byName merges maps of schemas; those of one name are merged.
func (in *intersection) byName(dst, src *schema.Node) {
	place, grows := in.places(dst)
	in.pass.Charge(len(src.Members))
	for _, member := range src.Members { // their names differ
		i := place(member.Key)
		if i < 0 {
			grows(member.Key)
			dst.Members = append(dst.Members, member)
			continue
		}
		existing := dst.Members[i].Value
		switch {
		case existing.Kind == schema.Object && member.Value.Kind == schema.Object:
			in.into(existing, member.Value)
		case existing.IsTrue(), member.Value.IsFalse():
			dst.Members[i].Value = member.Value
		}
	}
}

// places returns where the member of a name is in a map of schemas, or -1, and takes the
// name of a member that is to be appended.
func (in *intersection) places(dst *schema.Node) (place func(name string) int, grows func(name string)) {
	const few = 16
	index := in.growing[dst]
	switch {
	case len(dst.Members) <= few:
		in.pass.Charge(len(dst.Members))
		return dst.Index, func(string) {}
	case index == nil:
		in.pass.Charge(len(dst.Members))
		index = make(map[string]int, len(dst.Members))
		for i := range dst.Members {
			index[dst.Members[i].Key] = i
		}
		if in.growing == nil {
			in.growing = map[*schema.Node]map[string]int{}
		}
		in.growing[dst] = index
	}
	place = func(name string) int {
		if i, found := index[name]; found {
			return i
		}
		return -1
	}
	return place, func(name string) { index[name] = len(dst.Members) }
}

func united(a, b []string) []string {
	names, seen := slices.Clone(a), make(map[string]bool, len(a)+len(b))
	for _, name := range a {
		seen[name] = true
	}
	for _, name := range b {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// enum leaves the values that both schemas list; where there are none, the first
// list stays.
func (in *intersection) enum(dst, a, b *schema.Node) {
	both := schema.NewArray()
	isListed := valuesAmong(in.pass, b.Elements)
	for _, value := range a.Elements {
		if isListed(value) {
			both.Elements = append(both.Elements, value)
		}
	}
	if len(both.Elements) == 0 {
		in.spill(dst, schema.Member{Key: "enum", Value: b}) // nothing is accepted, which is told
		return
	}
	dst.Set("enum", both)
}

// bound leaves the tighter of two bounds: the larger when sign is 1.
func (in *intersection) bound(dst *schema.Node, member schema.Member, existing *schema.Node, sign int) {
	a, b := existing.Rat(), member.Value.Rat()
	switch {
	case a == nil || b == nil:
		in.spill(dst, member)
	case b.Cmp(a)*sign > 0:
		dst.Set(member.Key, member.Value)
	}
}

// multiple leaves the number that is a multiple of the other; else one is told.
func (in *intersection) multiple(dst *schema.Node, member schema.Member, existing *schema.Node) {
	a, b := existing.Rat(), member.Value.Rat()
	if a != nil && b != nil && a.Sign() > 0 && b.Sign() > 0 {
		switch {
		case new(big.Rat).Quo(a, b).IsInt():
			return
		case new(big.Rat).Quo(b, a).IsInt():
			dst.Set("multipleOf", member.Value)
			return
		}
	}
	in.spill(dst, member)
}

// subschema merges keywords that hold one schema each.
func (in *intersection) subschema(dst *schema.Node, member schema.Member, existing *schema.Node) {
	switch {
	case existing.IsTrue() || member.Value.IsFalse():
		dst.Set(member.Key, member.Value)
	case existing.Kind == schema.Object && member.Value.Kind == schema.Object:
		in.into(existing, member.Value)
	}
}

// union keeps one union of the two in place and hands the other on.
func (in *intersection) union(dst *schema.Node, member schema.Member, existing *schema.Node) {
	if member.Key == "allOf" {
		existing.Elements = append(existing.Elements, member.Value.Elements...)
		return
	}
	if len(existing.Elements)*len(member.Value.Elements) > maxCrossed {
		in.spill(dst, member)
		return
	}
	var crossed []*schema.Node
	for _, a := range existing.Elements {
		for _, b := range member.Value.Elements {
			if a.Kind != schema.Object || b.Kind != schema.Object {
				in.spill(dst, member)
				return
			}
			if typesDiffer(a, b) {
				continue // no value is of both
			}
			both := in.pass.Clone(a)
			in.into(both, in.pass.Clone(b))
			crossed = append(crossed, both)
		}
	}
	if len(crossed) == 0 {
		in.spill(dst, member)
		return
	}
	dst.Set(member.Key, schema.NewArray(crossed...))
}

// maxCrossed bounds how many branches two unions make when both must hold.
const maxCrossed = 16

// closing notes what is lost because additionalProperties, and items beside
// prefixItems, speak of the schema that they stand in alone. A merged object is
// closed to what all of its parts declare, which is what authors mean by it.
func (in *intersection) closing(dst, src *schema.Node) {
	for _, pair := range [][2]*schema.Node{{dst, src}, {src, dst}} {
		one, other := pair[0], pair[1]
		for _, keyword := range []string{"unevaluatedProperties", "unevaluatedItems"} {
			in.loss |= lossIf(one.Has(keyword) && !one.Get(keyword).IsTrue(), rewrite.Widens)
		}
		rest := one.Get("additionalProperties")
		if rest == nil || rest.IsTrue() || other.Get("properties") == nil {
			continue
		}
		isDeclared := one.Get("properties").Indexed()
		in.pass.Charge(len(other.Get("properties").Members))
		for _, property := range other.Get("properties").Members {
			if isDeclared(property.Key) < 0 {
				in.loss |= rewrite.Widens
			}
		}
	}
	if dst.Has("prefixItems") != src.Has("prefixItems") && (dst.Has("items") || src.Has("items")) {
		in.loss |= rewrite.Widens
	}
}

// unitKeywords only mean something together: of two such groups one is told.
var unitKeywords = [][]string{{"if", "then", "else"}, {"contains", "minContains", "maxContains"}}

func (in *intersection) units(dst, src *schema.Node) {
	for _, unit := range unitKeywords {
		if !src.Has(unit[0]) || !dst.Has(unit[0]) {
			for _, side := range []*schema.Node{dst, src} {
				if !side.Has(unit[0]) {
					for _, keyword := range unit[1:] {
						side.Delete(keyword) // means nothing alone
					}
				}
			}
			continue
		}
		for _, keyword := range unit {
			if value := src.Delete(keyword); value != nil {
				in.spill(dst, schema.Member{Key: keyword, Value: value})
			}
		}
	}
}
