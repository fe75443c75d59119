package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// nothingRequired finds tools that need the name of a thing, and do not require it.
var nothingRequired = &Rule{
	Name:    "nothing_required",
	IsGrave: true,
	Doc: `a tool requires nothing, and cannot work without an argument

A tool that reads or deletes one thing cannot work without its identifier, and one that creates or
sends something cannot without what it is to write, or with an object that may be empty. If the schema does not require that, a model
may call the tool without arguments, and strict modes let it. Where one of several arguments is enough, a sentence should say so.`,
	Source: Source{
		"OpenAI: make functions obvious, and use the structure of objects to make invalid states unrepresentable.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "delete_file", "description": "Delete a file, which cannot be undone.", "parameters": {"type": "object", "properties": {"file_id": {"type": "string", "description": "A number, from list_files."}}}}]`,
	Good: `[{"name": "delete_file", "description": "Delete a file, which cannot be undone.", "parameters": {"type": "object", "required": ["file_id"], "properties": {"file_id": {"type": "string", "description": "A number, from list_files."}}}}]`,
	check: func(p *pass, tool *declaration) {
		name := tool.named
		p.makesNothing(tool, name)
		p.wraps(tool)
		p.hollow(tool, name)
		if only := onlyOne(tool); only != nil && presupposes(tool, only) {
			p.reportMissing(only, "is not required, and "+tool.Name+" cannot work without it: add it to required")
			return
		}
		if p.leavesOut(tool) {
			return
		}
		isOfOne := slices.ContainsFunc(name[:min(len(name), 3)], func(word string) bool { return slices.Contains(ofOne, word) })
		own := tool.own()
		if !isOfOne || len(own) == 0 || schemaSays(tool.Parameters) {
			return
		}
		if slices.ContainsFunc(own, func(param *parameter) bool { return param.isRequired }) {
			p.forgets(tool, name)
			p.changesNothing(tool)
			return
		}
		var handles []*parameter
		for _, param := range own {
			noun := param.words[:max(0, len(param.words)-1)]
			if slices.Contains([]string{"id", "uuid", "uid", "gid", "guid", "key", "slug", "name"}, param.last()) && !param.schema.Has("default") && (len(noun) == 0 || has(singular(name), singular(noun))) {
				handles = append(handles, param)
			}
		}
		if len(handles) != 1 || handles[0].prose.Has(spared...) || tool.prose.Has(waived...) || hasAlternatives(tool, own) || handles[0].isA("null") {
			return
		}
		isReading := slices.Contains(name, "get") || slices.Contains(name, "retrieve") || slices.Contains(name, "read")
		isByIt := tool.prose.Has(byHandle...)
		if len(handles[0].words) == 1 && handles[0].last() == "name" || isReading && !isByIt && (len(own) > 1 || len(name) > 0 && strings.HasSuffix(name[len(name)-1], "s") && !strings.HasSuffix(name[len(name)-1], "details")) {
			return
		}
		p.reportMissing(handles[0], "is not required, and "+tool.Name+" cannot work without it: add it to required")
	},
}

// ofOne are verbs in names of tools that do something to one thing.
var ofOne = []string{
	"delete", "update", "remove", "cancel", "archive", "restart", "stop", "rename", "approve", "edit", "patch", "get", "retrieve", "read", "lookup", "describe", "inspect", "resolve", "move", "assign", "close", "reopen", "merge", "publish", "unpublish", "revoke", "disable", "enable", "start", "pause",
	"resume", "download", "clone", "fork", "replace", "modify", "set", "show", "fetch", "reset", "activate", "deactivate", "trigger", "retry", "rerun", "terminate", "kill", "uninstall", "revert", "restore", "duplicate", "suspend", "unarchive", "complete", "reject",
}

// byHandle are phrases of texts by which a tool finds its one thing by an identifier.
var byHandle = prose.Phrases("by id", "by or uid")

// forgets reports the identifier of the one thing that a tool is about, if the tool requires others and not this one.
func (p *pass) forgets(tool *declaration, name []string) {
	last := singular(name)[len(name)-1]
	if strings.HasSuffix(name[len(name)-1], "s") || len(tool.prose.Sentences) > 0 && slices.ContainsFunc(tool.prose.Sentences, func(sentence prose.Sentence) bool { return sentence.Has(spared...) && sentence.Has(identified...) }) || len(tool.prose.Sentences) == 1 && tool.prose.Has(spared...) {
		return
	}
	var found *parameter
	for _, param := range tool.own() {
		noun := param.words[:max(0, len(param.words)-1)]
		if len(noun) == 0 || noun[len(noun)-1] != last || param.isRequired && !slices.Contains(precise, param.last()) {
			continue
		}
		if found != nil || param.isRequired || !slices.Contains(precise, param.last()) && param.last() != "number" || param.schema.Has("default") || isNullable(param) || param.prose.Has(spared...) || !has(name, noun) {
			return // another way to find it, or one that may be left out
		}
		found = param
	}
	if found != nil {
		p.reportMissing(found, "is not required, and "+tool.Name+" cannot work without it: add it to required")
	}
}

// excused are phrases of texts that say what a tool does without some of its parameters.
var excused = prose.Phrases("at least one", "either", "optional", "omit", "omitted", "default", "defaults", "without", "only provided", "only the fields")

// changesNothing notes the few optional parameters of a tool that changes a thing, of which a call without any changes
// nothing.
func (p *pass) changesNothing(tool *declaration) {
	if !slices.ContainsFunc(tool.named, func(word string) bool { return slices.Contains(changing, word) }) || tool.prose.Has(excused...) || modesOf(tool).batch != nil {
		return
	}
	var some []*parameter
	for _, param := range tool.own() {
		isHandle := slices.Contains(precise, param.last()) || slices.Contains(loose, param.last()) || slices.ContainsFunc(tool.named, func(word string) bool { return word == param.last() })
		switch {
		case param.isRequired != isHandle && (param.isRequired || slices.Contains(precise, param.last())), param.schema.Has("default"), param.prose.Has(prose.Phrases("or", "at least one", "instead")...):
			return
		case !param.isRequired:
			some = append(some, param)
		}
	}
	const few = 3
	if len(some) < 2 || len(some) > few {
		return
	}
	before := len(p.found)
	p.reportAll(some, "", "may all be left out, and a call without any changes nothing: say that one is needed, or use anyOf below the root")
	p.note(before)
}

// identified are words of sentences about how a thing is found.
var identified = prose.Phrases("id", "ids", "identifier", "uuid", "key", "number", "name", "by", "url")

// onlyOne returns the only parameter with which a call can tell a tool something, if the tool requires none; or nil.
func onlyOne(tool *declaration) *parameter {
	var only *parameter
	for _, param := range tool.own() {
		switch {
		case param.schema.Has("default"), param.isA("boolean"):
		case param.isRequired, only != nil, isNullable(param):
			return nil
		default:
			only = param
		}
	}
	return only
}

// presupposes reports whether a tool finds nothing without a parameter, by its text.
func presupposes(tool *declaration, param *parameter) bool {
	isSearch := slices.ContainsFunc(tool.named, func(word string) bool { return slices.Contains([]string{"search", "list", "find", "query"}, word) })
	noun := param.noun()
	isItsHandle := slices.Contains(precise, param.last()) && len(param.words) > 1 && has(singular(tool.named), singular(param.words[:len(param.words)-1]))
	return !isSearch && !param.prose.Has(waived...) && !tool.prose.Has(waived...) && !schemaSays(tool.Parameters) &&
		(isItsHandle || tool.prose.Has(prose.Phrases("by its "+noun, "by its "+param.last(), "by "+noun, "for a "+noun, "of a "+noun, "from a "+noun, "on a "+noun, "to a "+noun, "the given "+noun, "specific "+noun)...))
}

// leavesOut reports identifiers of what the first sentence about a tool works on, if other parameters are required and they are not.
func (p *pass) leavesOut(tool *declaration) bool {
	var some []*parameter
	hasOthers := false
	for _, param := range tool.own() {
		switch {
		case param.isRequired:
			hasOthers = true
		case len(param.words) > 1 && slices.Contains(precise, param.last()) && !param.schema.Has("default") && !isNullable(param) && !param.prose.Has(spared...) && len(tool.prose.Sentences) > 0 && tool.prose.Sentences[0].Has(prose.Phrases("on a "+param.noun(), "of a "+param.noun(), "for a "+param.noun(), "to a "+param.noun())...) && presupposes(tool, param):
			some = append(some, param)
		}
	}
	switch {
	case !hasOthers || len(some) == 0 || switchOf(tool) != nil || slices.ContainsFunc(tool.named, func(word string) bool { return slices.Contains(changing, word) }):
		return false
	case len(some) == 1:
		p.reportMissing(some[0], "is not required, and "+tool.Name+" cannot work without it: add it to required")
	default:
		p.reportAll(some, "", "are not required, and "+tool.Name+" cannot work without one of them: say when which is needed")
	}
	return true
}

// waived are phrases of texts by which a tool may do without an argument.
var waived = prose.Phrases("optional", "optionally", "omit", "default", "defaults", "all", "current", "list", "lists", "filter", "if")

// makesNothing reports a tool that creates or sends something and requires no argument, or not the
// one object with everything that it writes, and notes one that does something else.
func (p *pass) makesNothing(tool *declaration, name []string) {
	own := tool.own()
	isOne := func(verbs []string) bool {
		return slices.ContainsFunc(name[:min(len(name), 3)], func(word string) bool { return slices.Contains(verbs, word) })
	}
	if !isOne(making) && !isOne(acting) && !isOne(choosing) || slices.ContainsFunc(name, func(word string) bool { return slices.Contains(seeking, word) }) ||
		len(own) < 2 || schemaSays(tool.Parameters) || isForeign(tool.text) {
		return
	}
	isSpared := func(param *parameter) bool { return param.schema.Has("default") || param.prose.Has(freed...) }
	var contents, some []*parameter
	for _, param := range own {
		isNeeded := slices.ContainsFunc(param.schema.Get("required").Strings(), func(name string) bool { return name != "id" }) || len(own) == 2 && slices.Contains(name, "update") && hasMembers(param.schema)
		isContent := param.isA("object") && isNeeded
		switch {
		case param.isRequired:
		case isContent && !isNullable(param) && !isSpared(param):
			contents = append(contents, param)
		case !slices.Contains([]string{"id", "key", "slug", "uuid"}, param.last()):
			contents = append(contents, nil)
		}
		if !param.isA("boolean") && !isSpared(param) {
			some = append(some, param)
		}
	}
	isPlaced := func(param *parameter) bool {
		return param.isRequired || isOne(making) && slices.Contains([]string{"x", "y", "width", "row"}, param.name)
	}
	isFree := slices.ContainsFunc(own, isPlaced) || slices.ContainsFunc(own, isSpared) && !((isOne(choosing) || isOne(acting)) && len(some) > 1) && !slices.ContainsFunc(own, func(param *parameter) bool {
		return slices.Contains(core, param.name) && !isSpared(param) && isOne(making)
	})
	switch {
	case len(contents) == 1 && contents[0] != nil:
		p.reportMissing(contents[0], "has all that "+tool.Name+" is to write, and is not required: add it to required")
	case !isFree && !tool.prose.Has(freed...) && !hasAlternatives(tool, own):
		before := len(p.found)
		p.report("/parameters", tool.Parameters, tool.Name+" requires no argument, and can do nothing without any: add to required what each call needs, or say of which parameters it needs one")
		p.also(before, some)
		if !isOne(making) {
			p.note(before)
		}
	}
}

// hasAlternatives reports whether the text of a tool names the parameters of which it needs one, as another rule
// reports.
func hasAlternatives(tool *declaration, own []*parameter) bool {
	const most = 200 // parameters that a sentence can speak of
	some, _ := tool.prose.Alternatives(namesOf(own[:min(len(own), most)]))
	return some != nil
}

// core are names of what the thing that a tool makes cannot be without.
var core = []string{"name", "title", "subject", "text", "content", "message", "prompt"}

// wrappers are names of objects with all that a tool takes.
var wrappers = []string{"params", "parameters", "args", "arguments", "data", "input", "request", "body", "payload"}

// reportMissing reports a parameter that is not required, with the edit that requires it.
func (p *pass) reportMissing(param *parameter, message string) {
	edit := requiredEdit(param.above, param.holder, append(param.holder.Get("required").Strings(), param.name))
	edit.Narrows, edit.Loses = true, "calls without "+param.name+" are refused"
	p.answerAll([]*parameter{param}, message, "", edit)
}

// wraps reports the one parameter of a tool that is not required, and whose members are.
func (p *pass) wraps(tool *declaration) {
	own := tool.own()
	if len(own) != 1 || !slices.Contains(wrappers, own[0].name) || own[0].isRequired || own[0].schema.Has("default") || isNullable(own[0]) || len(own[0].schema.Get("required").Strings()) == 0 || own[0].prose.Has(freed...) {
		return
	}
	p.reportMissing(own[0], "has members that are required, and is not required itself: add it to required")
}

// hollow reports required objects, of which a tool makes something, that require no member.
func (p *pass) hollow(tool *declaration, name []string) {
	isMaking := slices.ContainsFunc(name[:min(len(name), 3)], func(word string) bool { return slices.Contains(making, word) })
	if slices.ContainsFunc(name, func(word string) bool {
		return slices.Contains(acting, word) || slices.Contains(seeking, word) || word == "draft" || word == "preview"
	}) {
		return
	}
	var found []*parameter
	for _, param := range tool.own() {
		node := innermost(param.schema)
		properties := node.Get("properties")
		if param.isRequired && (isMaking || slices.Contains(wrappers, param.name)) && properties != nil && len(properties.Members) > 1 && len(node.Get("required").Strings()) == 0 && !schemaSays(node) && !node.Has("allOf") && !node.Has("minProperties") && !param.prose.Has(freed...) &&
			!slices.ContainsFunc(properties.Members, func(member schema.Member) bool { return member.Value.Has("default") }) {
			found = append(found, tool.holderOf(node, param))
		}
	}
	p.reportAll(found, "has members, and none of them is required: add to required what "+tool.Name+" needs", "have members, and none of them is required: add to required what "+tool.Name+" needs")
}

// holderOf returns the parameter whose schema, or that of whose items, is a node; another one if there is none.
func (t *declaration) holderOf(node *schema.Node, other *parameter) *parameter {
	for _, param := range t.params {
		if param.schema == node || param.schema.Get("items") == node {
			return param
		}
	}
	return other
}

// innermost returns the schema of the items of a list, or of the one member of an object, and so on.
func innermost(node *schema.Node) *schema.Node {
	for range mostDepth {
		below := node.Get("items")
		if properties := node.Get("properties"); below == nil && properties != nil && len(properties.Members) == 1 {
			below = properties.Members[0].Value
		}
		if below == nil || below.Kind != schema.Object {
			break
		}
		node = below
	}
	return node
}

// freed are phrases of texts by which a tool may do without its arguments.
var freed = prose.Phrases("optional", "optionally", "omit", "omitted", "if not", "default", "defaults", "either", "without", "one of", "random", "empty", "blank")

// making are verbs in names of tools that write what an argument has, acting those of tools that change
// what an argument names, seeking words in names of those that only look, and choosing verbs of those that need to be told
// with what.
var (
	making   = []string{"create", "send", "upload", "insert", "post", "submit", "train", "execute", "add"}
	acting   = []string{"update", "edit", "modify", "set", "patch", "move", "assign", "scroll", "remove", "delete", "rename", "replace", "merge", "transfer", "import", "format", "configure", "adjust"}
	seeking  = []string{"search", "list", "get", "find", "query"}
	choosing = []string{"call", "wait", "apply", "select", "resize", "describe", "open", "export", "run", "share", "invite", "check"}
)

// spared are phrases of texts by which an identifier may be left out.
var spared = prose.Phrases("optional", "optionally", "omit", "omitted", "default", "defaults", "filter", "all", "current", "without", "list", "search", "or", "either", "if", "any", "each", "exclusive", "instead", "alternative")

// singular returns words without the s of a plural.
func singular(all []string) []string {
	one := make([]string, len(all))
	for i, word := range all {
		one[i] = strings.TrimSuffix(word, "s")
	}
	return one
}
