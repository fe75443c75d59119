package advice

import (
	"cmp"
	"slices"
	"strings"
)

// UnknownIdentifier finds identifiers that another tool returns, where no text says so.
var UnknownIdentifier = &Rule{
	Name: "unknown_identifier",
	Doc: `no text says where an identifier comes from

A model that has no identifier makes one up. Where another tool of the list finds it, one
half sentence sends the model there.`,
	Source: Source{
		"Anthropic saw models invent identifiers, and names that lead to them cut the errors.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad: `[{"name": "list_projects", "description": "List the projects of the account, with their numbers.", "parameters": {"type": "object", "properties": {}}},
 {"name": "close_project", "description": "Close a project for good.", "parameters": {"type": "object", "required": ["project_id"], "properties": {"project_id": {"type": "string", "description": "The number of the project."}}}}]`,
	Good: `[{"name": "list_projects", "description": "List the projects of the account, with their numbers.", "parameters": {"type": "object", "properties": {}}},
 {"name": "close_project", "description": "Close a project for good.", "parameters": {"type": "object", "required": ["project_id"], "properties": {"project_id": {"type": "string", "description": "The number of the project, from list_projects."}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		for _, param := range tool.Own() {
			if !param.IsRequired || param.IsClosed() || !param.IsA("string", "integer", "number") {
				continue
			}
			name := words(param.Name)
			if len(name) < 2 || name[len(name)-1] != "id" && name[len(name)-1] != "ids" {
				continue
			}
			noun := strings.Join(name[:len(name)-1], " ")
			finder := p.finder(tool, noun)
			if finder == "" || isForeign(param.Text) || hasAny(param.Lower, "from ", "returned", "use ", "see ", "get ", "found", "obtain", "list", "search", "url", "http", "e.g", "example", "such as", "optional", "identifier", "batch") ||
				strings.Contains(tool.Lower, "deprecated") || hasAny(tool.Lower, "list_", "search_", "get_", "find_") ||
				p.names(tool, param.Lower) || hasAny(tool.Lower, strings.ToLower(finder)) {
				continue
			}
			at, node := param.descriptionOf()
			p.Report(at, node, param.Name+" does not say where it comes from: add \"from "+finder+"\"")
		}
	},
}

// finding are the first words of names of tools that find things.
var finding = []string{"list", "search", "find", "get", "query", "browse", "lookup", "fetch"}

// finder returns the name of another tool that lists what a noun stands for, or "".
func (p *Pass) finder(tool *Tool, noun string) string {
	tools := slices.Clone(p.toolsByNoun(noun))
	slices.SortStableFunc(tools, func(a, b *Tool) int { return cmp.Compare(rank(a), rank(b)) })
	for _, other := range tools {
		needsOne := slices.ContainsFunc(other.Own(), func(param *Param) bool {
			name := words(param.Name)
			return param.IsRequired && len(name) > 0 && (name[len(name)-1] == "id" || name[len(name)-1] == "ids") && strings.Join(name[:len(name)-1], " ") == noun
		})
		if other != tool && !needsOne {
			return other.Name
		}
	}
	return ""
}

// rank is where the word for finding stands in their order.
func rank(tool *Tool) int {
	for i, word := range finding {
		if slices.Contains(words(tool.Name), word) {
			return i
		}
	}
	return len(finding)
}

// toolsByNoun returns the tools whose names are a word for finding and the plural of a noun.
func (p *Pass) toolsByNoun(noun string) []*Tool {
	if stem, isOfY := strings.CutSuffix(noun, "y"); isOfY && p.byNoun[stem+"ies"] != nil {
		return p.byNoun[stem+"ies"]
	}
	return p.byNoun[noun+"s"]
}

// byNoun returns the tools of a list that find things, by what they find.
func byNoun(tools []*Tool) map[string][]*Tool {
	found := map[string][]*Tool{}
	for _, tool := range tools {
		name := words(tool.Name)
		for i := 0; i+1 < len(name) && i < 2; i++ { // behind a prefix at most
			if slices.Contains(finding, name[i]) && !strings.Contains(tool.Lower, "deprecated") {
				rest := strings.Join(name[i+1:], " ")
				found[rest] = append(found[rest], tool)
			}
		}
	}
	return found
}

// names reports whether a text in lower case names another tool of the list.
func (p *Pass) names(tool *Tool, lower string) bool {
	if p.Options.Alone || !strings.ContainsAny(lower, "_-") {
		return false
	}
	return slices.ContainsFunc(p.Tools, func(other *Tool) bool {
		return other != tool && len(other.Name) > 3 && strings.Contains(lower, strings.ToLower(other.Name))
	})
}
