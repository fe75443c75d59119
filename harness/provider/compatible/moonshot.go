package compatible

import (
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// relaxed is the day on which Moonshot's own endpoint was measured to take what its
// schema validator had refused, on kimi-k3 and kimi-k2.6:
// https://github.com/14790897/MiqroForge-Desktop/issues/1165. Other hosts that serve its
// models, such as the one for coding, were seen to refuse it until 2026-09-01.
const relaxed = "2026-09-21"

const moonshotFlavor = "tools.function.parameters is not a valid moonshot flavored json schema, details: "

// ReferencePrefix reports a reference to anything but a definition.
var ReferencePrefix = &provider.Rule{
	Name:   "reference_prefix",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc:    `a reference leads to a definition below $defs`,
	Source: "a published refusal of 2026 in a public source file without a stable address; docs/providers.md#moonshot",
	Check: func(p *provider.Pass) {
		reference := p.Node.Get("$ref")
		if reference != nil && reference.Kind == schema.String && !strings.HasPrefix(reference.Text, "#/$defs/") {
			p.Reportf(moonshotFlavor+"<At path '%s': references must start with #/$defs/>", in(p).dotted("$ref"))
		}
	},
}

// ReferenceBesideType reports a type beside a reference.
var ReferenceBesideType = &provider.Rule{
	Name:   "reference_beside_type",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc: `a reference has no type beside it

How the message names the place is not known.`,
	Source: "a refusal of 2026 in a public source file without a stable address, quoted in part; docs/providers.md#moonshot",
	Check: func(p *provider.Pass) {
		if p.Node.Has("$ref") && p.Node.Has("type") {
			p.Reportf(moonshotFlavor+"<At path '%s': when using $ref, type should be defined in the referenced schema instead of the parent schema>",
				in(p).path())
		}
	},
}

// flavor reports a violation in the words of Moonshot's schema validator.
func flavor(p *provider.Pass, place, words string) {
	if place == "" {
		place = "root"
	}
	p.Reportf(moonshotFlavor+"<At path '%s': %s>", place, words)
}

// ParametersType reports a root whose type is not object.
var ParametersType = &provider.Rule{
	Name:   "parameters_type",
	Effect: provider.Rejects,
	Stage:  Root,
	Doc:    `the root has type object`,
	Evidence: []string{
		"moonshot/chat/16ccccef7f83",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		if !p.Node.Get("type").Is("object") && len(p.Node.Members) > 0 && !p.Node.Has("$ref") {
			p.Reportf(`tools.function.parameters.type is required and must be "object"`)
		}
	},
}

// UnionBesideType reports a union with a type beside it.
var UnionBesideType = &provider.Rule{
	Name:   "union_beside_type",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Until:  relaxed,
	Doc:    `anyOf has no type beside it; each branch has its own`,
	Evidence: []string{
		"moonshot/chat/d95a37e5204e",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		if p.Node.Has("anyOf") && p.Node.Has("type") {
			flavor(p, in(p).path(), "when using anyOf, type should be defined in anyOf items instead of the parent schema")
		}
	},
}

// ReferenceConflict reports a keyword that is both beside a reference and in what it
// leads to.
var ReferenceConflict = &provider.Rule{
	Name:   "reference_conflict",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc: `a keyword is not both beside a reference and in its definition

Known of description.`,
	Evidence: []string{
		"moonshot/chat/86b5374ab6af",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		name, ok := strings.CutPrefix(p.Node.GetString("$ref"), "#/$defs/")
		root := p.Dialect().SchemaOf(p.Request.Declarations[p.Declaration])
		if ok && p.Node.Has("description") && root.Get("$defs").Get(name).Get("description") != nil {
			flavor(p, in(p).path(), "conflicting keywords found after $ref expansion: description")
		}
	},
}

// PropertyNotSchema reports a property whose schema is no object.
var PropertyNotSchema = &provider.Rule{
	Name:   "property_not_schema",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc:    `the schema of a property is an object, not true or false`,
	Evidence: []string{
		"moonshot/chat/08ff540db695",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		for _, member := range membersOf(p.Node.Get("properties")) {
			if member.Value.Kind != schema.Object {
				flavor(p, in(p).dotted("properties"), "property schema for '"+member.Key+"' must be an object")
				return
			}
		}
	},
}

// TypeNotDefined reports a schema without a type.
var TypeNotDefined = &provider.Rule{
	Name:   "type_not_defined",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc:    `the schema of a property has a type, a reference or a union`,
	Evidence: []string{
		"moonshot/chat/a4faeec9742c",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		if slices.ContainsFunc([]string{"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"}, p.Node.Has) {
			return
		}
		if tokens := in(p).tokens(); len(tokens) > 1 && tokens[len(tokens)-2] == "properties" {
			flavor(p, in(p).path(), "type is not defined")
		}
	},
}

// UnionConflict reports properties that are beside a union and inside it.
var UnionConflict = &provider.Rule{
	Name:   "union_conflict",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc: `properties are not both beside anyOf and in a branch of it

The words are those of a public test, which says no day.`,
	Evidence: []string{
		"moonshot/chat/df9923479212",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		hasProperties := func(branch *schema.Node) bool { return branch.Has("properties") }
		if union := p.Node.Get("anyOf"); union != nil && p.Node.Has("properties") && slices.ContainsFunc(union.Elements, hasProperties) {
			flavor(p, in(p).path(), "conflicting keywords found in anyOf with parent: keywords (properties) are defined on the parent schema and inside anyOf")
		}
	},
}

// membersOf returns the members of a node, which may be nil.
func membersOf(node *schema.Node) []schema.Member {
	if node == nil {
		return nil
	}
	return node.Members
}
