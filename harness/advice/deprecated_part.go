package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// deprecatedPart finds tools and parameters that should no longer be used.
var deprecatedPart = &Rule{
	Name: "deprecated_part",
	Doc: `a tool or parameter is deprecated and still offered

A model uses what it is offered, and pays for reading it. A server can still take an old argument
that it no longer lists, or another name for one that it does.`,
	Source: Source{
		"Anthropic: too many tools, or tools that overlap, distract agents; each tool has a purpose of its own.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"start": {"type": "integer", "description": "Deprecated: use the cursor."}, "cursor": {"type": "string", "description": "The value of next in the previous answer."}}}}]`,
	Good: `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"cursor": {"type": "string", "description": "The value of next in the previous answer."}}}}]`,
	check: func(p *pass, tool *declaration) {
		if first := tool.prose.Sentences; isDeprecated(tool.prose) && len(first) > 0 {
			at, node := tool.descriptionOf()
			p.report(at, node, tool.Name+" is deprecated by its text: leave it out of the list, or say which tool to call instead and drop the rest of the text")
		}
		var found []*parameter
		for _, param := range tool.params {
			if param.schema.Get("deprecated").IsTrue() || isDeprecated(param.prose) || tool.hasAlias(param) {
				found = append(found, param)
			}
		}
		var edits []Edit
		for _, param := range found {
			if !tool.needs(param) {
				edits = append(edits, leavingOut(param))
			}
		}
		p.answerAll(found, "is only there for old callers: leave it out of the schema; the server can still take it", "are only there for old callers: leave them out of the schema; the server can still take them", edits...)
	},
}

// hasAlias reports whether a parameter is another name for one that the tool has, too.
func (t *declaration) hasAlias(param *parameter) bool {
	if !param.prose.Has(aliases...) || param.isRequired {
		return false
	}
	return slices.ContainsFunc(t.own(), func(other *parameter) bool {
		name := strings.ToLower(other.name)
		return other != param && (param.prose.Has(prose.Phrases("alias for "+name, "alias of "+name)...) || slices.ContainsFunc(param.prose.Sentences, func(sentence prose.Sentence) bool {
			return sentence.Has(aliases...) && sentence.Mentions(other.name) >= 0
		}))
	})
}

var aliases = prose.Phrases("alias for", "alias of")

// needs reports whether the schema of a tool or another text speaks of a parameter.
func (t *declaration) needs(param *parameter) bool {
	name := strings.ToLower(param.name)
	return param.isRequired || param.isBranch || schemaSays(param.holder) || param.holder.Has("allOf") || hasWord(t.lower, name) ||
		slices.ContainsFunc(t.params, func(other *parameter) bool { return other != param && hasWord(other.lower, name) })
}

// leavingOut returns the edit that leaves a parameter out of the schema that has it.
func leavingOut(param *parameter) Edit {
	edit := Edit{At: param.above.Child("properties"), Before: []schema.Member{{Key: param.name, Value: param.schema}}, param: param}
	isForOthers := func(keyword string) bool { return param.holder.Has(keyword) }
	switch {
	case param.holder.Get("additionalProperties").IsFalse() && !param.holder.Has("patternProperties"):
		edit.Narrows, edit.Loses = true, "calls that still have "+param.name+" are refused"
	case slices.ContainsFunc([]string{"additionalProperties", "unevaluatedProperties", "patternProperties"}, isForOthers):
		edit.Widens, edit.Narrows, edit.Loses = true, true, "in calls that still have "+param.name+" it is checked as other properties are"
	default:
		edit.Widens, edit.Loses = true, "nothing checks "+param.name+" in calls that still have it"
	}
	return edit
}

// aging are words of texts about something deprecated, and olds phrases that say it of what they describe.
var aging = prose.Phrases("deprecated", "obsolete", "no longer", "compatibility")

var olds = prose.Phrases("no longer used", "no longer has any effect", "kept for compatibility", "retained for compatibility", "no longer maintained", "backward compatibility", "backwards compatibility")

// isDeprecated reports whether a text says that what it describes is deprecated: at its
// beginning, in brackets, or in capitals, and not of something else.
func isDeprecated(text *prose.Text) bool {
	if !text.Has(aging...) || hasAny(text.Lower, "non-deprecated", "include deprecated", "whether deprecated", "is deprecated in", "deprecated or", "or deprecated") {
		return false
	}
	trimmed := strings.TrimLeft(text.Lower, " ([*⚠️_!")
	return strings.HasPrefix(trimmed, "deprecated") || strings.HasPrefix(trimmed, "obsolete") || strings.Contains(text.Raw, "DEPRECATED") || hasAny(text.Lower, "(deprecated", "[deprecated", "deprecated:", ". deprecated", "this is deprecated", "parameter is deprecated", "field is deprecated", "tool is deprecated", "method is deprecated") || text.Has(olds...)
}
