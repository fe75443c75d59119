package advice

import "strings"

// droppedConstraint finds constraints that only the text can carry.
var droppedConstraint = &Rule{
	Name: "dropped_constraint",
	Doc: `a surface drops a constraint that no text says

Surfaces among the targets accept the keyword without passing it on to the model. Say the same
in the description.`,
	Source: Source{"What each surface drops has evidence of its own: verify explain DIALECT shows it, and docs/providers.md its sources.", "", "2026-11-22"},
	check: func(p *pass, tool *declaration) {
		if p.options.Dropped == nil {
			return
		}
		for _, dropped := range p.options.Dropped(tool.index) {
			holder := tool.Node().Find(dropped.At)
			value := holder.Get(dropped.Keyword)
			if value == nil || !isConstraint[dropped.Keyword] {
				continue
			}
			if text := strings.ToLower(textOf(holder.Get("description"), p.options.Language)); text != "" && strings.Contains(text, strings.ToLower(value.Text)) && value.Text != "" {
				continue
			}
			p.report(dropped.At.Child(dropped.Keyword), value, list(dropped.Surfaces)+" drops "+dropped.Keyword+" "+quoted(value.String())+": say it in the description too")
		}
	},
}

// isConstraint lists the keywords that a description can replace.
var isConstraint = map[string]bool{
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true, "minLength": true, "maxLength": true,
	"pattern": true, "format": true, "minItems": true, "maxItems": true, "uniqueItems": true, "const": true, "default": true,
}
