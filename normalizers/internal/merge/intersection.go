package merge

import (
	"math/big"
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Intersection makes schemas that accept what all of several schemas accept.
type Intersection struct {
	Work Work
	// Loss is the loss of all merges so far: Exact if each result accepts exactly what all of
	// its parts accept.
	Loss rewrite.Loss
	// growing holds the indexes of the names in large objects of schemas, so that merging many
	// small objects into one takes as many steps as they have members.
	growing map[*schema.Node]map[string]int
}

// Into makes dst accept only what src accepts too. Annotations of dst win. Keywords that one schema
// cannot have twice are spilled, which adds Widens to Loss. Into reports whether the two could be
// merged: if one is a reference without Content, dst keeps its meaning, and Widens is added to Loss.
// src must not be used afterwards.
func (in *Intersection) Into(dst, src *schema.Node) bool {
	if src = in.content(dst, src); src == nil {
		in.Loss |= rewrite.Widens
		return false
	}
	in.Work.Charge(1 + len(dst.Members)*len(src.Members))
	in.Work.MoveSpills(src, dst)
	in.closing(dst, src)
	in.units(dst, src)
	// The types come first, because other keywords depend on them.
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
	return true
}

// content replaces a reference in dst by its target, and returns src or the target of its reference,
// because nothing can be merged with a reference. It returns nil if that is impossible.
func (in *Intersection) content(dst, src *schema.Node) *schema.Node {
	content := in.Work.Content(dst)
	switch {
	case content == nil:
		return nil
	case content != dst:
		dst.Kind, dst.Text, dst.Members = content.Kind, content.Text, content.Members
	}
	return in.Work.Content(src)
}

// listed removes the values of an enum that the types refuse. If no value is left, the schema accepts
// nothing, and the enum is spilled.
func (in *Intersection) listed(dst *schema.Node) {
	types, enum := dst.Types(), dst.Get("enum")
	if len(types) == 0 || enum == nil || enum.Kind != schema.Array {
		return
	}
	allowed := slices.DeleteFunc(slices.Clone(enum.Elements), func(value *schema.Node) bool {
		return !slices.ContainsFunc(types, value.IsOf) && (value.Kind != schema.Null || !dst.AllowsNull())
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

// member merges a keyword for which the two schemas have different values.
func (in *Intersection) member(dst *schema.Node, member schema.Member, existing *schema.Node) {
	switch member.Key {
	case "description":
		dst.Set("description", schema.NewString(Descriptions(existing.Text, member.Value.Text)))
	case "properties", "patternProperties", "$defs", "dependentSchemas":
		in.byName(existing, member.Value)
	case "required":
		in.Work.Charge(len(existing.Elements) + len(member.Value.Elements))
		dst.Set("required", schema.NewStrings(Names(existing.Strings(), member.Value.Strings())...))
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
		in.Union(dst, member, existing)
	case "not":
		either := schema.NewObject(schema.Member{Key: "anyOf", Value: schema.NewArray(existing, member.Value)})
		dst.Set("not", either)
	case "multipleOf":
		in.multiple(dst, member, existing)
	default:
		if !schema.IsAnnotation(member.Key) && !schema.IsMeta(member.Key) {
			in.spill(dst, member)
		}
	}
}

// spill spills a keyword that one schema cannot have twice.
func (in *Intersection) spill(dst *schema.Node, member schema.Member) {
	in.Loss |= rewrite.Widens
	in.Work.SpillAt(dst, member)
}

// types leaves only the types that both schemas allow. number includes integer.
func (in *Intersection) types(dst, src *schema.Node) {
	a, b := dst.Types(), src.Types()
	if nullable := src.Get("nullable"); nullable != nil && len(a) == 0 {
		dst.Set("nullable", nullable)
	} else if dst.Get("nullable").IsTrue() && len(b) > 0 && !src.AllowsNull() {
		dst.Delete("nullable")
		in.Loss |= rewrite.Narrows // nullable allowed null, whatever the other schema says
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
	case slices.Equal(both, a):
	case len(both) == 1:
		dst.Set("type", schema.NewString(both[0]))
	default:
		dst.Set("type", schema.NewStrings(both...))
	}
}

// byName merges two objects of schemas. Schemas with the same name become their intersection.
func (in *Intersection) byName(dst, src *schema.Node) {
	place, grows := in.places(dst)
	in.Work.Charge(len(src.Members))
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
			in.Into(existing, member.Value)
		case existing.IsTrue(), member.Value.IsFalse():
			dst.Members[i].Value = member.Value
		}
	}
}

// places returns two functions for an object of schemas: place returns the index of the named member,
// or -1, and grows must be called with the name of each member before it is appended.
func (in *Intersection) places(dst *schema.Node) (place func(name string) int, grows func(name string)) {
	const few = 16
	index := in.growing[dst]
	switch {
	case len(dst.Members) <= few:
		in.Work.Charge(len(dst.Members))
		return dst.Index, func(string) {}
	case len(index) != len(dst.Members): // there is no index yet, or the object has changed otherwise
		in.Work.Charge(len(dst.Members))
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

// enum leaves the values that both schemas list. If there are none, the first list stays and the
// second is spilled.
func (in *Intersection) enum(dst, a, b *schema.Node) {
	both := schema.NewArray()
	var listed schema.Values
	for _, value := range b.Elements {
		in.Work.Charge(1 + value.Size())
		listed.Add(value)
	}
	for _, value := range a.Elements {
		in.Work.Charge(1 + value.Size())
		if listed.Has(value) {
			both.Elements = append(both.Elements, value)
		}
	}
	if len(both.Elements) == 0 {
		in.spill(dst, schema.Member{Key: "enum", Value: b}) // the description then says that nothing is accepted
		return
	}
	dst.Set("enum", both)
}

// bound leaves the tighter of two bounds: the larger one if sign is 1, and the smaller one if it
// is -1.
func (in *Intersection) bound(dst *schema.Node, member schema.Member, existing *schema.Node, sign int) {
	a, b := existing.Rat(), member.Value.Rat()
	switch {
	case a == nil || b == nil:
		in.spill(dst, member)
	case b.Cmp(a)*sign > 0:
		dst.Set(member.Key, member.Value)
	}
}

// multiple leaves the number that is a multiple of the other. If neither is, it spills the second.
func (in *Intersection) multiple(dst *schema.Node, member schema.Member, existing *schema.Node) {
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

// subschema merges a keyword whose value is one schema.
func (in *Intersection) subschema(dst *schema.Node, member schema.Member, existing *schema.Node) {
	switch {
	case existing.IsTrue() || member.Value.IsFalse():
		dst.Set(member.Key, member.Value)
	case existing.Kind == schema.Object && member.Value.Kind == schema.Object:
		in.Into(existing, member.Value)
	}
}

// Union merges the union in member with the existing union of dst under the same keyword: each
// pair of their branches becomes one branch. It leaves out pairs without a common type.
func (in *Intersection) Union(dst *schema.Node, member schema.Member, existing *schema.Node) {
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
			if TypesDiffer(a, b) {
				continue // no value has a type of both
			}
			both := in.Work.Clone(a)
			in.Into(both, in.Work.Clone(b))
			crossed = append(crossed, both)
		}
	}
	if len(crossed) == 0 {
		in.spill(dst, member)
		return
	}
	dst.Set(member.Key, schema.NewArray(crossed...))
}

// maxCrossed bounds the branches of the intersection of two unions.
const maxCrossed = 16

// closing adds the loss of merging closed schemas: additionalProperties, and items beside prefixItems,
// apply only to the schema that they are in. The merged object is closed, but allows the properties
// of all of its parts, which is what authors mean.
func (in *Intersection) closing(dst, src *schema.Node) {
	for _, pair := range [][2]*schema.Node{{dst, src}, {src, dst}} {
		closed, other := pair[0], pair[1]
		for _, keyword := range []string{"unevaluatedProperties", "unevaluatedItems"} {
			if closed.Has(keyword) && !closed.Get(keyword).IsTrue() {
				in.Loss |= rewrite.Widens
			}
		}
		rest := closed.Get("additionalProperties")
		if rest == nil || rest.IsTrue() || other.Get("properties") == nil {
			continue
		}
		index := closed.Get("properties").Indexed()
		in.Work.Charge(len(other.Get("properties").Members))
		for _, property := range other.Get("properties").Members {
			if index(property.Key) < 0 {
				in.Loss |= rewrite.Widens
			}
		}
	}
	if dst.Has("prefixItems") != src.Has("prefixItems") && (dst.Has("items") || src.Has("items")) {
		in.Loss |= rewrite.Widens
	}
}

// unitKeywords are groups of keywords that have a meaning only together.
var unitKeywords = [][]string{{"if", "then", "else"}, {"contains", "minContains", "maxContains"}}

// units spills the groups of src that dst has too, and removes keywords without the first of their
// group.

func (in *Intersection) units(dst, src *schema.Node) {
	for _, unit := range unitKeywords {
		if !src.Has(unit[0]) || !dst.Has(unit[0]) {
			for _, side := range []*schema.Node{dst, src} {
				if !side.Has(unit[0]) {
					for _, keyword := range unit[1:] {
						side.Delete(keyword) // it has no effect alone
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
