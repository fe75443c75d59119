package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// RequiredLoops serves targets that follow references until they come to an end.
var RequiredLoops = &engine.Rule{
	Name: "required_loops",
	Doc: `a property that contains its own schema endlessly becomes optional

A schema that requires a value of itself, through references, is refused, even if a union
also accepts null. The property that closes the loop becomes optional. If no property does,
the array may be empty, or the reference is removed. In a grammar only unions and allOf
close such a loop. Source: rule reference_loop of gemini/responseJsonSchema, measured
2026-09-27, and of parametersJsonSchema, 2026-05-27.`,
	Before: `{"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"]}}}`,
	After:  `{"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}}`,
	Loss:   rewrite.Both,
	On:     []string{"$ref"},
	Rewrite: func(p *engine.Pass) {
		if p.Schema.Reference() != "" {
			followed := engine.State[loopsFollowed](p)
			if followed.done == nil {
				followed.done = map[*schema.Node]bool{}
			}
			walk := loopWalk{pass: p, open: map[*schema.Node]int{}, done: followed.done}
			if walk.enter(p.Schema); walk.broken {
				followed.done = nil // another way into a broken loop may close another loop
			}
		}
	},
}

// loopsFollowed holds the schemas from which earlier walks through the tool found no loop.
type loopsFollowed struct{ done map[*schema.Node]bool }

// loopWalk follows the subschemas that every value of a schema must have.
type loopWalk struct {
	pass *engine.Pass
	path []needed
	open map[*schema.Node]int  // the schemas on the path, with their indexes
	done map[*schema.Node]bool // the schemas from which there is no loop any more
	// broken is set when the walk has broken a loop.
	broken bool
}

// needed is a schema on the path, with the property or keyword that leads to the next.
type needed struct {
	node              *schema.Node
	property, keyword string
}

// enter follows a schema and breaks each loop that it finds.
func (w *loopWalk) enter(node *schema.Node) {
	w.pass.Charge(1)
	if node == nil || node.Kind != schema.Object || w.done[node] {
		return
	}
	if step, isOpen := w.open[node]; isOpen {
		w.breakUp(w.path[step:])
		return
	}
	step := len(w.path)
	w.path = append(w.path, needed{node: node})
	w.open[node] = step
	if node.Reference() != "" {
		w.path[step].keyword = "$ref"
		w.enter(w.pass.Resolve(node))
	} else {
		w.enterBelow(step)
	}
	w.path = w.path[:step]
	delete(w.open, node)
	w.done[node] = true
}

// enterBelow follows the subschemas that every value of the schema must have.
func (w *loopWalk) enterBelow(step int) {
	node := w.path[step].node
	isRequired := schema.Among(node.Get("required").Strings())
	// Breaking a loop changes the members.
	for _, place := range slices.Collect(node.Subschemas()) {
		if engine.Has[GrammarLoops](w.pass.Target) && (place.Keyword == "properties" || place.Keyword == "items") {
			continue
		}
		switch place.Keyword {
		case "properties":
			if !isRequired(place.Name) {
				continue
			}
		case "items":
			if least, _ := node.Get("minItems").Int64(); least <= 0 && !node.Get("type").IsOf("array") {
				continue
			}
		case "anyOf", "oneOf", "allOf":
		default:
			continue
		}
		w.path[step].keyword, w.path[step].property = place.Keyword, place.Name
		w.enter(place.Node())
	}
}

// breakUp breaks a loop at its last property or array, or else at a reference.
func (w *loopWalk) breakUp(loop []needed) {
	w.broken = true
	for _, step := range slices.Backward(loop) {
		p := w.pass.Below(step.node, "")
		switch step.keyword {
		case "properties":
			withoutRequired(p, step.property)
			return
		case "items":
			if least, _ := step.node.Get("minItems").Int64(); least > 0 {
				p.SpillAway("minItems", rewrite.Widens)
			}
			if step.node.Get("type").IsOf("array") {
				// In a list of types, the provider does not see that the array may be empty.
				p.SpillAway("items", rewrite.Widens)
			}
			return
		}
	}
	last := slices.IndexFunc(loop, func(step needed) bool { return step.keyword == "$ref" })
	// If a branch of oneOf accepts more, oneOf may refuse what another branch accepts.
	isOneOf := slices.ContainsFunc(loop, func(step needed) bool { return step.keyword == "oneOf" })
	w.pass.Below(loop[last].node, "").Remove("$ref", rewrite.Widens|lossIf(isOneOf, rewrite.Narrows))
}

// withoutRequired removes a property from required.
func withoutRequired(p *engine.Pass, property string) {
	names := slices.DeleteFunc(p.Schema.Get("required").Strings(), func(name string) bool { return name == property })
	if len(names) == 0 {
		p.Remove("required", rewrite.Widens)
		return
	}
	p.Set("required", schema.NewStrings(names...), rewrite.Widens)
}

// GrammarLoops marks a target where a loop of references may go through properties, even required
// ones, and through elements, but not through unions and allOf alone.
type GrammarLoops struct{}
