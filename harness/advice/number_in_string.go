package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// numberInString finds strings that have to be numbers.
var numberInString = &Rule{
	Name: "number_in_string",
	Doc: `a string has to be a number or a flag

The schema lets a model write "ten", "10 days" or "yes". Declare an integer or a number with its limits, or a boolean.`,
	Source: Source{
		"OpenAI asks to use enums and the structure of objects to make invalid states unrepresentable.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "list", "description": "List the latest orders of a customer.", "parameters": {"type": "object", "properties": {"count": {"type": "string", "description": "How many.", "default": "10"}}}}]`,
	Good: `[{"name": "list", "description": "List the latest orders of a customer.", "parameters": {"type": "object", "properties": {"count": {"type": "integer", "description": "How many.", "default": 10, "minimum": 1, "maximum": 100}}}}]`,
	check: func(p *pass, tool *declaration) {
		var found, flags, others []*parameter
		for _, param := range tool.params {
			if param.isNumberOrText() {
				others = append(others, param)
			}
			if !param.isOnlyText() || param.isClosed() || param.hasNameOf("version", "code", "zip", "phone", "revision") {
				continue
			}
			if param.holdsNumber() {
				others = append(others, param)
				continue
			}
			if param.last() == "id" || hasForm(param.schema) {
				continue
			}
			fallback := param.schema.Get("default")
			isCount := slices.Contains([]string{"limit", "page", "per_page", "page_size", "pagesize", "perpage", "count", "max_results", "maxresults", "top_k", "skip", "days", "max_tokens"}, param.name)
			isCounting := fallback != nil && isNumber(fallback.Text) && param.hasNameOf(counts...)
			if param.isFlagInText() {
				flags = append(flags, param)
			} else if (isCount && param.depth == 0 || isCounting || param.prose.Begins(amounting...)) && !hasAny(param.lower, "cursor", "token", "px", "css", "%", "name", "url", "e.g", "unit", "title", "expression", "(*") {
				found = append(found, param)
			}
		}
		var edits []Edit
		for _, param := range found {
			if edit, isMechanical := param.asNumber(); isMechanical {
				edits = append(edits, edit)
			}
		}
		p.answerAll(found, "is a string that has to be a number: declare a number", "are strings that have to be numbers: declare numbers", edits...)
		p.reportAll(flags, "is a string that says yes or no, and no text says in which words: declare a boolean", "are strings that say yes or no, and no text says in which words: declare booleans")
		last := len(p.found)
		p.reportAll(others, "is a string for a number or for true and false: declare that type", "are strings for numbers or for true and false: declare those types")
		p.note(last) // which most models write as the tool reads them
	},
}

// isNumberOrText reports whether a parameter takes both numbers or flags and strings of any form, which can only be the same in another
// spelling.
func (p *parameter) isNumberOrText() bool {
	fallback := p.schema.Get("default")
	isCount := p.hasNameOf(counts...) || fallback != nil && (fallback.Kind == schema.Number || fallback.Kind == schema.Bool)
	return isCount && p.isText() && p.isA("integer", "number", "boolean") && !strings.ContainsAny(p.text, "\"'`")
}

// isFlagInText reports whether a string says yes or no by its text, which does not say in which words.
func (p *parameter) isFlagInText() bool {
	return p.prose.Begins(asking...) && !strings.ContainsAny(p.text, "\"'`=") && !p.prose.Has(boolean...)
}

// asking are first words of texts about a flag, and amounting those about a number.
var (
	asking    = prose.Phrases("whether", "if true")
	amounting = prose.Phrases("number of", "approximate number of", "maximum number of", "how many")
)

// isOnlyText reports whether a parameter takes strings, or null, and nothing else.
func (p *parameter) isOnlyText() bool {
	node, _ := p.sole()
	return !slices.ContainsFunc(node.Types(), func(name string) bool { return name != "string" && name != "null" }) && p.isText()
}

// counts are words in names of numbers.
var counts = []string{"limit", "count", "size", "days", "max", "min", "number", "num", "offset", "page", "top", "depth", "quantity", "hours", "length", "skip", "index"}

// counting are last words of names for what is a number in any tool.
var counting = []string{"year", "years", "iid", "quantity", "seconds", "minutes", "hours", "cpu", "cpus", "latitude", "longitude", "replicas", "port", "percent", "percentage"}

// holdsNumber reports whether a string is for a number or for true and false, by its name, or by a text that says so or has
// nothing else in its examples.
func (p *parameter) holdsNumber() bool {
	if pattern := p.schema.GetString("pattern"); pattern != "" {
		return strings.Trim(strings.ReplaceAll(pattern, "[0-9]", "d"), `^$\d+*?().`) == ""
	}
	if p.schema.Has("format") || hasAny(p.lower, "range", "cidr", "css", "px", "comma", "host:") {
		return false
	}
	if p.name == "value" && p.holder.Get("properties").Has("currency") {
		return true // a sum of money
	}
	if slices.Contains(counting, p.last()) && !p.hasNameOf("tag", "command", "subject", "address") {
		return true
	}
	if isSum := p.last() == "amount" || p.last() == "price"; isSum && !p.prose.Has(coins...) {
		return true
	}
	const most = 20 // words of a text about one kind of value
	return len(p.prose.Words()) <= most && p.last() != "value" && (p.prose.Has(numeric...) && !hasWord(p.lower, "or") || p.prose.Has(boolean...) && strings.Contains(p.lower, "false"))
}

// coins are phrases of texts about sums with more digits than a number has, and about what a price is known by.
var coins = prose.Phrases("id", "token", "tokens", "eth", "wei", "as a string", "as string")

// numeric and boolean are phrases of texts about a string that is read as a number, or as true or false.
var (
	numeric = prose.Phrases("numeric id", "integer as string", "number as string", "as a number", "whole number", "decimal number", "number as a string", "integer id")
	boolean = prose.Phrases("true or false", "true / false", "true to", "true if")
)

// asNumber returns the edit that makes a number of a string: an integer if it counts something, and its default and its examples
// are integers.
func (p *parameter) asNumber() (Edit, bool) {
	isWhole := p.hasNameOf("limit", "offset", "page", "count", "results", "top", "skip", "days", "tokens", "number", "num", "quantity")
	convert := func(value *schema.Node) *schema.Node {
		number := numberOf(value.Text)
		isWhole = isWhole && number != nil && number.IsInteger()
		return number
	}
	edit, isMechanical := p.retyped("number", p.text, convert)
	if isMechanical && isWhole {
		edit.After[0].Value = schema.NewString("integer")
	}
	edit.Loses = "a string is refused, and the tool has to read a number"
	return edit, isMechanical
}
