package advice

import "slices"

// repeatsName finds descriptions that only repeat the name.
var repeatsName = &Rule{
	Name: "repeats_name",
	Doc: `a description repeats the name

A description with the same words as the name tells a model nothing new.`,
	Source: Source{
		"OpenAI asks for clear and detailed descriptions of functions and parameters, and to say when to use them.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "get_user", "description": "Get user.", "parameters": {"type": "object", "properties": {"user_id": {"type": "string", "description": "The user id"}}}}]`,
	Good: `[{"name": "get_user", "description": "Read name, mail and groups of an account.", "parameters": {"type": "object", "properties": {"user_id": {"type": "string", "description": "A number such as 4711, from list_users."}}}}]`,
	check: func(p *pass, tool *declaration) {
		if repeats(tool.Name, tool.text) {
			at, node := tool.descriptionOf()
			p.report(at, node, "the description "+quoted(tool.text)+" repeats the name "+tool.Name+": say when to call it, and what it returns")
		}
		for _, param := range tool.params {
			name := words(param.name)
			if len(name) == 0 || !slices.Contains(handles, name[len(name)-1]) || param.isClosed() || param.isA("boolean") || !repeats(param.name, param.text) {
				continue
			}
			at, node := param.descriptionOf()
			p.report(at, node, "the description "+quoted(param.text)+" repeats the name "+param.name+": say what is meant, in which form, with an example")
		}
	},
}

// handles are last words of names for things that are defined elsewhere, so that a text
// should add where to find them and what they look like. For other names, such as page,
// there may be nothing to add.
var handles = []string{"id", "ids", "uuid", "uuids", "iid", "key", "keys", "slug", "token", "parameter", "value", "ref", "code", "handle", "hash", "cursor"}

// fillers are words that do not explain a name.
var fillers = []string{
	"a", "an", "the", "of", "to", "for", "this", "that", "your", "its", "in", "on", "with", "is", "be", "it", "and", "value", "parameter", "param", "field", "argument",
	"string", "input", "given", "specified", "required", "optional", "tool", "function",
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
