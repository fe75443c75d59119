package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// unknownIdentifier finds identifiers that another tool returns, without a text that says
// so.
var unknownIdentifier = &Rule{
	Name: "unknown_identifier",
	Doc: `no text says where an identifier comes from

A model that has no identifier makes one up. If another tool of the list finds it, half a
sentence sends the model there. If none does, say where a person finds it, and show one.`,
	Source: Source{
		"Anthropic saw models invent identifiers, and names that lead to them cut the errors.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad: `[{"name": "list_projects", "description": "List the projects of the account, with their numbers.", "parameters": {"type": "object", "properties": {}}},
 {"name": "close_project", "description": "Close a project for good.", "parameters": {"type": "object", "required": ["project_id"], "properties": {"project_id": {"type": "string", "description": "The number of the project."}}}}]`,
	Good: `[{"name": "list_projects", "description": "List the projects of the account, with their numbers.", "parameters": {"type": "object", "properties": {}}},
 {"name": "close_project", "description": "Close a project for good.", "parameters": {"type": "object", "required": ["project_id"], "properties": {"project_id": {"type": "string", "description": "The number of the project, from list_projects."}}}}]`,
	check: func(p *pass, tool *declaration) {
		var lost, hinted []*parameter
		var found []lead
		for _, param := range tool.params {
			switch finder, isUnknown := p.source(tool, param); {
			case finder != "":
				found = append(found, lead{param, finder})
			case isUnknown && p.isLost(tool, param):
				lost = append(lost, param)
			case isUnknown:
				hinted = append(hinted, param)
			}
		}
		const one, several = "does not say where it comes from: name the tool that finds it, or say where to look, with an example", "do not say where they come from: name the tools that find them, or say where to look, with examples"
		p.reportAll(lost, one, several)
		before := len(p.found)
		p.reportAll(hinted, one, several) // an example or the user may help
		p.reportLeads(found)
		p.note(before) // the name of the tool says it to most models
	},
}

// lead is an identifier and the tool that finds it.
type lead struct {
	param  *parameter
	finder string
}

// reportLeads adds one finding about identifiers that other tools find, with the edits that say so.
func (p *pass) reportLeads(leads []lead) {
	var params []*parameter
	var shown []string
	var edits []Edit
	for _, lead := range leads {
		params = append(params, lead.param)
		answer := `"from ` + lead.finder + `"`
		if len(leads) > 1 {
			answer += " to " + lead.param.path
		}
		if !slices.Contains(shown, answer) {
			shown = append(shown, answer)
		}
		edits = append(edits, sourced(lead.param, lead.finder)...)
	}
	p.answerAll(params, "does not say where it comes from: add "+list(shown), "do not say where they come from: add "+list(shown), edits...)
}

// source returns the tool that finds an identifier of which no text says where it comes from, or isUnknown if none
// seems to.
func (p *pass) source(tool *declaration, param *parameter) (finder string, isUnknown bool) {
	if param.isClosed() || param.schema.Has("default") || !param.isA("string", "integer", "number", "array") || isSecret(strings.Join(param.words, "_")) {
		return "", false
	}
	isID := slices.Contains(ids, param.last()) || param.isHandle()
	if !isID && !p.isNamed(tool, param) {
		return "", false
	}
	nouns := nounsOf(tool, param)
	if len(nouns) == 0 || p.isTold(tool, param, nouns) {
		return "", false
	}
	for _, noun := range nouns {
		if finder = p.finder(tool, noun); finder != "" {
			return finder, false
		}
	}
	return "", isID && len(p.tools) > 1 && !p.isKnown(tool, param)
}

// isHandle reports whether the text about a parameter calls it an identifier, as it does of an owner in "the user ID of the owner".
func (p *parameter) isHandle() bool {
	const most = 10 // words
	return p.prose.Has(handling...) && !p.prose.Has(loosely...) && len(p.prose.Words()) <= most
}

// handling are words for identifiers, and loosely phrases of texts that allow something else.
var (
	handling = prose.Phrases("id", "ids", "uuids", "uid", "gid", "gids")
	loosely  = prose.Phrases("or", "name", "new")
)

// isNamed reports whether a parameter is the name of a thing that exists, and a tool lists such things.
func (p *pass) isNamed(tool *declaration, param *parameter) bool {
	isMaking := slices.ContainsFunc(tool.named, func(word string) bool { return slices.Contains(making, word) || slices.Contains(opening, word) })
	if param.depth > 0 || !param.isRequired && (changes(tool) || isSettled(param)) || isMaking || !param.isA("string") || param.hasNameOf("new", "file", "display") {
		return false
	}
	if len(param.words) > 1 && param.last() != "name" && param.last() != "code" {
		return false
	}
	return slices.ContainsFunc(nounsOf(tool, param), func(noun []string) bool {
		head := noun[len(noun)-1]
		return !slices.Contains(free, head) && slices.ContainsFunc(p.sources[head], func(found source) bool { return found.isMany })
	})
}

// nounsOf returns the nouns of the things that an identifier may be of, in stems: that of its name, those of its text,
// and for an identifier without either those of its tool.
func nounsOf(tool *declaration, param *parameter) [][]string {
	var nouns [][]string
	named := param.words
	for len(named) > 0 && (slices.Contains(ids, named[len(named)-1]) || slices.Contains([]string{"name", "code", "object", "public", "unique"}, named[len(named)-1])) {
		named = named[:len(named)-1]
	}
	if len(named) > 0 {
		nouns = append(nouns, stems(named))
	}
	if param.last() == "key" && (len(named) == 0 || param.depth > 0) {
		return nil
	}
	for _, sentence := range param.prose.Sentences {
		for i, token := range sentence {
			if token.Kind == prose.Word && (slices.Contains(ids, token.Lower) || strings.HasPrefix(token.Lower, "identifier") || token.Lower == "name") {
				nouns = append(nouns, nounBehind(sentence[i+1:]), nounBefore(sentence[:i]))
			}
		}
	}
	if len(named) == 0 && param.depth < 2 { // the thing that the tool is about
		for i, word := range slices.Backward(tool.named) {
			if param.text == "" && i == len(tool.named)-1 || hasWord(param.lower, word) {
				nouns = append(nouns, []string{stem(word)})
			}
		}
	}
	return slices.DeleteFunc(nouns, func(noun []string) bool { return len(noun) == 0 })
}

// nounBefore returns the stems of the noun at the end of a part of a sentence, and nounBehind those of the noun that
// follows words such as of the.
func nounBefore(tokens prose.Sentence) []string {
	first := len(tokens)
	for first > 0 && tokens[first-1].Kind == prose.Word && !slices.Contains(articles, tokens[first-1].Lower) {
		first--
	}
	return stemsOf(tokens[first:])
}

func nounBehind(tokens prose.Sentence) []string {
	if len(tokens) == 0 || tokens[0].Lower != "of" && tokens[0].Lower != "for" {
		return nil
	}
	first := 1
	for first < len(tokens) && slices.Contains(articles, tokens[first].Lower) {
		first++
	}
	last := first
	for last < len(tokens) && tokens[last].Kind == prose.Word && !slices.Contains(articles, tokens[last].Lower) && !slices.Contains(joints, tokens[last].Lower) {
		last++
	}
	return stemsOf(tokens[first:last])
}

// articles are words that begin a noun or are no part of it.
var articles = []string{"the", "a", "an", "of", "to", "for", "from", "unique", "target", "that"}

func stemsOf(tokens prose.Sentence) []string {
	var all []string
	for _, token := range tokens {
		all = append(all, stem(token.Lower))
	}
	return all
}

// isKnown reports whether an identifier that no tool finds is one that any reader knows, one that a call makes, or one
// of which another rule reports that nothing is said.
func (p *pass) isKnown(tool *declaration, param *parameter) bool {
	noun := strings.Join(param.words[:len(param.words)-1], " ")
	isMade := slices.ContainsFunc(tool.named, func(word string) bool { return slices.Contains(making, word) }) && (noun == "" || strings.HasSuffix(strings.Join(tool.named, " "), noun))
	isFilter := noun == "" && !param.isRequired
	isReported := param.text == "" && (param.isBranch || param.depth > 1) || repeats(param.name, param.text) && !param.isA("integer", "number")
	return isMade || isFilter || isReported || param.last() == "uri" || param.hasNameOf("external", "custom", "client", "public", "search") || param.prose.Has(familiar...)
}

// isLost reports whether an unknown identifier has to be known, and a text neither shows one nor hints at where to look.
func (p *pass) isLost(tool *declaration, param *parameter) bool {
	return (param.isRequired || param.isAsked()) && (param.depth == 0 || len(param.words) > 1) && !param.schema.Has("examples") && !param.schema.Has("example") && param.isSourceless() && !tool.leads() && !listsItself(tool)
}

// listsItself reports whether one of the actions of a tool finds what the others act on.
func listsItself(tool *declaration) bool {
	return slices.ContainsFunc(tool.params, func(param *parameter) bool {
		actions := param.schema.Get("enum").Strings()
		if only := param.schema.Get("const"); only != nil && only.Kind == schema.String {
			actions = []string{only.Text}
		}
		return slices.ContainsFunc(actions, func(action string) bool { return slices.Contains(finding[:4], words(action + "_")[0]) })
	})
}

// isTold reports whether a text says where an identifier comes from: it speaks of an answer, or names a tool that finds
// it.
func (p *pass) isTold(tool *declaration, param *parameter, nouns [][]string) bool {
	return param.prose.Has(origins...) || hasAny(param.text, sourcesChinese...) || hasAny(tool.lower, "deprecated", "returned by", "returned from", "from a previous") || p.names(tool, param.prose) || mentionsFinder(tool, param.prose, nil) || mentionsFinder(tool, tool.prose, nouns) ||
		len(param.words) == 1 && tool.prose.Has(idFrom...) // of the only thing, as in "Get the id from search_movies"
}

// idFrom are phrases of texts of tools that say where the identifier comes from.
var idFrom = prose.Phrases("id from", "ids from", "identifier from", "id comes from", "ids come from")

// origins are phrases of texts that say where an identifier comes from.
var origins = prose.Phrases("returned", "defined in", "specified in", "obtained", "obtain", "retrieved", "via", "see", "found in", "url", "response", "from get", "from the", "from a", "id from", "uid from")

// mentionsFinder reports whether a text names a tool from which an identifier of one of some nouns comes, whether or not
// the list has it. Without nouns it is the text of the identifier, in which any name behind a word such as from will do.
func mentionsFinder(tool *declaration, text *prose.Text, nouns [][]string) bool {
	return slices.ContainsFunc(text.Sentences, func(sentence prose.Sentence) bool {
		for i, token := range sentence {
			if token.Kind == prose.Sign || !isOfParts(token.Text) || token.Text == tool.Name {
				continue
			}
			if nouns == nil && i > 0 && slices.Contains([]string{"from", "call", "use", "using", "via", "see", "by"}, sentence[i-1].Lower) {
				return true
			}
			rank, object := objectOf(words(token.Text))
			isOf := func(noun []string) bool { return slices.Contains(stems(object), noun[len(noun)-1]) }
			if rank >= 0 && len(object) > 0 && (nouns == nil || slices.ContainsFunc(nouns, isOf)) {
				return true
			}
		}
		return false
	})
}

// isOfParts reports whether a word has parts, as names in programs have.
func isOfParts(word string) bool {
	if strings.ContainsAny(word, "_-") {
		return true
	}
	for i := 1; i < len(word); i++ {
		if 'A' <= word[i] && word[i] <= 'Z' && 'a' <= word[i-1] && word[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// sourced returns the edit that adds to the text about an identifier which tool finds it; none if it has no text.
func sourced(param *parameter, finder string) []Edit {
	text := param.schema.Get("description")
	if text == nil || text.Kind != schema.String || text.Text != param.text {
		return nil
	}
	said := strings.TrimRight(text.Text, " \t\r\n")
	switch {
	case said == "":
		return nil
	case strings.HasSuffix(said, "."):
		said += " From " + finder + "."
	default:
		said += ", from " + finder
	}
	return []Edit{writing(param, schema.Member{Key: "description", Value: schema.NewString(said)})}
}

// ids are last words of names for identifiers.
var ids = []string{"id", "ids", "uuid", "uuids", "guid", "gid", "uid", "uids", "iid", "slug", "slugs", "key", "uri", "alias"}

// isAsked reports whether an optional identifier has to be known to use it: it is one of the tool's own.
func (p *parameter) isAsked() bool {
	return p.depth == 0 && !p.isBranch && len(p.words) > 1 && slices.Contains(ids, p.last()) && p.text != ""
}

// isSourceless reports whether a few words about an identifier neither say where it is found nor show one.
func (p *parameter) isSourceless() bool {
	const most = 14 // words
	text := strings.TrimSuffix(strings.TrimSuffix(p.lower, "."), " (required)")
	return len(p.prose.Words()) <= most && !strings.ContainsAny(text, "0123456789\"'`(:/<=") && !isForeign(text) &&
		!hasAny(text, " from ", "provided by", "use ", "found ", "e.g", "example", "such as", "optional", "default", "google")
}

// sourcesChinese are parts of Chinese texts that say where something is found.
var sourcesChinese = []string{"查询", "返回", "可选", "如", "例"} //nolint:gosmopolitan // Chinese

// leads reports whether the text of a tool sends the model to another tool for an identifier.
func (t *declaration) leads() bool {
	return hasAny(t.lower, "prerequisite", " first to", "to discover", "to get valid", "use list", "call list", "call get")
}

// familiar are phrases of texts about identifiers that a user knows or makes, or may do without.
var familiar = prose.Phrases("name", "cve", "path", "login", "handle", "email", "current", "custom", "generate", "generated", "new", "sha", "if known", "either this")

// free are names of what a user writes, even if a tool lists some.
var free = []string{"email", "comment", "message", "command", "user", "tag", "organization", "repository", "keyword", "topic", "domain"}

// names reports whether a text mentions another tool of the list by a name that is no other word.
func (p *pass) names(tool *declaration, text *prose.Text) bool {
	return slices.ContainsFunc(text.Sentences, func(sentence prose.Sentence) bool {
		return slices.ContainsFunc(sentence, func(token prose.Token) bool {
			if token.Kind == prose.Sign || !strings.ContainsAny(token.Text, "_-") && token.Text == token.Lower {
				return false
			}
			for name := range strings.SplitSeq(token.Text, "/") { // as in search_movies/search_tv
				if other := p.byName[strings.ToLower(name)]; other != nil && other != tool && other.Name == name {
					return true
				}
			}
			return false
		})
	})
}
