package toolfile

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"toolproof/schema"
)

// schemaKeys are the members in which the forms of a tool have its schema: that of
// MCP, the one that OpenAI and Gemini share, two more of Gemini's, Anthropic's, and
// that of this project's JSON Lines.
var schemaKeys = []string{"inputSchema", "parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema", "schema"}

// DefaultName is the name of a tool whose form has none: a bare schema.
const DefaultName = "f"

// recognize finds name, description and schema in what was given.
func (t *Tool) recognize() {
	node := t.Given
	if node.Kind != schema.Object {
		t.Err = &schema.SyntaxError{Position: node.Position, Err: errNoTool, Detail: "it is of type " + node.Kind.String()}
		return
	}
	t.ID = node.GetString("id")
	if function := node.Get("function"); function != nil && function.Kind == schema.Object {
		t.base, node = "/function", function
	}
	key := schemaKey(node)
	if key == "" && !node.Has("name") || isSchema(node) {
		if !speaksSchema(t.Given) {
			t.Err = &schema.SyntaxError{Position: node.Position, Err: errNoTool, Detail: "it has no name and no keyword of JSON Schema, its members are " + membersOf(t.Given)}
			return
		}
		t.Name, t.Tool.Parameters = DefaultName, t.Given
		t.base, t.parameters = "", ""
		return
	}
	name := node.Get("name")
	if name == nil || name.Kind != schema.String {
		t.Err = &schema.SyntaxError{Position: node.Position, Err: errNoTool, Detail: "it has no name"}
		return
	}
	t.Name, t.Description, t.parameters = name.Text, node.Get("description"), t.base
	if key != "" {
		t.Tool.Parameters = node.Get(key)
		t.parameters = t.base.Child(key)
	}
}

var errNoTool = errors.New("not a tool")

// speaksSchema reports whether an object has a keyword that makes it a schema. An
// answer such as {"id": 1, "error": {}} must not pass for one that takes anything.
func speaksSchema(node *schema.Node) bool {
	return slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		switch member.Key {
		case "id", "title", "description", "default", "example":
			return false
		case "type":
			return member.Value.Kind != schema.String || isType(member.Value.Text)
		default:
			return schema.ClassOf(member.Key) != schema.Unknown
		}
	})
}

// isType reports whether a word is a type of JSON Schema, in the case of any
// provider.
func isType(word string) bool {
	return slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, strings.ToLower(word))
}

// membersOf names the members of an object, for an error.
func membersOf(node *schema.Node) string {
	const shown = 5
	var names []string
	for _, member := range node.Members {
		if len(names) == shown {
			names = append(names, "and more")
			break
		}
		names = append(names, strconv.Quote(member.Key))
	}
	if len(names) == 0 {
		return "none"
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

// isSchema reports whether an object is a schema rather than a tool that has one:
// no member of a tool's form, or members that only a schema has.
func isSchema(node *schema.Node) bool {
	for _, key := range []string{"properties", "$schema", "$ref", "anyOf", "oneOf", "allOf", "$defs"} {
		if node.Has(key) && schemaKey(node) == "" {
			return true
		}
	}
	kind := node.GetString("type")
	return schemaKey(node) == "" && kind != "" && kind != "function" && kind != "custom" && !node.Has("name")
}

// isSent reports whether the tool has a form in which tools are sent, or listed to
// be sent. One that could not be read is taken to be like those around it.
func (t *Tool) isSent() bool {
	isBare := t.Tool.Parameters != nil && t.Tool.Parameters == t.Given
	return !isBare && t.ID == "" && t.parameters != "/schema"
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
	return len(node.Members) == 1 && node.Members[0].Value.Kind == schema.Object && !speaksSchema(node)
}
