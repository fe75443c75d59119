package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// noDefault finds optional parameters of which nothing says what is used without them.
var noDefault = &Rule{
	Name: "no_default",
	Doc: `nothing says what is used when an optional parameter is left out

A model cannot know how many things it gets without a limit, which of several ways a tool takes, or
in which project it works, and cannot tell the user. Say the default in the schema or the text.`,
	Source: Source{
		"Anthropic asks for sensible defaults of pages, ranges and filters, and for implicit context in writing.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "export", "description": "Export the orders of a customer to a file.", "parameters": {"type": "object", "properties": {"layout": {"type": "string", "enum": ["wide", "long"], "description": "One row or one row for each item."}}}}]`,
	Good: `[{"name": "export", "description": "Export the orders of a customer to a file.", "parameters": {"type": "object", "properties": {"layout": {"type": "string", "enum": ["wide", "long"], "default": "wide", "description": "One row or one row for each item."}}}}]`,
	check: func(p *pass, tool *declaration) {
		if isForeign(tool.text) {
			return
		}
		var found, noted []*parameter
		for _, param := range tool.params {
			if param.isRequired || param.isBranch || param.schema.Has("default") || isForeign(param.text) {
				continue
			}
			isWanted := p.wantsDefault(tool, param)
			switch {
			case !isWanted && !isPlain(tool, param), isSettled(param), saysOf(tool, param):
			case isWanted && !isMild(tool, param):
				found = append(found, param)
			default:
				noted = append(noted, param)
			}
		}
		const one, several = "is optional, and nothing says what is used without it: add default, or say it", "are optional, and nothing says what is used without them: add default, or say it"
		p.reportAll(found, one, several)
		before := len(p.found)
		p.reportAll(noted, one, several)
		p.note(before)
	},
}

// settled are phrases of texts that say what is used without a parameter, and narrowing those that do unless it is a flag.
var (
	settled = prose.Phrases("default", "defaults", "defaulting", "omit", "omitted", "if not", "unspecified", "automatic", "inferred",
		"falls back", "fallback", "only", "filter", "filters", "unlimited", "required", "if required", "exclusive", "alternative")
	narrowing = prose.Phrases("unless", "otherwise", "without", "all", "any", "restrict", "instead", "overrides", "override", "relative")
)

// isSettled reports whether the text of a parameter says what is used without it.
func isSettled(param *parameter) bool {
	return param.prose.Has(settled...) || !param.isA("boolean") && param.prose.Has(narrowing...)
}

// saysOf reports whether a sentence of the text of a tool says what is used without a parameter.
func saysOf(tool *declaration, param *parameter) bool {
	if !tool.prose.Has(settled...) && !tool.prose.Has(narrowing...) {
		return false
	}
	names := prose.Phrases(strings.ToLower(param.name), strings.Join(param.words, " "))
	if isRange(tool, param) {
		names = append(names, prose.Phrases("range")...)
	}
	return slices.ContainsFunc(tool.prose.Sentences, func(sentence prose.Sentence) bool {
		return (sentence.Has(settled...) || sentence.Has(narrowing...)) && (sentence.Has(names...) || sentence.Mentions(param.name) >= 0)
	})
}

// wantsDefault reports whether a parameter is of a kind of which something is used in any case.
func (p *pass) wantsDefault(tool *declaration, param *parameter) bool {
	isData := param.depth > 1 || param.depth == 1 && !slices.Contains(wrappers, tool.nameAbove(param)) // what is left out of data is not there
	switch {
	case isSize(tool, param), isExtent(param):
		return true
	case isData:
		return false
	case isRange(tool, param), p.isContext(tool, param):
		return true
	case changes(tool):
		return false // what is left out stays
	case isSwitch(param):
		return !slices.Contains(attributes, param.last()) && !slices.Contains(tunings, param.last()) && !seeks(tool) && !hasAction(tool)
	case param.isA("boolean"):
		return param.hasNameOf(undecided...) && !hasAction(tool)
	default:
		return isOutput(param) || param.hasNameOf("expires", "expire", "expiry", "expiration") && slices.ContainsFunc(tool.named, func(word string) bool { return slices.Contains(making, word) })
	}
}

// isMild reports whether a model that leaves out a parameter loses little: the rest of a list is on its next page, it is
// how much is said of each thing, or the text of the tool speaks of the current place.
func isMild(tool *declaration, param *parameter) bool {
	if isSize(tool, param) {
		return slices.ContainsFunc(tool.params, func(other *parameter) bool { return other != param && other.hasNameOf(onwards...) })
	}
	return slices.Contains(contexts, param.noun()) && tool.prose.Has(present...)
}

// isPlain reports whether a parameter is of a kind of which something is used in any case, and most models do not mind
// what: where or with what a tool works, a flag, how it does it, a page, a wait, an order.
func isPlain(tool *declaration, param *parameter) bool {
	isThing := slices.ContainsFunc(tool.named, func(word string) bool { return stem(word) == param.noun() })
	switch {
	case changes(tool), param.depth > 0 && !slices.Contains(wrappers, tool.nameAbove(param)):
		return false
	case param.isA("boolean"):
		return param.text != "" && !param.prose.Has(seldom...)
	case param.isA("integer", "number"):
		return param.hasNameOf(waits...) || param.text != "" && slices.Contains([]string{"page", "offset", "skip", "port"}, param.last())
	default:
		return param.isA("string", "array") && slices.Contains(means, param.noun()) && !isThing || isSwitch(param) && slices.Contains(tunings, param.last()) || param.isA("string") && param.text != "" && param.hasNameOf("sort", "order", "direction")
	}
}

// means are last words of names of where or with what a tool works.
var means = []string{"connection", "alias", "schema", "interpreter", "parent", "engine", "tag", "client", "server", "style", "table", "range", "file", "encoding", "branch", "ref", "namespace", "language", "lang", "month", "workdir", "resolution", "model"}

// waits are words in names of how long something takes, and seldom phrases of texts about flags that only some calls take.
var (
	waits  = []string{"timeout", "interval", "delay", "wait"}
	seldom = prose.Phrases("when", "deprecated", "ignored")
)

// nameAbove returns the name of the property that has a parameter.
func (t *declaration) nameAbove(param *parameter) string {
	above := strings.Split(strings.TrimSuffix(param.path, param.name), ".")
	return above[max(0, len(above)-2)]
}

// undecided are words in names of flags that some tools set by default and others do not.
var undecided = []string{"strict", "notification", "allow"}

// hasAction reports whether a parameter says what a tool does.
func hasAction(tool *declaration) bool {
	return slices.ContainsFunc(tool.own(), func(param *parameter) bool {
		return param.isRequired && isSwitch(param) && slices.Contains([]string{"action", "operation"}, param.name)
	})
}

// isSize reports whether a parameter is how many things a tool finds.
func isSize(tool *declaration, param *parameter) bool {
	name := strings.Join(param.words, "_")
	if !param.isA("integer", "number") || !slices.Contains(sizes, name) && !slices.Contains([]string{"num_results", "max_num_results", "top_k"}, name) ||
		slices.ContainsFunc(tool.named, func(word string) bool { return slices.Contains([]string{"delete"}, word) }) {
		return false
	}
	switch name {
	case "max", "count", "num", "first", "top":
		return seeks(tool) && (param.text == "" || param.prose.Has(many...))
	default:
		return true
	}
}

// many are phrases of texts about how many things a tool finds.
var many = prose.Phrases("number of", "max")

// isExtent reports whether a parameter is how much of one thing a tool reads.
func isExtent(param *parameter) bool {
	return param.isA("integer", "number") && slices.Contains([]string{"depth", "max_depth", "line_count", "max_lines", "max_length", "max_chars", "max_characters", "max_size", "max_bytes", "max_pages"}, strings.Join(param.words, "_"))
}

// attributes are last words of names of what a thing may be without, or of an order.
var attributes = []string{"direction", "by", "priority", "status", "state", "gender", "color", "condition", "action", "align", "horizontal", "vertical"}

// tunings are last words of names of how a tool does what it does.
var tunings = []string{"mode", "format", "method", "strategy", "level", "layout", "view"}

// isSwitch reports whether a parameter is one of a few values, and none of them stands for nothing.
func isSwitch(param *parameter) bool {
	values := param.schema.Get("enum")
	return values != nil && len(values.Elements) > 1 && !isNullable(param) && !slices.ContainsFunc(values.Elements, func(value *schema.Node) bool {
		return slices.Contains([]string{"", "none", "default", "auto", "all", "any", "original", "normal", "not_specified", "unspecified"}, strings.ToLower(value.Text))
	})
}

// seeks reports whether a tool finds things, and changes whether it changes one, by its name or its first word.
func seeks(tool *declaration) bool {
	isSeeking := func(word string) bool {
		return slices.Contains(seeking, strings.TrimSuffix(word, "s")) || slices.Contains([]string{"fetch", "read", "show", "browse", "retrieve"}, word)
	}
	return slices.ContainsFunc(tool.named, isSeeking) || len(tool.prose.Sentences) > 0 && isSeeking(tool.prose.Sentences[0][0].Lower)
}

func changes(tool *declaration) bool {
	return slices.ContainsFunc(tool.named, func(word string) bool {
		return slices.Contains([]string{"update", "edit", "patch", "modify", "set", "format", "apply"}, word)
	})
}

// isContext reports whether a parameter is where a tool works: most tools of the list have it and may do without, or
// the text of the tool presupposes it.
func (p *pass) isContext(tool *declaration, param *parameter) bool {
	noun := param.noun()
	if isZone := noun == "zone" || noun == "timezone"; isZone && !changes(tool) {
		return true
	}
	if param.depth > 0 || !slices.Contains(contexts, noun) || hasAction(tool) {
		return false
	}
	const few = 3 // tools
	shared := p.optional[param.name]
	return shared >= few && 2*shared >= len(p.tools) || tool.prose.Has(prose.Phrases("the "+noun)...)
}

// noun returns the last word of the name of a parameter before a word for an identifier.
func (p *parameter) noun() string {
	named := p.words
	if len(named) > 1 && slices.Contains([]string{"id", "key", "slug", "name", "uuid", "string"}, p.last()) {
		named = named[:len(named)-1]
	}
	if len(named) == 0 {
		return ""
	}
	return named[len(named)-1]
}

// isOutput reports whether a parameter is where a tool writes what it makes.
func isOutput(param *parameter) bool {
	return param.isText() && slices.Contains([]string{"path", "dir", "directory", "folder", "file", "filename"}, param.last()) && param.hasNameOf("output", "save", "download", "dest", "destination")
}

// isRange reports whether a parameter begins the time about which a tool computes something.
func isRange(tool *declaration, param *parameter) bool {
	return param.hasNameOf("start", "from", "since", "begin") && (len(param.words) == 1 || param.hasNameOf("date", "time", "month", "day", "timestamp")) && slices.ContainsFunc(tool.named, func(word string) bool {
		return slices.Contains([]string{"history", "report", "stats", "statistics", "analytics", "metrics", "usage", "trend", "trends", "performance", "balance", "summary", "sheet", "loss"}, word)
	})
}

// contexts are last words of names of where a tool works, and present words of texts that say in which of several places.
var (
	contexts = []string{"project", "workspace", "tenant", "profile", "document", "udid", "environment", "device", "connection", "alias"}
	present  = prose.Phrases("current")
)
