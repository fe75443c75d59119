package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// EnumValues serves targets whose enum lists only strings.
var EnumValues = &engine.Rule{
	Name: "enum_values",
	Doc: `an enum keeps only strings

Values of other types do not become strings, because a model would then answer "1" where 1
is meant. The schema keeps its type instead, and the description lists the values. An enum
with values of several types becomes a union, so that the strings stay in an enum. The
target takes neither an empty string nor an empty enum: the description lists these too. The
format enum is removed with the enum. Sources:
https://github.com/microsoft/azure-devops-mcp/issues/139;
docs/providers.md#google-parser-answers.`,
	Before: `{"type": "integer", "enum": [1, 2]}`,
	After:  `{"type": "integer", "description": "{enum: [1,2]}"}`,
	Loss:   rewrite.Widens,
	On:     []string{"enum", "format"},
	Rewrite: func(p *engine.Pass) {
		if listed := p.Schema.Get("enum"); listed != nil && listed.Kind == schema.Array {
			keepStrings(p, listed)
		}
		if p.Schema.Get("format").Is("enum") && !p.Schema.Has("enum") {
			p.Remove("format", rewrite.Exact)
		}
	},
}

// keepStrings removes the values that are not strings from an enum.
func keepStrings(p *engine.Pass, listed *schema.Node) {
	types := p.Schema.Types()
	if p.IsArguments() && len(types) == 0 {
		types = []string{"object"} // as fill_type does
	}
	values := slices.DeleteFunc(slices.Clone(listed.Elements), func(value *schema.Node) bool { return !isOneOfTypes(value, types) })
	strings := slices.DeleteFunc(slices.Clone(values), func(value *schema.Node) bool { return value.Kind != schema.String })
	blank := slices.ContainsFunc(strings, func(value *schema.Node) bool { return value.Text == "" })
	switch {
	case len(values) == 0 || blank || len(strings) == 0, len(strings) < len(values) && p.Refuses("anyOf"):
		tellValues(p, values)
	case len(strings) < len(values):
		unionOfValues(p, values)
	case len(strings) < len(listed.Elements) || len(types) > 1:
		p.Edit(rewrite.Exact, func() {
			p.Schema.Set("enum", schema.NewArray(strings...))
			if len(types) > 1 {
				p.Schema.Set("type", schema.NewString("string"))
			}
		}, "enum", "type")
	}
}

// tellValues moves the enum into the description and leaves the types of its values.
func tellValues(p *engine.Pass, values []*schema.Node) {
	if len(values) > 0 && !p.Schema.Has("type") {
		p.Edit(rewrite.Exact, func() {
			setTypes(p.Schema, instanceTypes(values))
			p.Schema.Members = append(p.Schema.Members[len(p.Schema.Members)-1:], p.Schema.Members[:len(p.Schema.Members)-1]...)
		}, "type")
	}
	p.SpillAway("enum", rewrite.Widens)
	if names := p.Schema.Types(); len(names) > 1 {
		unionOfTypes(p, names)
	}
}

// instanceTypes returns the types of the values; number covers integer.
func instanceTypes(values []*schema.Node) []string {
	var names []string
	for _, value := range values {
		if name := typeOfInstance(value); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if slices.Contains(names, "number") {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "integer" })
	}
	return names
}

// unionOfValues replaces the enum by a union with a branch for the values of each type.
func unionOfValues(p *engine.Pass, values []*schema.Node) {
	p.Edit(rewrite.Exact, func() {
		setTypes(p.Schema, instanceTypes(values))
		p.Schema.Set("enum", schema.NewArray(values...))
	}, "type", "enum")
	unionOfTypes(p, p.Schema.Types())
	for place := range p.Schema.Subschemas() {
		branch := place.Node()
		if listed := branch.Get("enum"); place.Keyword == "anyOf" && listed != nil && !slices.ContainsFunc(listed.Elements, isStringValue) {
			p.Below(branch, "anyOf").SpillAway("enum", rewrite.Widens)
		}
	}
}

func isStringValue(value *schema.Node) bool { return value.Kind == schema.String }
