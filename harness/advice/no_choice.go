package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// noChoice finds parameters that leave a model nothing to choose.
var noChoice = &Rule{
	Name: "no_choice",
	Doc: `a parameter leaves nothing to choose

A model that is offered what only the server writes fills it in, and the call fails or the value is lost. One that is offered a
single value pays for reading it, and a flag says better whether it is wanted. A value that confirms something, or tells one branch
of a schema from another, has its use.`,
	Source: Source{
		"OpenAI: make functions obvious, and do not let the model fill in arguments that you know.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "rename", "description": "Rename a room.", "parameters": {"type": "object", "properties": {"room": {"type": "object", "description": "What it is to be.", "properties": {"name": {"type": "string", "description": "Its new name."}, "changed_at": {"type": "string", "format": "date-time", "readOnly": true, "description": "When it was changed."}}}}}}]`,
	Good: `[{"name": "rename", "description": "Rename a room.", "parameters": {"type": "object", "properties": {"room": {"type": "object", "description": "What it is to be.", "properties": {"name": {"type": "string", "description": "Its new name."}}}}}}]`,
	check: func(p *pass, tool *declaration) {
		var written, single []*parameter
		for _, param := range tool.params {
			switch {
			case param.schema.Get("readOnly").IsTrue() || slices.ContainsFunc(param.prose.Sentences, isReadOnly) && strings.Contains(param.lower, "read"):
				written = append(written, param)
			case param.depth == 0 && !param.isBranch && !param.isA("boolean") && hasOneValue(param) && !param.hasNameOf(confirming...):
				single = append(single, param)
			}
		}
		p.reportAll(written, "is written by the server alone: leave it out of the schema", "are written by the server alone: leave them out of the schema")
		before := len(p.found)
		p.reportAll(single, "can have one value only: leave it out, or make it a flag", "can have one value only each: leave them out, or make them flags")
		if len(single) == 1 && p.isShared(single[0]) {
			p.note(before)
		}
	},
}

// isShared reports whether another tool of the list has a parameter of the same name that selects a mode, so that one with a single
// value is like it.
func (p *pass) isShared(param *parameter) bool {
	return slices.Contains(switches, param.name) && slices.ContainsFunc(p.tools, func(tool *declaration) bool {
		other := tool.param(param.name)
		return other != nil && len(other.schema.Get("enum").Strings()) > 1
	})
}

// isReadOnly reports whether a sentence says no more than that a value is read-only.
func isReadOnly(sentence prose.Sentence) bool {
	const few = 2 // a word and a full stop
	return len(sentence) <= few && (sentence[0].Lower == "read-only" || sentence[0].Lower == "readonly")
}

// hasOneValue reports whether the schema of a parameter allows one value.
func hasOneValue(param *parameter) bool {
	values := param.schema.Get("enum")
	return param.schema.Has("const") || values != nil && len(values.Elements) == 1
}

// confirming are words in names of parameters whose one value is a consent.
var confirming = []string{"confirm", "confirmation", "confirmed", "acknowledge", "acknowledgement", "accept", "consent"}
