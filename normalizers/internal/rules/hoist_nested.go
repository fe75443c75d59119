package rules

import (
	"strconv"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// HoistNested serves targets that bound the depth of a schema and take references.
var HoistNested = &engine.Rule{
	Name: "hoist_nested",
	Doc: `what is nested too deep becomes a definition

Objects and arrays beyond the allowed level move into $defs, where the level does not count,
and leave a reference. Sources: rule response_too_deep of gemini/responseJsonSchema;
https://github.com/googleapis/js-genai/issues/882.`,
	Before: `{"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "array", ` +
		`"items": {"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}}}}}}}`,
	After: `{"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "array", ` +
		`"items": {"type": "array", "items": {"type": "array", "items": {"$ref": "#/$defs/nested"}}}}}}}, ` +
		`"$defs": {"nested": {"type": "array", "items": {"type": "string"}}}}`,
	Loss:  rewrite.Exact,
	Moves: true,
	Root:  true,
	Rewrite: func(p *engine.Pass) {
		if most := engine.LimitsOf[MaxLevels](p.Target); most > 0 {
			hoistBelow(p, 0, int(most))
		}
	},
}

// MaxLevels bounds how deep the objects and arrays of a schema nest; 0 means no bound.
type MaxLevels int

// hoistBelow moves the subschemas of a schema that nest deeper than most levels into definitions.
// levels is the number of objects and arrays around the schema.
func hoistBelow(p *engine.Pass, levels, most int) {
	levels += nestingOf(p.Schema)
	for place := range p.Schema.Subschemas() {
		below := p.Below(place.Node(), place.Keyword)
		switch {
		case place.Keyword == "$defs" || place.Keyword == "definitions":
			hoistBelow(below, 0, most)
		case levels+nestingOf(below.Schema) > most:
			hoistBelow(below, 0, most)
			hoist(below)
		default:
			hoistBelow(below, levels, most)
		}
	}
}

// nestsTooDeep reports whether a schema nests deeper than MaxLevels.
func nestsTooDeep(p *engine.Pass) bool {
	most := int(engine.LimitsOf[MaxLevels](p.Target))
	if most == 0 {
		return false
	}
	var levels func(node *schema.Node) int
	levels = func(node *schema.Node) int {
		deepest := 0
		for place := range node.Subschemas() {
			deepest = max(deepest, levels(place.Node()))
		}
		return deepest + nestingOf(node)
	}
	return levels(p.Schema) > most
}

// nestingOf returns 1 for a schema that adds a level of nesting, and 0 for any other.
func nestingOf(node *schema.Node) int {
	if node.Has("properties") || node.Has("items") {
		return 1
	}
	return 0
}

// hoist moves a schema into the root's $defs and leaves a reference.
func hoist(p *engine.Pass) {
	definitions := p.Root().Get("$defs")
	if definitions == nil {
		definitions = schema.NewObject()
	}
	name := "nested"
	for i := 2; definitions.Has(name); i++ {
		name = "nested" + strconv.Itoa(i)
	}
	content := *p.Schema
	p.MoveSpills(p.Schema, &content)
	p.Become(p.New(schema.Member{Key: "$ref", Value: schema.NewString("#/$defs/" + name)}), rewrite.Exact)
	p.Edit(rewrite.Exact, func() {
		definitions.Set(name, &content)
		p.Root().Set("$defs", definitions)
	}, "$defs")
}
