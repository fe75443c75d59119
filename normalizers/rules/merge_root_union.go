package rules

import (
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// MergeRootUnion serves targets whose root is an object without a union.
var MergeRootUnion = &rewrite.Rule{
	Name: "merge_root_union",
	Doc: `a union of objects at the root becomes one object

Properties are united: of one that several branches declare, the values of all are
accepted, and one that the root declares itself stays as it is. What all branches
require is required. Which branches there were goes into the description. Sources:
https://github.com/nspady/google-calendar-mcp/issues/39,
https://github.com/goruck/home-generative-agent/pull/545.`,
	Before: `{"type": "object", "properties": {"id": {"type": "string"}}, "anyOf": [{"required": ["id"]}, {"properties": {"name": {"type": "string"}}, "required": ["name"]}]}`,
	After: `{"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}, ` +
		`"description": "{anyOf: [{\"required\":[\"id\"]},{\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}]}"}`,
	Loss: rewrite.Both,
	On:   []string{"anyOf", "oneOf"},
	Rewrite: func(p *rewrite.Pass) {
		if !p.IsRoot() {
			return
		}
		// A single branch may have a union or an allOf of its own.
		for keyword := refusedUnion(p); keyword != ""; keyword = refusedUnion(p) {
			mergeUnion(p, keyword, p.Schema.Get(keyword))
			mergeAll(p)
		}
	},
}

// refusedUnion returns the keyword of a union that the target does not take here,
// or "".
func refusedUnion(p *rewrite.Pass) string {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if union := p.Schema.Get(keyword); union != nil && union.Kind == schema.Array && p.Refuses(keyword) {
			return keyword
		}
	}
	return ""
}

func mergeUnion(p *rewrite.Pass, keyword string, union *schema.Node) {
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
		types := typesOf(branch)
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
		in := intersection{pass: p, loss: loss}
		in.into(p.Schema, branches[0])
		loss = in.loss
	default:
		p.Spill(keyword, shortened(union))
		loss |= rewrite.Widens | uniteProperties(p, branches)
		uniteRequired(p, branches)
		uniteClosing(p, branches)
		for _, branch := range branches {
			p.MoveSpills(branch, p.Schema)
		}
	}
	p.Report(loss, &before, p.Schema)
}

// lossOfBranch returns what is lost with a branch: of oneOf, other branches may be wider
// without it.
func lossOfBranch(keyword string) rewrite.Loss {
	if keyword == "oneOf" {
		return rewrite.Both
	}
	return rewrite.Narrows
}

// uniteProperties declares what the branches declare. It narrows where a branch
// left open what another declares.
func uniteProperties(p *rewrite.Pass, branches []*schema.Node) rewrite.Loss {
	loss := rewrite.Exact
	properties := p.Schema.Get("properties")
	if properties == nil {
		properties = schema.NewObject()
	}
	isOwn := properties.Indexed()
	united := map[string]*either{}
	var names []string // of united, in order
	open := 0          // how many branches leave undeclared properties open
	for _, branch := range branches {
		isOpen := !branch.Get("additionalProperties").IsFalse()
		if isOpen {
			open++
		}
		for _, property := range membersOf(branch.Get("properties")) {
			if isOwn(property.Key) >= 0 {
				continue
			}
			if united[property.Key] == nil {
				united[property.Key] = &either{pass: p}
				names = append(names, property.Key)
			}
			united[property.Key].add(property.Value)
			if isOpen {
				united[property.Key].open++
			}
		}
	}
	for _, name := range names {
		loss |= lossIf(united[name].open < open, rewrite.Narrows)
		properties.Members = append(properties.Members, schema.Member{Key: name, Value: united[name].schema()})
	}
	if len(properties.Members) > 0 {
		p.Schema.Set("properties", properties)
	}
	return loss
}

// either is a schema of the values of several, in the making.
type either struct {
	pass *rewrite.Pass
	node *schema.Node
	// values are those of an enum that grows, and isOwn is set for a union that does.
	values *schema.Values
	isOwn  bool
	// open is how many of them are of objects that leave other properties open.
	open int
}

// add adds the values of one more schema.
func (e *either) add(other *schema.Node) {
	e.pass.Charge(other.Size())
	switch {
	case e.node == nil:
		e.node = other
	case e.node.IsTrue() || e.values == nil && schema.Equal(e.node, other):
	case other.IsTrue():
		e.node, e.values = other, nil
	case isList(e.node) && isList(other) && schema.Equal(typeOrNull(e.node), typeOrNull(other)):
		e.list(other)
	case isUnion(e.node):
		e.union(other)
	default:
		e.node = e.pass.New(schema.Member{Key: "anyOf", Value: schema.NewArray(e.schema(), other)})
		e.values, e.isOwn = nil, true
	}
}

// list adds the values that another schema lists.
func (e *either) list(other *schema.Node) {
	if e.values == nil {
		e.values = new(schema.Values)
		e.listed(e.node)
		e.node = e.pass.Clone(e.node)
		e.node.Delete("const")
		e.node.Set("enum", schema.NewArray())
	}
	e.listed(other)
}

func (e *either) listed(node *schema.Node) {
	for _, value := range valuesOf(node) {
		e.values.Add(value)
	}
}

// union adds a branch.
func (e *either) union(other *schema.Node) {
	union := e.node.Get("anyOf")
	if !e.isOwn {
		e.pass.Charge(len(union.Elements))
		union, e.isOwn = schema.NewArray(slices.Clone(union.Elements)...), true
		e.node.Set("anyOf", union)
	}
	union.Elements = append(union.Elements, other)
}

// schema returns the schema.
func (e *either) schema() *schema.Node {
	if e.values != nil {
		e.node.Set("enum", schema.NewArray(e.values.List()...))
	}
	return e.node
}

func typeOrNull(node *schema.Node) *schema.Node {
	if value := node.Get("type"); value != nil {
		return value
	}
	return &schema.Node{}
}

// isList reports whether a schema lists values and says no more, but for a type
// and annotations.
func isList(node *schema.Node) bool {
	return valuesOf(node) != nil && !slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return member.Key != "const" && member.Key != "enum" && member.Key != "type" && !isAnnotation(member.Key)
	})
}

// isUnion reports whether a schema is a union that either has made.
func isUnion(node *schema.Node) bool { return len(node.Members) == 1 && node.Has("anyOf") }

// uniteRequired adds what all branches require.
func uniteRequired(p *rewrite.Pass, branches []*schema.Node) {
	names := branches[0].Get("required").Strings()
	for _, branch := range branches[1:] {
		isRequired := schema.Among(branch.Get("required").Strings())
		p.Charge(len(names))
		names = slices.DeleteFunc(names, func(name string) bool { return !isRequired(name) })
	}
	if len(names) > 0 {
		p.Schema.Set("required", schema.NewStrings(united(p.Schema.Get("required").Strings(), names)...))
	}
}

// uniteClosing closes the object when every branch is closed.
func uniteClosing(p *rewrite.Pass, branches []*schema.Node) {
	if !p.Schema.Has("additionalProperties") && !slices.ContainsFunc(branches, func(branch *schema.Node) bool {
		return !branch.Get("additionalProperties").IsFalse()
	}) {
		p.Schema.Set("additionalProperties", schema.NewBool(false))
	}
}

// maxSpilled is how many bytes of a union a description takes whole; of a larger
// one it takes what each branch requires.
const maxSpilled = 300

func shortened(union *schema.Node) *schema.Node {
	if len(union.JSON()) <= maxSpilled {
		return union.Clone()
	}
	short := schema.NewArray()
	for _, branch := range union.Elements {
		requirement := schema.NewObject()
		if required := branch.Get("required"); required != nil {
			requirement.Set("required", required)
		}
		short.Elements = append(short.Elements, requirement)
	}
	return short
}

func membersOf(node *schema.Node) []schema.Member {
	if node == nil {
		return nil
	}
	return node.Members
}
