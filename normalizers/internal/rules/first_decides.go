package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/schema"
)

// FirstDecides marks a target whose engine reads of a schema only what decides first: a
// reference, a union, values, what an object or an array holds, a pattern, and lengths at
// last. It passes over what lies beside that, and below what lies beside it.
type FirstDecides struct{}

// engineReads holds the assertions that an engine of FirstDecides reads in the parameters of a
// tool.
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

// isReadFirst reports whether the target reads a keyword of the schema that is about strings or
// arrays. An engine of FirstDecides ignores what lies beside the keyword that decides.
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

// note notes that the engine reads keywords of a schema.
func (r *engineReads) note(node *schema.Node, keywords ...string) {
	for _, keyword := range keywords {
		r.read[assertion{node, keyword}] = true
	}
}

// visit follows the keyword that decides about a schema: a reference, a union, or its types.
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

// visitEach visits the schemas in a list or an object.
func (r *engineReads) visitEach(of *schema.Node) {
	if of == nil {
		return
	}
	for _, element := range of.Elements {
		r.visit(element)
	}
	for _, member := range of.Members {
		r.visit(member.Value)
	}
}

// visitAs follows the keyword that decides about a schema of the named type. Lengths are read of a
// schema without a type too.
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

// visitPart follows a branch of allOf, in which an engine reads only properties, or those of the
// branches of a union.
func (r *engineReads) visitPart(part *schema.Node) {
	if union := part.Get("anyOf"); union != nil {
		for _, branch := range union.Elements {
			r.visitProperties(branch)
		}
		return
	}
	r.visitProperties(part)
}

// visitProperties visits the properties of a schema, or of the schema that it refers to.
func (r *engineReads) visitProperties(node *schema.Node) {
	seen := map[*schema.Node]bool{}
	for node != nil && node.Has("$ref") && !seen[node] {
		r.pass.Charge(1)
		seen[node] = true
		node = r.pass.Resolve(node)
	}
	r.visitEach(node.Get("properties"))
}
