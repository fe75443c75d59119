package advice

import (
	"slices"
	"strings"
)

// negations are the first words of flags that switch something off.
var negations = []string{"no", "not", "dont", "disable", "disabled", "without", "non", "never", "prevent", "suppress"}

// NegatedFlag finds flags whose false means yes.
var NegatedFlag = &Rule{
	Name: "negated_flag",
	Doc: `a flag negates, and no text says what it does

A flag such as no_cache set to false says twice no. A text says what each value does; a
positive flag with a default is read the way it is meant.`,
	Source: Source{
		"Google's style for APIs asks for positive names of booleans: disabled as a name makes a double negative.",
		"https://google.aip.dev/140", "2019-07-22",
	},
	Bad:  `[{"name": "build", "description": "Build an image.", "parameters": {"type": "object", "properties": {"no_cache": {"type": "boolean"}}}}]`,
	Good: `[{"name": "build", "description": "Build an image.", "parameters": {"type": "object", "properties": {"cache": {"type": "boolean", "description": "Whether layers that exist are used.", "default": true}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		for _, param := range tool.Params {
			name := words(param.Name)
			if len(name) < 2 || !param.IsA("boolean") || !slices.Contains(negations, name[0]) || strings.TrimSpace(param.Text) != "" {
				continue
			}
			positive := strings.Join(name[1:], "_")
			if slices.ContainsFunc(tool.Params, func(other *Param) bool {
				return other.Holder == param.Holder && strings.Join(words(other.Name), "_") == positive
			}) {
				continue
			}
			p.Report(param.At, param.Schema, param.Name+" is a flag that negates: name it "+positive+" with the default true, or say in the text what false does")
		}
	},
}
