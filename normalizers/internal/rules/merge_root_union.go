package rules

import (
	"cmp"
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// MergeRootUnion serves targets that take no union at the root.
var MergeRootUnion = &engine.Rule{
	Name: "merge_root_union",
	Doc: `a union of objects at the root becomes one object

The object has the properties of all branches and requires what all of them require. A
property that several branches declare accepts the values of all; one that the root declares
itself stays as it is. The description lists the branches. Sources:
https://github.com/nspady/google-calendar-mcp/issues/39,
https://github.com/goruck/home-generative-agent/pull/545.`,
	Before: `{"type": "object", "properties": {"id": {"type": "string"}}, "anyOf": [{"required": ["id"]}, {"properties": {"name": {"type": "string"}}, "required": ["name"]}]}`,
	After: `{"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}, ` +
		`"description": "{anyOf: [{\"required\":[\"id\"]},{\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}]}"}`,
	Loss: rewrite.Both,
	On:   []string{"anyOf", "oneOf"},
	Root: true,
	Rewrite: func(p *engine.Pass) {
		// A single branch may have a union or an allOf of its own.
		for keyword := refusedUnion(p); keyword != ""; keyword = refusedUnion(p) {
			mergeUnion(p, keyword, p.Schema.Get(keyword))
			mergeAll(p)
		}
	},
}

// refusedUnion returns the keyword of a union that the target refuses here, or "".
func refusedUnion(p *engine.Pass) string {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if union := p.Schema.Get(keyword); union != nil && union.Kind == schema.Array && p.Refuses(keyword) {
			return keyword
		}
	}
	return ""
}

func mergeUnion(p *engine.Pass, keyword string, union *schema.Node) {
	if slices.ContainsFunc(union.Elements, (*schema.Node).IsTrue) && keyword == "anyOf" {
		p.Remove(keyword, rewrite.Exact)
		return
	}
	loss := rewrite.Exact
	var branches []*schema.Node
	for _, branch := range union.Elements {
		if branch = dereferenced(p, keyword, branch); branch == nil {
			p.Remove(keyword, rewrite.Widens)
			return
		}
		if branch.IsTrue() {
			branch = p.New()
		}
		types := branch.Types()
		switch {
		case branch.Kind != schema.Object:
		case len(types) > 0 && !slices.Contains(types, "object"):
			// The arguments of a call are an object.
			loss |= lossIf(!isOfType(p.Schema, "object"), lossOfBranch(keyword))
		default:
			branches = append(branches, branch)
		}
	}
	before := *p.Schema
	before.Members = slices.Clone(p.Schema.Members)
	p.Schema.Delete(keyword)
	switch len(branches) {
	case 0:
		loss |= rewrite.Widens
		p.Spill(keyword, union)
	case 1:
		in := merge.Intersection{Work: work{p}, Loss: loss}
		in.Into(p.Schema, branches[0])
		loss = in.Loss
	default:
		loss |= rewrite.Widens | uniteProperties(p, branches)
		p.Spill(keyword, shortened(p, union, p.Schema))
		if p.IsRoot() && !p.Schema.Has("type") && every(branches, func(branch *schema.Node) bool { return isOfType(branch, "object") }) {
			p.Schema.Members = slices.Insert(p.Schema.Members, 0, schema.Member{Key: "type", Value: schema.NewString("object")})
		}
		uniteRequired(p, branches)
		uniteClosing(p, branches)
		for _, branch := range branches {
			p.MoveSpills(branch, p.Schema)
		}
	}
	p.Report(loss, &before, p.Schema)
}

// lossOfBranch returns the loss of removing a branch: without a branch of oneOf, values that
// matched it and another one are accepted.
func lossOfBranch(keyword string) rewrite.Loss {
	if keyword == "oneOf" {
		return rewrite.Both
	}
	return rewrite.Narrows
}

// property is a property that branches declare.
type property struct {
	merge.Union

	open int // the number of these branches that allow undeclared properties
}

// uniteProperties declares the properties of the branches, and returns the loss: Narrows if a branch
// allowed any value for a property that another branch declares.
func uniteProperties(p *engine.Pass, branches []*schema.Node) rewrite.Loss {
	loss := rewrite.Exact
	properties := p.Schema.Get("properties")
	if properties == nil {
		properties = schema.NewObject()
	}
	isOwn := properties.Indexed()
	united := map[string]*property{}
	var names []string // of the united properties, in order
	open := 0          // the number of branches that allow undeclared properties
	for _, branch := range branches {
		isOpen := !branch.Get("additionalProperties").IsFalse()
		if isOpen {
			open++
		}
		for _, member := range membersOf(branch.Get("properties")) {
			if isOwn(member.Key) >= 0 {
				continue
			}
			if united[member.Key] == nil {
				united[member.Key] = &property{Union: merge.Union{Work: work{p}}}
				names = append(names, member.Key)
			}
			united[member.Key].Add(member.Value)
			if isOpen {
				united[member.Key].open++
			}
		}
	}
	for _, name := range names {
		loss |= lossIf(united[name].open < open, rewrite.Narrows)
		properties.Members = append(properties.Members, schema.Member{Key: name, Value: united[name].Schema()})
	}
	if len(properties.Members) > 0 {
		p.Schema.Set("properties", properties)
	}
	return loss
}

// uniteRequired requires the properties that all branches require.
func uniteRequired(p *engine.Pass, branches []*schema.Node) {
	names := branches[0].Get("required").Strings()
	for _, branch := range branches[1:] {
		isRequired := schema.Among(branch.Get("required").Strings())
		p.Charge(len(names))
		names = slices.DeleteFunc(names, func(name string) bool { return !isRequired(name) })
	}
	if len(names) > 0 {
		p.Schema.Set("required", schema.NewStrings(merge.Names(p.Schema.Get("required").Strings(), names)...))
	}
}

// uniteClosing closes the object when every branch is closed.
func uniteClosing(p *engine.Pass, branches []*schema.Node) {
	if !p.Schema.Has("additionalProperties") && !slices.ContainsFunc(branches, func(branch *schema.Node) bool {
		return !branch.Get("additionalProperties").IsFalse()
	}) {
		p.Schema.Set("additionalProperties", schema.NewBool(false))
	}
}

// maxSpilled is the greatest length in bytes of a union that is spilled as a whole.
const maxSpilled = 300

// shortened returns a copy of a union. If the union is longer than maxSpilled, the branches in it have
// only required, description, and what outline keeps of them beside the schema that replaces the union.
func shortened(p *engine.Pass, union, merged *schema.Node) *schema.Node {
	if len(union.JSON()) <= maxSpilled {
		return union.Clone()
	}
	said := map[string]bool{}
	merged.Each(func(subschema *schema.Node) bool {
		text := subschema.GetString("description")
		p.Charge(1)
		p.ChargeText(len(text))
		said[text] = true
		return true
	})
	short := schema.NewArray()
	for _, branch := range union.Elements {
		p.Charge(branch.Size())
		requirement := schema.NewObject()
		for _, keyword := range []string{"required", "description"} {
			if value := branch.Get(keyword); value != nil {
				requirement.Set(keyword, value)
			}
		}
		for _, member := range outline(branch, said).Members {
			requirement.Set(member.Key, member.Value)
		}
		short.Elements = append(short.Elements, requirement)
	}
	return short
}

// outline returns the descriptions in a schema that are not said yet, each at its place, and adds them to
// said.
func outline(node *schema.Node, said map[string]bool) *schema.Node {
	kept := schema.NewObject()
	if text := node.Get("description"); text != nil && text.Kind == schema.String && !said[text.Text] {
		kept.Set("description", text)
		said[text.Text] = true
	}
	for place := range node.Subschemas() {
		below := outline(place.Node(), said)
		switch tokens := place.Tokens(); {
		case len(below.Members) == 0:
		case len(tokens) == 1:
			kept.Set(place.Keyword, below)
		case place.Index >= 0:
			list := cmp.Or(kept.Get(place.Keyword), schema.NewArray())
			list.Elements = append(list.Elements, below)
			kept.Set(place.Keyword, list)
		default:
			named := cmp.Or(kept.Get(place.Keyword), schema.NewObject())
			named.Members = append(named.Members, schema.Member{Key: place.Name, Value: below})
			kept.Set(place.Keyword, named)
		}
	}
	return kept
}

func membersOf(node *schema.Node) []schema.Member {
	if node == nil {
		return nil
	}
	return node.Members
}
