package advice

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// contradiction finds texts that the schema contradicts.
var contradiction = &Rule{
	Name:    "contradiction",
	IsGrave: true,
	Doc: `the text contradicts the schema, or the schema itself

The text calls a parameter optional that the schema requires, or the other way round, it names another limit, default or type
than the schema, it lists other values than enum, or spells one differently, or it speaks of a parameter or a tool that there is
not. Or it begins with another verb than the name, or leaves out that a flag has to be false for anything to happen. Or the schema
contradicts itself: its default is of another type or not in enum, or it forbids every key of an object. A model may follow the
wrong one, and calls fail.`,
	Source: Source{
		"Anthropic: small errors in descriptions cost much, and input is checked against the schema, not the text.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "description": "How many, at most 10.", "default": 10, "maximum": 100}}}}]`,
	Good: `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "description": "How many, at most 100.", "default": 10, "maximum": 100}}}}]`,
	check: func(p *pass, tool *declaration) {
		var unfit, sealed, empty, closed, nullables, ignored []*parameter
		var edits []Edit
		for _, param := range tool.params {
			if hasUnfitDefault(param.schema) {
				unfit = append(unfit, param)
			}
			if isEmptied(param.schema) {
				closed = append(closed, param)
			}
			if isSealed(param.schema) && param.text == "" && param.depth == 0 && param.isRequired {
				empty = append(empty, param)
			} else if isSealed(param.schema) && (param.text != "" || param.depth > 0 && !param.isBranch) { // without a text, it may be of a way that takes nothing
				sealed = append(sealed, param)
			}
			switch {
			case param.isRequired && !param.schema.Has("default") && !param.schema.AllowsNull() && !isNullable(param) && (marks(param, "optional") || slices.ContainsFunc(param.prose.Sentences, isOmitted) && !param.prose.Has(asked...) && !p.names(tool, param.prose)):
				p.reportText(param, param.path+" is optional by its text, and required has it: change one of them")
			case param.isRequired && len(param.prose.Sentences) > 0 && param.prose.Sentences[0][0].Lower == "ignored":
				ignored = append(ignored, param)
			case !param.isRequired && !param.isBranch && (marks(param, "required") || switchOf(tool) == nil && demanded(param)):
				p.reportText(param, param.path+" is required by its text, and required does not have it: change one of them")
			case param.isA("array") && !param.isA("string") && param.prose.Has(lists[:8]...) && !param.prose.Has(prose.Phrases("array")...):
				p.reportText(param, param.path+" is an array, and its text asks for a list in one string: change one of them")
			}
			if mayBeNull(param) {
				nullables = append(nullables, param)
				edits = append(edits, nullable(param)...)
			}
			limits(p, param)
			if name, other := namedAfter(param); name != "" {
				p.reportText(param, param.path+" is named after "+name+", and its text is about "+other+": rename it")
			}
			if stated, declared := param.prose.Default(), param.schema.Get("default"); declared != nil && isNumber(stated) && !isScaled(param, stated) && declared.Text != "" && isNumber(declared.Text) && !sameNumber(stated, declared.Text) {
				p.reportText(param, param.path+" has the default "+stated+" by its text, and "+declared.Text+" by the schema: change one of them")
			}
			fallbacks(p, param)
			spelling(p, param)
			stated(p, tool, param)
		}
		p.reportAll(unfit, "has a default that its own schema does not allow: change one of them", "have defaults that their own schemas do not allow: change one of them")
		p.reportAll(closed, "has an enum without a value, so that nothing fits it: list the values, or drop enum", "have enums without a value, so that nothing fits them: list the values, or drop enum")
		p.reportAll(sealed, "is an object whose schema forbids every key: declare its properties, or allow additionalProperties",
			"are objects whose schemas forbid every key: declare their properties, or allow additionalProperties")
		p.answerAll(ignored, "is ignored by its text, and required has it: take it out of required", "are ignored by their texts, and required has them: take them out of required", optional(ignored)...)
		p.answerAll(nullables, "may be null by its text, and its type does not allow null: allow it, or drop it from the text",
			"may be null by their texts, and their types do not allow null: allow it, or drop it from the texts", edits...)
		misnamed(p, tool)
		unfed(p, tool)
		opposed(p, tool)
		unoffered(p, tool)
		rehearses(p, tool)
		before := len(p.found)
		p.reportAll(unfitExamples(tool), "has examples of another type than its own: write them in that type", "have examples of other types than their own: write them in those types")
		p.reportAll(empty, "is required, and nothing can be in it: leave it out", "are required, and nothing can be in them: leave them out")
		p.note(before)
	},
}

// mayBeNull reports whether a parameter is null in some calls by its text, and never by its type.
func mayBeNull(param *parameter) bool {
	return strings.Contains(param.lower, "null") && !param.isClosed() && !param.isA("array") && (!param.isA("object") || hasMembers(param.schema)) && param.schema.Has("type") && !strings.Contains(param.lower, "default") && !isNullable(param) && !param.schema.AllowsNull() && unquoted(param.text).Has(nulls...)
}

// nullable returns the edit that lets a parameter be null.
func nullable(param *parameter) []Edit {
	if kind := param.schema.Get("type"); kind.Kind != schema.String || param.schema.Has("anyOf") || param.schema.Has("oneOf") {
		return nil
	}
	edit := branching(param, schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("null")}))
	edit.Widens, edit.Loses = true, "null is taken"
	return []Edit{edit}
}

// hasUnfitDefault reports whether the default of a schema is of another type than the schema, or not in its enum.
func hasUnfitDefault(node *schema.Node) bool {
	declared, values := node.Get("default"), node.Get("enum")
	switch {
	case declared == nil || declared.Kind == schema.Null && node.IsNullable():
		return false
	case values != nil && values.Kind == schema.Array && !slices.ContainsFunc(values.Elements, func(value *schema.Node) bool { return schema.Equal(value, declared) }):
		return true
	case len(node.Types()) == 0 || slices.ContainsFunc([]string{"anyOf", "oneOf", "allOf", "$ref"}, node.Has):
		return false
	}
	return !isA(node, typesOf(declared))
}

// typesOf returns the names of the types of a value.
func typesOf(value *schema.Node) []string {
	switch value.Kind {
	case schema.Null:
		return []string{"null"}
	case schema.Bool:
		return []string{"boolean"}
	case schema.Number:
		return []string{"integer", "number"}
	case schema.String:
		return []string{"string"}
	case schema.Array:
		return []string{"array"}
	default:
		return []string{"object"}
	}
}

// isSealed reports whether a schema is an object that no key fits.
func isSealed(node *schema.Node) bool {
	extra, properties := node.Get("additionalProperties"), node.Get("properties")
	return node.Get("type").Is("object") && extra != nil && extra.IsFalse() && (properties == nil || len(properties.Members) == 0) &&
		!slices.ContainsFunc([]string{"patternProperties", "anyOf", "oneOf", "allOf", "$ref"}, node.Has)
}

// isEmptied reports whether the enum of a schema, or that of its items, has no value.
func isEmptied(node *schema.Node) bool {
	for _, place := range []*schema.Node{node, node.Get("items")} {
		if values := place.Get("enum"); values != nil && values.Kind == schema.Array && len(values.Elements) == 0 {
			return true
		}
	}
	return false
}

// marks reports whether a text begins with a mark such as "Optional:", or has it in brackets
// where no condition belongs to it.
func marks(param *parameter, mark string) bool {
	begin, isMarked := strings.CutPrefix(strings.TrimLeft(param.lower, " ([*"), mark)
	if isMarked && begin != "" && strings.ContainsAny(begin[:1], ":.)],") && !(mark == "required" && begin[0] == ',') {
		return !param.prose.Has(conditions...)
	}
	at := strings.Index(param.lower, "("+mark+")")
	if at < 0 && mark == "optional" {
		at = strings.Index(param.lower, "("+mark+",")
	}
	if at < 0 || mark == "required" && strings.TrimRight(param.lower[at:], ". ") != "(required)" {
		return false
	}
	return !param.prose.Has(conditions...) && !strings.Contains(param.lower[:at], ":")
}

// demanded reports whether a sentence about a parameter says in capitals, or in words without a condition, that it is
// required.
func demanded(param *parameter) bool {
	return slices.ContainsFunc(param.prose.Sentences, func(sentence prose.Sentence) bool {
		if sentence.Has(conditions...) || sentence.Has(otherwise...) {
			return false
		}
		return sentence.Loud("REQUIRED") || sentence.Loud("MANDATORY") || sentence.Ends(demands...)
	})
}

// demands are phrases by which each call needs a parameter.
var demands = prose.Phrases("is mandatory")

// omitted are phrases about calls that leave out a parameter, and nulls those that pass null.
var (
	omitted = prose.Phrases("if omitted", "if not provided", "if not specified", "leave out", "omit to", "omit for")
	nulls   = prose.Phrases("or null", "to null", "null to", "null for", "null if", "null clears")
)

// isOmitted reports whether a sentence is about calls without a parameter, and not about a part of its value.
func isOmitted(sentence prose.Sentence) bool {
	return sentence.Has(omitted...) && !sentence.Has(partial...)
}

// partial are words of sentences about a part of a value.
var partial = prose.Phrases("leading")

// asked are phrases of texts that have the model ask for what is left out.
var asked = prose.Phrases("ask", "prompt")

// unquoted reads a text without its quotes.
func unquoted(text string) *prose.Text {
	return prose.Read(strings.NewReplacer("`", "", `"`, "").Replace(text))
}

// conditions are phrases of texts that require a parameter only sometimes.
var conditions = prose.Phrases("if", "when", "unless", "either", "or", "except", "only")

// fallbacks compares the default of a string with a text that names another one.
func fallbacks(p *pass, param *parameter) {
	declared := param.schema.Get("default")
	if declared == nil || declared.Kind != schema.String || declared.Text == "" || param.isClosed() || isForeign(param.text) || !param.prose.Has(defaults...) {
		return
	}
	isNamed := slices.ContainsFunc(param.prose.Sentences, func(sentence prose.Sentence) bool {
		return slices.ContainsFunc(sentence, func(token prose.Token) bool {
			return strings.EqualFold(token.Text, declared.Text) && (token.Kind != prose.Sign || token.At+1 < token.End)
		})
	})
	const short = 3 // letters that any text may have
	if isNamed || len(declared.Text) >= short && strings.Contains(param.lower, strings.ToLower(declared.Text)) || strings.HasPrefix(declared.Text, param.name) {
		return
	}
	p.reportText(param, param.path+" has the default "+quoted(declared.Text)+" by the schema, and its text names another: change one of them")
}

var defaults = prose.Phrases("defaults to", "default is", "default :")

// spelling compares the values that a text has in quotes with those of the schema.
func spelling(p *pass, param *parameter) {
	values := param.schema.Get("enum").Strings()
	if len(values) == 0 || !strings.ContainsAny(param.text, "\"'`") {
		return
	}
	for _, sentence := range param.prose.Sentences {
		for _, token := range sentence {
			if token.Kind != prose.Literal || slices.Contains(values, token.Text) {
				continue
			}
			if at := slices.IndexFunc(values, func(value string) bool { return strings.EqualFold(value, token.Text) }); at >= 0 {
				p.answerAll([]*parameter{param}, "has the value "+token.Text+" by its text, and enum has "+values[at]+": spell it alike", "", spelled(param, token, values[at])...)
				return
			}
		}
	}
}

// spelled returns the edit that spells a value in a text as the schema does, which is what calls are checked against.
func spelled(param *parameter, token prose.Token, value string) []Edit {
	text := param.schema.Get("description")
	if text == nil || text.Kind != schema.String || text.Text != param.text {
		return nil
	}
	said := strings.Replace(text.Text[token.At:token.End], token.Text, value, 1)
	return []Edit{writing(param, schema.Member{Key: "description", Value: schema.NewString(text.Text[:token.At] + said + text.Text[token.End:])})}
}

func isNullable(param *parameter) bool { return param.isA("null") || param.schema.IsNullable() }

// limits compares the limits that a text states with those of the schema.
func limits(p *pass, param *parameter) {
	upper, lower := limitsOf(param)
	if upper == "" || param.last() == "page" || !param.schema.Has(upper) && !param.schema.Has(lower) || strings.Contains(param.lower, "clamp") {
		return
	}
	if high, low := param.schema.Get(upper), param.schema.Get(lower); high != nil && low != nil && high.Text == low.Text {
		return // the number of the text counts something else
	}
	bounds := param.prose.Bounds()
	if len(bounds) > 2 { // of several cases
		return
	}
	for _, found := range bounds {
		keyword := lower
		if found.IsUpper {
			keyword = upper
		}
		declared := param.schema.Get(keyword)
		if declared == nil || !isNumber(declared.Text) || isGenerated(declared.Text) || sameNumber(found.Number, declared.Text) || !isCounted(keyword, found.Unit) {
			continue
		}
		p.reportText(param, param.path+" says "+quoted(found.Text)+", and "+keyword+" is "+declared.Text+": change one of them")
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
		return !letters && !strings.HasPrefix(word, "k") && !strings.HasPrefix(word, "m") && word != "%" && word != "px" && !strings.HasPrefix(word, "decimal") && !strings.HasPrefix(word, "pixel")
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

// syntaxes are names of languages of queries, in which a parameter may be written.
var syntaxes = []string{"jq", "jmespath", "jsonpath", "xpath", "regex", "glob", "sql", "graphql", "kql", "jql", "cql"}

// unfed reports a tool that reads something, and takes no argument that has it or says where it is.
func unfed(p *pass, tool *declaration) {
	if len(tool.named) < 2 || len(tool.params) > 0 || tool.Parameters.Has("$ref") || schemaSays(tool.Parameters) {
		return
	}
	if slices.Contains(readers, tool.named[0]) || len(tool.prose.Sentences) > 0 && slices.Contains(readers, tool.prose.Sentences[0][0].Lower) || tool.prose.Has(given...) {
		at, node := tool.descriptionOf()
		p.report(at, node, tool.Name+" takes no argument, and its text speaks of what it is given: declare it, or say what it works on")
	}
}

// readers are verbs of tools that need something to work on, and given phrases of texts about what a tool is given.
var (
	readers = []string{"analyze", "validate", "lint", "parse", "convert", "summarize", "translate", "review", "extract", "detect", "classify", "format", "encode", "decode"}
	given   = prose.Phrases("the given", "a given", "the specified", "a specified", "the provided", "a provided")
)

// namedAfter returns the language that the name of a parameter has, and the other one that its text has instead; "" if it is none.
func namedAfter(param *parameter) (name, other string) {
	at := slices.IndexFunc(param.words, func(word string) bool { return slices.Contains(syntaxes, word) })
	if at < 0 || strings.Contains(param.lower, param.words[at]) {
		return "", ""
	}
	said := slices.IndexFunc(syntaxes, func(other string) bool { return hasWord(param.lower, other) })
	if said < 0 {
		return "", ""
	}
	return param.words[at], syntaxes[said]
}
