package advice

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// stated compares the type and the default of a parameter with those that its text states.
func stated(p *pass, tool *declaration, param *parameter) {
	switch {
	case isLoneArray(param) && len(param.prose.Sentences) > 0 && param.prose.Sentences[0].Has(orList...):
		p.reportText(param, param.path+" is an array, and its text offers one value as well: say that one is a list, too")
	case isLoneArray(param) && speaksOfOne(param):
		p.reportText(param, param.path+" is an array, and its name and text speak of one value: say what several are for")
	case param.isA("string") && !param.isA("array") && !param.schema.Has("anyOf") && !param.schema.Has("oneOf") && asksForList(param):
		p.reportText(param, param.path+" is a string, and its text speaks of a list: make it an array, or say how several are written")
	case param.isA("integer", "number") && !param.isA("string", "boolean") && !param.isClosed():
		if word := wordFor(tool, param); word != "" {
			p.reportText(param, param.path+" is a number, and its text asks for "+quoted(word)+": allow that value, or drop it from the text")
		}
	}
	declared := param.schema.Get("default")
	switch stated := param.prose.Default(); {
	case declared == nil:
	case declared.Kind != schema.Null && param.prose.Has(nullDefault...):
		p.reportText(param, param.path+" has the default null by its text, and "+declared.String()+" by the schema: change one of them")
	case declared.Kind == schema.Bool && (stated == "true" || stated == "false") && stated != declared.String():
		p.reportText(param, param.path+" has the default "+stated+" by its text, and "+declared.String()+" by the schema: change one of them")
	}
	unlisted(p, tool, param)
}

// isLoneArray reports whether a parameter takes an array and nothing else.
func isLoneArray(param *parameter) bool {
	return param.isA("array") && !param.isA("string", "integer", "number", "object")
}

// orList are phrases of texts about one value or several, and nullDefault those that name null as the default.
var (
	orList      = prose.Phrases("or list of")
	nullDefault = prose.Phrases("defaults to null")
)

// speaksOfOne reports whether the name of an array is that of one identifier or moment, and its text says nothing of several.
func speaksOfOne(param *parameter) bool {
	const least = 3 // words of a text that says something
	return slices.Contains(ones, param.last()) && len(param.prose.Words()) >= least && !param.prose.Has(several...) && !param.prose.Has(prose.Phrases(param.last()+"s")...) && (param.hasNameOf("start", "end") || !param.prose.Has(prose.Phrases("range")...)) && !isForeign(param.text)
}

// ones are last words of names of one thing, and several phrases of texts about more.
var (
	ones    = []string{"id", "date", "start", "end"}
	several = prose.Phrases("list", "lists", "array", "arrays", "multiple", "several", "one or more", "many", "each", "every", "any of", "all", "values", "ids", "set of", "pair", "bounds", "[", "coordinates", "matrix")
)

var listOf = prose.Phrases("array of", "list of")

// asksForList reports whether the text about a string begins with the word for an array, and does not say how it is written.
func asksForList(param *parameter) bool {
	if !param.prose.Has(listOf...) {
		return false
	}
	words := param.prose.Words()
	for len(words) > 0 && slices.Contains([]string{"an", "a", "the", "optional"}, words[0]) {
		words = words[1:]
	}
	return len(words) > 2 && (words[0] == "array" || words[0] == "list") && words[1] == "of" && !param.isClosed() &&
		!hasAny(param.lower, "comma", "json", "separat", "string", "newline", "delimit", "per line", "[", "csv", "space", "stringified", "markdown", ",", "encoded")
}

// wordFor returns the word that the text about a number asks for, or "".
func wordFor(tool *declaration, param *parameter) string {
	for _, sentence := range param.prose.Sentences {
		for i, token := range sentence {
			isAsked := i > 0 && token.Kind == prose.Literal && slices.Contains([]string{"use", "pass", "or", "to"}, sentence[i-1].Lower) && (i+1 == len(sentence) || slices.Contains([]string{"for", "to", "if", ")", "."}, sentence[i+1].Lower))
			if isAsked && isPlainWord(token.Text) && !tool.knows(token.Text) {
				return token.Text
			}
		}
	}
	return ""
}

// isPlainWord reports whether a text is a word of letters.
func isPlainWord(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(letter rune) bool { return letter < 'a' || letter > 'z' })
}

// knows reports whether a text is the name of a parameter or one of its values.
func (t *declaration) knows(text string) bool {
	return slices.ContainsFunc(t.params, func(param *parameter) bool {
		return strings.EqualFold(param.name, text) || slices.ContainsFunc(listedBy(param.schema), func(value string) bool { return strings.EqualFold(value, text) })
	})
}

// listedBy returns the strings that a schema, or that of its items, lists.
func listedBy(node *schema.Node) []string {
	if values := node.Get("enum").Strings(); len(values) > 0 {
		return values
	}
	if items := node.Get("items"); items != nil && items.Kind == schema.Object {
		return items.Get("enum").Strings()
	}
	return nil
}

// unlisted compares the values of a schema with a list of them in the text about it, or about the tool.
func unlisted(p *pass, tool *declaration, param *parameter) {
	values := listedBy(param.schema)
	if len(values) < 2 {
		return
	}
	if at := slices.IndexFunc(values, func(value string) bool { return value != "" && strings.TrimSpace(value) != value }); at >= 0 {
		p.report(param.at, param.schema, param.path+" has a space in the value "+strconv.Quote(values[at])+": drop it, since a model writes the value without")
		return
	}
	said := param.prose.Among(values)
	if len(said.Left)+len(said.Others) == 0 && param.depth == 0 {
		if said = tool.prose.Among(values); !said.IsClosed {
			return
		}
	}
	switch {
	case len(said.Others) > 0:
		p.reportText(param, param.path+" has the value "+said.Others[0]+" by a text, and enum lacks it: change one of them")
	case len(said.Left) > 0:
		p.reportText(param, "a text lists the values of "+param.path+" without "+list(said.Left)+", which enum has: change one of them")
	}
}

// unoffered reports values in quotes that the description of a tool lists for a parameter, and of which its enum has none.
func unoffered(p *pass, tool *declaration) {
	if !strings.ContainsAny(tool.text, "\"'`") || !slices.ContainsFunc(tool.own(), func(param *parameter) bool { return param.schema.Has("enum") }) {
		return
	}
	choice := tool.prose.Choice(false)
	if choice == nil || !choice.IsQuoted || !choice.IsIntroduced || slices.ContainsFunc(choice.Values, tool.knows) {
		return
	}
	for _, sentence := range tool.prose.Sentences {
		if !slices.ContainsFunc(sentence, func(token prose.Token) bool { return token.Kind == prose.Literal && token.Text == choice.Values[0] }) {
			continue
		}
		for _, param := range tool.own() {
			name := strings.ToLower(param.name)
			if param.schema.Has("enum") && slices.ContainsFunc(sentence, func(token prose.Token) bool { return token.Kind == prose.Word && strings.HasPrefix(token.Lower, name) }) {
				p.reportText(param, "the description lists values such as "+quoted(choice.Values[0])+" for "+param.path+", and enum has none of them: write those of enum")
			}
		}
		return
	}
}

// unfitExamples returns the parameters all of whose examples are of another type.
func unfitExamples(tool *declaration) []*parameter {
	var unfit []*parameter
	for _, param := range tool.params {
		examples := param.schema.Get("examples")
		if examples == nil || len(examples.Elements) == 0 || !param.schema.Has("type") || slices.ContainsFunc([]string{"anyOf", "oneOf", "allOf", "$ref"}, param.schema.Has) {
			continue
		}
		if !slices.ContainsFunc(examples.Elements, func(example *schema.Node) bool { return isA(param.schema, typesOf(example)) }) {
			unfit = append(unfit, param)
		}
	}
	return unfit
}

// rehearses reports the flag of a tool by whose default it changes nothing, if the description does not say so.
func rehearses(p *pass, tool *declaration) {
	if !slices.ContainsFunc(tool.named, func(word string) bool { return slices.Contains(making, word) || slices.Contains(acting, word) }) {
		return
	}
	for _, param := range tool.own() {
		isOn := param.schema.Get("default").IsTrue() || !param.schema.Has("default") && param.prose.Default() == "true"
		if isOn && param.isA("boolean") && param.hasNameOf(rehearsals...) && param.prose.Has(prose.Phrases("without", "preview", "validate", "dry")...) && !slices.ContainsFunc(tool.prose.Words(), func(word string) bool {
			return slices.ContainsFunc(rehearsals, func(name string) bool { return strings.HasPrefix(word, name) })
		}) {
			p.reportText(param, tool.Name+" changes nothing unless "+param.path+" is false, and its description does not say so: say it there")
		}
	}
}

// rehearsals are words in names of flags with which a tool changes nothing.
var rehearsals = []string{"dry", "preview", "draft", "simulate", "dryrun", "simulation"}
