package advice

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/internal/lazy"
)

// bound matches a limit in a text.
var bound = lazy.Compile(`(?i)\b(?:(max(?:imum)?(?: value| number| of| is| allowed)*|at most|up to|no more than)|(min(?:imum)?(?: value| number| of| is| allowed)*|at least|no less than|no fewer than))\s*[:=]?\s*(\d{1,9})\b(?:\s*(%|[a-z]+))?`)

// contradiction finds texts that the schema contradicts.
var contradiction = &Rule{
	Name: "contradiction",
	Doc: `the text contradicts the schema

The text calls a parameter optional that the schema requires, or the other way round, or it
names another limit or another default. A model may follow the wrong one, and calls fail.`,
	Source: Source{
		"Anthropic: small errors in descriptions cost much, and input is checked against the schema, not the text.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "description": "How many, at most 10.", "maximum": 100}}}}]`,
	Good: `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "description": "How many, at most 100.", "maximum": 100}}}}]`,
	check: func(p *pass, tool *declaration) {
		for _, param := range tool.params {
			at, node := param.descriptionOf()
			switch begin := strings.TrimLeft(param.lower, " ([*"); {
			case param.isRequired && !param.schema.Has("default") && !param.schema.AllowsNull() && !isNullable(param) && (strings.HasPrefix(begin, "optional,") || strings.HasPrefix(begin, "optional:") || strings.HasPrefix(begin, "optional.") || strings.HasPrefix(begin, "optional)") || strings.Contains(param.lower, "(optional)")):
				p.report(at, node, param.name+" is optional by its text, and required has it: change one of them")
			case !param.isRequired && (strings.HasSuffix(strings.TrimRight(param.lower, ". "), "(required)") || strings.HasPrefix(begin, "required:") || strings.HasPrefix(begin, "required.") || strings.HasPrefix(begin, "required)") || strings.HasPrefix(begin, "required]")):
				p.report(at, node, param.name+" is required by its text, and required does not have it: change one of them")
			}
			limits(p, param)
			if stated, declared := defaultOf(param), param.schema.Get("default"); stated != "" && declared != nil && isNumber(stated) && !isScaled(param, stated) && declared.Text != "" && isNumber(declared.Text) && !sameNumber(stated, declared.Text) {
				p.report(at, node, param.name+" has the default "+stated+" by its text, and "+declared.Text+" by the schema: change one of them")
			}
		}
	},
}

func isNullable(param *parameter) bool { return param.isA("null") || param.schema.IsNullable() }

// limits compares the limits that a text states with those of the schema.
func limits(p *pass, param *parameter) {
	upper, lower := "maximum", "minimum"
	switch {
	case param.isA("integer", "number"):
	case param.isA("array"):
		upper, lower = "maxItems", "minItems"
	case param.isA("string"):
		upper, lower = "maxLength", "minLength"
	default:
		return
	}
	if !param.schema.Has(upper) && !param.schema.Has(lower) || strings.Contains(param.lower, "clamp") {
		return
	}
	if high, low := param.schema.Get(upper), param.schema.Get(lower); high != nil && low != nil && high.Text == low.Text {
		return // the number of the text counts something else
	}
	for _, found := range bound.FindAllStringSubmatch(param.text, 2) {
		keyword := upper
		if found[1] == "" {
			keyword = lower
		}
		declared := param.schema.Get(keyword)
		if declared == nil || !isNumber(declared.Text) || isGenerated(declared.Text) || sameNumber(found[3], declared.Text) || !isCounted(keyword, strings.ToLower(found[4])) {
			continue
		}
		at, node := param.descriptionOf()
		p.report(at, node, param.name+" says "+quoted(found[0])+", and "+keyword+" is "+declared.Text+": change one of them")
	}
}

// isCounted reports whether a keyword can count what the word after a number names: "at most 3
// words" does not limit the length of a string.
func isCounted(keyword, word string) bool {
	letters := strings.HasPrefix(word, "char") || strings.HasPrefix(word, "letter") || strings.HasPrefix(word, "digit")
	switch keyword {
	case "maxLength", "minLength":
		return letters
	case "maximum", "minimum":
		return !letters && !strings.HasPrefix(word, "k") && !strings.HasPrefix(word, "m") && word != "%"
	default:
		return !letters
	}
}

// isGenerated reports whether a bound is merely that of a numeric type.
func isGenerated(bound string) bool {
	return slices.Contains([]string{"9007199254740991", "9007199254740992", "2147483647", "2147483648", "4294967295", "9223372036854775807"}, strings.TrimPrefix(bound, "-"))
}

// isScaled reports whether letters directly follow a number in a text, as in 1MB.
func isScaled(param *parameter, number string) bool {
	_, behind, _ := strings.Cut(param.lower, strings.ToLower(number))
	behind = strings.TrimLeft(behind, " ")
	return behind != "" && behind[0] >= 'a' && behind[0] <= 'z' || strings.HasPrefix(behind, "-") || strings.HasPrefix(behind, "–")
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	return err == nil
}

func sameNumber(a, b string) bool {
	first, _ := strconv.ParseFloat(strings.ReplaceAll(a, ",", ""), 64)
	other, _ := strconv.ParseFloat(strings.ReplaceAll(b, ",", ""), 64)
	return first == other
}
