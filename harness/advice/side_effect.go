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
model asks first, and set destructiveHint. A tool that changes a thing may replace its tags or settings by those
of a call, or add them; if no text says which, a model that adds one tag deletes the others. A tool that saves a file may
overwrite another, one that copies a folder may delete what only the target has, and one that runs a query may let it write.`,
	Source: Source{
		"MCP: annotations tell clients whether a tool only reads, destroys, or may be called again.",
		"https://modelcontextprotocol.io/specification/2025-06-18/schema#toolannotations", "2025-06-18",
	},
	Bad:  `[{"name": "delete_project", "description": "Delete a project", "parameters": {"type": "object", "properties": {}}}]`,
	Good: `[{"name": "delete_project", "description": "Delete a project with its issues. This cannot be undone.", "parameters": {"type": "object", "properties": {}}}]`,
	check: func(p *pass, tool *declaration) {
		name := tool.named
		p.lists(tool, name)
		p.overwrites(tool, name)
		p.queries(tool, name)
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
		const short = 25 // words
		said := tool.prose.Words()
		if hints.Get("destructiveHint") != nil || isForeign(tool.text) || len(said) == 0 || len(said) > short || !slices.Contains(destroying, strings.TrimSuffix(said[0], "s")) || hasAny(tool.lower, "permanent", "undo", "undone", "irreversibl", "restor", "recover", "trash", "archive", "cascade", "all ", "associated", "related", "draft", "cancel", "soft", "and ", "http", "onto") ||
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
	var found, objects []*parameter
	for _, param := range tool.params {
		isList := param.isA("array") && !param.isRequired && slices.Contains(held, one(param.last()))
		isSettings := param.isA("object") && param.depth == 0 && slices.Contains(settings, param.last())
		if (isList || isSettings) && param.depth < 2 && !param.isBranch && !param.hasNameOf(onlyPart...) && !isForeign(param.text) && !param.prose.Has(whole...) {
			if isList {
				found = append(found, param)
			} else {
				objects = append(objects, param)
			}
		}
	}
	const (
		lost   = "may replace all that there are, and no text says so: say whether they are added, or replace the others"
		merged = "may replace all members that there are, and no text says so: say whether those that a call leaves out stay"
	)
	p.reportAll(found, lost, lost)
	p.reportAll(objects, merged, merged)
}

// overwrites reports a tool that saves a file, or makes one folder like another, if no text says whether files that exist are replaced.
func (p *pass) overwrites(tool *declaration, name []string) {
	saves := slices.ContainsFunc(name, func(word string) bool { return slices.Contains(saving, word) })
	mirrors := slices.ContainsFunc(name, func(word string) bool { return slices.Contains(mirroring, word) })
	if !saves && !mirrors || isForeign(tool.text) || tool.prose.Has(kept...) || mirrors && tool.prose.Has(removes...) || slices.ContainsFunc(name, func(word string) bool { return slices.Contains(loading, word) }) {
		return
	}
	var to []*parameter
	for _, param := range tool.own() {
		if !mirrors && (param.prose.Has(kept...) || param.hasNameOf("overwrite", "append", "force", "mode")) {
			return
		}
		if param.isA("string") && (slices.Contains(places, param.last()) || param.last() == "name" && param.hasNameOf("file")) && !param.hasNameOf("project", "build", "scene", "root", "input", "source") {
			to = append(to, param)
		}
	}
	if at := slices.IndexFunc(to, func(param *parameter) bool { return param.hasNameOf(targets...) }); at > 0 {
		to = to[at:]
	}
	at, node := tool.descriptionOf()
	switch {
	case len(to) == 0:
	case mirrors:
		p.report(at, node, tool.Name+" does not say whether it overwrites or deletes what is at "+to[0].name+": say it, and set destructiveHint")
	default:
		p.report(at, node, tool.Name+" does not say what it does if there is a file at "+to[0].name+" already: say whether it is overwritten")
	}
}

// queries reports a tool that runs a query in a language that can write, if no text says whether it may.
func (p *pass) queries(tool *declaration, name []string) {
	isRun := slices.ContainsFunc(name, func(word string) bool { return slices.Contains([]string{"execute", "exec", "run"}, word) })
	if !isRun || isForeign(tool.text) || tool.prose.Has(bounded...) || tool.Further.Get("annotations").Has("readOnlyHint") {
		return
	}
	for _, param := range tool.own() {
		if param.isA("string") && slices.Contains([]string{"sql", "query", "statement", "cypher", "command"}, param.last()) && !param.isClosed() && !isForeign(param.text) && !param.prose.Has(bounded...) && (tool.prose.Has(mutable...) || param.prose.Has(mutable...)) {
			at, node := tool.descriptionOf()
			p.report(at, node, tool.Name+" does not say whether "+param.name+" may change data: say it, and set readOnlyHint or destructiveHint")
			return
		}
	}
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
	whole    = prose.Phrases("replace", "replaces", "replaced", "replacing", "overwrite", "overwrites", "overwritten", "add", "added", "adds", "append", "appended", "remove", "existing list", "full list", "complete list", "entire", "full set", "complete set", "merge", "merged", "new list", "new array", "new set", "to set", "set to", "replacement", "clear", "keep", "kept", "all of the", "partial", "full intended")
)

var (
	// settings are last words of names of objects of which a tool may replace all members.
	settings = []string{"settings", "profile", "config", "configuration", "properties", "metadata", "style", "env", "environment", "address", "preferences", "attributes", "labels", "variables", "permissions"}
	// saving are verbs in names of tools that write a file.
	saving = []string{"write", "save", "export", "download", "dump"}
	// mirroring are verbs in names of tools that make a folder like another.
	mirroring = []string{"sync", "synchronize", "mirror"}
	// loading are verbs in names of tools that write nothing.
	loading = []string{"read", "get", "list", "upload", "status", "check"}
	// places are last words of names of files and folders.
	places = []string{"path", "file", "filename", "filepath", "dir", "directory", "folder", "output", "destination", "target"}
	// targets are words in names of files and folders that a tool writes.
	targets = []string{"output", "local", "save", "destination", "dest", "target", "new", "export"}
	// kept are words of texts about files that exist.
	kept = prose.Phrases("overwrite", "overwrites", "overwritten", "overwriting", "replace", "replaces", "replaced", "exist", "exists", "existing", "already", "append", "appends", "appended", "conflict", "unique", "timestamp", "temporary", "new file")
	// removes are words of texts about files that are deleted.
	removes = prose.Phrases("delete", "deletes", "deleted", "remove", "removes", "removed")
	// mutable are phrases about languages that can change data.
	mutable = prose.Phrases("sql", "cypher", "aql", "database", "native query", "cli")
	// bounded are phrases of texts that say whether a query may change data.
	bounded = prose.Phrases("read-only", "readonly", "read only", "select", "insert", "update", "delete", "write", "writes", "modify", "mutations", "ddl", "dml", "create", "drop", "destructive", "safe", "explain")
)

// destroying are verbs in names of tools that destroy, and looking those of tools that do not.
var (
	destroying = []string{"delete", "drop", "purge", "destroy", "wipe", "erase", "truncate"}
	looking    = []string{"list", "get", "undelete", "restore", "search", "find", "deleted", "preview", "create", "update", "cancel", "reaction"}
	confirms   = prose.Phrases("confirmation", "confirm", "confirms", "careful", "warning", "danger", "destructive")
)
