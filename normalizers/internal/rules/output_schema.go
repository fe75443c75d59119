package rules

import (
	"slices"
	"sync"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// OutputSchema serves targets that publish tools.
var OutputSchema = &engine.Rule{
	Name: "output_schema",
	Doc: `an outputSchema becomes one that clients accept, or is left out

It gets the type object if all its values are objects, or if it has no constraint. It is
left out if it accepts other values: the server returns these, and no client accepts them.
Its keywords are repaired as those of the parameters are, and a reference that leads nowhere
is removed. A client that refuses one outputSchema loses the whole list of tools. Sources:
rules output_schema_type, output_schema_keyword and output_schema_reference of
mcp/inputSchema.`,
	Before: `{"name": "f", "outputSchema": {"anyOf": [{"type": "object"}, {"type": "object", "required": ["a"]}]}}`,
	After:  `{"name": "f", "outputSchema": {"type": "object", "anyOf": [{"type": "object"}, {"type": "object", "required": ["a"]}]}}`,
	Loss:   rewrite.Both,
	Tool: func(p *engine.Pass) {
		output := p.Schema.Get("outputSchema")
		switch {
		case output == nil:
			return
		case output.Kind != schema.Object: // null and true have no constraint
			p.Remove("outputSchema", lossIf(output.Kind != schema.Null && !output.IsTrue(), rewrite.Widens))
			return
		}
		for _, rule := range []*engine.Rule{
			KeywordValue, RequiredFlags, ForeignType, {Rewrite: outputKeywords}, DanglingRefs, BooleanProperties,
		} {
			p.Within("outputSchema", rule)
		}
		below := p.Below(output, "outputSchema")
		switch types := output.Types(); {
		case isOfType(output, "object"):
		case slices.Contains(types, "object"):
			below.Set("type", schema.NewString("object"), lossIf(len(types) > 1, rewrite.Narrows))
		case len(types) == 0 && objectsOf(p, output).takes(output):
			giveType(below, []string{"object"}, rewrite.Exact)
		case len(types) == 0 && !constrains(output):
			giveType(below, []string{"object"}, rewrite.Narrows)
		default:
			p.Remove("outputSchema", rewrite.Widens)
		}
	},
}

// outputKeywords removes keywords that the validators of clients refuse and JSON Schema ignores.
func outputKeywords(p *engine.Pass) {
	if p.Schema.Kind != schema.Object {
		return
	}
	upgradeBound(p, "exclusiveMinimum", "minimum")
	upgradeBound(p, "exclusiveMaximum", "maximum")
	if nullable := p.Schema.Get("nullable"); nullable != nil && (nullable.Kind != schema.Bool || !p.Schema.Has("type")) {
		p.Remove("nullable", rewrite.Exact) // it has no meaning without a type
	}
	if p.Schema.Has("id") {
		p.Remove("id", rewrite.Exact) // the name of $id in draft 4
	}
	if values := p.Schema.Get("enum"); values != nil && values.Kind == schema.Array && len(values.Elements) == 0 {
		p.Become(p.New(schema.Member{Key: "not", Value: schema.NewObject()}), rewrite.Exact)
	}
}

// constrains reports whether a schema has a keyword that a value can violate.
func constrains(node *schema.Node) bool {
	return slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		switch member.Key {
		case "title", "description", "default", "examples", "$defs", "definitions":
			return false
		default:
			return schema.ClassOf(member.Key) != schema.Unknown && !schema.IsMeta(member.Key)
		}
	})
}

// objects knows which schemas of an output accept only objects.
type objects struct {
	pass      *engine.Pass
	resources func() *schema.Resources
	known     map[*schema.Node]bool // false for a schema until its result is known, so that a circle of references proves nothing
}

func objectsOf(p *engine.Pass, root *schema.Node) *objects {
	return &objects{p, sync.OnceValue(func() *schema.Resources { return schema.NewResources(root) }), map[*schema.Node]bool{}}
}

// takes reports whether a schema accepts only objects, or has only keywords that apply to objects.
func (o *objects) takes(node *schema.Node) bool {
	isKnown, seen := o.known[node]
	if !seen {
		o.known[node] = false
		isKnown = o.find(node)
		o.known[node] = isKnown
	}
	return isKnown
}

func (o *objects) find(node *schema.Node) bool {
	o.pass.Charge(1 + len(node.Members))
	if node.Has("type") {
		return isOfType(node, "object")
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := node.Get(keyword); branches != nil && len(branches.Elements) > 0 && every(branches.Elements, o.takes) {
			return true
		}
	}
	if all := node.Get("allOf"); all != nil && slices.ContainsFunc(all.Elements, o.takes) {
		return true
	}
	if reference := node.Reference(); reference != "" {
		target := o.resources().Resolve(node, reference)
		return target != nil && o.takes(target)
	}
	return !slices.ContainsFunc([]string{"anyOf", "oneOf", "allOf", "enum", "const", "not"}, node.Has) &&
		slices.ContainsFunc(node.Members, func(member schema.Member) bool { return slices.Contains(belongsTo[member.Key], "object") })
}
