package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// JSONText serves targets whose objects need properties and nest only a few levels deep.
var JSONText = &engine.Rule{
	Name: "json_text",
	Doc: `an object without properties, or what is nested too deep, becomes JSON in a string

The provider's responses have no such object and no such depth. The description asks the
model for the value as JSON text, and Restore parses the text. Any other text is not a value
of the tool. If a union accepts any text too, Restore still parses a text that is such JSON.
Sources: rules properties_empty_in_response and response_too_deep of
gemini/responseSchema; https://github.com/browser-use/browser-use/issues/3786.`,
	Before: `{"type": "object", "properties": {"labels": {"type": "object", "description": "Labels", "maxProperties": 3}}}`,
	After:  `{"type": "object", "properties": {"labels": {"type": "string", "description": "Labels\n\nAn object as JSON text.\n\n{maxProperties: 3}"}}}`,
	Loss:   rewrite.Both,
	Root:   true,
	Rewrite: func(p *engine.Pass) {
		if engine.LimitsOf[MaxLevels](p.Target) > 0 {
			textBelow(p, 0, false)
		}
	},
}

// textBelow turns the objects and arrays that the target does not take into text, from the schema
// downwards, and reports whether the schema itself became text. levels is the number of objects and
// arrays around the schema; besideText is set in a union with a branch that accepts strings.
func textBelow(p *engine.Pass, levels int, besideText bool) bool {
	levels += nestingOf(p.Schema)
	isEmpty := isOfType(p.Schema, "object") && len(membersOf(p.Schema.Get("properties"))) == 0
	if isEmpty || levels > int(engine.LimitsOf[MaxLevels](p.Target)) {
		becomeText(p, besideText)
		return true
	}
	union := p.Schema.Get("anyOf")
	besideText = union != nil && (besideText || slices.ContainsFunc(union.Elements, takesText))
	texts := 0
	for place := range p.Schema.Subschemas() {
		if textBelow(p.Below(place.Node(), place.Keyword), levels, besideText && place.Keyword == "anyOf") && place.Keyword == "anyOf" {
			texts++
		}
	}
	if union == nil || texts < len(union.Elements) || len(distinctSchemas(union.Elements)) > 1 {
		return false
	}
	in := merge.Intersection{Work: work{p}}
	p.Edit(rewrite.Both, func() {
		p.Schema.Delete("anyOf")
		in.Into(p.Schema, union.Elements[0])
	})
	p.RestoredBut(rewrite.Widens | in.Loss)
	return true
}

// takesText reports whether a branch accepts strings.
func takesText(branch *schema.Node) bool {
	if union := branch.Get("anyOf"); union != nil {
		return slices.ContainsFunc(union.Elements, takesText)
	}
	return !namesTypes(branch) || namesType(branch, "string")
}

// becomeText makes the schema one of JSON text.
func becomeText(p *engine.Pass, besideText bool) {
	kind := "An object"
	if isOfType(p.Schema, "array") {
		kind = "An array"
	}
	for member := range p.Members() {
		switch {
		case member.Key == "type" || member.Key == "description" || member.Key == "title" || member.Key == "nullable":
		case member.Key == "properties" && len(member.Value.Members) == 0:
			p.Remove(member.Key, rewrite.Exact)
		default:
			p.SpillAway(member.Key, rewrite.Widens)
		}
	}
	p.Edit(rewrite.Both, func() {
		p.Schema.Set("type", schema.NewString("string"))
		p.Schema.Set("description", schema.NewString(merge.Descriptions(p.Schema.GetString("description"), kind+" as JSON text.")))
	}, "type", "description")
	p.RestoredBut(rewrite.Widens | lossIf(besideText, rewrite.Narrows))
}
