package toolfile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolproof/schema"
)

// schemaKeys are the members in which the forms of a tool have its schema: that of
// MCP, the one that OpenAI and Gemini share, two more of Gemini's, Anthropic's, and
// that of this project's JSON Lines.
var schemaKeys = []string{"inputSchema", "parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema", "schema"}

// otherKeys are the other members that the forms of a tool have.
var otherKeys = []string{
	"id", "name", "title", "description", "type", "function", "strict", // of most
	"outputSchema", "annotations", "icons", "execution", "_meta", // of MCP
	"response", "responseJsonSchema", "behavior", // of Gemini
	"cache_control", "defer_loading", "allowed_callers", "input_examples", "eager_input_streaming", // of Anthropic
}

// DefaultName is the name of a tool whose form has none: a bare schema.
const DefaultName = "f"

var (
	errNoTool = errors.New("not a tool")
	// errMisspelt is the error of a tool whose schema has a name that no form has.
	errMisspelt = errors.New("the schema of the tool is not found")
)

// recognize finds name, description and schema in what was given. An entry of a list
// of tools is declared by its place; anything else is a tool by its shape.
func (t *Tool) recognize(isDeclared bool) {
	node := t.Given
	if node.Kind != schema.Object {
		t.fail(node, errNoTool, "it is of type "+node.Kind.String())
		return
	}
	t.ID = node.GetString("id")
	if function := node.Get("function"); function != nil && function.Kind == schema.Object {
		t.base, node = "/function", function
	}
	key, name := schemaKey(node), node.Get("name")
	if isSchema(t.Given) && (name == nil || key == "" && isSchemaAlone(node)) {
		t.Name, t.Tool.Parameters = DefaultName, t.Given
		t.base, t.parameters = "", ""
		return
	}
	if key == "" {
		if misspelt, value := misspelt(node); value != nil {
			t.fail(value, errMisspelt, fmt.Sprintf("no form of a tool has it in %q; use one of %s", misspelt, strings.Join(schemaKeys, ", ")))
			return
		}
	}
	switch {
	case name == nil && key == "":
		t.fail(node, errNoTool, "it has no name and no keyword of JSON Schema, its members are "+membersOf(t.Given))
		return
	case name == nil || name.Kind != schema.String:
		t.fail(node, errNoTool, "it has no name")
		return
	case !isDeclared && !isTool(node):
		t.fail(node, errNoTool, "it has a name and no schema, its members are "+membersOf(node))
		return
	}
	t.Name, t.Description, t.parameters = name.Text, node.Get("description"), t.base
	if key != "" {
		t.Tool.Parameters = node.Get(key)
		t.parameters = t.base.Child(key)
	}
}

func (t *Tool) fail(at *schema.Node, err error, detail string) {
	t.Err = &schema.SyntaxError{Position: at.Position, Err: err, Detail: detail}
}

// isTool reports whether an object with a name has the shape of a tool: a schema, or
// nothing that no tool has. parameters and schema are words of much else.
func isTool(node *schema.Node) bool {
	switch key := schemaKey(node); key {
	case "":
	case "parameters", "schema":
		return node.Has("description") || couldBeSchema(node.Get(key))
	default:
		return true
	}
	for _, member := range node.Members {
		if !slices.Contains(otherKeys, member.Key) {
			return false
		}
	}
	kind := node.GetString("type")
	return kind == "" || kind == "function" || kind == "custom"
}

// couldBeSchema reports whether somebody who declares a tool may have meant the value as
// its schema. Null and an empty list are what programs make of no parameters, and a map
// of schemas is what they make of properties alone.
func couldBeSchema(node *schema.Node) bool {
	switch node.Kind {
	case schema.Null, schema.Bool:
		return true
	case schema.Array:
		return len(node.Elements) == 0
	case schema.Object:
		return len(node.Members) == 0 || slices.ContainsFunc(node.Members, func(member schema.Member) bool {
			return schema.ClassOf(member.Key) != schema.Unknown || member.Value.Kind == schema.Object && isSubschema(member.Value)
		})
	default:
		return false
	}
}

// misspelt returns the member that has the schema of a tool under a name that no form
// has, such as inputschema: the name speaks of input, and the value is a schema, or a map
// of schemas.
func misspelt(node *schema.Node) (key string, value *schema.Node) {
	for _, member := range node.Members {
		if member.Value.Kind != schema.Object || slices.Contains(otherKeys, member.Key) {
			continue
		}
		folded := fold(member.Key)
		isNear := slices.ContainsFunc(schemaKeys, func(known string) bool { return folded == fold(known) })
		speaks := slices.ContainsFunc([]string{"input", "param", "arg", "schema"}, func(word string) bool { return strings.Contains(folded, word) }) &&
			!slices.ContainsFunc([]string{"output", "response", "result"}, func(word string) bool { return strings.Contains(folded, word) })
		if isNear || speaks && (isSchema(member.Value) || isSchemaMap(member.Value) && len(member.Value.Members) > 0) {
			return member.Key, member.Value
		}
	}
	return "", nil
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// fold returns a name without what people write in different ways.
func fold(name string) string { return strings.ToLower(separators.Replace(name)) }

// isSchema reports whether an object has the shape of a schema: a keyword that fits,
// with a value that fits. An answer such as {"id": 1, "error": {}}, or a configuration
// that says where its schema lies, must not pass for a schema that takes anything.
func isSchema(node *schema.Node) bool {
	if node.Kind != schema.Object {
		return false
	}
	others := slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return schema.ClassOf(member.Key) == schema.Unknown && !schema.IsMeta(member.Key)
	})
	isOdd := false // its type is none
	if kind := node.Get("type"); kind != nil {
		isOdd = !isTypes(kind)
	}
	return slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		switch value := member.Value; member.Key {
		case "id", "$id", "title", "description", "default", "example", "examples", "xml", "externalDocs", "discriminator", "deprecated":
			return false
		case "$schema":
			return strings.Contains(value.Text, "json-schema.org/")
		case "type":
			return !isOdd
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			return isSchemaMap(value) && !(isOdd && len(value.Members) == 0)
		case "additionalProperties", "items", "not", "allOf", "anyOf", "oneOf", "prefixItems", "contains", "if":
			return !isOdd && isSubschemas(value)
		case "$ref", "$dynamicRef", "$recursiveRef":
			return value.Kind == schema.String
		case "enum":
			return value.Kind == schema.Array && len(value.Elements) > 0
		default: // other words of JSON Schema are words of much else
			return !others && !isOdd && schema.ClassOf(member.Key) != schema.Unknown && !schema.IsMeta(member.Key)
		}
	})
}

// isTypes reports whether the value of type is a type of JSON Schema, or a list of such.
func isTypes(kind *schema.Node) bool {
	if kind.Kind == schema.String {
		return isType(kind.Text)
	}
	return kind.Kind == schema.Array && len(kind.Elements) > 0 && !slices.ContainsFunc(kind.Elements, func(element *schema.Node) bool {
		return element.Kind == schema.String && !isType(element.Text)
	})
}

// isType reports whether a word is a type of JSON Schema, in the case of any
// provider.
func isType(word string) bool {
	return slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, strings.ToLower(word))
}

// isSchemaMap reports whether a value can be a map of schemas by name. It looks for one
// that has a keyword: {"name": {"value": 1}} has none.
func isSchemaMap(node *schema.Node) bool {
	if node.Kind != schema.Object {
		return false
	}
	isAny := len(node.Members) == 0
	for _, member := range node.Members {
		if member.Value.Kind != schema.Object && member.Value.Kind != schema.Bool {
			return false
		}
		isAny = isAny || isSubschema(member.Value)
	}
	return isAny
}

// isSubschemas reports whether a value can be a schema below another, or a list of such.
func isSubschemas(node *schema.Node) bool {
	if node.Kind != schema.Array {
		return isSubschema(node)
	}
	return len(node.Elements) > 0 && !slices.ContainsFunc(node.Elements, func(element *schema.Node) bool { return !isSubschema(element) })
}

// isSubschema reports whether a value can be a schema below another: there a description
// is enough.
func isSubschema(node *schema.Node) bool {
	return node.Kind == schema.Bool || node.Kind == schema.Object && (len(node.Members) == 0 || slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return member.Key != "id" && schema.ClassOf(member.Key) != schema.Unknown
	}))
}

// isSchemaAlone reports whether a schema with a name is not a tool: it has a member that
// only a schema has.
func isSchemaAlone(node *schema.Node) bool {
	return slices.ContainsFunc([]string{"properties", "$schema", "$ref", "anyOf", "oneOf", "allOf", "$defs"}, node.Has)
}

// membersOf names the first members of an object, for an error.
func membersOf(node *schema.Node) string {
	const shown = 5
	if len(node.Members) == 0 {
		return "none"
	}
	var names []string
	for _, member := range node.Members[:min(shown, len(node.Members))] {
		names = append(names, strconv.Quote(member.Key))
	}
	if len(node.Members) > shown {
		names = append(names, "and more")
	}
	return strings.Join(names, ", ")
}

func schemaKey(node *schema.Node) string {
	for _, key := range schemaKeys {
		if node.Has(key) {
			return key
		}
	}
	return ""
}

// IsBare reports whether the tool is a schema alone, without the form of a tool.
func (t *Tool) IsBare() bool { return t.Tool.Parameters != nil && t.Tool.Parameters == t.Given }

// isSent reports whether the tool has a form in which tools are sent, or listed to
// be sent. One that could not be read is taken to be like those around it.
func (t *Tool) isSent() bool {
	return !t.IsBare() && t.ID == "" && t.parameters != "/schema"
}

// isBuiltIn reports whether an entry of a list of tools is one that the provider
// has built in, such as a search, or one that takes free text: it declares no
// schema. That is an object of one member that is an object, or one whose type is
// neither function nor a type of JSON Schema.
func isBuiltIn(node *schema.Node) bool {
	if node.Kind != schema.Object || schemaKey(node) != "" || node.Has("function") || node.Has("properties") {
		return false
	}
	if kind := node.Get("type"); kind != nil {
		return kind.Kind == schema.String && kind.Text != "function" && !isType(kind.Text)
	}
	return len(node.Members) == 1 && node.Members[0].Value.Kind == schema.Object && !isSchema(node)
}
