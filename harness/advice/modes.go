package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// modes are mutually exclusive ways to call a tool.
type modes struct {
	// batch is a list whose items have properties that the tool has too; nil if there is
	// none.
	batch *parameter
	// single are the properties of the tool that the items have too.
	single []*parameter
	// ways are parameters of one object that select the same part in different ways.
	ways []*parameter
	// flags are parameters of one object that each order the tool to do something else.
	flags []*parameter
}

// modesOf returns the modes of a tool that its structure shows.
func modesOf(tool *declaration) modes {
	if tool.modes != nil {
		return *tool.modes
	}
	var found modes
	for _, param := range tool.own() {
		items := param.schema.Get("items")
		if !param.isA("array") || items == nil || items.Kind != schema.Object || items.Get("properties") == nil {
			continue
		}
		if single := singleOf(tool, items); len(single) > len(found.single) {
			found.batch, found.single = param, single
		}
	}
	for _, holder := range holders(tool) {
		ways := waysOf(holder)
		above := tool.above(holder[0])
		isFilter := above != nil && strings.HasPrefix(above.name, "filter") // whose members all count
		if ways == nil && !isFilter {
			ways = handlesOf(tool, holder)
		}
		if ways == nil {
			ways = spelledTwice(tool, holder)
		}
		if len(ways) > len(found.ways) {
			found.ways = ways
		}
		if flags := verbsOf(holder); len(flags) > len(found.flags) {
			found.flags = flags
		}
	}
	tool.modes = &found
	return found
}

// general are names that many objects have, and that do not suggest a batch.
var general = []string{"name", "url"}

// singleOf returns the optional properties of a tool that do to one thing what the items
// of a list do to many: all that the items require, and at least one that is not general.
func singleOf(tool *declaration, items *schema.Node) []*parameter {
	required := items.Get("required").Strings()
	var single []*parameter
	isGeneral := true
	for _, name := range required {
		own := tool.param(name)
		if own == nil || own.isRequired {
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
func holders(tool *declaration) [][]*parameter {
	var all [][]*parameter
	at := map[*schema.Node]int{}
	for _, param := range tool.params {
		if param.isRequired {
			continue
		}
		place, ok := at[param.holder]
		if !ok {
			place = len(all)
			at[param.holder] = place
			all = append(all, nil)
		}
		all[place] = append(all[place], param)
	}
	return all
}

// selections are families of parameters that each select a part of the same thing. Two
// families in one object contradict each other.
var selections = [][][]string{
	{
		{"head", "head_lines", "first_lines"},
		{"tail", "tail_lines", "last_lines"},
		{"start_line", "end_line", "startline", "endline", "line_start", "line_end", "offset", "from_line", "to_line", "line_range"},
		{"start_offset", "byte_offset", "start_byte", "end_byte"},
	},
	{{"branch"}, {"pull_request", "pullrequest"}},
	{
		{"page", "page_number", "pagenumber", "page_num"},
		{"offset", "skip", "start_at", "startat"},
		{"cursor", "page_token", "pagetoken", "continuation_token", "continuationtoken", "next_token", "nexttoken", "starting_after"},
	},
}

// waysOf returns the parameters of an object that select a part of the same thing, if there
// are several families.
func waysOf(params []*parameter) []*parameter {
	for _, families := range selections {
		var ways []*parameter
		count := 0
		for _, family := range families {
			before := len(ways)
			for _, param := range params {
				if slices.Contains(family, strings.ToLower(param.name)) {
					ways = append(ways, param)
				}
			}
			if len(ways) > before {
				count++
			}
		}
		if count > 1 {
			return ways
		}
	}
	return nil
}

// precise are last words of names of parameters that identify one thing, and loose those of others
// that may do so.
var (
	precise = []string{"id", "iid", "uuid", "guid", "gid", "key", "slug"}
	loose   = []string{"name", "url", "uri", "number", "path", "username", "slug", "handle"}
)

// handlesOf returns the parameters of an object that identify one thing in several ways, such as
// task_id and task_name. Names of what a tool creates or looks for are none.
func handlesOf(tool *declaration, params []*parameter) []*parameter {
	if switchOf(tool) != nil || params[0].depth > 1 {
		return nil
	}
	name := tool.named
	isOpen := slices.ContainsFunc(name, func(word string) bool { return slices.Contains(making, word) || slices.Contains(seeking[:2], word) })
	for i, param := range params {
		noun := param.words[:max(0, len(param.words)-1)]
		if slices.Contains([]string{"url", "uri"}, param.last()) && !isOpen {
			for _, other := range params {
				if len(other.words) == len(param.words) && slices.Equal(other.words[:len(noun)], noun) && slices.Contains([]string{"path", "file", "content", "text", "html", "base64"}, other.last()) {
					return []*parameter{param, other}
				}
			}
		}
		if len(noun) == 0 || !slices.Contains(precise, param.last()) || isOpen && param.depth > 0 || isOpen && slices.ContainsFunc(name, func(word string) bool { return strings.HasPrefix(word, noun[len(noun)-1]) }) {
			continue
		}
		ways := []*parameter{param}
		for j, other := range params {
			if i != j && len(other.words) == len(param.words) && slices.Equal(other.words[:len(noun)], noun) && slices.Contains(loose, other.last()) {
				ways = append(ways, other)
			}
		}
		if len(ways) > 1 {
			return ways
		}
	}
	return nil
}

// forms are last words of names that say in which form a parameter has something, such as file in valuesFile.
var forms = []string{"file", "path", "filename", "filepath", "base64", "text", "json", "html", "markdown", "content", "raw", "string"}

// spelledTwice returns two parameters of an object that take the same thing: one or several of it, such as name and
// names, or it and what has it in a certain form, such as values and valuesFile.
func spelledTwice(tool *declaration, params []*parameter) []*parameter {
	if switchOf(tool) != nil {
		return nil
	}
	params = slices.DeleteFunc(slices.Clone(params), func(param *parameter) bool { return len(param.words) == 0 || param.prose.Has(apart...) })
	for _, param := range params {
		if param.name == "path" {
			continue
		}
		last := len(param.words) - 1
		for _, other := range params {
			switch len(other.words) - len(param.words) {
			case 0:
				if param.last() != other.last() && param.last() == one(other.last()) && slices.Equal(param.words[:last], other.words[:last]) && !param.isA("array", "object") && beginAlike(param, other) {
					return []*parameter{param, other}
				}
			case 1:
				if (slices.Contains(forms, other.last()) || other.last() == "id" && param.isA("string")) && slices.Equal(other.words[:last+1], param.words) || other.words[0] == "raw" && slices.Equal(other.words[1:], param.words) {
					return []*parameter{param, other}
				}
			}
		}
	}
	return nil
}

// beginAlike reports whether the texts of two parameters begin with the same word, or one has none.
func beginAlike(one, other *parameter) bool {
	first, second := one.prose.Words(), other.prose.Words()
	return len(first) == 0 || len(second) == 0 || first[0] == second[0]
}

// apart are phrases of texts that tell one of two spellings from the other.
var apart = prose.Phrases("if", "when", "multiple", "multi-value", "single")

// verbsOf returns the flags of an object whose names are orders, such as deleteKey, if there
// are several.
func verbsOf(params []*parameter) []*parameter {
	verbs := []string{"get", "list", "delete", "create", "update", "upsert", "add", "remove", "set"}
	var flags []*parameter
	seen := map[string]bool{}
	for _, param := range params {
		if param.isA("boolean") && len(param.words) > 1 && slices.Contains(verbs, param.words[0]) {
			flags = append(flags, param)
			seen[param.words[0]] = true
		}
	}
	if len(seen) < 2 {
		return nil
	}
	return flags
}

// exclusive are words with which a text says how modes exclude one another.
var exclusive = []string{
	"exclusive", "pick one", "choose one", "only one of", "one of the following", "either", "not both", "cannot be used", "can't be used", "combine", "instead of", "ignored", "modes", "precedence", "overrides",
	"not together", "not be used with", "alternative",
}

// isExplained reports whether the texts of a tool say how some parameters relate.
func (t *declaration) isExplained(params []*parameter) bool {
	return schemaSays(t.Parameters) || hasAny(t.lower, exclusive...) || isForeign(t.text) ||
		slices.ContainsFunc(params, func(param *parameter) bool { return hasAny(param.lower, exclusive...) })
}

// schemaSays reports whether the schema of a tool distinguishes its modes.
func schemaSays(parameters *schema.Node) bool {
	return slices.ContainsFunc([]string{"oneOf", "anyOf", "dependentRequired", "dependentSchemas", "dependencies", "if", "not"}, parameters.Has)
}
