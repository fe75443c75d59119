package advice

import (
	"cmp"
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// defaultInProse finds defaults that the schema does not have.
var defaultInProse = &Rule{
	Name: "default_in_prose",
	Doc: `a text has a default, and the schema has none

Programs that fill in forms and check calls read the default in the schema, while a model
reads either. A default that the text explains, as in "1 = must be unique", can stay there
(docs/seeds.md#seed-002-log-009, gap 6).`,
	Source: Source{
		"JSON Schema: default supplies a value for where an instance has none.",
		"https://json-schema.org/draft/2020-12/json-schema-validation#name-default", "2022-06-16",
	},
	Bad:    `[{"name": "list", "description": "List the latest orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "maximum": 100, "description": "How many, default 10."}}}}]`,
	Good:   `[{"name": "list", "description": "List the latest orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "maximum": 100, "description": "How many, default 10.", "default": 10}}}}]`,
	IsNote: true,
	check: func(p *pass, tool *declaration) {
		var edits []Edit
		for _, param := range tool.params {
			if param.schema.Has("default") || param.isRequired || param.isA("array") {
				continue
			}
			value := cmp.Or(param.prose.Default(), param.prose.DefaultAmong(param.schema.Get("enum").Strings()), switched(param))
			fallback, values := param.value(value), param.schema.Get("enum")
			if value == "" || isNumber(value) && !param.isA("integer", "number") && values == nil {
				continue
			}
			isSame := func(value *schema.Node) bool { return schema.Equal(value, fallback) }
			if fallback != nil && (values == nil || slices.ContainsFunc(values.Elements, isSame)) {
				edits = append(edits, writing(param, schema.Member{Key: "default", Value: fallback}))
			}
		}
		p.reportEdits(edits, "has a default in its text alone", "have defaults in their texts alone")
	},
}

// switched returns whether a text says that a flag is on or off by default; "" if it does not say so.
func switched(param *parameter) string {
	isIncluding := param.hasNameOf("include", "with", "show", "enable")
	switch {
	case !param.isA("boolean"), strings.Contains(param.lower, "by default)"): // of something else
		return ""
	case param.prose.Has(offs...) || isIncluding && param.prose.Has(outs...):
		return "false"
	case param.prose.Has(ons...) || isIncluding && param.prose.Has(ins...):
		return "true"
	default:
		return param.prose.DefaultAmong([]string{"true", "false"})
	}
}

// ons and offs are phrases of texts about flags that are set or not by default, ins and outs those of texts about what
// flags include.
var (
	ons  = prose.Phrases("on by default", "enabled by default", "true by default")
	offs = prose.Phrases("off by default", "disabled by default", "false by default")
	ins  = prose.Phrases("included by default", "shown by default")
	outs = prose.Phrases("excluded by default", "hidden by default", "omitted by default")
)

// value returns a value that a text states as one of the type of a parameter; nil if it is none.
func (p *parameter) value(text string) *schema.Node {
	switch {
	case text == "null", p.isA("object", "array") && !p.isA("string"):
		return nil
	case p.isA("integer", "number") && (isNumber(text) || !p.isA("string")):
		return numberOf(text)
	case p.isA("boolean") && (strings.EqualFold(text, "true") || strings.EqualFold(text, "false")):
		return schema.NewBool(strings.EqualFold(text, "true"))
	default:
		return schema.NewString(text)
	}
}
