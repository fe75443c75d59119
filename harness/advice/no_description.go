package advice

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// noDescription finds tools and parameters without a description.
var noDescription = &Rule{
	Name:    "no_description",
	IsGrave: true,
	Doc: `a tool or parameter has no description

Besides names and types, the description is all that a model knows about a tool. A closed set
of values explains itself, as does a flag whose name says what it does, unless that negates, such
as no_cache.`,
	Source: Source{
		"Anthropic calls a detailed description of the tool and of each parameter the most important factor of tool use.",
		"https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use", "2025-05-22",
	},
	Bad:  `[{"name": "search", "description": "Search the issues of a project.", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}]`,
	Good: `[{"name": "search", "description": "Search the issues of a project.", "parameters": {"type": "object", "properties": {"q": {"type": "string", "description": "Words that the issue has."}}}}]`,
	check: func(p *pass, tool *declaration) {
		if strings.TrimSpace(tool.text) == "" {
			at, node := tool.descriptionOf()
			p.report(at, node, tool.Name+" has no description: say what it does, when to call it and what it returns")
		}
		var required, others []*parameter
		for _, param := range tool.params {
			switch {
			case !tool.isUnclear(param):
			case param.isRequired && param.depth == 0:
				required = append(required, param)
			default:
				others = append(others, param)
			}
		}
		p.reportAll(append(required, others...), "has no description: say what it means, in which form it is written, and give an example",
			"have no description: say what each means, in which form it is written, and give an example")
	},
}

// isUnclear reports whether a parameter has no text and nothing else that explains it.
func (t *declaration) isUnclear(param *parameter) bool {
	if strings.TrimSpace(param.text) != "" || len(param.words) == 0 || strings.HasPrefix(param.name, "$") {
		return false
	}
	if param.isA("boolean") { // the name of a flag says what it does, unless it negates
		return slices.Contains(negations, param.words[0]) && len(param.words) > 1
	}
	title := words(param.schema.GetString("title"))
	if param.isClosed() || len(title) > wordy && !slices.Equal(title, param.words) || slices.Contains(plainNames, strings.ToLower(param.name)) || hasForm(param.schema) || hasMembers(param.schema) {
		return false
	}
	if t.explains(param) || saysLimit(param) {
		return false
	}
	isOfFile := slices.Contains([]string{"path", "content"}, param.name) && param.holder.Get("properties").Has("path") && param.holder.Get("properties").Has("content")
	return param.depth == 0 || !isOfFile && !slices.Contains(plainMembers, strings.Join(param.words, "_"))
}

// saysLimit reports whether the schema of a largest number, such as maxPages, has its limits and its default, which say the rest.
func saysLimit(param *parameter) bool {
	return param.isA("integer", "number") && param.hasNameOf("max", "limit", "top") && slices.IndexFunc([]string{"minimum", "maximum", "default"}, func(key string) bool { return !param.schema.Has(key) }) < 0
}

// explains reports whether the text of a tool explains a parameter: it names one of several words, or gives it
// a line of its own.
func (t *declaration) explains(param *parameter) bool {
	if !strings.Contains(t.lower, strings.ToLower(param.words[0])) {
		return false
	}
	if len(param.words) > 1 {
		name := strings.ToLower(param.name)
		if key := `"` + name + `":`; strings.Contains(t.lower, key) { // an example has it, which explains nothing
			return hasWord(strings.ReplaceAll(t.lower, key, ""), name)
		}
		return hasWord(t.lower, name) || has(t.spoken(), param.words)
	}
	return t.prose.Defines(param.name)
}

// spoken returns the words of the text of a tool.
func (t *declaration) spoken() []string {
	if t.words == nil {
		t.words = words(t.text)
	}
	return t.words
}

// hasMembers reports whether a schema, or the items of a list, has properties or branches, which explain it.
func hasMembers(node *schema.Node) bool {
	if items := node.Get("items"); items != nil && items.Kind == schema.Object {
		node = items
	}
	return node.Has("properties") || node.Has("anyOf") || node.Has("oneOf") || node.Has("allOf")
}

// negations are first words of names of flags that switch something off.
var negations = []string{"no", "not", "dont", "disable", "disabled", "without", "non", "never", "prevent", "suppress"}

// plainNames are names of parameters that many lists have.
var plainNames = []string{"limit", "per_page", "perpage", "page_size", "pagesize", "count"}

// plainMembers are names of members that explain themselves in most objects.
var plainMembers = []string{"x", "y", "z", "width", "height", "latitude", "longitude", "lat", "lng", "lon", "r", "g", "b", "email", "city", "country", "year", "month", "url", "title", "description", "first_name", "last_name", "phone"}

// has reports whether words appear consecutively among others.
func has(all, some []string) bool {
	for i := 0; len(some) > 0 && i+len(some) <= len(all); i++ {
		if slices.Equal(all[i:i+len(some)], some) {
			return true
		}
	}
	return false
}

// wordy is the number of words from which a title explains a parameter.
const wordy = 2
