package breaking

import (
	"cmp"
	"slices"
	"strings"

	"toolproof/schema"
	"toolproof/schema/instance"
)

// mostValues is the largest number of JSON values in a schema whose references are expanded.
const mostValues = 20_000

// expanded returns a copy of a schema in which references are replaced by what they lead to. A
// reference that leads back to itself, or beyond mostValues, stays, and the definitions with it.
func expanded(root *schema.Node) *schema.Node {
	if root == nil {
		return schema.NewObject()
	}
	e := expander{resources: schema.NewResources(root), left: mostValues}
	whole := root.Clone()
	e.expand(&whole, nil)
	if !e.keeps {
		for _, keyword := range []string{"$defs", "definitions"} {
			whole.Delete(keyword)
		}
	}
	return whole
}

type expander struct {
	resources *schema.Resources
	left      int  // how many values may still be added
	keeps     bool // a reference stays
}

// expand replaces the references in a schema. The schemas above are those that it is expanded in.
func (e *expander) expand(slot **schema.Node, above []*schema.Node) {
	node := *slot
	if node == nil || node.Kind != schema.Object {
		return
	}
	if reference := node.Reference(); reference != "" {
		from := cmp.Or(node.From, node)
		target := e.resources.Resolve(from, reference)
		isAlone := !slices.ContainsFunc(node.Members, func(member schema.Member) bool {
			return !slices.Contains(schema.ReferenceKeywords, member.Key) && !schema.IsAnnotation(member.Key) && !schema.IsMeta(member.Key)
		})
		if target == nil || target.Kind != schema.Object || !isAlone || slices.Contains(above, target) || e.left < target.Size() {
			e.keeps = true
			return
		}
		e.left -= target.Size()
		whole := target.Clone()
		for _, member := range node.Members {
			if !slices.Contains(schema.ReferenceKeywords, member.Key) {
				whole.Set(member.Key, member.Value)
			}
		}
		*slot = whole
		e.expand(slot, append(slices.Clone(above), target))
		return
	}
	for place := range node.Subschemas() {
		if place.Keyword != "$defs" && place.Keyword != "definitions" {
			e.expand(place.Slot, above)
		}
	}
}

// canonical returns what an expanded schema demands of instances, in a form in which many schemas that
// accept the same are equal: without annotations, and without keywords that demand nothing.
func canonical(expanded *schema.Node) *schema.Node {
	node := instance.Standard(expanded)
	simplify(node)
	return node
}

// demandsNothing are the values with which keywords demand nothing.
var demandsNothing = map[string][]string{
	"additionalProperties": {"true", "{}"}, "items": {"true", "{}"}, "additionalItems": {"true", "{}"}, "unevaluatedProperties": {"true", "{}"},
	"required": {"[]"}, "properties": {"{}"}, "patternProperties": {"{}"}, "minLength": {"0"}, "minItems": {"0"}, "minProperties": {"0"},
	"uniqueItems": {"false"}, "propertyNames": {"true", "{}"}, "allOf": {"[]"},
	"maximum": {"9007199254740991"}, "minimum": {"-9007199254740991"}, // of what isExchanged lets pass
}

func simplify(node *schema.Node) {
	if node.Kind != schema.Object {
		return
	}
	for place := range node.Subschemas() {
		simplify(place.Node())
	}
	if list := node.Get("items"); list != nil && list.Kind == schema.Array && !node.Has("prefixItems") { // as the drafts before 2020-12 have it
		node.Set("prefixItems", list)
		node.Delete("items")
		if rest := node.Delete("additionalItems"); rest != nil {
			node.Set("items", rest)
		}
	}
	if value := node.Delete("const"); value != nil {
		if node.Has("enum") {
			node.Set("const", value)
		} else {
			node.Set("enum", &schema.Node{Kind: schema.Array, Elements: []*schema.Node{value}, Position: value.Position})
		}
	}
	node.Members = slices.DeleteFunc(node.Members, func(member schema.Member) bool {
		isDefinition := member.Key == "$defs" || member.Key == "definitions"
		return schema.IsAnnotation(member.Key) || schema.IsMeta(member.Key) && !isDefinition || slices.Contains(demandsNothing[member.Key], member.Value.String())
	})
	for _, keyword := range []string{"type", "enum", "required"} {
		if list := node.Get(keyword); list != nil && list.Kind == schema.Array {
			slices.SortFunc(list.Elements, func(a, b *schema.Node) int { return strings.Compare(a.String(), b.String()) })
			if keyword == "type" && len(list.Elements) == 1 {
				node.Set(keyword, list.Elements[0])
			}
		}
	}
	if len(node.Members) == 1 {
		unite(node)
	}
}

// unite replaces a union that is alone in its schema by one schema, if it has one branch, or one besides
// the type null whose other keywords say nothing of null.
func unite(node *schema.Node) {
	keyword := node.Members[0].Key
	if keyword != "anyOf" && keyword != "oneOf" && keyword != "allOf" || node.Members[0].Value.Kind != schema.Array {
		return
	}
	isNull := func(branch *schema.Node) bool {
		return branch.Kind == schema.Object && len(branch.Members) == 1 && branch.Get("type").Is("null")
	}
	branches := node.Members[0].Value.Elements
	if values := valuesOf(branches); keyword == "anyOf" && values != nil {
		node.Members = branches[0].Members
		node.Set("enum", values)
		return
	}
	if keyword != "allOf" && len(branches) == 2 && isNull(branches[0]) != isNull(branches[1]) {
		branch := branches[0]
		if isNull(branch) {
			branch = branches[1]
		}
		speaksOfNull := slices.ContainsFunc([]string{"enum", "anyOf", "oneOf", "allOf", "not", "if", "$ref", "$dynamicRef"}, branch.Has)
		if kind := branch.GetString("type"); kind != "" && kind != "null" && !speaksOfNull {
			node.Members = branch.Members
			names := []string{kind, "null"}
			slices.Sort(names)
			node.Set("type", schema.NewStrings(names...))
		}
		return
	}
	if len(branches) == 1 && branches[0].Kind == schema.Object {
		node.Members = branches[0].Members
	}
}

// valuesOf returns the values of branches that are lists of values of one type; nil for others.
func valuesOf(branches []*schema.Node) *schema.Node {
	var values []*schema.Node
	for _, branch := range branches {
		list := branch.Get("enum")
		if branch.Kind != schema.Object || list == nil || list.Kind != schema.Array || len(branch.Members) > 2 || //nolint:mnd // enum and type
			len(branch.Members) > 1 && !branch.Has("type") || !schema.Equal(branch.Get("type"), branches[0].Get("type")) {
			return nil
		}
		values = append(values, list.Elements...)
	}
	if values == nil {
		return nil
	}
	slices.SortFunc(values, func(a, b *schema.Node) int { return strings.Compare(a.String(), b.String()) })
	return schema.NewArray(values...)
}

// place is a place at which two canonical schemas differ.
type place struct {
	at schema.Pointer
	// keywords are the keywords at the place that differ; empty if the whole schemas do.
	keywords []string
	// before and after are the schemas at the place; nil for a property that one side does not list.
	before, after *schema.Node
}

// differences returns the places at which two canonical schemas differ.
func differences(before, after *schema.Node, at schema.Pointer) []place {
	switch {
	case schema.Equal(before, after):
		return nil
	case before.Kind != schema.Object || after.Kind != schema.Object || areDisjoint(before.Types(), after.Types()):
		return []place{{at: at, before: before, after: after}}
	}
	var below []place
	var own []string
	keywords := before.Keys()
	for _, keyword := range after.Keys() {
		if !before.Has(keyword) {
			keywords = append(keywords, keyword)
		}
	}
	for _, keyword := range keywords {
		was, is := before.Get(keyword), after.Get(keyword)
		class := schema.ClassOf(keyword)
		switch {
		case keyword == "properties" && (was == nil || was.Kind == schema.Object) && (is == nil || is.Kind == schema.Object):
			below = append(below, differentProperties(was, is, at.Child(keyword))...)
		case schema.Equal(was, is):
		case was == nil || is == nil:
			own = append(own, keyword)
		case class == schema.OneSchema, class == schema.SchemaOrList && was.Kind == schema.Object && is.Kind == schema.Object:
			below = append(below, differences(was, is, at.Child(keyword))...)
		case class == schema.SchemaList && len(was.Elements) == len(is.Elements):
			for i := range was.Elements {
				below = append(below, differences(was.Elements[i], is.Elements[i], at.Child(keyword).Element(i))...)
			}
		default:
			own = append(own, keyword)
		}
	}
	if len(own) > 0 {
		below = append([]place{{at: at, keywords: own, before: before, after: after}}, below...)
	}
	return below
}

func differentProperties(before, after *schema.Node, at schema.Pointer) []place {
	var found []place
	if before != nil {
		for _, member := range before.Members {
			if other := after.Get(member.Key); other != nil {
				found = append(found, differences(member.Value, other, at.Child(member.Key))...)
			} else {
				found = append(found, place{at: at.Child(member.Key), before: member.Value})
			}
		}
	}
	if after != nil {
		for _, member := range after.Members {
			if !before.Has(member.Key) {
				found = append(found, place{at: at.Child(member.Key), after: member.Value})
			}
		}
	}
	return found
}

// areDisjoint reports whether both lists name types and no type is in both.
func areDisjoint(a, b []string) bool {
	isShared := func(name string) bool {
		return slices.Contains(b, name) || name == "integer" && slices.Contains(b, "number") || name == "number" && slices.Contains(b, "integer")
	}
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, isShared)
}

// isTouched reports whether one of the keywords that refuse an instance is at the place.
func (p place) isTouched(refusals []schema.Pointer) bool {
	return slices.ContainsFunc(refusals, func(refusal schema.Pointer) bool {
		if len(p.keywords) > 0 {
			return slices.ContainsFunc(p.keywords, func(keyword string) bool { return refusal.Under(p.at.Child(keyword)) })
		}
		if refusal.Under(p.at) {
			return true
		}
		// A property that one side does not list is what additionalProperties of that side is for.
		tokens := p.at.Tokens()
		if p.before != nil && p.after != nil || len(tokens) < 2 {
			return false
		}
		return refusal.Under(parent(parent(p.at)).Child("additionalProperties").Child(tokens[len(tokens)-1]))
	})
}

// parent returns the pointer without its last token.
func parent(at schema.Pointer) schema.Pointer {
	return at[:max(strings.LastIndexByte(string(at), '/'), 0)]
}

// focused returns a schema of values that have something at the place: what leads there is required,
// and other optional properties on the way are left out.
func focused(node *schema.Node, tokens []string) *schema.Node {
	if node == nil || node.Kind != schema.Object || len(tokens) == 0 {
		return node
	}
	keyword, value := tokens[0], node.Get(tokens[0])
	switch class := schema.ClassOf(keyword); {
	case value == nil:
		return node
	case keyword == "properties" && len(tokens) > 1 && value.Kind == schema.Object:
		name, required := tokens[1], node.Get("required").Strings()
		kept := schema.NewObject()
		for _, member := range value.Members {
			switch {
			case member.Key == name:
				kept.Set(name, focused(member.Value, tokens[2:]))
			case slices.Contains(required, member.Key):
				kept.Set(member.Key, member.Value)
			}
		}
		if !slices.Contains(required, name) && value.Has(name) {
			required = append(slices.Clone(required), name)
		}
		return node.With(keyword, kept).With("required", schema.NewStrings(required...))
	case class == schema.SchemaList && len(tokens) > 1 && keyword != "allOf":
		if branch := value.Step(tokens[1]); branch != nil {
			return node.With(keyword, schema.NewArray(focused(branch, tokens[2:])))
		}
		return node
	case keyword == "items" && value.Kind == schema.Object:
		return node.With(keyword, focused(value, tokens[1:])).With("minItems", cmp.Or(node.Get("minItems"), schema.NewInt(1)))
	default:
		return node
	}
}

// lists reports whether every member of the objects in a value is one that the whole schema lists. A tool
// whose schema lists nothing has no parameters.
func lists(root, value *schema.Node) bool {
	speaks := slices.ContainsFunc([]string{"properties", "patternProperties", "additionalProperties", "anyOf", "oneOf", "allOf", "if", "$ref", "$dynamicRef"}, root.Has)
	return (speaks || len(value.Members) == 0) && declares(value, root)
}

// declares reports whether every member of the objects in a value is one that the schema lists. A schema
// that lists none, or has references, may list any.
func declares(value *schema.Node, schemas ...*schema.Node) bool {
	schemas, isFree := applied(schemas)
	if isFree {
		return true
	}
	listsAny := slices.ContainsFunc(schemas, func(node *schema.Node) bool { return node.Has("properties") })
	for _, member := range value.Members {
		below := subschemas(schemas, func(node *schema.Node) *schema.Node {
			return cmp.Or(node.Get("properties").Get(member.Key), node.Get("additionalProperties"))
		})
		if len(below) == 0 && listsAny || !declares(member.Value, below...) {
			return false
		}
	}
	below := subschemas(schemas, func(node *schema.Node) *schema.Node { return node.Get("items") })
	return !slices.ContainsFunc(value.Elements, func(element *schema.Node) bool { return !declares(element, below...) })
}

// subschemas returns the objects among what a function returns for each schema.
func subschemas(schemas []*schema.Node, of func(*schema.Node) *schema.Node) []*schema.Node {
	var below []*schema.Node
	for _, node := range schemas {
		if found := of(node); found != nil && found.Kind == schema.Object {
			below = append(below, found)
		}
	}
	return below
}

// applied returns the schemas and the branches that they apply to the same value. isFree is set if one of
// them may list members that are not known here.
func applied(schemas []*schema.Node) (all []*schema.Node, isFree bool) {
	all = slices.Clone(schemas)
	for i := 0; i < len(all); i++ {
		node := all[i]
		if node.Reference() != "" || node.Has("patternProperties") {
			return nil, true
		}
		for _, keyword := range []string{"anyOf", "oneOf", "allOf", "then", "else"} {
			branches := node.Get(keyword)
			if branches != nil && branches.Kind == schema.Array {
				all = append(all, branches.Elements...)
			} else if branches != nil {
				all = append(all, branches)
			}
		}
	}
	return all, false
}
