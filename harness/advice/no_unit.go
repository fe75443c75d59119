package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// measured are last words of names for something measured in a unit.
var measured = []string{"timeout", "duration", "interval", "delay", "ttl", "wait", "age", "expiry", "radius", "distance", "latency", "uptime", "elapsed", "period", "debounce", "backoff"}

// noUnit finds numbers without a unit.
var noUnit = &Rule{
	Name: "no_unit",
	Doc: `a duration or a length has no unit

A model has to guess whether a timeout is in seconds or in milliseconds.`,
	Source: Source{
		"Anthropic asks for unambiguous parameters and for what an expert would know, such as units, in writing.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "run", "description": "Run a program.", "parameters": {"type": "object", "properties": {"timeout": {"type": "integer", "description": "How long it may run."}}}}]`,
	Good: `[{"name": "run", "description": "Run a program.", "parameters": {"type": "object", "properties": {"timeout": {"type": "integer", "description": "How long it may run, in seconds."}}}}]`,
	check: func(p *pass, tool *declaration) {
		for _, param := range tool.params {
			if !param.isA("integer", "number") || param.isClosed() {
				continue
			}
			name := param.words
			if len(name) == 0 || !slices.Contains(measured, name[len(name)-1]) {
				continue
			}
			if len(name) > 1 && name[len(name)-1] == "age" && name[len(name)-2] != "max" && name[len(name)-2] != "min" || len(name) == 1 && name[0] == "age" {
				continue // of a person, in years
			}
			last := name[len(name)-1]
			if isLength := last == "radius" || last == "distance"; isLength && !hasAny(tool.lower+param.lower, "latitude", "location", "nearby", "coordinates", "geo", "places", "address") || slices.ContainsFunc(name, isOfDrawing) || isRatio(param) || len(param.prose.Bounds()) > 1 || hasUnitBeside(tool, param) {
				continue
			}
			if isForeign(param.text) || param.prose.HasUnit() || prose.Read(param.schema.GetString("title")).HasUnit() || sentenceHasUnit(tool.prose, param.name) {
				continue
			}
			suffix, kinds := "ms", "seconds or milliseconds"
			if last == "radius" || last == "distance" {
				suffix, kinds = "meters", "meters or miles"
			}
			p.reportText(param, param.path+" is a number without a unit: say it in the text, such as "+kinds+", or in the name, such as "+withSuffix(param.name, suffix))
		}
	},
}

// isOfDrawing reports whether a word in a name shows that a length is on a screen, or
// that an age is in transactions.
func isOfDrawing(word string) bool {
	return slices.Contains([]string{"border", "corner", "blur", "inner", "outer", "shadow", "freeze", "multixact"}, word)
}

// isRatio reports whether a number is a fraction of 1.
func isRatio(param *parameter) bool {
	maximum := param.schema.Get("maximum")
	return maximum != nil && (maximum.Text == "1" || maximum.Text == "1.0") || hasAny(param.lower, "between 0 and 1", "0-1", "0 to 1", "ratio", "fraction")
}

// hasUnitBeside reports whether another parameter, or the text, gives the unit.
func hasUnitBeside(tool *declaration, param *parameter) bool {
	return strings.Contains(param.lower, "unit") || slices.ContainsFunc(tool.params, func(other *parameter) bool {
		return other.holder == param.holder && (other.last() == "unit" || other.last() == "units")
	})
}

func sentenceHasUnit(text *prose.Text, name string) bool {
	return slices.ContainsFunc(text.Sentences, func(sentence prose.Sentence) bool {
		return sentence.Has(prose.Phrases(strings.ToLower(name))...) && sentence.HasUnit()
	})
}

// withSuffix adds a word to a name, in the style of the name.
func withSuffix(name, word string) string {
	if strings.Contains(name, "_") || strings.ToLower(name) == name {
		return name + "_" + word
	}
	return name + strings.ToUpper(word[:1]) + word[1:]
}
