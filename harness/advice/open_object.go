package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// openObject finds objects of which neither the schema nor a text names the members.
var openObject = &Rule{
	Name:    "open_object",
	IsGrave: true,
	Doc: `no schema and no text says what an object has

A model invents the members of such an object. Declare its properties, or show an example in the
description. An object with any keys, such as labels or headers, needs additionalProperties with
the schema of its values.`,
	Source: Source{
		"OpenAI asks to use enums and the structure of objects to make invalid states unrepresentable.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "update", "description": "Change a customer.", "parameters": {"type": "object", "properties": {"changes": {"type": "object", "description": "What is to be changed."}}}}]`,
	Good: `[{"name": "update", "description": "Change a customer.", "parameters": {"type": "object", "properties": {"changes": {"type": "object", "description": "What is to be changed, such as {\"mail\": \"a@example.org\"}."}}}}]`,
	check: func(p *pass, tool *declaration) {
		var open, sent, untyped, mixed, named []*parameter
		for _, param := range tool.params {
			switch {
			case tool.runs(param) || takesNothing(param.schema) || strings.Contains(strings.ToLower(param.path), "geojson"):
			case isMixed(param) && param.last() != "args" && param.last() != "arguments":
				if param.hasNameOf(ofWords...) || param.prose.Has(itemsOfWords...) {
					named = append(named, param)
				} else {
					mixed = append(mixed, param)
				}
			case isUntyped(param.schema) && !slices.Contains([]string{"value", "values", "default", "example", "none", "noauth"}, param.last()):
				untyped = append(untyped, param)
			case hasOpen(param.schema) && !param.isBranch && !shows(param.prose) && (!param.hasNameOf(anyKeys...) || param.isA("array") || param.prose.Has(varied...)) &&
				!hasAny(param.lower, "key-value", "key/value", "key value", "mapping", "map of", "arbitrary", "any json", "json schema", "custom fields", "custom headers", "custom data", "custom metadata", "empty") && !tool.shows(param):
				if slices.Contains([]string{"body", "request", "payload", "inputs"}, param.last()) {
					sent = append(sent, param)
				} else {
					open = append(open, param)
				}
			}
		}
		const end = "no schema and no text says what is in it: declare its properties, or show an example"
		several := "are objects, or have objects, and " + strings.ReplaceAll(strings.ReplaceAll(end, "it:", "them:"), "its", "their")
		p.reportAll(open, "is an object, or has objects, and "+end, several)
		p.reportAll(untyped, "has no type, so that any value fits: declare what it takes", "have no types, so that any value fits: declare what they take")
		const list, lists = "is a list of anything: declare what its items are", "are lists of anything: declare what their items are"
		p.reportAll(mixed, list, lists)
		last := len(p.found)
		p.reportAll(sent, "is an object, or has objects, and "+end, several) // to something else, which knows its form
		p.reportAll(named, list, lists)                                      // of strings, as their names say
		p.note(last)
	},
}

// runs reports whether a parameter is the input of what a tool runs, such as a workflow, of which only its author knows the form.
func (t *declaration) runs(param *parameter) bool {
	return param.depth == 0 && slices.Contains([]string{"data", "input", "inputs", "payload", "variables"}, param.name) && slices.ContainsFunc(t.named, func(word string) bool {
		return slices.Contains([]string{"run", "execute", "trigger", "test", "invoke", "call", "dispatch"}, word)
	})
}

// isUntyped reports whether a schema takes any value, because nothing in it restricts one.
func isUntyped(node *schema.Node) bool {
	return !slices.ContainsFunc(node.Keys(), func(key string) bool {
		return !slices.Contains([]string{"description", "title", "default", "nullable", "deprecated"}, key)
	})
}

// isMixed reports whether a parameter is a list of items of any type, of which no text shows one.
func isMixed(param *parameter) bool {
	node, _ := param.sole()
	items := node.Get("items")
	return len(node.Types()) == 1 && node.Types()[0] == "array" && (items == nil || items.Kind == schema.Object && len(items.Members) == 0) && !slices.ContainsFunc([]string{"prefixItems", "examples", "enum"}, node.Has) && !param.hasDefault() && !strings.Contains(param.text, "[")
}

// ofWords are words in names of lists of strings, and itemsOfWords those in texts about them.
var (
	ofWords      = []string{"ids", "emails", "usernames", "names", "tags", "labels", "fields", "columns", "keywords", "urls", "paths", "files", "types", "keys"}
	itemsOfWords = prose.Phrases("strings", "string", "ids", "names", "emails", "urls", "tags")
)

// hasOpen reports whether a schema takes an open object, a list of such objects, or one of these
// and what has no members.
func hasOpen(node *schema.Node) bool {
	if isOpen(node) {
		return true
	}
	if items := node.Get("items"); items != nil && items.Kind == schema.Object {
		return isOpen(items) && !node.Has("examples") && !node.Has("default")
	}
	has := false
	for _, keyword := range []string{"anyOf", "oneOf"} {
		branches := node.Get(keyword)
		if branches == nil {
			continue
		}
		for _, branch := range branches.Elements {
			if isA(branch, []string{"object"}) && !isOpen(branch) {
				return false
			}
			const marks = "`{\"" // of names or an example
			has = has || isOpen(branch) && !strings.ContainsAny(branch.GetString("description"), marks)
		}
	}
	return has
}

// anyKeys are words in names of objects that may have any keys.
var anyKeys = []string{
	"schema", "geojson", "metadata", "meta", "labels", "tags", "headers", "env", "environment", "variables", "vars", "annotations", "extra", "args", "context", "custom",
}

// isOpen reports whether a schema is an object without a word on its members.
func isOpen(node *schema.Node) bool {
	if types := node.Types(); len(types) != 1 || types[0] != "object" {
		return false
	}
	extra := node.Get("additionalProperties")
	if extra != nil && extra.Kind == schema.Object && len(extra.Members) > 0 && len(extra.Types()) < 2 {
		return false
	}
	if names := node.Get("propertyNames"); names != nil && !(len(names.Members) == 1 && names.Get("type").Is("string")) { // which says nothing
		return false
	}
	properties := node.Get("properties")
	return (properties == nil || len(properties.Members) == 0) &&
		!slices.ContainsFunc([]string{"anyOf", "oneOf", "allOf", "$ref", "patternProperties", "examples", "example", "default", "enum", "const", "if"}, node.Has)
}

// shows reports whether a text has an example of an object, or names members.
func shows(text *prose.Text) bool {
	if strings.Contains(text.Raw, "{") || hasAny(text.Lower, "e.g", "example", "http", "see ", "schema", "geojson", "syntax of", "same structure", "same as") {
		return true
	}
	if text.Has(varied...) {
		return false
	}
	if strings.ContainsAny(text.Raw, "`\"'") || hasAny(text.Lower, ": ", "：", "contain") || hasAny(text.Lower, chinese...) {
		return true
	}
	for _, opening := range []string{" with ", "(", "（"} { // names of members behind it
		if _, behind, ok := strings.Cut(text.Lower, opening); ok && (hasAny(behind, ",", "、") || opening == " with " && strings.Contains(behind, " and ")) {
			return true
		}
	}
	return false
}

// chinese are "example", "contains" and "format".
var chinese = []string{"例", "包含", "格式"} //nolint:gosmopolitan // words that show members

// varied are phrases of texts about objects whose members depend on something else.
var varied = prose.Phrases("depend on", "depends on", "specific to", "relevant properties", "relevant fields", "varies", "vary by")

// shows reports whether the text of a tool has an example of a parameter.
func (t *declaration) shows(param *parameter) bool {
	name := strings.ToLower(param.name)
	return strings.Contains(t.text, "{") && hasWord(t.lower, name) || slices.ContainsFunc(sentences(t.lower), func(line string) bool {
		return hasWord(line, name) && hasAny(line, "such as", "e.g")
	})
}
