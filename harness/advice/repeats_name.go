package advice

import (
	"slices"

	"toolproof/harness/advice/prose"
)

// repeatsName finds descriptions that only repeat the name.
var repeatsName = &Rule{
	Name: "repeats_name",
	Doc: `a description repeats the name

A description with the same words as the name tells a model nothing new. Most models guess what an identifier or a tool with
an ordinary verb is; of a key, a code or an unusual verb they cannot.`,
	Source: Source{
		"OpenAI asks for clear and detailed descriptions of functions and parameters, and to say when to use them.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "get_user", "description": "Get user.", "parameters": {"type": "object", "properties": {"user_id": {"type": "string", "description": "The user id"}}}}]`,
	Good: `[{"name": "get_user", "description": "Read name, mail and groups of an account.", "parameters": {"type": "object", "required": ["user_id"], "properties": {"user_id": {"type": "string", "description": "A number such as 4711, from list_users."}}}}]`,
	check: func(p *pass, tool *declaration) {
		isClear := tool.isNamed(destroying) // what is deleted with it is another question
		if repeats(tool.Name, tool.text) && !isClear {
			at, node := tool.descriptionOf()
			before := len(p.found)
			p.report(at, node, "the description "+quoted(tool.text)+" repeats the name "+tool.Name+": say when to call it, and what it returns")
			if len(tool.own()) > 1 || tool.isNamed(ordinary) {
				p.note(before) // its parameters or its verb say what it does
			}
		}
		var found, plain []*parameter
		for _, param := range tool.params {
			switch {
			case param.isClosed() || param.isA("integer", "number") || !repeats(param.name, param.text) || p.finds(tool, param):
			case (slices.Contains(handles, param.last()) || isEmpty(param)) && !param.isA("boolean") && param.depth == 0:
				found = append(found, param)
			case slices.Contains(ids, one(param.last())) || !slices.Contains(evident, one(param.last())):
				plain = append(plain, param)
			}
		}
		const answer = "say what is meant, in which form, with an example"
		if len(found) > 0 {
			p.reportAll(append(found, plain...), "has the description "+quoted(found[0].text)+", which repeats the name: "+answer, "have descriptions that repeat the names, such as "+quoted(found[0].text)+": "+answer)
		} else if len(plain) > 0 {
			before := len(p.found)
			p.reportAll(plain, "has the description "+quoted(plain[0].text)+", which repeats the name: "+answer, "have descriptions that repeat the names, such as "+quoted(plain[0].text)+": "+answer)
			p.note(before)
		}
	},
}

// finds reports whether unknownIdentifier says which tool finds a parameter, and so what to write.
func (p *pass) finds(tool *declaration, param *parameter) bool {
	finder, _ := p.source(tool, param)
	return finder != "" && slices.Contains(p.options.Rules, unknownIdentifier)
}

// ordinary are verbs in names of tools that any reader knows.
var ordinary = []string{"get", "list", "read", "retrieve", "search", "find", "create", "add", "update", "rename", "duplicate", "archive", "unarchive", "send", "open", "close", "activate", "deactivate", "enable", "disable", "publish", "unpublish", "start", "stop", "mark"}

// handles are last words of names for things of a form that no name tells, so that a text should add what they look like. Of
// an identifier the name tells most. For those that are clear there may be nothing to add.
var (
	handles = []string{"key", "slug", "token", "parameter", "value", "ref", "code", "handle", "hash", "cursor", "branch", "scope", "data", "options", "config", "settings", "payload", "filter", "filters", "params", "parameters", "metadata", "expression", "selector", "spec"}
	evident = []string{"name", "title", "description", "email", "query", "text", "message", "content", "body", "path", "url", "username", "password", "page", "label", "color", "image"}
)

// isEmpty reports whether a text says that it describes a parameter, and no more, such as
// "username parameter".
func isEmpty(param *parameter) bool {
	return param.prose.Has(empties...) && !param.hasNameOf("parameter", "parameters", "param", "params", "argument")
}

var empties = prose.Phrases("parameter", "param", "argument")

// fillers are words that do not explain a name.
var fillers = []string{
	"a", "an", "the", "of", "to", "for", "this", "that", "your", "its", "in", "on", "with", "is", "and", "value", "parameter", "param", "field", "argument",
	"string", "input", "specified", "required", "optional", "unique", "identifier",
}

// repeats reports whether every word of a text is in the name.
func repeats(name, text string) bool {
	if len(text) > 4*len(name)+40 {
		return false // it has other words for sure
	}
	own, said := words(name), words(text)
	if len(said) == 0 {
		return false
	}
	isIn := func(word string) bool {
		return slices.ContainsFunc(own, func(other string) bool {
			return word == other || word == other+"s" || other == word+"s" || word == other+"es" || other == word+"es"
		})
	}
	says := false
	for _, word := range said {
		switch {
		case isIn(word):
			says = true
		case !slices.Contains(fillers, word):
			return false
		}
	}
	return says
}
