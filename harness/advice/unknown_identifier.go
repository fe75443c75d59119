package advice

import (
	"cmp"
	"slices"
	"strings"
)

// unknownIdentifier finds identifiers that another tool returns, without a text that says
// so.
var unknownIdentifier = &Rule{
	Name: "unknown_identifier",
	Doc: `no text says where an identifier comes from

A model that has no identifier makes one up. If another tool of the list finds it, half a
sentence sends the model there.`,
	Source: Source{
		"Anthropic saw models invent identifiers, and names that lead to them cut the errors.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad: `[{"name": "list_projects", "description": "List the projects of the account, with their numbers.", "parameters": {"type": "object", "properties": {}}},
 {"name": "close_project", "description": "Close a project for good.", "parameters": {"type": "object", "required": ["project_id"], "properties": {"project_id": {"type": "string", "description": "The number of the project."}}}}]`,
	Good: `[{"name": "list_projects", "description": "List the projects of the account, with their numbers.", "parameters": {"type": "object", "properties": {}}},
 {"name": "close_project", "description": "Close a project for good.", "parameters": {"type": "object", "required": ["project_id"], "properties": {"project_id": {"type": "string", "description": "The number of the project, from list_projects."}}}}]`,
	check: func(p *pass, tool *declaration) {
		for _, param := range tool.own() {
			if !param.isRequired || param.isClosed() || !param.isA("string", "integer", "number") {
				continue
			}
			if last := param.last(); last != "id" && last != "ids" && last != "uuid" {
				continue
			}
			noun := strings.Join(param.words[:len(param.words)-1], " ")
			if name := words(tool.Name); noun == "" && len(name) > 0 { // the thing that the tool is about
				noun = name[len(name)-1]
			}
			finder := p.finder(tool, noun)
			if finder == "" || isForeign(param.text) || hasAny(param.lower, "from ", "returned", "use list", "use search", "use get", "use find", "via ", "see ", "found ", "obtain", "url", "http", "e.g", "example", "such as", "optional", "batch") ||
				strings.Contains(tool.lower, "deprecated") || hasAny(tool.lower, "list_", "search_", "get_", "find_") ||
				p.names(tool, param.lower) || hasAny(tool.lower, strings.ToLower(finder)) {
				continue
			}
			p.reportText(param, param.path+" does not say where it comes from: add \"from "+finder+"\"")
		}
	},
}

// finding are verbs at the beginning of names of tools that find things.
var finding = []string{"list", "search", "find", "get", "query", "browse", "lookup", "fetch"}

// finder returns the name of another tool that finds the things of a noun, or "".
func (p *pass) finder(tool *declaration, noun string) string {
	tools := slices.Clone(p.toolsByNoun(noun))
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
		if slices.Contains(words(tool.Name), word) {
			return i
		}
	}
	return len(finding)
}

// toolsByNoun returns the tools whose names consist of such a verb and the plural of a
// noun.
func (p *pass) toolsByNoun(noun string) []*declaration {
	if stem, isOfY := strings.CutSuffix(noun, "y"); isOfY && p.byNoun[stem+"ies"] != nil {
		return p.byNoun[stem+"ies"]
	}
	return p.byNoun[noun+"s"]
}

// byNoun returns the tools of a list that find things, by noun.
func byNoun(tools []*declaration) map[string][]*declaration {
	found := map[string][]*declaration{}
	for _, tool := range tools {
		name := words(tool.Name)
		for i := 0; i+1 < len(name) && i < 2; i++ { // behind a prefix at most
			if slices.Contains(finding, name[i]) && !strings.Contains(tool.lower, "deprecated") {
				rest := strings.Join(name[i+1:], " ")
				found[rest] = append(found[rest], tool)
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

// names reports whether a text in lower case mentions another tool of the list.
func (p *pass) names(tool *declaration, lower string) bool {
	if p.options.alone || !strings.ContainsAny(lower, "_-") {
		return false
	}
	return slices.ContainsFunc(p.tools, func(other *declaration) bool {
		return other != tool && len(other.Name) > 3 && strings.Contains(lower, strings.ToLower(other.Name))
	})
}
