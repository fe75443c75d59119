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
a few words that it deletes or resets something that others are in or refer to. Say whether that can be undone and what is
lost with it, so that a model asks first, and set destructiveHint. A tool that changes a thing may replace its tags or settings
by those of a call, or add them; if no text says which, a model that adds one tag deletes the others. A tool that saves a file
may overwrite another, one that runs a query, a command or a request may let it write, and
one that records something may go on until it is stopped.`,
	Source: Source{
		"MCP: annotations tell clients whether a tool only reads, destroys, or may be called again.",
		"https://modelcontextprotocol.io/specification/2025-06-18/schema#toolannotations", "2025-06-18",
	},
	Bad:  `[{"name": "delete_project", "description": "Delete a project", "parameters": {"type": "object", "properties": {}}}]`,
	Good: `[{"name": "delete_project", "description": "Delete a project with its issues. This cannot be undone.", "parameters": {"type": "object", "properties": {}}}]`,
	check: func(p *pass, tool *declaration) {
		p.destroys(tool)
		if isForeign(tool.text) {
			return
		}
		p.offers(tool)
		p.replaces(tool)
		p.overwrites(tool)
		p.runs(tool)
		p.goesOn(tool)
	},
}

// destroys reports a tool that destroys a thing, if no text says what is lost, or if its annotations deny it.
func (p *pass) destroys(tool *declaration) {
	name := tool.named
	beginning := append(slices.Clone(name[:min(len(name), 3)]), name[max(len(name)-1, 0):]...)
	isDestroying := slices.ContainsFunc(beginning, func(word string) bool { return slices.Contains(destroying, word) })
	isBreaking := slices.ContainsFunc(beginning, func(word string) bool { return slices.Contains(breaking, word) }) || slices.Contains(name, "power") && (slices.Contains(name, "cycle") || slices.Contains(name, "off"))
	if !isDestroying && !isBreaking || tool.isNamed(looking) || !isDestroying && tool.isNamed(passing) {
		return
	}
	at, node := tool.descriptionOf()
	hints := tool.Further.Get("annotations")
	if isDestroying && hints.Get("readOnlyHint").IsTrue() {
		p.report(at, node, tool.Name+" deletes by its name, and readOnlyHint says that it only reads: correct the annotation")
		p.found[len(p.found)-1].Edits = []Edit{{At: "/annotations", Before: hint(true), After: hint(false), Loses: "clients ask before they call it"}}
		return
	}
	const few = 60 // words
	said := tool.prose.Words()
	isSaid := slices.ContainsFunc(said[:min(len(said), 5)], func(word string) bool {
		word = strings.TrimSuffix(word, "s")
		return slices.Contains(destroying, word) || slices.Contains(breaking, word) || word == "power" || word == "stop"
	})
	if !isSaid || len(said) > few || hints.Get("destructiveHint") != nil || tool.prose.Has(considered...) || (slices.Contains(said, "remove") || slices.Contains(said, "removes")) && tool.prose.Has(detaching...) ||
		slices.ContainsFunc(tool.params, func(param *parameter) bool {
			return param.hasNameOf("confirm", "confirmed", "permanent", "dry", "cascade") || param.prose.Has(lasting...)
		}) {
		return
	}
	before := len(p.found)
	p.report(at, node, tool.Name+" does not say what is lost with it, and whether that can be restored: say it, and set destructiveHint")
	isOfMany := slices.ContainsFunc(tool.own(), func(param *parameter) bool { return param.isRequired && param.isA("array") })
	if slices.Contains(name, "uninstall") || tool.prose.Has(confirms...) || isDestroying && !isOfMany && !slices.Contains(holding, one(tool.object())) {
		p.note(before) // what the name says is all that is lost, or the user is asked
	}
}

// hint returns the annotation that says whether a tool only reads.
func hint(isReading bool) []schema.Member {
	return []schema.Member{{Key: "readOnlyHint", Value: schema.NewBool(isReading)}}
}

// offers notes a tool of several actions of which one deletes, if no text says what is lost.
func (p *pass) offers(tool *declaration) {
	for _, param := range tool.own() {
		values := param.schema.Get("enum")
		if !param.isRequired || values == nil || tool.Further.Get("annotations").Has("destructiveHint") || tool.prose.Has(lasting...) || param.prose.Has(lasting...) {
			continue
		}
		actions := values.Strings()
		at := slices.IndexFunc(actions, func(action string) bool { return action != "remove" && slices.Contains(destroying, action) })
		if at >= 0 {
			before := len(p.found)
			where, node := tool.descriptionOf()
			p.report(where, node, tool.Name+" deletes with "+param.name+" "+actions[at]+" and does not say what is lost, and whether that can be restored: say it")
			p.note(before)
		}
	}
}

// object returns the noun behind the verb in the name of a tool that destroys something, or before one at the end.
func (t *declaration) object() string {
	at := slices.IndexFunc(t.named, func(word string) bool { return slices.Contains(destroying, word) })
	rest := t.named[at+1:]
	if len(rest) == 0 {
		rest = t.named[:at]
	}
	if end := slices.IndexFunc(rest, func(word string) bool {
		return slices.Contains([]string{"for", "of", "by", "from", "in", "with", "on"}, word)
	}); end > 0 {
		rest = rest[:end]
	}
	if len(rest) == 0 {
		return ""
	}
	return rest[len(rest)-1]
}

// replaces reports lists and objects of a tool that changes a thing, if no text says whether what a call leaves out stays.
func (p *pass) replaces(tool *declaration) {
	if !slices.ContainsFunc(tool.named[:min(len(tool.named), 3)], func(word string) bool { return slices.Contains(changing, word) }) || slices.Contains(tool.named, "bulk") || tool.prose.Has(whole...) {
		return
	}
	const few = 3 // parameters, with the one that says which thing
	isPart := len(tool.own()) <= few && tool.prose.Has(some...)
	var found []*parameter
	for _, param := range tool.params {
		isUnsaid := param.isList() || (param.isBody() || param.name == "content" && tool.isNamed([]string{"file", "document", "page", "gist"})) && !isPart && !param.prose.Has(some...)
		if isUnsaid && !param.isBranch && !param.hasNameOf(onlyPart...) && !slices.Contains(parts, param.name) && !isForeign(param.text) && !param.prose.Has(whole...) {
			found = append(found, param)
		}
	}
	const unsaid = "may replace what there is or add to it, and no text says which: say whether what a call leaves out stays"
	p.reportAll(found, unsaid, unsaid)
}

// isList reports whether a parameter is a list of which a thing may have other items: not one of numbers, such as a colour.
func (p *parameter) isList() bool {
	isOfIDs := slices.Contains(ids, one(p.last()))
	return p.isA("array") && !p.isRequired && p.depth < 2 && (isOfIDs || !isA(p.schema.Get("items"), []string{"number", "integer"}))
}

// isBody reports whether a parameter is an object with members that a thing may have already: any members, or several.
func (p *parameter) isBody() bool {
	const few = 2
	members := p.schema.Get("properties")
	return p.isA("object") && p.depth == 0 && (members == nil || len(members.Members) == 0 || len(members.Members) > few)
}

// overwrites reports a tool that saves a file, if no text says whether one that exists is replaced.
func (p *pass) overwrites(tool *declaration) {
	saves := tool.isNamed(saving)
	if !saves && !tool.isNamed(filing) || tool.prose.Has(kept...) {
		return
	}
	var to []*parameter
	for _, param := range tool.own() {
		if param.prose.Has(kept...) || param.hasNameOf("overwrite", "append", "force", "mode") {
			return
		}
		if param.isPlace() && (saves || param.isMade(tool) && !param.isClosed()) {
			to = append(to, param)
		}
	}
	if len(to) == 0 {
		return
	}
	place := to[max(0, slices.IndexFunc(to, func(param *parameter) bool { return param.hasNameOf(targets...) }))]
	before := len(p.found)
	at, node := tool.descriptionOf()
	p.report(at, node, tool.Name+" does not say what it does if there is a file at "+place.name+" already: say whether it is overwritten")
	isFolder := place.hasNameOf("dir", "directory", "folder") || place.prose.Has(folders...)
	if isFolder && tool.param("filename") == nil && tool.param("name") == nil || !saves && !place.isRequired {
		p.note(before) // the name of the file is not the caller's, or most calls have none
	}
}

// isPlace reports whether a parameter is the name of a file or a folder that a tool may write.
func (p *parameter) isPlace() bool {
	return p.isA("string") && (slices.Contains(places, p.last()) || p.last() == "name" && p.hasNameOf("file")) && !p.hasNameOf("project", "build", "root", "input", "source", "parent", "config", "working")
}

// isMade reports whether a file or folder is what the tool makes, by its name or by its text.
func (p *parameter) isMade(tool *declaration) bool {
	if len(p.words) == 1 && p.hasNameOf("destination", "target", "output") || p.hasNameOf("destination", "target") && !p.hasNameOf("path", "file", "dir", "directory", "folder") {
		return slices.Contains(tool.named, "copy") || slices.Contains(tool.named, "move")
	}
	isNamed := slices.ContainsFunc(p.words[:len(p.words)-1], func(word string) bool { return slices.Contains(tool.named, word) })
	return p.hasNameOf(targets...) || p.prose.Has(made...) || isNamed && slices.Contains(tool.named, "create") ||
		p.text == "" && p.isRequired && len(tool.own()) == 1
}

// runs reports a tool that takes what it runs, such as a command, a query or a request, if no text and no annotation
// says what that may change.
func (p *pass) runs(tool *declaration) {
	hints := tool.Further.Get("annotations")
	if !tool.isNamed(doing) || tool.isNamed(looking) || hints.Get("readOnlyHint").IsTrue() || hints.Get("destructiveHint").IsTrue() {
		return
	}
	for _, param := range tool.own() {
		isMethod := param.last() == "method" && slices.Contains(param.schema.Get("enum").Strings(), "DELETE") && len(tool.own()) > 2
		switch {
		case tool.prose.Has(bounded...) || param.prose.Has(bounded...):
		case isMethod || param.isProgram(tool) || param.last() == "query" && (tool.prose.Has(mutable...) || param.prose.Has(mutable...)):
			at, node := tool.descriptionOf()
			p.report(at, node, tool.Name+" does not say what it may change with "+param.name+": say whether it can write and delete, and set readOnlyHint or destructiveHint")
			return
		}
	}
}

// isProgram reports whether a parameter is what a tool runs.
func (p *parameter) isProgram(tool *declaration) bool {
	return (p.isRequired || len(tool.own()) == 1) && slices.Contains(programs, one(p.last())) && !p.isClosed() && p.isA("string", "array") && !isForeign(p.text)
}

// goesOn reports a tool that starts something that goes on after the call, if no text says until when.
func (p *pass) goesOn(tool *declaration) {
	first := slices.IndexFunc(tool.named[:min(len(tool.named), 3)], func(word string) bool { return slices.Contains(starting, word) })
	isNoun := first > 0 && first == len(tool.named)-1 // as in insert_record
	if first < 0 || isNoun || tool.isNamed(ending) || len(tool.prose.Sentences) == 0 || len(tool.prose.Words()) > mostWords || tool.prose.Has(ends...) ||
		slices.ContainsFunc(tool.params, func(param *parameter) bool {
			return param.prose.Has(ends...) || param.name == "action" || param.hasNameOf("duration", "timeout", "seconds", "count", "limit", "until", "end", "wait", "lines", "stop")
		}) {
		return
	}
	at, node := tool.descriptionOf()
	p.report(at, node, tool.Name+" starts something and does not say until when it goes on: say when it ends, and what stops it")
}

// one returns a noun in the singular.
func one(noun string) string {
	if stem, isOfY := strings.CutSuffix(noun, "ies"); isOfY {
		return stem + "y"
	}
	return strings.TrimSuffix(noun, "s")
}

// changing are verbs in names of tools that change a thing. onlyPart are words in names of parameters that hold no value of
// the thing, or that say what becomes of its other values. parts are names of parts of the thing. whole are phrases that
// say what becomes of the old value, and some those by which members that are left out stay.
var (
	changing = []string{"update", "edit", "modify"}
	onlyPart = []string{"key", "add", "remove", "new", "delete", "append", "include", "exclude", "filter", "query"}
	parts    = []string{"fields", "update", "updates", "changes", "operations", "requests", "edits", "type", "position", "start", "end"}
	whole    = prose.Phrases(
		"replace", "replaces", "replaced", "replacing", "overwrite", "overwrites", "overwritten", "add", "added", "adds", "append", "appended", "remove", "removes", "removed", "entire", "merge", "merged", "to set", "set to", "replacement", "clear", "keep", "kept", "preserve", "preserved", "filter")
	some = prose.Phrases("partial", "only", "omit", "omitted", "unchanged", "patch", "fields to update", "properties to update", "to change", "to modify")
)

var (
	// saving are verbs in names of tools that write a file.
	saving = []string{"write", "save", "export", "download", "dump"}
	// filing are verbs in names of tools that write one if a text or the name of a parameter says so.
	filing = []string{"create", "compress", "zip", "copy", "move", "rename", "capture", "screenshot", "render", "convert", "generate", "record"}
	// places are last words of names of files and folders.
	places = []string{"path", "file", "filename", "filepath", "dir", "directory", "folder", "output", "destination", "target"}
	// targets are words in names of files and folders that a tool writes.
	targets = []string{"output", "local", "save", "destination", "dest", "target", "new", "export"}
	// kept are words of texts about files that exist.
	kept = prose.Phrases("overwrite", "overwrites", "overwritten", "replace", "replaces", "replaced", "exist", "exists", "existing", "already", "append", "appends", "appended", "new file")
	// made are phrases of texts about a file that a tool writes, and folders those about where it puts one.
	made    = prose.Phrases("to create", "will be saved", "will be created", "to save", "save the", "to write")
	folders = prose.Phrases("directory", "folder")
	// doing are words in names of tools that run something, programs last words of names of what they run, and mutable phrases
	// about languages that can change data.
	doing    = []string{"execute", "exec", "run", "command", "request", "api", "fetch", "call", "query", "sql", "evaluate", "transaction"}
	programs = []string{"command", "cmd", "script", "code", "sql", "statement", "cypher", "operation", "arg", "method", "snippet"}
	mutable  = prose.Phrases("sql", "cypher", "aql")
	// bounded are phrases of texts that say whether a query may change data.
	bounded = prose.Phrases("read-only", "readonly", "read only", "select", "insert", "update", "delete", "write", "writes", "modify", "create", "drop", "destructive", "safe", "explain", "sandbox", "browser", "app")
)

// destroying are verbs in names of tools that destroy, breaking those of tools with which something else may be lost, and
// looking words in names of tools that do not.
var (
	destroying = []string{"delete", "drop", "purge", "destroy", "wipe", "erase", "truncate", "remove"}
	breaking   = []string{"clear", "reset", "kill", "uninstall", "rebuild", "flush"}
	looking    = []string{"list", "get", "restore", "search", "find", "create", "update", "cancel", "validate"}
	// passing are nouns of what is cleared without a loss, and confirms phrases of texts by which a user agrees first.
	passing  = []string{"cache", "console", "selection", "password"}
	confirms = prose.Phrases("confirmation", "confirm", "confirms")
	// holding are nouns of things that others are in, or refer to.
	holding = []string{
		"project", "database", "db", "branch", "volume", "bucket", "server", "service", "cluster", "instance", "organization", "org", "workspace", "repository", "repo", "account", "user", "group", "folder", "directory", "table", "collection", "vpc", "schema", "environment", "namespace", "team",
		"app", "application", "droplet", "calendar", "list", "board", "space", "site", "tenant", "customer", "company", "channel", "label", "tag", "type", "category", "status", "cycle", "sprint", "milestone", "module", "epic", "field", "column", "template", "policy", "role", "network", "glossary", "memory", "document", "sheet", "workbook", "page", "device", "playlist", "pipeline", "campaign",
	}
	// lasting are phrases of texts that say whether something can be restored, considered those that say what is lost, or that it
	// is another matter, and detaching words of those about a thing that is only taken off another.
	lasting    = prose.Phrases("permanent", "permanently", "undo", "undone", "irreversible", "irreversibly", "restore", "restored", "recover", "recovered", "recoverable", "trash", "cascade", "cascades", "lost", "loses", "data loss", "destructive")
	considered = append(prose.Phrases("onto", "archive", "archived", "all", "associated", "draft", "and", "without", "warning", "idempotent", "empty"), lasting...)
	detaching  = prose.Phrases("from", "off", "out of", "access", "applied")
)

// starting are verbs in names of tools that start what goes on, ending words in names of those that do not or end it, and
// ends phrases of texts that say until when.
var (
	starting = []string{"record", "watch", "forward", "monitor", "listen", "tail", "subscribe", "stream", "serve"}
	ending   = []string{"go", "stop", "list", "get", "create", "update", "delete"}
	ends     = prose.Phrases("until", "stop", "stops", "stopped", "timeout", "seconds", "minutes", "duration", "background", "returns", "wait", "waits", "end", "ends")
)
