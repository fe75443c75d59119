package openai

import (
	"toolproof/harness/provider"
	draft "toolproof/harness/provider/internal/metaschema"
	"toolproof/harness/provider/internal/python"
	"toolproof/schema"
)

// metaschema is the stage that validates the schema against the metaschema. Its words are those of
// Python's jsonschema, without a context. The Subject is a *place.
var metaschema = &provider.Stage{
	Name: "metaschema",
	Shared: "one library of JSON Schema: Chat and Responses answer values that are no schema in the same words. Chat and a response_format of Azure answer " +
		"unknown types in the same words",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		walkSchema(request, declaration, visitor, (*schemaWalk).shallowestFirst)
	},
}

// shallowestFirst visits the places level by level, because the library reports the error
// nearest to the root.
func (w *schemaWalk) shallowestFirst() {
	w.text = append(w.text[:0], w.at...)
	w.queue = append(w.queue[:0], below{w.place.root, 0, len(w.text)})
	for next := 0; next < len(w.queue); next++ {
		if w.visitor.Done() {
			return
		}
		here := w.queue[next]
		w.at = append(w.at[:0], w.text[here.start:here.end]...)
		w.visit(here.node)
		for place := range here.node.Subschemas() {
			if place.Node().IsPlain() {
				continue
			}
			start := len(w.text)
			w.text = place.AppendTo(append(w.text, w.at...))
			w.visitor.ChargeText(len(w.text) - start)
			w.queue = append(w.queue, below{place.Node(), start, len(w.text)})
		}
	}
}

// below is a place that is still to be visited.
type below struct {
	node       *schema.Node
	start, end int // of its pointer, in the text
}

// metaschemaRules judge a schema as JSON Schema.
var metaschemaRules = []*provider.Rule{notASchema, keywordType, typeName, regex}

// notASchema reports a value other than a schema where a schema is expected.
var notASchema = &provider.Rule{
	Name:   "not_a_schema",
	Effect: provider.Rejects,
	Stage:  metaschema,
	Doc: `a schema is an object or a boolean

A property that is a string fails. Null in place of the parameters does not: a recorded
request with it was answered with a call.

The messages of the metaschema end in a full stop, as bodies and stack traces of 2024-03,
2024-12, 2025-06 and 2026-04 show. Some reports leave it out, as do the oldest ones, of 2023,
none of which shows a body; https://github.com/smallmain/vscode-unify-chat-provider/issues/162
has both.`,
	Evidence: []string{
		"openai/chat/b1a1479f75e9",
		"openai/responses/b8585ad78088",
		// Near misses.
		"openai/chat/42f5700fbc2a",
		"openai/responses/fed40a95d79f",
	},
	Check: func(p *provider.Pass) {
		isNoParameters := p.Node.Kind == schema.Null && placeOf(p).isRoot
		if p.Node.Kind != schema.Object && p.Node.Kind != schema.Bool && !isNoParameters {
			reportf(p, "%s is not of type 'object', 'boolean'.", python.Value(p.Node))
		}
	},
}

// keywordType reports a keyword whose value is of the wrong type.
var keywordType = &provider.Rule{
	Name:   "keyword_type",
	Effect: provider.Rejects,
	Stage:  metaschema,
	Doc: `the value of a keyword is of the type that the metaschema demands

A required that is true fails, and so does an empty list for properties.`,
	Evidence: []string{
		"openai/chat/22d8e31c4b22",
		// Near misses.
		"openai/chat/f73d7ddc1200",
	},
	Check: func(p *provider.Pass) {
		for _, member := range p.Node.Members {
			want := schema.TypeOf(member.Key)
			if want == "" || isForeign(member.Key) {
				continue
			}
			if !member.Value.IsOf(want) {
				reportf(p, "%s is not of type '%s'.", python.Value(member.Value), want)
				return
			}
			if member.Key == "required" {
				for _, name := range member.Value.Elements {
					if name.Kind != schema.String {
						reportf(p, "%s is not of type 'string'.", python.Value(name))
						return
					}
				}
			}
		}
	},
}

// typeName reports a type that JSON Schema does not have.
var typeName = &provider.Rule{
	Name:   "type_name",
	Effect: provider.Rejects,
	Stage:  metaschema,
	Doc:    `a type other than the seven names of JSON Schema, in lower case, fails the request`,
	Evidence: []string{
		"openai/chat/6e0e12cc4bbe",
		"azure/response_format/a7f5d95f0559",
		// Near misses.
		"openai/chat/b30f4e50cab7",
	},
	Check: func(p *provider.Pass) {
		if value := p.Node.Get("type"); value != nil && !draft.IsType(value) {
			reportf(p, "%s is not valid under any of the given schemas.", python.Value(value))
		}
	},
}

// isForeign reports whether a keyword is not one of JSON Schema draft 2020-12, so that the metaschema
// allows it any value.
func isForeign(keyword string) bool {
	switch keyword {
	case "nullable", "propertyOrdering", "id", "$recursiveAnchor", "$recursiveRef":
		return true
	default:
		return false
	}
}
