package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// BareArguments serves targets whose tools pass through Qwen Code.
var BareArguments = &engine.Rule{
	Name: "bare_arguments",
	Doc: `parameters without properties keep no constraint and no default

Qwen Code takes an empty set of properties away from parameters that have another keyword
such as required, and OpenAI refuses parameters without properties. If type, properties and
title are all that they have, it sends the tool without parameters, which OpenAI takes. An
empty list of required properties says nothing; other keywords go into the description.
Source: npm package @qwen-code/qwen-code 0.24.4, read 2026-11-24.`,
	Before: `{"type": "object", "properties": {}, "required": []}`,
	After:  `{"type": "object", "properties": {}}`,
	Loss:   rewrite.Widens,
	On:     []string{"properties"},
	Rewrite: func(p *engine.Pass) {
		if !p.IsArguments() || len(membersOf(p.Schema.Get("properties"))) > 0 {
			return
		}
		p.RemoveEach(func(member schema.Member) (engine.Fate, rewrite.Loss) {
			switch member.Key {
			case "type", "properties", "title", "description":
				return engine.Stays, rewrite.Exact
			case "required":
				return engine.Goes, lossIf(len(member.Value.Elements) > 0, rewrite.Widens)
			default:
				return engine.IsSpilled, lossIf(!schema.IsAnnotation(member.Key) && !belongsElsewhere(p.Schema, member.Key), rewrite.Widens)
			}
		})
	},
}
