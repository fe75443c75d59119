package advice

import "strings"

// droppedConstraint finds constraints that only the text can carry.
var droppedConstraint = &Rule{
	Name: "dropped_constraint",
	Doc: `a surface drops a constraint that no text says

The surfaces asked for take the keyword and do not hand it to the model. What it says has to
stand in the description too.`,
	Source: source{"What each surface drops has evidence of its own: verify explain DIALECT shows it.", "", "2026-11-22"},
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

// isConstraint has the keywords that a description can say.
var isConstraint = map[string]bool{
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true, "minLength": true, "maxLength": true,
	"pattern": true, "format": true, "minItems": true, "maxItems": true, "uniqueItems": true, "const": true, "default": true,
}
