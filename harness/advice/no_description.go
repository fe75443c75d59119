package advice

import "strings"

// NoDescription finds tools and parameters without a description.
var NoDescription = &Rule{
	Name: "no_description",
	Doc: `a tool or parameter has no description

The description is all that a model knows of a tool besides names and types. A closed set
of values, or a flag whose name says what it does, explains itself.`,
	Source: Source{
		"Anthropic calls a detailed description of the tool and of each parameter the most important factor of tool use.",
		"https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use", "2025-05-22",
	},
	Bad:  `[{"name": "search", "description": "Search the issues of a project.", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}]`,
	Good: `[{"name": "search", "description": "Search the issues of a project.", "parameters": {"type": "object", "properties": {"q": {"type": "string", "description": "Words that the issue has."}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		if strings.TrimSpace(tool.Text) == "" {
			at, node := tool.descriptionOf()
			p.Report(at, node, tool.Name+" has no description: say what it does, when to call it and what it returns")
		}
		var first *Param
		var names []string
		for _, param := range tool.Own() {
			if strings.TrimSpace(param.Text) != "" || param.IsClosed() || param.IsA("boolean") || param.Schema.Has("title") && len(words(param.Schema.GetString("title"))) > wordy {
				continue
			}
			// A tool that explains the parameter in its own text needs no second text.
			if hasWord(tool.Lower, strings.ToLower(param.Name)) {
				continue
			}
			if names = append(names, param.Name); first == nil {
				first = param
			}
		}
		switch {
		case len(names) == 1:
			p.Report(first.At, first.Schema, first.Name+" has no description: say what it means, in which form it is written, and give an example")
		case len(names) > 1:
			p.Report(first.At, first.Schema, list(names)+" have no description: say what each means, in which form it is written, and give an example")
		}
	},
}

// wordy is how many words of a title explain a parameter.
const wordy = 2
