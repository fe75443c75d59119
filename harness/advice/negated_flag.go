package advice

import (
	"slices"
	"strings"
)

// negations are first words of names of flags that switch something off.
var negations = []string{"no", "not", "dont", "disable", "disabled", "without", "non", "never", "prevent", "suppress"}

// negatedFlag finds flags that are false to say yes.
var negatedFlag = &Rule{
	Name: "negated_flag",
	Doc: `a flag negates, and no text says what it does

A flag such as no_cache set to false is a double negation. Say what each value does, or make
the flag positive and give it a default.`,
	Source: Source{
		"Google's style for APIs asks for positive names of booleans: disabled as a name makes a double negative.",
		"https://google.aip.dev/140", "2019-07-22",
	},
	Bad:  `[{"name": "build", "description": "Build an image.", "parameters": {"type": "object", "properties": {"no_cache": {"type": "boolean"}}}}]`,
	Good: `[{"name": "build", "description": "Build an image.", "parameters": {"type": "object", "properties": {"cache": {"type": "boolean", "description": "Whether layers that exist are used.", "default": true}}}}]`,
	check: func(p *pass, tool *declaration) {
		for _, param := range tool.params {
			name := words(param.name)
			if len(name) < 2 || !param.isA("boolean") || !slices.Contains(negations, name[0]) || strings.TrimSpace(param.text) != "" {
				continue
			}
			positive := strings.Join(name[1:], "_")
			if slices.ContainsFunc(tool.params, func(other *parameter) bool {
				return other.holder == param.holder && strings.Join(words(other.name), "_") == positive
			}) {
				continue
			}
			p.report(param.at, param.schema, param.name+" is a flag that negates: name it "+positive+" with the default true, or say in the text what false does")
		}
	},
}
