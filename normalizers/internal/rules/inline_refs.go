package rules

import (
	"fmt"
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// InlineRefs serves targets that take no references.
var InlineRefs = &engine.Rule{
	Name: "inline_refs",
	Doc: `a reference becomes what it refers to

A reference may be a pointer with escapes, name an anchor, or lead to the root. Annotations
beside it win over those of the definition; other members beside it hold as well as the
definition's. A schema that contains itself is cut where it repeats: a stub takes its place,
which has the type and names the shape. What would grow beyond the limits is cut in the same
way, the deepest first. A reference that leads nowhere, or out of the document, accepts
anything; nothing is ever fetched. If the target takes references only below the root, the
root's own is inlined. Sources: docs/seeds.md#seed-002-log-001 and
docs/seeds.md#seed-002-log-002, pattern 1.`,
	Before: `{"type": "object", "properties": {"a": {"$ref": "#/$defs/A", "title": "mine"}}, "$defs": {"A": {"type": "string", "title": "A"}}}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string", "title": "mine"}}, "$defs": {"A": {"type": "string", "title": "A"}}}`,
	Loss:   rewrite.Both,
	Root:   true,
	Rewrite: func(p *engine.Pass) {
		if !p.Refuses("$ref") || !p.HasAnywhere(schema.ReferenceKeywords...) {
			return
		}
		// A target that takes references below the root needs only the type of the root.
		if !p.Target.Typeless || !p.Target.Takes("$ref", false) || !isOfType(p.Schema, "object") {
			in := inliner{pass: p}
			in.run()
		}
	},
}

// inliner replaces references by their targets. It does so level by level, by means of a queue, so that
// the limits cut the deepest references.
type inliner struct {
	pass      *engine.Pass
	source    *schema.Node      // the schema before any change, in which references are resolved
	resources *schema.Resources // of source, in which pointer_refs has left only pointers
	queue     []waiting
	values    int               // the number of values in the result so far
	targets   map[string]target // by the text of the reference
	hasNames  bool              // some schema has a keyword of namesOfOne
	// takesBelow and takesAtRoot say where the target takes references.
	takesBelow, takesAtRoot bool
}

// target is the target of a reference, or nil, with the number of its values.
type target struct {
	node *schema.Node
	size int
}

// waiting is a reference that is still to be replaced.
type waiting struct {
	node *schema.Node
	path *enclosing
}

// enclosing is a linked list of the schemas of source around a place, the innermost first.
type enclosing struct {
	source *schema.Node
	depth  int
	parent *enclosing
}

func (e *enclosing) has(source *schema.Node) bool {
	for ; e != nil; e = e.parent {
		if e.source == source {
			return true
		}
	}
	return false
}

func (in *inliner) run() {
	root := in.pass.Root()
	in.source, in.targets = in.pass.Copy(root), map[string]target{}
	in.resources = schema.NewResources(in.source)
	in.hasNames = in.pass.HasAnywhere(namesOfOne...)
	in.takesBelow, in.takesAtRoot = in.pass.Target.Takes("$ref", false), in.pass.Target.Takes("$ref", true)
	in.values = root.Size() - root.Get("$defs").Size() - root.Get("definitions").Size()
	in.enter(root, in.source, nil)
	for len(in.queue) > 0 {
		next := in.queue[0]
		in.queue = in.queue[1:]
		in.replace(next)
	}
	if in.takesBelow {
		in.reportFound()
	}
}

// reportFound reports the references that led nowhere, and so accepted anything, but lead to a schema
// now that the root has changed.
func (in *inliner) reportFound() {
	lost := map[string]bool{}
	in.source.Each(func(node *schema.Node) bool {
		reference := node.Reference()
		if reference != "" && in.pass.ResolveIn(in.resources, node, reference) == nil {
			lost[reference] = true
		}
		return true
	})
	if len(lost) == 0 {
		return
	}
	resources := schema.NewResources(in.pass.Root())
	in.pass.Root().Each(func(node *schema.Node) bool {
		if reference := node.Reference(); lost[reference] && in.pass.ResolveIn(resources, node, reference) != nil {
			in.pass.Below(node, "").Report(rewrite.Narrows, node, node)
		}
		return true
	})
}

// enter queues the references in node, which is a copy of source. It leaves out definitions, because
// each reference to a definition gets a copy.
func (in *inliner) enter(node, source *schema.Node, parent *enclosing) {
	takes := in.takesBelow
	if node == in.pass.Root() {
		takes = in.takesAtRoot
	}
	waits := !takes && node.Reference() != ""
	if !waits && !slices.ContainsFunc(node.Members, holdsSchemas) {
		return
	}
	path := &enclosing{source: source, depth: 1, parent: parent}
	if parent != nil {
		path.depth += parent.depth
	}
	if waits {
		in.queue = append(in.queue, waiting{node, path})
	}
	if in.takesBelow {
		return
	}
	for i := range node.Members {
		member := &node.Members[i]
		if areDefinitions(member.Key) || in.pass.Target.TakesWhole(member.Key) || !holdsSchemas(*member) {
			continue
		}
		below, nth := source.Get(member.Key), 0
		for place := range member.Subschemas() {
			in.enter(place.Node(), counterpart(below, member, place, nth), path)
			nth++
		}
	}
}

func holdsSchemas(member schema.Member) bool { return schema.ClassOf(member.Key) > schema.Data }

// counterpart returns the subschema in value that corresponds to place in the value of member. It
// tries the nth name first, which is mostly the right one, because searching for every name takes
// quadratic time.
func counterpart(value *schema.Node, member *schema.Member, place schema.Place, nth int) *schema.Node {
	switch {
	case place.Slot == &member.Value:
		return value
	case place.Index < 0 && value != nil && nth < len(value.Members) && value.Members[nth].Key == place.Name:
		return value.Members[nth].Value
	case place.Index < 0:
		return value.Get(place.Name)
	case value != nil && place.Index < len(value.Elements):
		return value.Elements[place.Index]
	default:
		return nil
	}
}

// replace replaces one reference by its definition.
func (in *inliner) replace(next waiting) {
	reference := next.node.Reference()
	known, ok := in.targets[reference]
	if !ok {
		known.node = in.pass.ResolveIn(in.resources, in.source, reference)
		known.size = known.node.Size()
		in.targets[reference] = known
	}
	target, size, options := known.node, known.size, in.pass.Options()
	switch {
	case target == nil:
		in.become(next.node, schema.NewObject(), rewrite.Widens)
	case next.path.has(target):
		in.cut(next.node, target, "Has the shape of "+nameOf(reference)+", inside which it stands.")
	case in.values+size > options.MaxValues || next.path.depth >= options.MaxDepth:
		in.cut(next.node, target, "Has the shape of "+nameOf(reference)+", left out because the schema would grow too large.")
	default:
		in.values += size
		content := in.become(next.node, in.copyOf(target), rewrite.Exact)
		in.enter(content, target, next.path)
	}
}

// namesOfOne are the keywords that name a schema, so that a copy must not have them.
var namesOfOne = []string{"$anchor", "$dynamicAnchor", "$id", "id"}

// copyOf returns a copy of a schema without the keywords that name it.
func (in *inliner) copyOf(target *schema.Node) *schema.Node {
	content := asObject(in.pass, target)
	if in.hasNames {
		deleteNames(content)
	}
	return content
}

// deleteNames removes from a copy the keywords that name schemas.
func deleteNames(content *schema.Node) {
	content.Each(func(node *schema.Node) bool {
		for _, name := range namesOfOne {
			node.Delete(name)
		}
		return true
	})
}

// asObject returns a copy of a schema, with an object for true or false.
func asObject(p *engine.Pass, node *schema.Node) *schema.Node {
	switch {
	case node.IsTrue():
		return schema.NewObject()
	case node.IsFalse():
		return schema.NewObject(schema.Member{Key: "not", Value: schema.NewObject()})
	default:
		return p.Copy(node)
	}
}

// become gives a reference the content of a schema. Annotations and nullable beside the reference
// win; if there are other members beside it, they and the content become branches of allOf. It returns
// the schema that then has the content.
func (in *inliner) become(node, content *schema.Node, loss rewrite.Loss) *schema.Node {
	var beside, assertions []schema.Member
	for _, member := range node.Members {
		switch {
		case slices.Contains(schema.ReferenceKeywords, member.Key):
		case schema.IsAnnotation(member.Key) || schema.IsMeta(member.Key) || member.Key == "nullable":
			beside = append(beside, member)
		default:
			assertions = append(assertions, member)
		}
	}
	p := in.pass.Below(node, "")
	if len(assertions) > 0 {
		p.Edit(loss, func() {
			both := schema.Member{Key: "allOf", Value: schema.NewArray(content, p.New(assertions...))}
			if node.Get("nullable").IsTrue() { // nullable accepts null even if a branch refuses it
				both = schema.Member{Key: "anyOf", Value: schema.NewArray(p.New(both))}
			}
			node.Members = slices.Concat(beside, []schema.Member{both})
		})
		return content
	}
	p.Edit(loss, func() {
		node.Members = content.Members
		for _, member := range beside {
			if i := node.Index(member.Key); i >= 0 {
				node.Members[i] = member
			} else {
				node.Members = append(node.Members, member)
			}
		}
	})
	return node
}

// cut replaces a reference whose target cannot be inlined by a stub that has the type of the target
// and a description.
func (in *inliner) cut(node, target *schema.Node, description string) {
	stub, loss := schema.NewObject(), rewrite.Widens
	if types := target.Types(); len(types) > 0 {
		setTypes(stub, types)
	} else if target.Has("properties") || target == in.source {
		stub.Set("type", schema.NewString("object"))
		loss = rewrite.Both
	}
	stub.Set("description", schema.NewString(description))
	in.become(node, stub, loss)
}

// nameOf returns the name of the target of a reference for people.
func nameOf(reference string) string {
	tokens := schema.Pointer(strings.TrimPrefix(reference, "#")).Tokens()
	switch {
	case reference == "#":
		return "the whole"
	case len(tokens) == 0:
		return fmt.Sprintf("%q", reference)
	default:
		return tokens[len(tokens)-1]
	}
}
