package rules

import (
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// UndeclaredRequired serves targets where a required property is declared.
var UndeclaredRequired = &rewrite.Rule{
	Name: "undeclared_required",
	Doc: `a required name that properties does not declare goes away

So it does from propertyOrdering, and a name stands once. Source:
https://github.com/iBUHub/AIStudioToAPI/issues/154.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "b", "a"]}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`,
	Loss:   rewrite.Widens,
	On:     []string{"required", "propertyOrdering"},
	Rewrite: func(p *rewrite.Pass) {
		keepDeclared(p, "required", rewrite.Widens)
		keepDeclared(p, "propertyOrdering", rewrite.Exact)
	},
}

func keepDeclared(p *rewrite.Pass, keyword string, loss rewrite.Loss) {
	listed := p.Schema.Get(keyword)
	if listed == nil || listed.Kind != schema.Array {
		return
	}
	properties := p.Schema.Get("properties")
	var names []string
	undeclared := false
	for _, name := range listed.Strings() {
		switch {
		case !properties.Has(name):
			undeclared = true
		case !slices.Contains(names, name):
			names = append(names, name)
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
