package advice

import (
	"slices"
	"strings"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// modes are the ways to call a tool that exclude one another.
type modes struct {
	// batch is a list whose items have properties that the tool has too; nil where there is
	// none.
	batch *Param
	// single are the properties of the tool that the items have.
	single []*Param
	// ways are parameters, at one place, that name the same part in different ways.
	ways []*Param
}

// modesOf returns the ways to call a tool, as its structure shows them.
func modesOf(tool *Tool) modes {
	var found modes
	for _, param := range tool.Own() {
		items := param.Schema.Get("items")
		if !param.IsA("array") || items == nil || items.Kind != schema.Object || items.Get("properties") == nil {
			continue
		}
		if single := singleOf(tool, items); len(single) > len(found.single) {
			found.batch, found.single = param, single
		}
	}
	for _, holder := range holders(tool) {
		if ways := waysOf(holder); len(ways) > len(found.ways) {
			found.ways = ways
		}
	}
	return found
}

// general are names that many objects have, and that say nothing of a batch.
var general = []string{"id", "name", "description", "label", "labels", "type", "url", "title", "key", "value", "uuid", "status", "tags", "metadata", "created_at", "createdat", "path"}

// singleOf returns the optional properties of a tool that do to one thing what the items of
// a list do to many: all that the items require, and one that is not general.
func singleOf(tool *Tool, items *schema.Node) []*Param {
	required := items.Get("required").Strings()
	var single []*Param
	isGeneral := true
	for _, name := range required {
		own := tool.Param(name)
		if own == nil || own.IsRequired {
			return nil
		}
		single = append(single, own)
		isGeneral = isGeneral && slices.Contains(general, strings.ToLower(name))
	}
	if isGeneral {
		return nil
	}
	return single
}

// holders returns the optional parameters of a tool, by the object that has them.
func holders(tool *Tool) [][]*Param {
	var all [][]*Param
	at := map[*schema.Node]int{}
	for _, param := range tool.Params {
		if param.IsRequired {
			continue
		}
		place, ok := at[param.Holder]
		if !ok {
			place = len(all)
			at[param.Holder] = place
			all = append(all, nil)
		}
		all[place] = append(all[place], param)
	}
	return all
}

// selections are families of parameters that each choose a part of the same text. Two
// families of them in one object contradict each other.
var selections = [][]string{
	{"head", "head_lines", "first_lines"},
	{"tail", "tail_lines", "last_lines"},
	{"start_line", "end_line", "startline", "endline", "line_start", "line_end", "offset", "from_line", "to_line", "line_range"},
}

// waysOf returns the parameters of an object that choose a part of the same text, where
// there are several ways.
func waysOf(params []*Param) []*Param {
	var ways []*Param
	families := 0
	for _, family := range selections {
		before := len(ways)
		for _, param := range params {
			if slices.Contains(family, strings.ToLower(param.Name)) {
				ways = append(ways, param)
			}
		}
		if len(ways) > before {
			families++
		}
	}
	if families < 2 {
		return nil
	}
	return ways
}

// exclusive are words of a text that says how modes exclude one another.
var exclusive = []string{
	"mutually exclusive", "exclusive", "pick one", "choose one", "only one of", "one of the following", "either", "not both", "cannot be used", "can't be used", "cannot be combined",
	"can't be combined", "cannot combine", "do not combine", "don't combine", "instead of", "ignored", "modes", "takes precedence", "overrides", "not together", "not be used with", "alternative",
}

// isExplained reports whether the texts of a tool say how some parameters relate.
func (t *Tool) isExplained(params []*Param) bool {
	if schemaSays(t.Parameters) || hasAny(t.Lower, exclusive...) || isForeign(t.Text) {
		return true
	}
	for _, param := range params {
		if hasAny(param.Lower, exclusive...) {
			return true
		}
	}
	return false
}

// schemaSays reports whether the schema of a tool tells its modes apart.
func schemaSays(parameters *schema.Node) bool {
	says := false
	if parameters != nil {
		for _, keyword := range []string{"oneOf", "anyOf", "dependentRequired", "dependentSchemas", "dependencies", "if", "not"} {
			says = says || parameters.Has(keyword)
		}
	}
	return says
}

// UnlistedModes finds tools of several modes without a list of them.
var UnlistedModes = &Rule{
	Name: "unlisted_modes",
	Doc: `a tool has several modes and does not list them

Sibling parameters that exclude one another look like parameters to be given together. A
batch has the parameters of the single call, or several parameters choose the same part. A
weak model passes both. A list of the modes in the description, or oneOf, tells them apart.`,
	Source: Source{"An edit tool had five modes and no list of them: docs/seeds.md#seed-002-log-009, gap 2.", "", "2026-02-17"},
	Bad: `[{"name": "edit", "description": "Edit a file.", "parameters": {"type": "object", "required": ["path"], "properties": {
  "path": {"type": "string", "description": "An absolute path."}, "old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."},
  "edits": {"type": "array", "description": "Several edits.", "items": {"type": "object", "properties": {"old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."}}, "required": ["old", "new"]}}}}}]`,
	Good: `[{"name": "edit", "description": "Edit a file. Modes (pick one): batch: path + edits (always for 2 or more changes); one edit: path + old + new.", "parameters": {"type": "object", "required": ["path"], "properties": {
  "path": {"type": "string", "description": "An absolute path."}, "old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."},
  "edits": {"type": "array", "description": "Several edits.", "items": {"type": "object", "properties": {"old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."}}, "required": ["old", "new"]}}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		modes := modesOf(tool)
		if modes.batch != nil && switchOf(tool) == nil && !speaksOf(tool, modes.batch) && !tool.isExplained(append(modes.single, modes.batch)) {
			p.Report(modes.batch.At, modes.batch.Schema, modes.batch.Name+" and "+list(namesOf(modes.single))+
				" exclude one another, and no text says so: list the modes in the description of "+tool.Name+", each with its parameters")
		}
		if one, other := oneSided(tool); one != nil {
			at, node := one.descriptionOf()
			p.Report(at, node, one.Name+" excludes "+other.Name+" by its text, and that of "+other.Name+" does not say so: list in the description of "+tool.Name+" which go together")
		}
		if modes.ways != nil && !tool.isExplained(modes.ways) {
			first := modes.ways[0]
			p.Report(first.At, first.Schema, list(namesOf(modes.ways))+
				" choose the same part in several ways, and no text says which go together: list the ways in the description of "+tool.Name)
		}
	},
}

// oneSided returns a parameter whose text excludes another one, whose text says nothing of
// it; nil where there is none.
func oneSided(tool *Tool) (one, other *Param) {
	if schemaSays(tool.Parameters) {
		return nil, nil
	}
	for _, one := range tool.Own() {
		if one.IsRequired || !hasAny(one.Lower, "mutually exclusive", "cannot be used with", "can't be used with", "cannot be combined with", "not both") {
			continue
		}
		for _, other := range tool.Own() {
			name, own := strings.ToLower(other.Name), strings.ToLower(one.Name)
			if other != one && !other.IsRequired && len(name) > 2 && isMeant(one.Text, other.Name) && !hasWord(other.Lower, own) &&
				!hasWord(tool.Lower, name) && !hasAny(other.Lower, exclusive...) {
				return one, other
			}
		}
	}
	return nil, nil
}

// isMeant reports whether a text means a parameter and not an English word: the name is
// quoted, or no word.
func isMeant(text, name string) bool {
	if strings.Contains(name, "_") || strings.ToLower(name) != name {
		return hasWord(text, name)
	}
	return hasAny(text, "`"+name+"`", "'"+name+"'", `"`+name+`"`, "parameter "+name)
}

// speaksOf reports whether the description of a tool names a parameter outside of examples.
func speaksOf(tool *Tool, param *Param) bool {
	name := strings.ToLower(param.Name)
	return slices.ContainsFunc(sentences(tool.Lower), func(line string) bool { return hasWord(line, name) && !isCall(line) })
}

// isCall reports whether a line is an example of a call.
func isCall(line string) bool { return strings.Contains(line, "(") && strings.Contains(line, "=") }

func namesOf(params []*Param) []string {
	names := make([]string, len(params))
	for i, param := range params {
		names[i] = param.Name
	}
	return names
}

// RequiredOfMode finds parameters that a mode needs, and the schema does not require.
var RequiredOfMode = &Rule{
	Name: "required_of_mode",
	Doc: `a mode needs parameters, and nothing says which

The list required has what all modes need. What one mode needs besides is in the
description, in conditions of the schema, or nowhere. Then a model calls the tool without
it, and reads an error.`,
	Source: Source{"Each of five modes of an edit tool needed other parameters, and required had one: docs/seeds.md#seed-002-log-009, gap 3.", "", "2026-02-17"},
	Bad: `[{"name": "issue", "description": "Work with issues.", "parameters": {"type": "object", "required": ["action"], "properties": {
  "action": {"type": "string", "enum": ["create", "close"], "description": "What to do."}, "title": {"type": "string", "description": "Title, at most 80 letters."}, "number": {"type": "integer", "description": "Number shown by list_issues."}}}}]`,
	Good: `[{"name": "issue", "description": "Work with issues. create needs title, close needs number.", "parameters": {"type": "object", "required": ["action"], "properties": {
  "action": {"type": "string", "enum": ["create", "close"], "description": "What to do."}, "title": {"type": "string", "description": "Title, at most 80 letters."}, "number": {"type": "integer", "description": "Number shown by list_issues."}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		if schemaSays(tool.Parameters) {
			return
		}
		if modes := modesOf(tool); modes.batch != nil && switchOf(tool) == nil && !listsNeeds(tool, modes) {
			p.Report(modes.batch.At, modes.batch.Schema, tool.Name+" needs either "+modes.batch.Name+" or "+list(namesOf(modes.single))+
				", and required has neither: say in the description what each mode needs")
			return
		}
		switchOfModes(p, tool)
	},
}

// listsNeeds reports whether the description of a tool names the parameters of its modes
// close to each other, as a list of modes does.
func listsNeeds(tool *Tool, modes modes) bool {
	if slices.ContainsFunc(modes.single, func(param *Param) bool { return hasWord(param.Lower, strings.ToLower(modes.batch.Name)) }) {
		return true
	}
	needs := func(text string) bool {
		return hasAny(text, "+", "need", "requir", "with ", ":") && hasWord(text, strings.ToLower(modes.single[0].Name))
	}
	batch := func(text string) bool { return hasWord(text, strings.ToLower(modes.batch.Name)) }
	lines := sentences(tool.Lower)
	lines = slices.DeleteFunc(lines, isCall) // an example is no list
	return slices.ContainsFunc(lines, needs) && slices.ContainsFunc(lines, batch)
}

// switches are names of parameters whose values are modes.
var switches = []string{"action", "operation", "command", "mode", "method", "op", "subcommand", "operation_type", "action_type"}

// switchOf returns the parameter whose values are modes, or nil.
func switchOf(tool *Tool) *Param {
	own := tool.Own()
	at := slices.IndexFunc(own, func(param *Param) bool {
		values := param.Schema.Get("enum").Strings()
		return param.IsRequired && slices.Contains(switches, strings.ToLower(param.Name)) && len(values) > 1 && !slices.Contains(values, "GET")
	})
	if at < 0 {
		return nil
	}
	return own[at]
}

// switchOfModes reports a parameter whose values are modes, where no other parameter says of
// which mode it is.
func switchOfModes(p *Pass, tool *Tool) {
	own, param := tool.Own(), switchOf(tool)
	if param == nil || isForeign(tool.Text) {
		return
	}
	var optional []string
	for _, other := range own {
		if !other.IsRequired && !other.Schema.Has("default") {
			optional = append(optional, other.Name)
		}
	}
	if len(optional) < 2 {
		return
	}
	isNamed := func(name string) bool { return isMeant(tool.Text, name) }
	if named := slices.DeleteFunc(slices.Clone(optional), func(name string) bool { return !isNamed(name) }); 2*len(named) >= len(optional) {
		return
	}
	for _, value := range param.Schema.Get("enum").Strings() {
		value = strings.ToLower(value)
		for _, other := range own {
			if other != param && hasWord(other.Lower, value) {
				return
			}
		}
		for _, name := range optional {
			if sentenceHas(tool.Lower, value, strings.ToLower(name)) || sentenceHas(param.Lower, value, strings.ToLower(name)) {
				return
			}
		}
	}
	p.Report(param.At, param.Schema, param.Name+" chooses what "+tool.Name+" does, and no text says which value needs "+list(optional)+": say it at each parameter")
}

// sentenceHas reports whether one line or sentence of a text has both words.
func sentenceHas(lower, one, other string) bool {
	for _, line := range sentences(lower) {
		if hasWord(line, one) && hasWord(line, other) {
			return true
		}
	}
	return false
}

// MissingWay finds tools that explain how to create and overwrite, and not how to append.
var MissingWay = &Rule{
	Name: "missing_way",
	Doc: `a tool that writes a file explains two of three ways

A text explains how to create a file and how to overwrite it. A model then looks for the way
to append. Where no text names one, it guesses: it invents a parameter, or overwrites the
file.`,
	Source: Source{"A model looked for a way to append, and found 54 places instead of one: docs/seeds.md#seed-002-log-009, gap 1.", "", "2026-02-17"},
	Bad: `[{"name": "write", "description": "Write a file. \"\" = create a new file. \"OVERWRITE_FILE\" = replace the entire content.", "parameters": {"type": "object", "required": ["path", "match_text", "new_string"], "properties": {
  "path": {"type": "string", "description": "An absolute path."}, "match_text": {"type": "string", "description": "The text to replace."}, "new_string": {"type": "string", "description": "What to write."}}}}]`,
	Good: `[{"name": "write", "description": "Write a file. \"\" = create a new file. \"OVERWRITE_FILE\" = replace the entire content. \"APPEND_TO_FILE\" = append to the end.", "parameters": {"type": "object", "required": ["path", "match_text", "new_string"], "properties": {
  "path": {"type": "string", "description": "An absolute path."}, "match_text": {"type": "string", "description": "The text to replace."}, "new_string": {"type": "string", "description": "What to write."}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		var text strings.Builder
		text.WriteString(tool.Lower)
		for _, param := range tool.Params {
			text.WriteString("\n" + param.Lower + "\n" + strings.ToLower(strings.Join(param.Schema.Get("enum").Strings(), " ")))
		}
		all := text.String()
		creates := hasAny(all, "create new file", "create a new file", "create file", "creates a new file", "new file")
		overwrites := hasAny(all, "overwrite_file", "replace entire", "replace the entire", "overwrite entire", "overwrite the entire", "overwrite the whole")
		switches := hasAny(all, "special value", `""`, `''`, "empty string", "overwrite_file")
		if creates && overwrites && switches && !hasAny(all, "append", "end of the file", "end of file", "prepend", "insert") {
			at, node := tool.descriptionOf()
			p.Report(at, node, tool.Name+" says how to create and how to overwrite a file, and not how to append to one: say how, or which tool does it")
		}
	},
}

// example finds an example of a call.
var example = lazy.Compile(`(?s)\b(\w+)\(([^()]*)\)`)

// BatchNotFirst finds tools whose texts prefer many single calls to a batch.
var BatchNotFirst = &Rule{
	Name: "batch_not_first",
	Doc: `the first example shows one change, where a batch takes many

A weak model copies the first example. Where that is the single call, it makes three calls
instead of one. The batch comes first, or the text says from how many changes on it is used.`,
	Source: Source{"A model copied the single edit, the first of three examples: docs/seeds.md#seed-002-log-009, gap 4.", "", "2026-02-17"},
	Bad: `[{"name": "edit", "description": "Pick one mode.\nEDIT: edit(path=\"f\", old=\"a\", new=\"b\")\nBATCH: edit(path=\"f\", edits=[...])", "parameters": {"type": "object", "required": ["path"], "properties": {
  "path": {"type": "string", "description": "An absolute path."}, "old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."},
  "edits": {"type": "array", "description": "Several edits.", "items": {"type": "object", "properties": {"old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."}}, "required": ["old", "new"]}}}}}]`,
	Good: `[{"name": "edit", "description": "Modes, pick one: edits, or old with new.\nBATCH: edit(path=\"f\", edits=[...])\nEDIT: edit(path=\"f\", old=\"a\", new=\"b\")", "parameters": {"type": "object", "required": ["path"], "properties": {
  "path": {"type": "string", "description": "An absolute path."}, "old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."},
  "edits": {"type": "array", "description": "Several edits.", "items": {"type": "object", "properties": {"old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."}}, "required": ["old", "new"]}}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		modes := modesOf(tool)
		if modes.batch == nil {
			return
		}
		if hasAny(tool.Lower+"\n"+modes.batch.Lower, "2+", "two or more", "2 or more", "more than one", "multiple changes", "always prefer", "prefer batch", "use batch", "any time", "whenever") {
			return
		}
		for _, call := range example.FindAllStringSubmatch(tool.Text, -1) {
			arguments := strings.ToLower(call[2])
			isBatch := hasWord(arguments, strings.ToLower(modes.batch.Name))
			isSingle := hasWord(arguments, strings.ToLower(modes.single[0].Name))
			if isBatch || !isSingle {
				if isBatch {
					return
				}
				continue
			}
			at, node := tool.descriptionOf()
			p.Report(at, node, "the first example of "+tool.Name+" changes one thing: show "+modes.batch.Name+" first, and say that two changes or more go into one call")
			return
		}
	},
}
