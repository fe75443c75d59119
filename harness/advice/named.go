package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// misnamed reports names in the texts of a tool that nothing has: of a parameter or a tool that is spelled otherwise, and of a
// parameter that there is not.
func misnamed(p *pass, tool *declaration) {
	if len(tool.params) == mostParams {
		return
	}
	known := map[string]bool{}
	for _, param := range tool.params {
		known[strings.ToLower(param.name)] = true
	}
	at, node := tool.descriptionOf()
	p.misnamedIn(tool, nil, tool.prose, known, func(message string) { p.report(at, node, "the description "+message) })
	for _, param := range tool.params {
		p.misnamedIn(tool, param, param.prose, known, func(message string) { p.reportText(param, "the description of "+param.path+" "+message) })
	}
}

// misnamedIn reports such names in the text of a tool or of a parameter, each once.
func (p *pass) misnamedIn(tool *declaration, param *parameter, text *prose.Text, known map[string]bool, report func(message string)) {
	isOfOthers := func() bool {
		return hasAny(text.Lower, "deprecated", "tool call", "other tool", "all tools") || p.names(tool, text)
	}
	hasLiteral, hasBracket := strings.ContainsAny(text.Raw, "'\"`"), strings.Contains(text.Raw, "[")
	for _, sentence := range text.Sentences {
		if name := literalIn(hasLiteral, sentence.Parameter); name != "" && (param == nil || param.depth == 0) && !known[strings.ToLower(name)] && isNear(tool, name) && !p.isTool(name) && !sentence.Has(elsewhere...) && !isOfOthers() {
			known[strings.ToLower(name)] = true
			report("speaks of the parameter " + name + ", and " + tool.Name + " has none of that name: rename it in the text")
		}
		if name := literalIn(hasLiteral, sentence.Field); name != "" && param != nil && !tool.knows(name) && hasObjects(tool) && !isOfOthers() {
			report("speaks of the field " + name + ", and no object of " + tool.Name + " has it: declare it, or leave it out")
		}
		if page := literalIn(hasBracket, sentence.Page); page != "" && !known[page] {
			known[page] = true
			report("refers to [" + page + "], which a model cannot open: write what it needs from there")
		}
		for i, token := range sentence {
			if jointOf(token) == 0 || known[token.Lower] {
				continue
			}
			if message := p.misspelt(tool, param, sentence, i, isOfOthers); message != "" {
				known[token.Lower] = true
				report(message)
			}
		}
	}
}

// literalIn returns what find finds where a text may have it.
func literalIn(mayHave bool, find func() string) string {
	if !mayHave {
		return ""
	}
	return find()
}

// misspelt returns what is wrong with the name of a parameter or a tool that the token at an index of a sentence is, or "". isOfOthers
// reports whether the text is about other tools, too.
func (p *pass) misspelt(tool *declaration, param *parameter, sentence prose.Sentence, i int, isOfOthers func() bool) string {
	said := sentence[i].Text
	joint := jointOf(sentence[i])
	if p.byName[sentence[i].Lower] != nil || sentence.Has(elsewhere...) || tool.knows(said) {
		return ""
	}
	if joint != '.' && (joint != 'A' || sentence.Calls(i)) && (joint != '-' || sentence.EndsPart(i)) && !sentence.IsAssigned(i) {
		if name := p.spelledOtherwise(tool, param, said); name != "" {
			return "spells " + name + " as " + said + ": write " + name
		}
	}
	switch {
	case joint == '_' && sentence.Binds(i) && !startsAsTool(words(said)) && !(sentence.Sets(i) && p.isParam(said)) && !isOfOthers():
		return "speaks of " + said + ", and " + tool.Name + " has no parameter of that name: rename it, or leave it out"
	case sentence.Calls(i) && p.isUnlike(said, joint):
		return "speaks of the tool " + said + ", which is spelled unlike the tools of the list: write the name of the one that is meant"
	}
	return ""
}

// hasObjects reports whether a tool takes objects that all say what they have.
func hasObjects(tool *declaration) bool {
	return slices.ContainsFunc(tool.params, func(param *parameter) bool { return param.depth > 0 }) &&
		!slices.ContainsFunc(tool.params, func(param *parameter) bool { return param.isA("object") && !hasMembers(param.schema) })
}

// jointOf returns what joins the words of a name in a text: - or ., or _ for both _ and capitals within, or A for _ in a name in
// capitals; 0 for one word, a type or anything else.
func jointOf(token prose.Token) byte {
	if token.Kind != prose.Word && token.Kind != prose.Literal || len(token.Text) == 0 {
		return 0
	}
	if strings.ContainsRune(token.Text, '_') && strings.Trim(token.Text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" {
		return 'A'
	}
	if token.Text[0] < 'a' || token.Text[0] > 'z' {
		return 0
	}
	var joint byte
	for i := range len(token.Text) {
		switch letter := token.Text[i]; {
		case letter == '.' || letter == '-' && joint != '.':
			joint = letter
		case letter >= 0x80 || !isWordByte(letter):
			return 0
		case joint == 0 && (letter == '_' || 'A' <= letter && letter <= 'Z'):
			joint = '_'
		}
	}
	return joint
}

// spellings is how the names of the tools of a list are written.
type spellings struct {
	// same has the names by what is left without - and _ and capitals, if they have several words.
	same   map[string]string
	prefix string // the first word of all names, or empty
	hasDot bool   // in a name
	isLoud bool   // in capitals is a name
}

func spellingsOf(tools []*declaration) spellings {
	found := spellings{same: map[string]string{}}
	for i, tool := range tools {
		found.hasDot = found.hasDot || strings.ContainsRune(tool.Name, '.')
		found.isLoud = found.isLoud || strings.ToUpper(tool.Name) == tool.Name
		switch {
		case len(tool.named) == 0, i > 0 && tool.named[0] != found.prefix:
			found.prefix = ""
		case i == 0:
			found.prefix = tool.named[0]
		}
		if len(tool.named) > 1 {
			found.same[prose.Bare(tool.Name)] = tool.Name
		}
	}
	return found
}

// isUnlike reports whether a name is of a tool by its words, and no tool of the list has a name like it: with dots, in capitals, or without
// the word with which all begin.
func (p *pass) isUnlike(name string, joint byte) bool {
	said := words(name)
	const several = 4
	if len(p.tools) < several || len(said) < 2 {
		return false
	}
	switch joint {
	case 'A':
		return !p.spellings.isLoud && startsAsTool(said)
	case '.':
	default:
		return p.spellings.prefix != "" && said[0] != p.spellings.prefix && startsAsTool(said)
	}
	return !p.spellings.hasDot && (said[0] == p.spellings.prefix || slices.ContainsFunc(p.tools, func(tool *declaration) bool {
		named := singular(tool.named)
		return !slices.ContainsFunc(singular(said[:2]), func(word string) bool { return !slices.Contains(named, word) })
	}))
}

// startsAsTool reports whether the first word of a name is a verb of tools.
func startsAsTool(said []string) bool {
	return len(said) > 0 && (slices.Contains(finding, said[0]) || slices.Contains(making, said[0]) || slices.Contains(acting, said[0]))
}

// spelledOtherwise returns the name of another parameter or of a tool that a text spells otherwise, or "".
func (p *pass) spelledOtherwise(tool *declaration, own *parameter, said string) string {
	for _, param := range tool.params {
		if param != own && prose.IsSame(param.name, said) && (own == nil || !prose.IsSame(own.name, said)) {
			return param.name
		}
	}
	return p.spellings.same[prose.Bare(said)]
}

// elsewhere are phrases of sentences about the parameters of something else.
var elsewhere = prose.Phrases("not a", "no", "url", "header", "headers", "endpoint", "request body", "http", "response", "removed", "formerly", "function", "query")

// isNear reports whether a parameter has a similar name, with more or fewer words.
func isNear(tool *declaration, name string) bool {
	said := words(name)
	return slices.ContainsFunc(tool.own(), func(param *parameter) bool { return has(param.words, said) || has(said, param.words) })
}

// isTool reports whether a tool of the list has a name.
func (p *pass) isTool(name string) bool {
	return slices.ContainsFunc(p.tools, func(tool *declaration) bool { return strings.EqualFold(tool.Name, name) })
}

// isParam reports whether a tool of the list has a parameter of a name.
func (p *pass) isParam(name string) bool {
	return slices.ContainsFunc(p.tools, func(tool *declaration) bool { return tool.param(name) != nil })
}

// opposed reports a tool whose name promises a change, and whose description begins with reading, or the other way round.
func opposed(p *pass, tool *declaration) {
	if len(tool.named) < 2 || len(tool.prose.Sentences) == 0 {
		return
	}
	first := tool.prose.Sentences[0]
	verb := tool.named[0]
	said := strings.TrimSuffix(first[0].Lower, "s")
	isOpposed := slices.Contains(changers, verb) && slices.Contains(reads, said) || slices.Contains([]string{"list", "search", "find"}, verb) && said != "run" && (slices.Contains(changers, said) || said == "generate")
	if isOpposed && !slices.ContainsFunc(first, func(token prose.Token) bool {
		return token != first[0] && strings.HasPrefix(token.Lower, strings.TrimSuffix(verb, "e"))
	}) {
		at, node := tool.descriptionOf()
		p.report(at, node, tool.Name+" begins with "+quoted(first[0].Text)+", and its name says "+verb+": say in the first sentence what it does, or rename it")
	}
}

// changers are verbs of tools that change something, and reads of those that do not.
var (
	changers = []string{"create", "update", "delete", "remove", "execute", "run", "send", "add", "set", "write", "start", "stop"}
	reads    = []string{"retrieve", "get", "list", "fetch", "show", "search", "find", "read", "display"}
)
