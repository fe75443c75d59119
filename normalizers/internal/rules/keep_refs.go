package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// KeepRefs serves strict targets, whose references lead only to definitions of the root.
var KeepRefs = &engine.Rule{
	Name: "keep_refs",
	Doc: `what is referred to becomes a definition of the root

The target of a reference moves into $defs, and leaves a reference in its place. A reference
with annotations beside it becomes a copy of the definition with these annotations; other
members beside it are merged with the definition by later rules. A strict target cannot
express a reference that leads nowhere or out of the document. Sources:
https://github.com/camel-ai/camel/issues/3001,
https://github.com/dotnet/extensions/issues/6918.`,
	Before: `{"type": "object", "properties": {"x": {"type": "array", "items": {"type": "string"}}, "y": {"$ref": "#/properties/x/items"}}}`,
	After: `{"type": "object", "properties": {"x": {"type": "array", "items": {"$ref": "#/$defs/x"}}, "y": {"$ref": "#/$defs/x"}}, ` +
		`"$defs": {"x": {"type": "string"}}}`,
	Loss: rewrite.Exact,
	Root: true,
	Rewrite: func(p *engine.Pass) {
		if !p.HasAnywhere(schema.ReferenceKeywords...) {
			return
		}
		// A copy of a definition may have references with siblings too.
		for range maxChain {
			if !keepReferences(p) {
				return
			}
		}
		p.Unrepresentablef("definitions that refer to one another in more than %d steps", maxChain)
	},
}

// keepReferences corrects each reference once. It reports whether it changed anything.
func keepReferences(p *engine.Pass) (changed bool) {
	var referring []*schema.Node
	targets := map[*schema.Node]*schema.Node{}
	resolve := p.Resolver()
	p.Root().Each(func(node *schema.Node) bool {
		p.Charge(1)
		if reference := node.Reference(); reference != "" {
			target := resolve(node)
			if target == nil {
				p.Below(node, "").Unrepresentablef("the reference %q leads to nothing within the schema", reference)
			}
			if endless(p, node) {
				p.Below(node, "").Unrepresentablef("the reference %q leads to nothing but references", reference)
			}
			referring = append(referring, node)
			targets[node] = target
		}
		return true
	})
	hoisted, isSchema := map[*schema.Node]schema.Pointer{p.Root(): ""}, subschemasOf(p)
	for _, definition := range membersOf(p.Root().Get("$defs")) {
		hoisted[definition.Value] = schema.Pointer("/$defs").Child(definition.Key)
	}
	for _, node := range referring {
		target := targets[node]
		if target == nil {
			continue
		}
		pass := p.Below(node, "")
		if (len(node.Members) > 1 || p.HasSpills(node)) && node != p.Root() {
			separate(pass, target)
			changed = true
			continue
		}
		name, known := hoisted[target]
		if !known {
			name = hoistTarget(p, target, definitionNameOf(node.Reference()), isSchema)
			hoisted[target] = name
		}
		if text := name.Fragment(); node.Reference() != text || !node.Has("$ref") {
			pass.Become(p.New(schema.Member{Key: "$ref", Value: schema.NewString(text)}), rewrite.Exact)
			changed = true
		}
	}
	return changed
}

// endless reports whether a reference leads only to references, in a circle.
func endless(p *engine.Pass, node *schema.Node) bool {
	for range maxChain {
		if node = p.Resolve(node); node == nil || node.Reference() == "" {
			return false
		}
	}
	return true
}

// separate replaces a reference with siblings by a schema in which each reference stands alone.
func separate(p *engine.Pass, target *schema.Node) {
	var reference schema.Member
	var beside, assertions []schema.Member
	for _, member := range p.Schema.Members {
		switch {
		case slices.Contains(schema.ReferenceKeywords, member.Key):
			reference = member
		case schema.IsAnnotation(member.Key) || schema.IsMeta(member.Key):
			beside = append(beside, member)
		default:
			assertions = append(assertions, member)
		}
	}
	alone := p.New(reference)
	switch {
	case len(assertions) > 0:
		p.Become(p.New(append(beside, schema.Member{Key: "allOf", Value: schema.NewArray(alone, p.New(assertions...))})...), rewrite.Exact)
	case isRecursive(p, target):
		p.Become(p.New(append(beside, schema.Member{Key: "anyOf", Value: schema.NewArray(alone)})...), rewrite.Exact)
	default:
		content := asObject(p, target)
		for _, member := range beside {
			content.Set(member.Key, member.Value)
		}
		p.Become(content, rewrite.Exact)
	}
}

// isRecursive reports whether a schema leads back to itself.
func isRecursive(p *engine.Pass, target *schema.Node) bool {
	seen := map[*schema.Node]bool{}
	var reaches func(node *schema.Node) bool
	reaches = func(node *schema.Node) bool {
		found := false
		node.Each(func(below *schema.Node) bool {
			p.Charge(1)
			next := p.Resolve(below)
			if next == target {
				found = true
			}
			if next != nil && !found && !seen[next] {
				seen[next] = true
				found = reaches(next)
			}
			return !found
		})
		return found
	}
	return reaches(target)
}
