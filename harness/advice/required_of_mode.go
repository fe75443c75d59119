package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// requiredOfMode finds parameters that one mode needs but the schema does not require.
var requiredOfMode = &Rule{
	Name: "required_of_mode",
	Doc: `parameters need or exclude one another, and no schema says so

required lists what all modes need. What only one mode needs should be in conditions of the schema,
or at least in the description. If it is in neither, a model calls the tool without it and gets an
error; if a sentence alone has it, nothing checks the call. Many surfaces refuse conditions at the
root of the parameters, so give each mode an object of its own, or a tool.`,
	Source: Source{"Each of five modes of an edit tool needed other parameters, and required had one: docs/seeds.md#seed-002-log-009, gap 3.", "", "2026-02-17"},
	Bad: `[{"name": "issue", "description": "Work with issues.", "parameters": {"type": "object", "required": ["action"], "properties": {
  "action": {"type": "string", "enum": ["create", "close"], "description": "What to do."}, "title": {"type": "string", "description": "What the issue is about."}, "number": {"type": "integer", "description": "Number shown by list_issues."}}}}]`,
	Good: `[{"name": "issue", "description": "Work with issues. create needs title, close needs number.", "parameters": {"type": "object", "required": ["action"], "properties": {
  "action": {"type": "string", "enum": ["create", "close"], "description": "What to do."}, "title": {"type": "string", "description": "What the issue is about."}, "number": {"type": "integer", "description": "Number shown by list_issues."}}}}]`,
	check: func(p *pass, tool *declaration) {
		related(p, tool)
		if schemaSays(tool.Parameters) {
			return
		}
		if modes := modesOf(tool); modes.batch != nil && switchOf(tool) == nil && !listsNeeds(tool, modes) {
			p.report(modes.batch.at, modes.batch.schema, tool.Name+" needs either "+modes.batch.name+" or "+list(namesOf(modes.single))+
				", and required has neither: say in the description what each mode needs")
			return
		}
		switchOfModes(p, tool)
	},
}

// related notes parameters that depend on one another by their texts alone.
func related(p *pass, tool *declaration) {
	var found, others []*parameter
	var first *prose.Relation
	terms := termsOf(tool)
	for _, param := range tool.params {
		if param.schema.Has("enum") && slices.Contains(switches, strings.ToLower(param.name)) || hasMembers(param.schema) || param.text == "" || isDeprecated(param.prose) || schemaSays(param.holder) {
			continue
		}
		some, values := terms.in(param)
		relation := param.prose.Relation(some)
		if relation == nil {
			relation = param.prose.Case(values)
		}
		if relation == nil {
			continue
		}
		if found = append(found, param); first == nil {
			first = relation
		}
		for _, other := range tool.params {
			if other.name == relation.Other && other.holder == param.holder && !slices.Contains(others, other) {
				others = append(others, other)
			}
		}
	}
	before := len(p.found)
	p.paired(tool)
	p.unseen(tool)
	if len(found) == 0 {
		p.alternatives(tool)
		p.anyOfMany(tool)
		p.note(before)
		return
	}
	p.note(before)
	before = len(p.found)
	const several = "depend on other parameters by sentences alone, such as "
	one, answer := "goes with "+first.Other, "nothing checks it, so let the server's error name both"
	switch isName := slices.ContainsFunc(tool.params, func(param *parameter) bool { return param.name == first.Other }); {
	case first.Other == "":
		one = "is needed in some calls"
	case first.Link == prose.Excludes:
		one, answer = "and "+first.Other+" are alternatives", answer+", or use oneOf below the root"
	case first.Link == prose.Ignored:
		one = "and " + first.Other + " do not both count"
	case isName && len(found) == 1:
		answer += ", or use dependentRequired below the root"
	}
	p.answerAll(found, one+" by a sentence alone: "+answer, several+quoted(first.Text)+": "+answer, excluding(found, first)...)
	p.also(before, slices.DeleteFunc(others, func(other *parameter) bool { return slices.Contains(found, other) }))
	p.note(before)
}

// excluding returns the edit that forbids two parameters together, or demands one of them; none if there are more, or if they
// stand at the root, where surfaces refuse conditions.
func excluding(found []*parameter, first *prose.Relation) []Edit {
	param := found[0]
	if len(found) > 1 || first.Link != prose.Excludes || param.isRequired || param.depth == 0 {
		return nil
	}
	both := "calls with both " + param.name + " and " + first.Other
	edit := adding(param, both+" are refused", schema.Member{Key: "not", Value: requiring(param.name, first.Other)})
	if param.prose.Has(either...) {
		edit = adding(param, both+", or with neither, are refused", schema.Member{Key: "oneOf", Value: schema.NewArray(requiring(param.name), requiring(first.Other))})
	}
	edit.At = param.above
	return []Edit{edit}
}

// alternatives reports parameters of which the text of the tool, or of the object that has them, says that one has
// to be given.
func (p *pass) alternatives(tool *declaration) {
	const most = 200 // parameters that a sentence can speak of
	for _, params := range holders(tool) {
		if schemaSays(params[0].holder) || len(params) < 2 || len(params) > most {
			continue
		}
		text := tool.prose
		if above := tool.above(params[0]); above != nil && above.text != "" {
			text = above.prose
		}
		names, sentence := text.Alternatives(namesOf(params))
		if names == nil {
			names, sentence = alternativesOf(text, handlesOf(tool, params))
		}
		if names == nil {
			continue
		}
		some := slices.DeleteFunc(slices.Clone(params), func(param *parameter) bool { return !slices.Contains(names, param.name) })
		var edits []Edit
		if some[0].depth > 0 {
			ways := make([]*schema.Node, len(some))
			for i, param := range some {
				ways[i] = requiring(param.name)
			}
			edits = []Edit{adding(some[0], "calls without "+list(namesOf(some))+" are refused", schema.Member{Key: "anyOf", Value: schema.NewArray(ways...)})}
			edits[0].At = some[0].above
		}
		p.answerAll(some, "", "are needed one or the other by a sentence alone, "+quoted(sentence)+": nothing checks it, so let the server's error name both, or use anyOf below the root", edits...)
	}
}

// alternativesOf returns the names of parameters for one thing, such as task_id and task_url, of which a text says by their last words
// that one is to be given, and its sentence; nil if it does not.
func alternativesOf(text *prose.Text, params []*parameter) (names []string, sentence string) {
	lasts := make([]string, len(params))
	for i, param := range params {
		lasts[i] = param.last()
	}
	if some, sentence := text.Alternatives(lasts); len(some) == len(params) && len(some) > 0 {
		return namesOf(params), sentence
	}
	return nil, ""
}

// anyOfMany reports the optional parameters of a tool whose text says that it needs one of them, and not which.
func (p *pass) anyOfMany(tool *declaration) {
	at := slices.IndexFunc(tool.prose.Sentences, func(sentence prose.Sentence) bool { return sentence.Has(atLeastOne...) })
	if at < 0 || tool.Parameters.Has("minProperties") || schemaSays(tool.Parameters) {
		return
	}
	var some []*parameter
	for _, param := range tool.own() {
		if !param.isRequired && !param.schema.Has("default") && !slices.Contains(pagings, strings.ToLower(param.name)) {
			some = append(some, param)
		}
	}
	if len(some) > 1 {
		sentence := tool.prose.Sentences[at]
		found := len(p.found)
		place, node := tool.descriptionOf()
		p.report(place, node, list(namesOf(some))+" are needed one or the other by a sentence alone, "+quoted(tool.text[sentence[0].At:sentence[len(sentence)-1].End])+": use minProperties, or anyOf below the root")
		p.also(found, some)
	}
}

// atLeastOne are phrases of sentences by which a call needs one of many parameters.
var atLeastOne = prose.Phrases("at least one of these", "at least one field", "at least one is required", "at least one other field", "at least one modifiable field", "at least one search parameter",
	"at least one parameter")

// pairs are names of parameters of which one is of no use without the other.
var pairs = [][2]string{{"username", "password"}, {"checkin", "checkout"}, {"latitude", "longitude"}, {"lat", "lng"}, {"lat", "lon"}, {"center", "radius"}}

// paired reports optional parameters of a tool of which one counts only with the other, by their names, if no text says so: a pair,
// a direction and what a search sorts by, or what belongs to a flag, such as squash_message to squash.
func (p *pass) paired(tool *declaration) {
	params := slices.DeleteFunc(slices.Clone(tool.own()), func(param *parameter) bool {
		return param.isRequired || param.schema.Has("default") || param.prose.Has(freed...)
	})
	if method := tool.param("method"); method != nil && (slices.Contains(method.schema.Get("enum").Strings(), "GET") || strings.Contains(method.text, "GET")) {
		if at := slices.IndexFunc(params, func(param *parameter) bool {
			return slices.Contains([]string{"body", "data", "payload"}, param.name) && !strings.Contains(param.text, "POST")
		}); at >= 0 {
			p.reportAll(params[at:at+1], "counts only with some values of method: say with which", "")
			return
		}
	}
	isSearch := slices.Contains(tool.named, "search") // whose results are in the order of how well they fit
	for _, one := range params {
		first := bare(one)
		isSorting, isFlag := isSearch && slices.Contains(sortings, first), one.isA("boolean") && !strings.HasSuffix(one.last(), "ed")
		if !isSorting && !isFlag && !slices.ContainsFunc(pairs, func(pair [2]string) bool { return pair[0] == first }) {
			continue
		}
		for _, other := range params {
			isPair := slices.Contains(pairs, [2]string{first, bare(other)}) || isSorting && slices.Contains(directions, bare(other))
			isOfFlag := isFlag && len(other.words) > len(one.words) && slices.Equal(other.words[:len(one.words)], one.words)
			if (isPair || isOfFlag) && one != other && !hasEachName(tool.lower, one, other) && !other.prose.Mentions(one.name) && !one.prose.Mentions(other.name) {
				subject := one.name + " is of no use without " + other.name
				if !isPair || slices.Contains(sortings, bare(one)) {
					subject = other.name + " counts only with " + one.name
				}
				before := len(p.found)
				p.report(other.at, other.schema, subject+", and no text says so: say it at "+other.name)
				p.also(before, []*parameter{one})
				return
			}
		}
	}
}

// unseen reports the parameters of a tool that need what a model cannot see.
func (p *pass) unseen(tool *declaration) {
	var some []*parameter
	for _, param := range tool.own() {
		if param.prose.Has(outside...) && slices.ContainsFunc(param.prose.Sentences, func(sentence prose.Sentence) bool { return sentence.Requires(outside) }) {
			some = append(some, param)
		}
	}
	p.reportAll(some, "counts only where the server has what a model cannot see: say how it shows", "count only where the server has what a model cannot see: say how it shows")
}

// outside is what a server has and a model cannot see.
var outside = prose.Phrases("api key", "api token", "login", "environment", "env")

// sortings are names of parameters for what a list is sorted by, and directions those for in which direction.
var (
	sortings   = []string{"sort", "sortby", "orderby"}
	directions = []string{"order", "direction", "sortorder", "sortdirection", "orderdirection"}
)

// hasEachName reports whether a text in lower case has the names of both parameters.
func hasEachName(text string, one, other *parameter) bool {
	return strings.Contains(text, strings.ToLower(one.name)) && strings.Contains(text, strings.ToLower(other.name))
}

// bare returns the words of a name without what joins them.
func bare(param *parameter) string { return strings.Join(param.words, "") }

// above returns the parameter whose object has another one, or nil.
func (t *declaration) above(param *parameter) *parameter {
	at := slices.IndexFunc(t.params, func(other *parameter) bool { return other.schema == param.holder })
	if at < 0 {
		return nil
	}
	return t.params[at]
}

// either are phrases of texts by which one of two parameters has to be given.
var either = prose.Phrases("either")

func requiring(names ...string) *schema.Node {
	return schema.NewObject(schema.Member{Key: "required", Value: schema.NewStrings(names...)})
}

// term is the name of a property or one of its values, as a text may name it.
type term struct {
	text, of string
	isValue  bool
}

// terms are the names and values of the properties of a tool.
type terms struct {
	all []term
	at  map[string][]int // by the term in lower case
}

// termsOf returns the terms of a tool.
func termsOf(tool *declaration) terms {
	found := terms{at: map[string][]int{}}
	for _, param := range tool.params {
		for i, text := range append([]string{param.name}, listedBy(param.schema)...) {
			lower := strings.ToLower(text)
			found.at[lower] = append(found.at[lower], len(found.all))
			found.all = append(found.all, term{text, param.name, i > 0})
		}
	}
	return found
}

// in returns the terms that the text of a parameter names and that are not its own, and those of them that are values.
func (t terms) in(param *parameter) (some, values []string) {
	var found []int
	for _, sentence := range param.prose.Sentences {
		for _, token := range sentence {
			found = append(found, t.at[strings.Trim(token.Lower, "{} ")]...)
		}
	}
	slices.Sort(found)
	for _, i := range slices.Compact(found) {
		if t.all[i].of == param.name {
			continue
		}
		some = append(some, t.all[i].text)
		if t.all[i].isValue {
			values = append(values, t.all[i].text)
		}
	}
	return some, values
}

// listsNeeds reports whether the description of a tool names the parameters of its modes
// close to each other, as a list of modes does.
func listsNeeds(tool *declaration, modes modes) bool {
	if slices.ContainsFunc(modes.single, func(param *parameter) bool { return hasWord(param.lower, strings.ToLower(modes.batch.name)) }) {
		return true
	}
	needs := func(text string) bool {
		return hasAny(text, "+", "need", "requir", "with ", ":") && hasWord(text, strings.ToLower(modes.single[0].name))
	}
	batch := func(text string) bool { return hasWord(text, strings.ToLower(modes.batch.name)) }
	lines := sentences(tool.lower)
	lines = slices.DeleteFunc(lines, isCall) // an example is no list
	return slices.ContainsFunc(lines, needs) && slices.ContainsFunc(lines, batch)
}

// switches are names of parameters that select a mode.
var switches = []string{"action", "operation", "command", "mode", "method", "op", "subcommand", "operation_type", "action_type"}

// switchOf returns the parameter that selects a mode, or nil: one of such a name, or one of which a value is the name of
// another parameter or its first word, such as line of startLine.
func switchOf(tool *declaration) *parameter {
	own := tool.own()
	at := slices.IndexFunc(own, func(param *parameter) bool {
		values := param.schema.Get("enum").Strings()
		if !param.isRequired || len(values) < 2 || slices.Contains(values, "GET") {
			return false
		}
		return slices.Contains(switches, strings.ToLower(param.name)) ||
			slices.Contains(selectors, param.last()) && slices.ContainsFunc(values, func(value string) bool { return len(selectedBy(own, value)) > 0 })
	})
	if at < 0 {
		return nil
	}
	return own[at]
}

// selectors are last words of names of parameters that may select a mode.
var selectors = []string{"mode", "type"}

// selectedBy returns the optional parameters that a value of a switch names.
func selectedBy(own []*parameter, value string) []*parameter {
	named := words(value)
	return slices.DeleteFunc(slices.Clone(own), func(param *parameter) bool {
		return param.isRequired || len(named) == 0 || len(param.words) < len(named) || !slices.Equal(param.words[:len(named)], named) && !slices.Equal(param.words[len(param.words)-len(named):], named)
	})
}

// pagings are names of parameters that serve many modes.
var pagings = []string{"page", "perpage", "per_page", "limit", "offset", "cursor", "page_size", "pagesize", "max_results", "maxresults", "page_token", "pagetoken", "after", "before"}

// switchOfModes reports a parameter that selects a mode if no other parameter says to
// which mode it belongs.
func switchOfModes(p *pass, tool *declaration) {
	own, param := tool.own(), switchOf(tool)
	if param == nil || isForeign(tool.text) {
		return
	}
	values := param.schema.Get("enum").Strings()
	isTold := func(other *parameter) bool {
		return other.prose.Has(conditional...) && slices.ContainsFunc(values, func(value string) bool { return hasWord(other.lower, strings.ToLower(value)) }) ||
			tool.prose.Mentions(other.name) || param.prose.Mentions(other.name) || slices.ContainsFunc(tool.prose.Sentences, func(sentence prose.Sentence) bool {
			return sentence.Has(needing...) && sentence.Has(prose.Phrases(strings.ToLower(other.name))...)
		})
	}
	var untold []*parameter
	told := 0
	for _, other := range own {
		switch {
		case other.isRequired || other.schema.Has("default") || slices.Contains(pagings, strings.ToLower(other.name)):
		case isTold(other):
			told++
		default:
			untold = append(untold, other)
		}
	}
	if !slices.ContainsFunc(values, func(value string) bool {
		return !slices.Contains([]string{"create", "update", "add", "edit", "upsert"}, value)
	}) {
		return // which take the same
	}
	few := 3 // of so many parameters that need a word, one has it
	isSwitch := slices.Contains(switches, strings.ToLower(param.name))
	if !isSwitch {
		few = len(own)
	}
	if len(untold) == 0 || len(untold) == 1 && untold[0].text != "" || few*told > len(untold) {
		return
	}
	before := len(p.found)
	p.report(param.at, param.schema, param.name+" chooses what "+tool.Name+" does, and no text says which value needs "+list(namesOf(untold))+": say it at each parameter, or in the description")
	p.also(before, untold)
	if place, _ := tool.descriptionOf(); place != "" && len(p.found) > before {
		p.found[before].Also = append(p.found[before].Also, place)
	}
	if !isSwitch {
		p.note(before)
	}
}

// needing are words of sentences about what a value of a parameter needs.
var needing = prose.Phrases("needs", "requires", "require", "uses", "+")

// conditional are words of texts that say for which values of another parameter one counts.
var conditional = prose.Phrases("for", "when", "if", "only", "required", "with", "by", "=", ":")
