package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// TypeUnion serves targets that take no list of types, or only some.
var TypeUnion = &engine.Rule{
	Name: "type_union",
	Doc: `a list of types becomes a union of schemas

A keyword that is about some types goes to their branches. An enum gives each branch its
values, and everything else stays beside the union. integer is within number. If there is
another union, each of its branches is combined with each type that it allows. A root that
cannot be a union becomes an object. A strict target takes lists of scalar types; some
targets take any list with only texts beside it. Sources: rule keyword_beside_types of
moonshot/chat; docs/seeds.md#seed-002-log-002, pattern 5;
https://github.com/WordPress/ai-provider-for-google/issues/33.`,
	Before:  `{"type": "object", "properties": {"a": {"type": ["string", "array"], "description": "d", "minLength": 1, "items": {"type": "string"}}}}`,
	After:   `{"type": "object", "properties": {"a": {"anyOf": [{"type": "string", "minLength": 1}, {"type": "array", "items": {"type": "string"}}], "description": "d"}}}`,
	Loss:    rewrite.Both,
	OnTypes: engine.Listed,
	Rewrite: func(p *engine.Pass) {
		if len(p.Schema.Get("type").Elements) == 0 {
			return
		}
		names := p.Schema.Types()
		isKnown := func(name string) bool { return slices.Contains(p.Target.TypeLists, name) }
		if every(names, isKnown) && !(p.Target.Disjoint && p.IsJudged() && isCrowded(p.Schema)) {
			return
		}
		splitTypes(p, names)
	},
}

// splitTypes turns a list of several types into a union, and a list of one into its name.
func splitTypes(p *engine.Pass, names []string) {
	names = merge.Names(nil, names)
	if slices.Contains(names, "number") {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "integer" })
	}
	if len(names) == 1 {
		p.Set("type", engine.TypeName(names[0]), rewrite.Exact)
		return
	}
	unionOfTypes(p, names)
}

// isCrowded reports whether a list of types has members beside it other than title and description, or
// an enum that listsOrNull refuses.
func isCrowded(node *schema.Node) bool {
	list := node.Get("type")
	if list == nil || list.Kind != schema.Array || len(list.Elements) < 2 {
		return false
	}
	if enum := node.Get("enum"); enum != nil && enum.Kind == schema.Array {
		return !listsOrNull(list.Elements, enum.Elements)
	}
	return slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return member.Key != "type" && member.Key != "title" && member.Key != "description"
	})
}

// listsOrNull reports whether the types are null and a scalar type, and the values have these types. A
// surface checks the types in their order, and refuses the enum if a type of numbers comes first.
func listsOrNull(types, values []*schema.Node) bool {
	const two = 2
	if len(types) != two || types[0].Is("null") == types[1].Is("null") {
		return false
	}
	for i, name := range types {
		isNumber := name.Is("number") || name.Is("integer")
		if name.Is("object") || name.Is("array") || isNumber && i == 0 {
			return false
		}
	}
	return every(values, func(value *schema.Node) bool { return value.IsOf(types[0].Text) || value.IsOf(types[1].Text) })
}

// oneType leaves one type of a schema that cannot become a union. The root stays an object. Below it,
// an array whose items have the other type stays, because a single value can be given as a list of
// one. Otherwise the first scalar type stays, or else the first type.
func oneType(p *engine.Pass, names []string) {
	name := names[0]
	switch {
	case p.IsArguments() && slices.Contains(names, "object"):
		name = "object"
	case !p.IsArguments():
		scalars := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "object" || name == "array" || name == "null" })
		if len(scalars) > 0 {
			name = scalars[0]
		}
		if items := p.Schema.Get("items"); slices.Contains(names, "array") && every(names, func(name string) bool {
			return name == "array" || name == "null" || name == typeOf(items)
		}) && isWithin(p.Schema, items) && !isAbove(p.Schema.Get("minItems"), 1) {
			name = "array"
		}
		fallthrough
	default:
		p.Spill("type", p.Schema.Get("type"))
	}
	p.Set("type", engine.TypeName(name), rewrite.Narrows)
}

// unionOfTypes makes a branch for each type.
func unionOfTypes(p *engine.Pass, names []string) {
	if p.Refuses("anyOf") {
		oneType(p, names)
		return
	}
	in := merge.Intersection{Work: work{p}}
	before := *p.Schema
	before.Members = slices.Clone(p.Schema.Members)

	branches := make([]*schema.Node, 0, len(names))
	for _, name := range names {
		branch := p.New(schema.Member{Key: "type", Value: engine.TypeName(name)})
		for _, member := range p.Schema.Members {
			switch {
			case member.Key == "enum":
				values := slices.DeleteFunc(slices.Clone(member.Value.Elements), func(value *schema.Node) bool { return !value.IsOf(name) })
				branch.Set("enum", schema.NewArray(values...))
			case slices.Contains(belongsTo[member.Key], name):
				branch.Members = append(branch.Members, member)
			}
		}
		if values := branch.Get("enum"); values == nil || len(values.Elements) > 0 {
			branches = append(branches, branch)
		}
	}
	if len(branches) == 0 {
		// No listed value has a named type.
		p.SpillAway("enum", rewrite.Widens)
		unionOfTypes(p, names)
		return
	}

	var outside []schema.Member
	union := schema.Member{Key: "anyOf", Value: schema.NewArray(branches...)}
	existing := p.Schema.Get("anyOf")
	for _, member := range p.Schema.Members {
		switch {
		case member.Key == "type":
			outside = append(outside, union)
		case member.Key == "enum" || belongsTo[member.Key] != nil && member.Key != "propertyOrdering" || member.Key == "anyOf":
		default:
			outside = append(outside, member)
		}
	}
	p.Schema.Members = outside
	if existing != nil {
		in.Union(p.Schema, schema.Member{Key: "anyOf", Value: union.Value}, existing)
	}
	p.Report(in.Loss, &before, p.Schema)
}
