package toolfile

import (
	"errors"

	"toolproof/schema"
)

// schemaKeys are the members in which the forms of a tool have its schema: MCP,
// OpenAI and Gemini, Gemini, Anthropic, and this project's JSON Lines.
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
		t.Name, t.Tool.Parameters, t.parameters = DefaultName, t.Given, ""
		t.base = ""
		return
	}
	name := node.Get("name")
	if name == nil || name.Kind != schema.String {
		t.Err = &schema.SyntaxError{Position: node.Position, Err: errNoTool, Detail: "it has no name"}
		return
	}
	t.Name, t.Description = name.Text, node.Get("description")
	if key != "" {
		t.Tool.Parameters = node.Get(key)
		t.parameters = t.base.Child(key)
	}
}

var errNoTool = errors.New("not a tool")

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

// isBuiltIn reports whether an entry of a list of tools is one that the provider
// brings along, such as a search, which declares no schema: an object of one
// member that is an object, or one whose type is neither function nor a type.
func isBuiltIn(node *schema.Node) bool {
	if node.Kind != schema.Object || schemaKey(node) != "" || node.Has("function") || node.Has("name") || node.Has("properties") {
		return false
	}
	if kind := node.Get("type"); kind != nil {
		return kind.Kind == schema.String && kind.Text != "function" && kind.Text != "custom"
	}
	return len(node.Members) == 1 && node.Members[0].Value.Kind == schema.Object
}
