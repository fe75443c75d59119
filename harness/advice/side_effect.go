package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// sideEffect finds tools whose effect no text and no annotation states, or the wrong one does.
var sideEffect = &Rule{
	Name: "side_effect",
	Doc: `a tool destroys something, and nothing says how much

Its annotations say that it only reads although its name says that it deletes, or its text says in
a few words that it deletes. Say whether that can be undone and what is deleted with it, so that a
model asks first, and set destructiveHint. A tool that changes a thing may replace its tags by those
of a call, or add them; if no text says which, a model that adds one tag deletes the others.`,
	Source: Source{
		"MCP: annotations tell clients whether a tool only reads, destroys, or may be called again.",
		"https://modelcontextprotocol.io/specification/2025-06-18/schema#toolannotations", "2025-06-18",
	},
	Bad:  `[{"name": "delete_project", "description": "Delete a project", "parameters": {"type": "object", "properties": {}}}]`,
	Good: `[{"name": "delete_project", "description": "Delete a project with its issues. This cannot be undone.", "parameters": {"type": "object", "properties": {}}}]`,
	check: func(p *pass, tool *declaration) {
		name := tool.named
		p.lists(tool, name)
		if !slices.ContainsFunc(name[:min(len(name), 3)], func(word string) bool { return slices.Contains(destroying, word) }) || slices.ContainsFunc(name, func(word string) bool { return slices.Contains(looking, word) }) {
			return
		}
		at, node := tool.descriptionOf()
		hints := tool.Further.Get("annotations")
		if hints.Get("readOnlyHint").IsTrue() {
			p.report(at, node, tool.Name+" deletes by its name, and readOnlyHint says that it only reads: correct the annotation")
			p.found[len(p.found)-1].Edits = []Edit{{At: "/annotations", Before: hint(true), After: hint(false), Loses: "clients ask before they call it"}}
			return
		}
		const short = 10 // words
		if hints.Get("destructiveHint") != nil || isForeign(tool.text) || len(tool.prose.Words()) == 0 || len(tool.prose.Words()) > short || hasAny(tool.lower, "permanent", "undo", "undone", "irreversibl", "restor", "recover", "trash", "archive", "cascade", "all ", "associated", "related", "draft", "cancel", "soft", "and ", "http") ||
			tool.prose.Has(confirms...) || slices.ContainsFunc(tool.params, func(param *parameter) bool {
			return param.hasNameOf("confirm", "confirmed", "permanent", "force", "dry", "cascade")
		}) {
			return
		}
		p.report(at, node, tool.Name+" does not say whether what it deletes can be restored, and what is deleted with it: say it, and set destructiveHint")
	},
}

// hint returns the annotation that says whether a tool only reads.
func hint(isReading bool) []schema.Member {
	return []schema.Member{{Key: "readOnlyHint", Value: schema.NewBool(isReading)}}
}

// lists reports lists of a tool that changes a thing, if no text says whether their items are added to those that the
// thing has.
func (p *pass) lists(tool *declaration, name []string) {
	if !slices.ContainsFunc(name[:min(len(name), 3)], func(word string) bool { return slices.Contains(changing, word) }) || isForeign(tool.text) || tool.prose.Has(whole...) {
		return
	}
	var found []*parameter
	for _, param := range tool.params {
		if param.isA("array") && !param.isRequired && param.depth < 2 && !param.isBranch && slices.Contains(held, one(param.last())) && !param.hasNameOf(onlyPart...) && !isForeign(param.text) && !param.prose.Has(whole...) {
			found = append(found, param)
		}
	}
	const answer = ": say whether they are added, or replace the others"
	p.reportAll(found, "may replace all that there are, and no text says so"+answer, "may replace all that there are, and no text says so"+answer)
}

// one returns a noun in the singular.
func one(noun string) string {
	if stem, isOfY := strings.CutSuffix(noun, "ies"); isOfY {
		return stem + "y"
	}
	return strings.TrimSuffix(noun, "s")
}

// changing are verbs in names of tools that change a thing, held what things have several of, onlyPart words in names of
// lists that say what happens to the others, and whole phrases of texts that say it.
var (
	changing = []string{"update", "edit", "modify", "patch"}
	held     = []string{"tag", "label", "reviewer", "assignee", "member", "domain", "user", "role", "group", "category", "collaborator", "recipient", "attendee", "permission", "scope", "watcher", "follower", "taint", "keyword", "topic", "rule", "owner", "participant", "attachment", "dependency", "link", "ip", "email", "field", "variable", "guest", "event", "id", "parameter"}
	onlyPart = []string{"add", "added", "remove", "removed", "new", "additional", "delete", "append", "unset", "recent", "include", "exclude", "select", "opt"}
	whole    = prose.Phrases("replace", "replaces", "replaced", "replacing", "overwrite", "overwrites", "overwritten", "add", "added", "adds", "append", "appended", "remove", "existing list", "full list", "complete list", "entire", "full set", "complete set", "merge", "merged", "new list", "new array", "new set", "to set", "set to", "replacement", "clear", "keep", "kept", "all of the")
)

// destroying are verbs in names of tools that destroy, and looking those of tools that do not.
var (
	destroying = []string{"delete", "drop", "purge", "destroy", "wipe", "erase", "truncate"}
	looking    = []string{"list", "get", "undelete", "restore", "search", "find", "deleted", "preview", "create", "update", "cancel"}
	confirms   = prose.Phrases("confirmation", "confirm", "careful", "warning", "danger", "destructive")
)
