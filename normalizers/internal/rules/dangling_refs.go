package rules

import (
	"strings"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// DanglingRefs serves targets that follow references.
var DanglingRefs = &rewrite.Rule{
	Name: "dangling_refs",
	Doc: `a reference that leads nowhere goes away

Its siblings hold alone; without siblings anything is accepted. A reference to another
document goes too: it is never fetched. Some surfaces do not read what is beside a
reference. There a reference through such a place goes as well. Sources: rule
reference_undefined of gemini/parametersJsonSchema;
https://github.com/google-gemini/gemini-cli/issues/13326.`,
	Before: `{"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "https://example.com/b.json", "description": "B"}}}`,
	After:  `{"type": "object", "properties": {"a": {}, "b": {"description": "B"}}}`,
	Loss:   rewrite.Widens,
	On:     []string{"$ref"},
	Rewrite: func(p *rewrite.Pass) {
		reference := p.Schema.Get("$ref")
		if takes := p.Target.TakesReference; takes != nil && !strings.HasPrefix(reference.Text, "#/") && takes(p.Step, p.Root(), reference.Text) {
			return // the engine passes over it
		}
		if reference.Kind == schema.String && (p.Resolve(p.Schema) == nil || p.Target.ReferenceHides && passesReference(p)) {
			p.Remove("$ref", rewrite.Widens)
		}
	},
}

// passesReference reports whether the way of the schema's pointer goes through a member
// beside another reference, or what it names lies in one.
func passesReference(p *rewrite.Pass) bool {
	node, pointer, isPointer := p.Resources().Pointer(p.Schema, rewrite.Reference(p.Schema))
	if !isPointer {
		node = p.Resolve(p.Schema)
	}
	if isRead := readSchemas(p); isRead[p.Schema] && !isRead[node] {
		return true
	}
	for _, token := range pointer.Tokens() {
		if node == nil {
			return false
		}
		if p.Step(node, "$ref") != nil && !strings.HasPrefix(token, "$") {
			return true
		}
		node = p.Step(node, token)
	}
	return false
}

// readSchemas returns the schemas that are read where nothing beside a reference is, but
// under keywords that begin with $, as they were when the rule first asked for them.
func readSchemas(p *rewrite.Pass) map[*schema.Node]bool {
	isRead := rewrite.State[map[*schema.Node]bool](p)
	if *isRead != nil {
		return *isRead
	}
	*isRead = map[*schema.Node]bool{}
	var read func(node *schema.Node)
	read = func(node *schema.Node) {
		p.Charge(1 + len(node.Members))
		(*isRead)[node] = true
		for place := range node.Subschemas() {
			if rewrite.Reference(node) == "" || strings.HasPrefix(place.Keyword, "$") {
				read(place.Node())
			}
		}
	}
	read(p.Root())
	return *isRead
}
