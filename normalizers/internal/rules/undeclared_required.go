package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// UndeclaredRequired serves targets that refuse a required property that is not declared.
var UndeclaredRequired = &engine.Rule{
	Name: "undeclared_required",
	Doc: `a required name that properties does not declare is removed

It is removed from propertyOrdering too, and a repeated name stays once. Source:
https://github.com/iBUHub/AIStudioToAPI/issues/154.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "b", "a"]}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`,
	Loss:   rewrite.Widens,
	On:     []string{"required", "propertyOrdering"},
	Rewrite: func(p *engine.Pass) {
		keepDeclared(p, "required", rewrite.Widens)
		keepDeclared(p, "propertyOrdering", rewrite.Exact)
	},
}

// keepDeclared removes repeated names, and names that properties does not declare, from the list under
// a keyword. loss is the loss of removing an undeclared name.
func keepDeclared(p *engine.Pass, keyword string, loss rewrite.Loss) {
	listed, properties := p.Schema.Get(keyword), p.Schema.Get("properties")
	if listed == nil || listed.Kind != schema.Array {
		return
	}
	waiting := map[string]bool{} // declared names that the list has not had yet
	for _, property := range membersOf(properties) {
		waiting[property.Key] = true
	}
	var names []string
	undeclared := false
	for _, name := range listed.Strings() {
		isFirst, declared := waiting[name]
		undeclared = undeclared || !declared
		if isFirst {
			names = append(names, name)
			waiting[name] = false
		}
	}
	switch {
	case len(names) == len(listed.Elements):
	case len(names) == 0:
		p.Remove(keyword, lossIf(undeclared, loss))
	default:
		p.Set(keyword, schema.NewStrings(names...), lossIf(undeclared, loss))
	}
}
