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
		var required, others, plain []*parameter
		for _, param := range tool.params {
			switch {
			case !tool.isUnclear(param):
			case tool.isPlain(param):
				plain = append(plain, param)
			case param.isRequired && param.depth == 0:
				required = append(required, param)
			default:
				others = append(others, param)
			}
		}
		const one, several = "has no description: say what it means, in which form it is written, and give an example", "have no description: say what each means, in which form it is written, and give an example"
		p.reportAll(append(required, others...), one, several)
		last := len(p.found)
		p.reportAll(plain, one, several)
		p.note(last)
	},
}

// isPlain reports whether a parameter without a text is understood all the same: by what an object around it shows, by its name, or by
// what the text of the tool says of a thing of its name.
func (t *declaration) isPlain(param *parameter) bool {
	const telling = 3 // words of a name that says what a member is
	name := strings.ToLower(param.name)
	if param.depth > 0 && (len(param.words) >= telling || slices.Contains(plainest, name) || t.isShown(param)) {
		return true
	}
	node, _ := param.sole()
	isBound := param.schema.Has("minimum") && param.schema.Has("maximum")
	return isBound || t.isNamedAs(param) || slices.Contains(known, name) || hasMembers(node) || slices.ContainsFunc(spokenAs, func(phrase []string) bool {
		said := slices.Clone(phrase)
		said[slices.Index(said, "")] = param.last()
		return has(t.spoken(), said)
	})
}

// isNamedAs reports whether a parameter identifies or names the thing of which the name of the tool speaks, as ticket_id does in
// delete_ticket, or is an operand, as a and b are.
func (t *declaration) isNamedAs(param *parameter) bool {
	if len(param.name) == 1 {
		return param.isA("integer", "number")
	}
	last := len(param.words) - 1
	return last > 0 && slices.Contains([]string{"id", "ids", "name"}, param.words[last]) && !slices.ContainsFunc(singular(param.words[:last]), func(word string) bool {
		return !slices.Contains(singular(t.named), word)
	})
}

// isShown reports whether the text about an object or a list around a member names it.
func (t *declaration) isShown(member *parameter) bool {
	return slices.ContainsFunc(t.params, func(param *parameter) bool {
		return param.depth < member.depth && param.lower != "" && strings.HasPrefix(string(member.at), string(param.at)) && strings.HasPrefix(string(member.at[len(param.at):]), "/") && (hasWord(param.lower, strings.ToLower(member.name)) || strings.Contains(param.lower, "geojson"))
	})
}

// known are names of parameters that page through a list, or mean the same in any tool, and plainest those of members that most objects have.
var (
	known    = []string{"sql", "url", "owner", "repo", "offset", "first", "last", "skip", "page", "cursor", "after", "before", "username", "name", "title", "maxresults", "max_results", "limit", "per_page", "perpage", "page_size", "pagesize", "count"}
	plainest = []string{"name", "id", "type", "label", "order", "min", "max", "field", "text", "value", "key", "line1", "line2", "line3", "line4", "line5", "street", "postal_code", "postalcode", "zip", "zipcode", "state", "country_code", "firstname", "lastname"}
)

// spokenAs are what texts of tools say of the parameters that they take, with the last word of the name of one in place of the empty one.
var spokenAs = [][]string{{"by", ""}, {"by", "its", ""}, {"or", ""}, {"", "or"}, {"specify", "the", ""}, {"based", "on", "a", ""}, {"updates", "the", ""}}

// isUnclear reports whether a parameter has no text and nothing else that explains it.
func (t *declaration) isUnclear(param *parameter) bool {
	if strings.TrimSpace(param.text) != "" || len(param.words) == 0 || strings.HasPrefix(param.name, "$") {
		return false
	}
	if param.isA("boolean") { // the name of a flag says what it does, unless it negates
		return slices.Contains(negations, param.words[0]) && len(param.words) > 1
	}
	node, _ := param.sole()
	title := words(param.schema.GetString("title"))
	if param.isClosed() || len(title) > wordy && !slices.Equal(title, param.words) || hasForm(param.schema) || hasMembers(node) && (param.depth > 0 || !isObject(node)) || takesNothing(node) || node.GetString("description") != "" {
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
	properties := node.Get("properties")
	return properties != nil && len(properties.Members) > 0 || node.Has("anyOf") || node.Has("oneOf") || node.Has("allOf")
}

// isObject reports whether a schema, or that of the items of a list, has properties and no branches.
func isObject(node *schema.Node) bool {
	if items := node.Get("items"); items != nil && items.Kind == schema.Object {
		node = items
	}
	return node.Has("properties") && !slices.ContainsFunc([]string{"anyOf", "oneOf", "allOf"}, node.Has)
}

// takesNothing reports whether a schema takes an object without members alone.
func takesNothing(node *schema.Node) bool {
	return node.Get("additionalProperties").IsFalse() && !hasMembers(node)
}

// negations are first words of names of flags that switch something off.
var negations = []string{"no", "not", "dont", "disable", "disabled", "without", "non", "never", "prevent", "suppress"}

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
