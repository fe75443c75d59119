package rules

import (
	"maps"
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// DefinitionRefs serves targets whose references lead only to definitions of the root.
var DefinitionRefs = &engine.Rule{
	Name: "definition_refs",
	Doc: `a reference leads to a definition with a plain name

The target of a reference becomes a definition if it is elsewhere. A definition gets another
name if references have to escape the name, or if the name is empty or contains a slash or
braces. Sources: rules reference_prefix, reference_dangling and definition_name of
moonshot/chat, 2026-06-29.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}, "c": {"$ref": "#/$defs/C~1d"}}, ` +
		`"$defs": {"C/d": {"type": "number"}}}`,
	After: `{"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"$ref": "#/$defs/a"}, "c": {"$ref": "#/$defs/C_d"}}, ` +
		`"$defs": {"C_d": {"type": "number"}, "a": {"type": "string"}}}`,
	Loss: rewrite.Exact,
	Root: true,
	Rewrite: func(p *engine.Pass) {
		if !p.Target.DefinitionRefs || !p.HasAnywhere("$ref", "$defs") {
			return
		}
		leadToDefinitions(p)
		p.Root().Each(func(node *schema.Node) bool {
			p.Charge(1)
			if node != p.Root() && node.Has("$defs") {
				nameDefinitions(p.Below(node, ""), "$defs", isUnfit)
			}
			return true
		})
	},
}

// isUnfit reports whether the surface refuses the name of a definition.
func isUnfit(definition schema.Member) bool {
	name := definition.Key
	return name == "" || strings.Contains(name, "/") || strings.Contains(name, "{") && strings.Contains(name, "}")
}

// leadToDefinitions makes each reference lead to the root or to one of its definitions.
func leadToDefinitions(p *engine.Pass) {
	referring, targets := p.References()
	referring = slices.DeleteFunc(referring, func(node *schema.Node) bool { return !node.Has("$ref") })
	maps.DeleteFunc(targets, func(node, _ *schema.Node) bool { return !node.Has("$ref") })
	definitions := p.Root().Get("$defs")
	isDefinition, isRenamed := map[*schema.Node]bool{}, map[*schema.Node]bool{}
	for _, definition := range membersOf(definitions) {
		isDefinition[definition.Value] = true
	}
	for _, node := range referring {
		if target := targets[node]; isDefinition[target] && strings.ContainsAny(node.GetString("$ref"), "~%") {
			isRenamed[target] = true
		}
	}
	nameDefinitions(p, "$defs", func(definition schema.Member) bool { return isUnfit(definition) || isRenamed[definition.Value] })
	places, isSchema := map[*schema.Node]schema.Pointer{p.Root(): ""}, subschemasOf(p)
	for _, definition := range membersOf(p.Root().Get("$defs")) {
		places[definition.Value] = schema.Pointer("/$defs").Child(definition.Key)
	}
	for i := 0; i < len(referring); i++ { // a target that moves may be a reference too, and is appended
		node := referring[i]
		target := targets[node]
		if node.Get("$ref").Is("#"+string(places[target])) || leadsPlainly(p, node, target) {
			continue
		}
		place, known := places[target]
		if !known {
			place = hoistTarget(p, target, definitionName(definitionNameOf(node.Reference())), isSchema)
			places[target] = place
			if moved := p.Root().Find(place); targets[target] != nil {
				targets[moved], targets[target] = targets[target], moved
				referring = append(referring, moved)
			}
		}
		p.Below(node, "").Set("$ref", schema.NewString("#"+string(place)), rewrite.Exact)
	}
}

// leadsPlainly reports whether a reference leads to its target as # or as a pointer through $defs
// without escapes.
func leadsPlainly(p *engine.Pass, node, target *schema.Node) bool {
	reference := node.GetString("$ref")
	if reference == "#" {
		return target == p.Root()
	}
	path, ok := strings.CutPrefix(reference, "#/$defs/")
	if !ok {
		return false
	}
	p.ChargeText(len(path))
	found := p.Root().Get("$defs")
	for token := range strings.SplitSeq(path, "/") {
		if found == nil || found.Kind != schema.Object {
			return false
		}
		found = p.Step(found, token)
	}
	return found == target && !strings.ContainsAny(path, "~%")
}
