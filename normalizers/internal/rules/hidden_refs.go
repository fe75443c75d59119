package rules

import (
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// HiddenRefs serves surfaces that ignore all members beside a reference except keywords that begin
// with $.
var HiddenRefs = &engine.Rule{
	Name: "hidden_refs",
	Doc: `no reference leads through a member beside another reference

The surface ignores what is beside a reference, and says that a reference into it leads
nowhere. The schema there becomes a definition in $defs, which the surface reads. Source:
rule reference_undefined of gemini/parametersJsonSchema.`,
	Before: `{"$ref": "#/definitions/A", "definitions": {"A": {"type": "object", "properties": {"a": {"type": "string"}}}}}`,
	After: `{"$ref": "#/$defs/A", "definitions": {"A": {"$ref": "#/$defs/A"}}, ` +
		`"$defs": {"A": {"type": "object", "properties": {"a": {"type": "string"}}}}}`,
	Loss: rewrite.Exact,
	Root: true,
	Rewrite: func(p *engine.Pass) {
		defineTargets(p, func() referenceFilter {
			isRead, isSchema := readSchemas(p), subschemasOf(p)
			return func(node, target *schema.Node) bool {
				base, pointer, _ := p.Resources().Pointer(node, node.Reference())
				return passesReference(p, base, pointer) || isRead[node] && !isRead[target] && isSchema(target)
			}
		})
	},
}

// passesReference reports whether a pointer leads through a member beside a reference.
func passesReference(p *engine.Pass, node *schema.Node, pointer schema.Pointer) bool {
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

// readSchemas returns the schemas that the surface reads: all but those beside a reference under
// keywords that do not begin with $.
func readSchemas(p *engine.Pass) map[*schema.Node]bool {
	isRead := map[*schema.Node]bool{}
	var read func(node *schema.Node)
	read = func(node *schema.Node) {
		p.Charge(1 + len(node.Members))
		isRead[node] = true
		for place := range node.Subschemas() {
			if node.Reference() == "" || strings.HasPrefix(place.Keyword, "$") {
				read(place.Node())
			}
		}
	}
	read(p.Root())
	return isRead
}
