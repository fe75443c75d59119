package advice

import (
	"cmp"
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
		var lost []*parameter
		for _, param := range tool.params {
			switch finder, isLost := p.source(tool, param); {
			case isLost:
				lost = append(lost, param)
			case finder != "":
				found := len(p.found)
				p.answerAll([]*parameter{param}, "does not say where it comes from: add \"from "+finder+"\"", "", sourced(param, finder)...)
				p.note(found) // the name of the tool says it to most models
			}
		}
		p.reportAll(lost, "does not say where it comes from: name the tool that finds it, or say where to look, with an example", "do not say where they come from: name the tools that find them, or say where to look, with examples")
	},
}

// source returns the tool that finds an identifier of which no text says where it comes from, or isLost if none
// seems to.
func (p *pass) source(tool *declaration, param *parameter) (finder string, isLost bool) {
	if param.isClosed() || !param.isA("string", "integer", "number") && !(param.isA("array") && param.depth == 0) || !param.isRequired && !param.isAsked(tool) {
		return "", false
	}
	isMaking := slices.ContainsFunc(tool.named, func(word string) bool { return slices.Contains(making, word) })
	isNamed := slices.Contains([]string{"name", "code"}, param.last()) && len(param.words) > 1 && param.depth == 0 && !isMaking && !param.hasNameOf("new", "file", "display", "full", "first", "last")
	isNoun := param.depth == 0 && !isMaking && len(param.words) == 1 && param.isA("string") && p.byNoun[param.name+"s"] != nil && param.text != "" && !slices.Contains(free, param.name)
	if !slices.Contains(ids, param.last()) && !isNamed && !isNoun {
		return "", false
	}
	noun := strings.Join(param.words[:len(param.words)-1], " ")
	if isNoun {
		noun = param.name
	}
	if param.last() == "key" && (noun == "" || param.depth > 0) || param.depth > 0 && noun == "" { // of the thing that the object is
		return "", false
	}
	finder = p.finder(tool, noun)
	if noun == "" { // the thing that the tool is about
		for i, word := range slices.Backward(tool.named) {
			if finder == "" && (param.text == "" && i == len(tool.named)-1 || hasWord(param.lower, word)) {
				finder = p.finder(tool, word)
			}
		}
	}
	if finder == "" {
		return "", p.isLost(tool, param, noun, isNamed)
	}
	if p.isSourced(tool, param, finder) {
		return "", false
	}
	return finder, false
}

// isLost reports whether an identifier that no tool finds has a text that neither says where to look nor shows one.
func (p *pass) isLost(tool *declaration, param *parameter, noun string, isNamed bool) bool {
	isTold := param.text == "" && (param.isBranch || param.depth > 1 || p.names(tool, tool.prose)) || repeats(param.name, param.text) // which another rule reports
	return !isTold && len(p.tools) > 1 && (param.depth == 0 || noun != "") && param.last() != "key" && !isNamed && !param.schema.Has("examples") && !param.schema.Has("example") && param.isSourceless() && !p.names(tool, param.prose) && !tool.leads() && !slices.Contains(universal, noun) && !(noun != "" && slices.Contains(tool.named, "create") && strings.HasSuffix(strings.Join(tool.named, " "), noun))
}

// isSourced reports whether a text says where an identifier that a tool finds comes from, or shows one.
func (p *pass) isSourced(tool *declaration, param *parameter, finder string) bool {
	return isForeign(param.text) || hasAny(param.lower, "from ", "returned", "use list", "use search", "use get", "use find", "via ", "see ", "found ", "obtain", "url", "http", "e.g", "example", "such as", "batch") ||
		strings.Contains(tool.lower, "deprecated") ||
		p.names(tool, param.prose) || hasAny(tool.lower, strings.ToLower(finder))
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
var ids = []string{"id", "ids", "uuid", "guid", "gid", "uid", "iid", "slug", "key"}

// isAsked reports whether an optional identifier has to be known to use it: it is one of the tool's own, and no name of
// what the tool makes.
func (p *parameter) isAsked(tool *declaration) bool {
	return p.depth == 0 && !p.isBranch && len(p.words) > 1 && slices.Contains(ids[:7], p.last()) && p.text != "" && !p.schema.Has("default") && !p.hasNameOf("external") && !(slices.Contains(tool.named, "create") && slices.Contains(tool.named, p.words[len(p.words)-2]))
}

// isSourceless reports whether a few words about an identifier neither say where it is found nor show one.
func (p *parameter) isSourceless() bool {
	const most = 14 // words
	text := strings.TrimSuffix(strings.TrimSuffix(p.lower, "."), " (required)")
	return len(p.prose.Words()) <= most && !strings.ContainsAny(text, "0123456789\"'`(:/<=") && !(isForeign(text) && hasAny(text, sourcesChinese...)) && !hasWord(text, "name") &&
		!hasAny(text, " from ", "returned", "provided by", " via ", " see ", "use ", "found ", "obtain", "url", "path", "login", "handle", "email", "e.g", "example", "such as", "optional", "new ", "current", "custom", "your own", "generate", "default", "username", "symbol", "ticker", "prefix") &&
		(p.last() == "slug" || !strings.Contains(text, "slug"))
}

// sourcesChinese are parts of Chinese texts that say where something is found.
var sourcesChinese = []string{"通过", "通過", "获取", "獲取", "取得", "返回", "来自", "來自", "由", "从", "從", "查询", "查詢", "搜", "列表", "默认", "可选", "如", "例"} //nolint:gosmopolitan // Chinese

// leads reports whether the text of a tool sends the model to another tool for an identifier.
func (t *declaration) leads() bool {
	return hasAny(t.lower, "prerequisite", " first to", "returned by", "from a previous", "to discover", "to get valid", "use list", "call list", "call get")
}

// universal are nouns of identifiers that any reader knows, such as those of programs for phones.
var universal = []string{"bundle", "package", "app bundle", "pubmed", "imdb", "tmdb", "steam", "locale", "language", "region"}

// free are names of what a user writes, even if a tool lists some.
var free = []string{"email", "comment", "message", "query", "command", "title", "label", "text", "file", "user", "tag", "org", "organization", "owner", "repo", "keyword", "phrase", "term", "topic", "word", "domain"}

// finding are verbs at the beginning of names of tools that find things.
var finding = []string{"list", "search", "find", "get", "query", "browse", "lookup", "fetch", "read", "show"}

// finder returns the name of another tool that finds the things of a noun, or "".
func (p *pass) finder(tool *declaration, noun string) string {
	tools := slices.Clone(p.toolsByNoun(tool, noun))
	slices.SortStableFunc(tools, func(a, b *declaration) int { return cmp.Compare(rank(a), rank(b)) })
	for _, other := range tools {
		needsOne := slices.ContainsFunc(other.own(), func(param *parameter) bool {
			name := param.words
			return param.isRequired && len(name) > 0 && (name[len(name)-1] == "id" || name[len(name)-1] == "ids") && strings.Join(name[:len(name)-1], " ") == noun
		})
		if other != tool && !needsOne {
			return other.Name
		}
	}
	return ""
}

// rank is the index of a verb in finding.
func rank(tool *declaration) int {
	for i, word := range finding {
		if slices.Contains(tool.named, word) {
			return i
		}
	}
	return len(finding)
}

// toolsByNoun returns the tools whose names consist of such a verb and the plural of a noun, or
// else those with further words between them that a tool has in its name, too.
func (p *pass) toolsByNoun(tool *declaration, noun string) []*declaration {
	if stem, isOfY := strings.CutSuffix(noun, "y"); isOfY && p.byNoun[stem+"ies"] != nil {
		return p.byNoun[stem+"ies"]
	}
	if tools := p.byNoun[noun+"es"]; tools != nil && noun != "" && strings.ContainsAny(noun[len(noun)-1:], "sxh") { // index, box, branch
		return tools
	}
	if tools := p.byNoun[noun+"s"]; tools != nil || noun == "" {
		return tools
	}
	own := tool.named
	return slices.DeleteFunc(slices.Clone(p.byNoun["* "+noun+"s"]), func(other *declaration) bool {
		name := other.named
		between := name[slices.Index(name, "list")+1 : len(name)-1]
		return slices.ContainsFunc(between, func(word string) bool { return !slices.Contains(own, word) })
	})
}

// byNoun returns the tools of a list that find things, by noun.
func byNoun(tools []*declaration) map[string][]*declaration {
	found := map[string][]*declaration{}
	for _, tool := range tools {
		name := tool.named
		if last := len(name) - 1; last > 0 && name[last][0] == 'v' && len(name[last]) == 2 { // a version
			name = name[:last]
		}
		for i := 0; i+1 < len(name) && i < 2; i++ { // behind a prefix at most
			if slices.Contains(finding, name[i]) && !strings.Contains(tool.lower, "deprecated") {
				rest := strings.Join(name[i+1:], " ")
				found[rest] = append(found[rest], tool)
				if i+2 < len(name) && name[i] == "list" && strings.HasSuffix(rest, "s") { // as list_repository_hooks for hook_id
					short := "* " + name[len(name)-1]
					found[short] = append(found[short], tool)
				}
			}
		}
		if last := len(name) - 1; last > 0 && (name[last] == "list" || name[last] == "search") { // as in queue_list
			for _, noun := range [][]string{name[:last], name[min(1, last-1):last]} {
				rest := strings.TrimSuffix(strings.Join(noun, " "), "s") + "s"
				if !slices.Contains(found[rest], tool) {
					found[rest] = append(found[rest], tool)
				}
			}
		}
	}
	return found
}

// names reports whether a text mentions another tool of the list by a name that is no other word.
func (p *pass) names(tool *declaration, text *prose.Text) bool {
	return slices.ContainsFunc(text.Sentences, func(sentence prose.Sentence) bool {
		return slices.ContainsFunc(sentence, func(token prose.Token) bool {
			isName := token.Kind != prose.Sign && (strings.ContainsAny(token.Text, "_-") || token.Text != token.Lower)
			other := p.byName[token.Lower]
			return isName && other != nil && other != tool && other.Name == token.Text
		})
	})
}
