package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// listInString finds strings that have to be lists.
var listInString = &Rule{
	Name: "list_in_string",
	Doc: `a string has to be a list

Models write lists as arrays, with spaces behind commas, or in brackets. No schema checks the
items of a string. Declare an array with the schema of its items.`,
	Source: Source{
		"OpenAI asks to use enums and the structure of objects to make invalid states unrepresentable.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "find", "description": "Find orders of a customer.", "parameters": {"type": "object", "properties": {"states": {"type": "string", "description": "Comma-separated states of the orders."}}}}]`,
	Good: `[{"name": "find", "description": "Find orders of a customer.", "parameters": {"type": "object", "properties": {"states": {"type": "array", "items": {"type": "string", "enum": ["open", "closed"]}}}}}]`,
	check: func(p *pass, tool *declaration) {
		var found, bare []*parameter
		for _, param := range tool.params {
			if param.isSeveral() {
				bare = append(bare, param)
			}
			if param.isText() && param.prose.Has(lists...) && !hasAny(param.lower, "csv file", "tsv", "lat,", "latitude", "longitude", "lng") && !param.hasNameOf("content", "csv", "data", "text", "bbox", "bounds", "coordinates", "location", "query", "format", "path", "sql", "command") {
				found = append(found, param)
			}
		}
		var edits []Edit
		for _, param := range found {
			if edit, isMechanical := param.asList(); isMechanical {
				edits = append(edits, edit)
			}
		}
		p.reportAll(bare, "is a string for several values, and no text says what separates them: declare an array", "are strings for several values, and no text says what separates them: declare arrays")
		last := len(p.found)
		p.answerAll(found, "is a string that has to be a list: declare an array", "are strings that have to be lists: declare arrays", edits...)
		p.note(last) // a text says how the list is written
	},
}

// isSeveral reports whether a string is for several things by its name or its text, and no text says what is between them.
func (p *parameter) isSeveral() bool {
	isNamed := slices.Contains(identifying, p.last()) && (len(p.words) > 1 || p.text == "")
	if !isNamed && !strings.HasPrefix(p.lower, "array of") && !strings.HasPrefix(p.lower, "list of") {
		return false
	}
	return p.isText() && !hasForm(p.schema) && !p.hasDefault() && !isForeign(p.text) && !strings.ContainsAny(p.text, ",;|\"'`{[<*") && !hasAny(p.lower, "separat", "delimit", "json", "string", "text")
}

// identifying are last words of names for several things, each of which is one word.
var identifying = []string{"ids", "numbers", "uids", "uuids", "keys", "emails", "skus", "codes", "urls", "paths", "usernames", "names", "tags", "labels", "statuses", "types", "categories"}

// asList returns the edit that makes an array of a string with commas. It reports false if its text cannot be made one of an array.
func (p *parameter) asList() (Edit, bool) {
	text, isOfList := unseparated(p.prose)
	if !isOfList {
		return Edit{}, false
	}
	split := func(value *schema.Node) *schema.Node {
		if value.Kind != schema.String {
			return nil
		}
		return schema.NewStrings(commaParts(value.Text)...)
	}
	edit, isMechanical := p.retyped("array", text, split, schema.Member{Key: "items", Value: schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("string")})})
	edit.Loses = "a string is refused, and the tool has to read a list"
	return edit, isMechanical
}

// commaParts returns the parts of a text between its commas.
func commaParts(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// separations are what a text says of commas, with what it says of a list without them.
var separations = []struct {
	pattern *lazy.Regexp
	with    string
}{
	{lazy.Compile(`(?i) *\(comma[- ](?:separated|delimited)(?: list| values?)?\)`), ""},
	{lazy.Compile(`(?i)\(comma[- ](?:separated|delimited)(?: list| values?)?, `), "("},
	{lazy.Compile(`(?i), comma[- ](?:separated|delimited)(?: list| values?)?([,).]|$)`), "$1"},
	{lazy.Compile(`(?i),? (?:separated|delimited) (?:by|with) (?:a )?commas?`), ""},
	{lazy.Compile(`(?i)\bcomma[- ](?:separated|delimited) (?:list|string)\b`), "list"},
	{lazy.Compile(`(?i)\bcomma[- ](?:separated|delimited) `), ""},
}

// unseparated returns the text about a list in one string as a text about a list. It reports false if the text speaks of commas in
// another way too, or of numbers.
func unseparated(read *prose.Text) (string, bool) {
	text := read.Raw
	for _, sentence := range read.Sentences {
		for _, token := range sentence {
			if token.Kind != prose.Literal || !strings.Contains(token.Text, ",") {
				continue
			}
			parts := commaParts(token.Text)
			if len(parts) < 2 || strings.ContainsAny(token.Text, "()[]{}") {
				return "", false
			}
			text = strings.ReplaceAll(text, read.Raw[token.At:token.End], schema.NewStrings(parts...).String())
		}
	}
	for _, known := range separations {
		text = known.pattern.ReplaceAllString(text, known.with)
	}
	text = asBegun(text, read.Raw)
	lower := strings.ToLower(text)
	return text, text != "" && !hasAny(lower, "comma", "separated", "delimited", "per line", "csv", "numbers", "integers", "in order", " string ")
}

// asBegun returns a text that begins with a capital if another one does.
func asBegun(text, other string) string {
	if text == "" || other == "" || text[0] < 'a' || text[0] > 'z' || other[0] < 'A' || other[0] > 'Z' {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// lists are what a text says of a string that has to be a list.
var lists = prose.Phrases("comma-separated", "comma separated", "comma-delimited", "comma delimited", "separated by commas", "separated by comma", "space-separated", "space separated", "pipe-separated", "semicolon-separated", "newline-separated", "one per line", "commas between", "separate with commas",
	"separated by a comma", "separated by spaces", "separated with commas", "csv list", "delimited by commas")
