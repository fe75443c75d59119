package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// harmfulDefault finds defaults that do damage to what nobody meant.
var harmfulDefault = &Rule{
	Name:    "harmful_default",
	IsGrave: true,
	Doc: `a default changes what a call does not mention, or stands for nothing

A tool that updates a thing leaves alone what a call leaves out. If the schema says that a member of
the thing has a default there, a program that fills in defaults, or a model that writes them, resets
it. A default such as dummy or your-id is sent as it is. Take such defaults out of the schema.`,
	Source: Source{
		"JSON Schema: default supplies a value for where an instance has none.",
		"https://json-schema.org/draft/2020-12/json-schema-validation#name-default", "2022-06-16",
	},
	Bad: `[{"name": "create_repo", "description": "Make a repository.", "parameters": {"type": "object", "required": ["title"], "properties": {"title": {"type": "string", "description": "A short name."}, "private": {"type": "boolean", "default": false, "description": "Whether only members see it."}}}},
		{"name": "update_repo", "description": "Change a repository, leaving alone what is not given.", "parameters": {"type": "object", "required": ["title"], "properties": {"title": {"type": "string", "description": "Its short name."}, "private": {"type": "boolean", "default": false, "description": "Whether only members see it."}}}}]`,
	Good: `[{"name": "create_repo", "description": "Make a repository.", "parameters": {"type": "object", "required": ["title"], "properties": {"title": {"type": "string", "description": "A short name."}, "private": {"type": "boolean", "default": false, "description": "Whether only members see it."}}}},
		{"name": "update_repo", "description": "Change a repository, leaving alone what is not given.", "parameters": {"type": "object", "required": ["title"], "properties": {"title": {"type": "string", "description": "Its short name."}, "private": {"type": "boolean", "description": "Whether only members see it."}}}}]`,
	check: func(p *pass, tool *declaration) {
		var resets, standIns []*parameter
		isUpdate := slices.ContainsFunc(tool.named, func(word string) bool { return slices.Contains([]string{"update", "patch", "modify"}, word) })
		for _, param := range tool.params {
			value := param.schema.Get("default")
			switch {
			case value == nil || param.schema.Has("const"):
			case value.Kind == schema.String && prose.Read(value.Text).Has(standing...) || strings.HasPrefix(strings.ToLower(value.Text), "dummy"):
				standIns = append(standIns, param)
			case isUpdate && !param.isRequired && value.Kind != schema.Null && !param.hasNameOf(ofCalls...) && (p.isMade(tool, param) || param.prose.Has(renewed...)):
				resets = append(resets, param)
			}
		}
		p.answerAll(resets, "has a default in a tool that updates: a call that leaves it out may reset it; take the default out, and say that it stays as it is",
			"have defaults in a tool that updates: a call that leaves them out may reset them; take the defaults out, and say that they stay as they are", withoutDefaults(resets)...)
		p.answerAll(standIns, "has a default that stands for nothing and is sent as it is: take it out", "have defaults that stand for nothing and are sent as they are: take them out", withoutDefaults(standIns)...)
	},
}

// withoutDefaults returns the edits that leave out the defaults of parameters.
func withoutDefaults(params []*parameter) []Edit {
	edits := make([]Edit, len(params))
	for i, param := range params {
		edits[i] = Edit{At: param.at, Before: []schema.Member{{Key: "default", Value: param.schema.Get("default")}}, param: param}
	}
	return edits
}

// isMade reports whether a tool that makes things of the kind that another one updates has the same parameter.
func (p *pass) isMade(tool *declaration, param *parameter) bool {
	for _, verb := range []string{"update", "patch", "modify"} {
		for _, making := range []string{"create", "add"} {
			maker := p.byName[strings.Replace(strings.ToLower(tool.Name), verb, making, 1)]
			if maker != nil && maker != tool && maker.param(param.name) != nil {
				return true
			}
		}
	}
	return false
}

// standing are values that stand for another, renewed phrases about a member of a thing that a tool changes, and
// ofCalls words in names of parameters that are about a call.
var (
	standing = prose.Phrases("dummy", "your id", "your-id", "changeme", "placeholder", "lorem ipsum")
	renewed  = prose.Phrases("the new", "new value", "new state", "whether the")
	ofCalls  = []string{"dry", "run", "return", "supports", "include", "fields", "format", "async", "wait", "timeout", "confirm", "force", "validate", "notify", "send", "environment", "version", "account", "limit"}
)
