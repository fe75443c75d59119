package advice

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// boundsInProse finds limits that only a text has.
var boundsInProse = &Rule{
	Name: "bounds_in_prose",
	Doc: `a text has limits, and the schema has none

Programs that check calls refuse what the schema forbids, and strict modes prevent it. Nobody
checks a sentence before the server does.`,
	Source: Source{
		"Anthropic: make the arguments such that mistakes are hard to make.",
		"https://www.anthropic.com/engineering/building-effective-agents", "2024-12-19",
	},
	Bad:    `[{"name": "list", "description": "List the latest orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "default": 10, "description": "How many (1-100)."}}}}]`,
	Good:   `[{"name": "list", "description": "List the latest orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "default": 10, "description": "How many (1-100).", "minimum": 1, "maximum": 100}}}}]`,
	IsNote: true,
	check: func(p *pass, tool *declaration) {
		var edits []Edit
		for _, param := range tool.params {
			if param.isA("boolean") && !param.isClosed() && param.prose.Has(agreed...) && !param.prose.Has(softly...) {
				edits = append(edits, adding(param, "false is refused", schema.Member{Key: "const", Value: schema.NewBool(true)}))
			}
			upper, lower := limitsOf(param)
			bounds := param.prose.Bounds()
			if len(bounds) == 0 || strings.Contains(string(param.at), "/createdBy") || strings.Contains(string(param.at), "/lastModified") || upper == "" || param.isClosed() || param.schema.Has("anyOf") || param.schema.Has("oneOf") || param.schema.Has("pattern") || param.prose.Choice(false) != nil {
				continue
			}
			var edit []schema.Member
			for _, bound := range bounds {
				keyword := lower
				if bound.IsUpper {
					keyword = upper
				}
				if bound.Sentence.Has(softly...) || !isCounted(keyword, bound.Unit) || param.schema.Has(keyword) || param.schema.Has("exclusive"+strings.ToUpper(keyword[:1])+keyword[1:]) || hasKey(edit, keyword) || isOneOfSeveral(bound, bounds) {
					continue
				}
				if number := numberOf(bound.Number); number != nil && !excludes(keyword, number, param.prose.Special(param.name)) {
					edit = append(edit, schema.Member{Key: keyword, Value: number})
				}
			}
			if len(edit) > 0 && !hasAny(param.lower, "clamp", "coerced") {
				edits = append(edits, adding(param, "values beyond the limits are refused", edit...))
			}
		}
		p.reportEdits(edits, "has limits in its text alone", "have limits in their texts alone")
	},
}

// isOneOfSeveral reports whether a text has another limit in the direction of one, as for cases that it tells apart.
func isOneOfSeveral(bound prose.Bound, bounds []prose.Bound) bool {
	return slices.ContainsFunc(bounds, func(other prose.Bound) bool {
		return other.IsUpper == bound.IsUpper && !sameNumber(other.Number, bound.Number)
	})
}

// softly are phrases of texts whose limits do not hold for every value.
var softly = prose.Phrases("typical", "typically", "recommended", "usually", "clamped", "by default", "depending", "depends", "if", "when", "for", "approximately", "ideally", "per second", "per minute", "per day", "per request", "except", "each", "total")

// agreed are phrases of texts about flags with one value that a tool takes.
var agreed = prose.Phrases("must be true", "must be set to true")

// limitsOf returns the keywords with which a schema limits the values of a parameter.
func limitsOf(param *parameter) (upper, lower string) {
	switch {
	case param.isA("integer", "number"):
		return "maximum", "minimum"
	case param.isA("array"):
		return "maxItems", "minItems"
	case param.isA("string"):
		return "maxLength", "minLength"
	default:
		return "", ""
	}
}

// excludes reports whether a limit leaves out a value to which a text gives a meaning of its own, as in "1-100, or -1 for all".
func excludes(keyword string, limit *schema.Node, special *prose.Special) bool {
	if special == nil || !isNumber(special.Value) {
		return false
	}
	value, _ := strconv.ParseFloat(special.Value, 64)
	bound, _ := strconv.ParseFloat(limit.Text, 64)
	return keyword == "minimum" && value < bound || keyword == "maximum" && value > bound
}

func hasKey(members []schema.Member, key string) bool {
	for _, member := range members {
		if member.Key == key {
			return true
		}
	}
	return false
}

// numberOf returns a number, in which commas may part the thousands; nil if JSON has no such number.
func numberOf(text string) *schema.Node {
	if spelling := strings.ReplaceAll(text, ",", ""); isNumber(text) && json.Valid([]byte(spelling)) {
		return schema.NewNumber(spelling)
	}
	return nil
}
