package advice

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// unexplainedValues finds ways of which only the names are known.
var unexplainedValues = &Rule{
	Name: "unexplained_values",
	Doc: `no text says what the values of a mode do

An enum shows which values there are, and not how mirror differs from update. A priority of 1 is the
highest in one service and the lowest in another. Give each value half a sentence.`,
	Source: Source{
		"Anthropic: describe a tool as to a new member of the team, and make explicit what is implicit.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "copy", "description": "Copy a folder to another one.", "parameters": {"type": "object", "properties": {"sync_mode": {"type": "string", "default": "update", "description": "How to copy.", "enum": ["mirror", "update", "merge"]}}}}]`,
	Good: `[{"name": "copy", "description": "Copy a folder to another one.", "parameters": {"type": "object", "properties": {"sync_mode": {"type": "string", "default": "update", "description": "mirror deletes what the first one has not, update keeps newer files, and merge keeps both.", "enum": ["mirror", "update", "merge"]}}}}]`,
	check: func(p *pass, tool *declaration) {
		var found, others []*parameter
		for _, param := range tool.params {
			switch {
			case isForeign(param.text):
			case isMenu(tool, param), isUnexplained(tool, param) && slices.Contains(amounts, param.last()):
				others = append(others, param)
			case isUnexplained(tool, param) || isScale(param) || isAbbreviated(param):
				found = append(found, param)
			}
		}
		const one, several = "has values, and no text says what each means: explain them", "have values, and no text says what each means: explain them"
		p.reportAll(found, one, several)
		last := len(p.found)
		p.reportAll(others, one, several)
		p.note(last)
	},
}

// isMenu reports whether a parameter chooses what a tool does, and no text has the names of most of its actions or is long enough to
// explain any.
func isMenu(tool *declaration, param *parameter) bool {
	const most = 10 // words of a text that says what is chosen, and not what the choices do
	if param.depth > 0 || len(param.prose.Words()) > most || !slices.Contains([]string{"action", "operation", "method", "command"}, param.last()) {
		return false
	}
	told, compound := 0, 0
	values := valuesOfEnum(param.schema)
	for _, value := range values {
		name := spaced(strings.ToLower(value.Text))
		if strings.Contains(name, " ") {
			compound++
		}
		if hasWord(spaced(param.lower), name) || hasWord(spaced(tool.lower), name) {
			told++
		}
	}
	const fewest = 3
	return compound > 0 && len(values) >= fewest && 2*told < len(values)
}

// mostTerse is the number of bytes from which on a text says more than its values.
const mostTerse = 160

// isAbbreviated reports whether most values of a parameter are one or two letters, such as pg and ug, and its text does not explain them.
func isAbbreviated(param *parameter) bool {
	const several, shortest = 2, 3
	values := valuesOfEnum(param.schema)
	if coded[param.code()] != "" || param.hasNameOf("country", "countries", "gender") {
		return false // which models know
	}
	if len(values) == 0 && param.isText() && !isDated(param) && len(param.text) < mostTerse && strings.ContainsAny(param.text, ",/|(:") {
		if choice := param.prose.Choice(true); choice != nil {
			for _, value := range choice.Values {
				values = append(values, schema.NewString(value))
			}
		}
	}
	brief := 0
	for _, value := range values {
		if value.Text == "md" || strings.ContainsAny(value.Text, "0123456789<>=!~") {
			return false // a size, a period or an operator
		}
		if len(value.Text) < shortest {
			brief++
		}
	}
	return brief >= several && 2*brief > len(values) && len(param.prose.Words()) < 2*len(values)+4
}

// isUnexplained reports whether a parameter has several ways to do something, no text has the names of two, and that of
// the parameter is too short to explain anything.
func isUnexplained(tool *declaration, param *parameter) bool {
	const several = 3
	values := valuesOfEnum(param.schema)
	if len(values) < several || !slices.Contains(manners, param.last()) || param.last() != "models" && len(param.prose.Words()) > several {
		return false
	}
	told, hasDigit := 0, false
	for _, value := range values {
		name := spaced(strings.ToLower(value.Text))
		if slices.Contains(plain, name) {
			return false
		}
		hasDigit = hasDigit || strings.ContainsAny(name, "0123456789")
		if hasWord(spaced(param.lower), name) || hasWord(spaced(tool.lower), name) {
			told++
		}
	}
	const enough = 2
	return told < enough && (param.last() != "models" || hasDigit)
}

// manners are last words of names of parameters with ways to do something, and plain values of those that explain
// themselves.
var (
	manners = []string{"mode", "level", "strategy", "policy", "models", "verbosity", "detail", "details"}
	plain   = []string{"horizontal", "error", "date", "high", "public", "wrap", "raw"}
)

// amounts are last words of names of choices of how much is returned, from brief to full.
var amounts = []string{"level", "verbosity", "detail", "details"}

// isScale reports whether a number is a rank, and no text says which end of the scale is the higher one.
func isScale(param *parameter) bool {
	isRank := slices.Contains([]string{"priority", "severity", "urgency", "importance"}, param.last()) && (len(param.words) == 1 || param.hasNameOf("min", "max")) && param.depth == 0
	return (isRank || param.last() == "level" && param.hasNameOf("access")) &&
		param.isA("integer", "number") && !hasAny(param.lower, "urgent", "high", "low", "normal", "important", "critical", "none", "=", "guest")
}

// spaced returns a text with spaces instead of the signs within words.
func spaced(text string) string { return strings.NewReplacer("_", " ", "-", " ").Replace(text) }

// valuesOfEnum returns the values of a schema, or of the items of a list.
func valuesOfEnum(node *schema.Node) []*schema.Node {
	if items := node.Get("items"); items != nil && items.Kind == schema.Object {
		node = items
	}
	if values := node.Get("enum"); values != nil {
		return values.Elements
	}
	return nil
}
