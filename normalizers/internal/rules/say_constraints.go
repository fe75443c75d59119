package rules

import (
	"slices"

	"toolproof/normalizers/rewrite"
)

// SayConstraints serves targets whose tools others pass on.
var SayConstraints = &rewrite.Rule{
	Name: "say_constraints",
	Doc: `the description says a constraint too that some client takes away

The keyword stays, for those who read it. The description ends in {minLength: 1}, as that
of a keyword does that a target refuses. A description that says the keyword already stays
as it is. So do the others where no known client takes the keyword away. Source: docs/clients.md.`,
	Before: `{"type": "object", "properties": {"code": {"type": "string", "description": "Code", "pattern": "^[A-Z]+$", "minLength": 1}}}`,
	After: `{"type": "object", "properties": {"code": {"type": "string", "description": "Code\n\n{pattern: \"^[A-Z]+$\", minLength: 1}", ` +
		`"pattern": "^[A-Z]+$", "minLength": 1}}}`,
	Loss: rewrite.Exact,
	Idle: func(target *rewrite.Target, keyword string) bool { return !slices.Contains(target.Repeated, keyword) },
	Rewrite: func(p *rewrite.Pass) {
		var unsaid []string
		for member := range p.Members() {
			if slices.Contains(p.Target.Repeated, member.Key) && !p.Says(member.Key) {
				unsaid = append(unsaid, member.Key)
			}
		}
		if len(unsaid) > 0 {
			p.Repeat(unsaid...)
		}
	},
}
