package main

import "strings"

// difference is a known difference between protojson and the model, with the reason.
type difference struct {
	name, why string
	explains  func(asked question, refusal error) bool
}

var differences = []difference{{
	name: "history",
	why: `the published messages are those of today, and a fixture asks for a day before
title and default were fields of the Schema message`,
	explains: func(asked question, refusal error) bool {
		return refusal == nil && asked.message == geminiMessage && asked.answer.every(func(message string) bool {
			return strings.Contains(message, `Unknown name "title"`) || strings.Contains(message, `Unknown name "default"`)
		})
	},
}, {
	name: "null_of_vertex",
	why: `the REST discovery of Vertex AI has the type NULL, and its published messages do
not: it is not known which of them the service follows, and the model refuses nothing`,
	explains: func(asked question, refusal error) bool {
		return refusal != nil && asked.message == vertexMessage && !asked.own && strings.Contains(strings.ToLower(refusal.Error()), `invalid value for enum field type: "null"`)
	},
}, {
	name: "behavior_of_vertex",
	why:  "the REST discovery of Vertex AI has the behavior of a function, and its published messages do not",
	explains: func(asked question, refusal error) bool {
		return refusal != nil && asked.message == vertexMessage && strings.Contains(refusal.Error(), `unknown field "behavior"`)
	},
}}

// every reports whether there are messages of the parse stage and all satisfy a condition.
func (a *answer) every(such func(message string) bool) bool {
	for _, finding := range a.Findings {
		if !such(finding.Message) {
			return false
		}
	}
	return len(a.Findings) > 0
}
