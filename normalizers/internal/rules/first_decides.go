package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/schema"
)

// FirstDecides marks a target whose engine reads only the first of these that a schema has: a
// reference, a union, values, the members of an object or the elements of an array, a pattern, and
// lengths. It ignores the other keywords and the schemas in them.
type FirstDecides struct{}

// engineReads holds the assertions that an engine of FirstDecides reads in the parameters of a tool.
type engineReads struct {
	isKnown bool
	pass    *engine.Pass
	visited map[*schema.Node]bool
	read    map[assertion]bool
}

// assertion is a keyword of a schema.
type assertion struct {
	node    *schema.Node
	keyword string
}

// isReadFirst reports whether the target reads a keyword of the schema that applies to strings or
// arrays, which an engine of FirstDecides may ignore.
func isReadFirst(p *engine.Pass, keyword string) bool {
	if !engine.Has[FirstDecides](p.Target) {
		return true
	}
	reads := engine.State[engineReads](p)
	if !reads.isKnown {
		*reads = engineReads{isKnown: true, pass: p, visited: map[*schema.Node]bool{}, read: map[assertion]bool{}}
		reads.visit(p.Root())
	}
	return reads.read[assertion{p.Schema, keyword}]
}

// note records that the engine reads keywords of a schema.
func (r *engineReads) note(node *schema.Node, keywords ...string) {
	for _, keyword := range keywords {
		r.read[assertion{node, keyword}] = true
	}
}

// visit follows the first keyword that the engine reads in a schema: a reference, a union, or type.
func (r *engineReads) visit(node *schema.Node) {
	r.pass.Charge(1)
	if node == nil || node.Kind != schema.Object || r.visited[node] {
		return
	}
	r.visited[node] = true
	switch types := node.Get("type"); {
	case node.Has("$ref"):
		r.visit(r.pass.Resolve(node))
	case node.Has("oneOf"):
		r.visitEach(node.Get("oneOf"))
	case node.Has("anyOf"):
		r.visitEach(node.Get("anyOf"))
	case types == nil:
		r.visitAs(node, "")
	case types.Kind == schema.Array:
		for _, name := range types.Strings() {
			r.visitAs(node, name)
		}
	default:
		r.visitAs(node, types.Text)
	}
}

// visitEach visits the schemas in a list or an object, which may be nil.
func (r *engineReads) visitEach(schemas *schema.Node) {
	if schemas == nil {
		return
	}
	for _, element := range schemas.Elements {
		r.visit(element)
	}
	for _, member := range schemas.Members {
		r.visit(member.Value)
	}
}

// visitAs follows the first keyword that the engine reads in a schema as one of the named type. The
// name is empty for a schema without a type, whose lengths are read too.
func (r *engineReads) visitAs(node *schema.Node, name string) {
	isOf := func(other string) bool { return name == "" || name == other }
	rest, items := node.Get("additionalProperties"), node.Get("items")
	switch {
	case node.Has("const"), node.Has("enum"):
	case isOf("object") && (node.Has("properties") || rest != nil && !rest.IsTrue()):
		r.visitEach(node.Get("properties"))
		r.visit(rest)
	case (isOf("object") || name == "string") && node.Has("allOf"):
		for _, part := range node.Get("allOf").Elements {
			r.visitPart(part)
		}
	case isOf("array") && (items != nil || node.Has("prefixItems")):
		if items == nil {
			items = node.Get("prefixItems")
		}
		if items.Kind == schema.Array {
			r.visitEach(items)
			return
		}
		r.note(node, "minItems", "maxItems")
		r.visit(items)
	case name == "array":
		r.note(node, "minItems", "maxItems")
	case isOf("string") && node.Has("pattern"):
		r.note(node, "pattern")
	case isOf("string"):
		r.note(node, "minLength", "maxLength")
	}
}

// visitPart follows a branch of allOf, in which the engine reads only properties, and those of the
// branches of a union.
func (r *engineReads) visitPart(part *schema.Node) {
	for _, keyword := range []string{"oneOf", "anyOf"} {
		if union := part.Get(keyword); union != nil {
			for _, branch := range union.Elements {
				r.visitProperties(branch)
			}
			return
		}
	}
	r.visitProperties(part)
}

// visitProperties visits the properties of a schema, or of the schema to which its reference leads.
func (r *engineReads) visitProperties(node *schema.Node) {
	seen := map[*schema.Node]bool{}
	for node != nil && node.Has("$ref") && !seen[node] {
		r.pass.Charge(1)
		seen[node] = true
		node = r.pass.Resolve(node)
	}
	r.visitEach(node.Get("properties"))
}
