package toolfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolproof/schema"
)

// schemaKeys are the members that hold the schema in the forms of a tool: MCP's, the one shared
// by OpenAI and Gemini, two more of Gemini's, Anthropic's, and that of this project's JSON
// Lines.
var schemaKeys = []string{"inputSchema", "parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema", "schema"}

// otherKeys are the other members of the forms of a tool.
var otherKeys = append([]string{
	"id", "name", "title", "description", "type", "function", "strict", // common
	"outputSchema", "annotations", "icons", "execution", "_meta", // MCP
	"response", "responseJsonSchema", "behavior", // Gemini
}, schema.ProviderMembers...)

// DefaultName is the name of a bare schema without a title.
const DefaultName = "f"

// nameOf returns the title of a bare schema as the name of a tool, or DefaultName if it has none. What
// a provider takes in no name becomes _.
func nameOf(bare *schema.Node) string {
	const longest = 64
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		default:
			return '_'
		}
	}, bare.GetString("title"))
	name = strings.TrimLeft(name[:min(len(name), longest)], "0123456789-")
	if strings.Trim(name, "_") == "" {
		return DefaultName
	}
	return name
}

// Form is the form of a tool's declaration. The zero value is a form that does not tell whom the tool
// is for, such as a bare schema.
type Form string

// The forms that tell whom a tool is for.
const (
	OfMCP             Form = "MCP"
	OfOpenAIChat      Form = "OpenAI Chat"
	OfOpenAIResponses Form = "OpenAI Responses"
	OfAnthropic       Form = "Anthropic"
	OfGemini          Form = "Gemini"
	// OfGeminiJSON is a declaration of Gemini's with parametersJsonSchema.
	OfGeminiJSON Form = "Gemini with parametersJsonSchema"
)

// FormOf returns the form that all tools of the lists have; the zero value if they have several, or one that
// does not tell whom they are for.
func FormOf(lists ...[]Tool) Form {
	var form Form
	for _, tools := range lists {
		for _, tool := range tools {
			switch {
			case tool.Err != nil:
			case tool.IsResponse, tool.Form == "", form != "" && tool.Form != form:
				return ""
			default:
				form = tool.Form
			}
		}
	}
	return form
}

// formOf returns the form of a declaration with its schema under a key.
func formOf(declaration *schema.Node, key string) Form {
	switch {
	case declaration.Has("function") && key == "parameters":
		return OfOpenAIChat
	case key == "parameters" && declaration.Get("type").Is("function"):
		return OfOpenAIResponses
	case key == "inputSchema":
		return OfMCP
	case key == "input_schema":
		return OfAnthropic
	case key == "parametersJsonSchema", key == "parameters_json_schema":
		return OfGeminiJSON
	default:
		return ""
	}
}

// formOfGoogle returns the form of an entry in a list of function declarations.
func formOfGoogle(declaration *schema.Node) Form {
	return cmp.Or(formOf(declaration, schemaKey(declaration)), OfGemini)
}

// toolSearch is the type of a tool of OpenAI that a client executes to find deferred tools. It has
// a schema and no name, and counts as a function of that name.
const toolSearch = "tool_search"

var (
	errNoTool = errors.New("not a tool")
	// errMisspelt is the error of a tool with a schema under a name that no form has.
	errMisspelt = errors.New("the schema of the tool is not found")
)

// recognize finds name, description and schema in Declaration. isDeclared says that it stands
// in a list of tools; anything else is a tool only by its shape.
func (t *Tool) recognize(isDeclared bool) {
	node := t.Declaration
	if node.Kind != schema.Object {
		t.fail(node, errNoTool, "it is of type "+node.Kind.String())
		return
	}
	t.ID = node.GetString("id")
	if function := node.Get("function"); function != nil && function.Kind == schema.Object {
		t.base, node = "/function", function
	}
	key, name := schemaKey(node), node.Get("name")
	if name == nil && key != "" && node.Get("type").Is(toolSearch) {
		name = schema.NewString(toolSearch)
	}
	if isSchema(t.Declaration) && (name == nil || key == "" && isSchemaAlone(node)) {
		t.Name, t.Tool.Parameters = nameOf(t.Declaration), t.Declaration
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
		t.fail(node, errNoTool, "it has no name and no keyword of JSON Schema, its members are "+membersOf(t.Declaration))
		return
	case name == nil || name.Kind != schema.String:
		t.fail(node, errNoTool, "it has no name")
		return
	case key != "" && isQuoted(node.Get(key)):
		t.fail(node.Get(key), errNoTool, "its member "+key+" is a text that holds JSON: write the object itself, without the quotes around it")
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
	t.Form = formOf(t.Declaration, key)
	t.Members = t.membersIn(node, key)
	if key == "" || key == schemaKeys[0] { // MCP's form; no other has them
		t.Further = schema.FurtherOf(node)
	}
}

// membersIn returns the Members of a tool with its schema under key. Those of Google's function
// declarations are the author's notes in other forms, which have none of ofGoogle.
func (t *Tool) membersIn(node *schema.Node, key string) *schema.Node {
	found := schema.MembersOf(node)
	if found == nil || t.base == "" && slices.Contains(googleKeys, key) && (t.ofGoogle || slices.ContainsFunc(ofGoogle, node.Has)) {
		return found
	}
	found.Members = slices.DeleteFunc(found.Members, func(member schema.Member) bool {
		return member.Key == "response" || slices.Contains(ofGoogle, member.Key)
	})
	if len(found.Members) == 0 {
		return nil
	}
	return found
}

// googleKeys are the schemaKeys of Google's declarations, which may also have no schema, and ofGoogle
// the members that only they have.
var (
	googleKeys = []string{"", "parameters", "parametersJsonSchema", "parameters_json_schema"}
	ofGoogle   = []string{"parametersJsonSchema", "parameters_json_schema", "behavior", "responseJsonSchema", "response_json_schema"}
)

// isQuoted reports whether a value is a text that holds a JSON object.
func isQuoted(value *schema.Node) bool {
	if value.Kind != schema.String {
		return false
	}
	inner, err := schema.Parse([]byte(value.Text))
	return err == nil && inner.Kind == schema.Object
}

func (t *Tool) fail(at *schema.Node, err error, detail string) {
	t.Err = &schema.SyntaxError{Position: at.Position, Err: err, Detail: detail}
}

// isTool reports whether an object with a name has the shape of a tool: it has a schema, or no
// member that tools never have. Other documents use parameters and schema, too, so these need
// more evidence.
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

// couldBeSchema reports whether the author of a tool may have meant the value as its schema.
// Some programs write null or an empty list for no parameters, and a map of schemas for
// properties.
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

// misspelt returns the member that evidently holds the schema of a tool under a name that no
// form has, such as inputschema: its name is about input, and its value is a schema or a map of
// schemas.
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

// fold returns a name without its case and separators.
func fold(name string) string { return strings.ToLower(separators.Replace(name)) }

// isSchema reports whether an object has the shape of a schema: a keyword that fits with a
// value that fits. An answer such as {"id": 1, "error": {}}, or a configuration with a $schema,
// must not pass for a schema that accepts everything.
func isSchema(node *schema.Node) bool {
	if node.Kind != schema.Object {
		return false
	}
	others := slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return schema.ClassOf(member.Key) == schema.Unknown && !schema.IsMeta(member.Key)
	})
	isOdd := false // its type is not a type
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
		default: // other keywords are also words of other documents
			return !others && !isOdd && schema.ClassOf(member.Key) != schema.Unknown && !schema.IsMeta(member.Key)
		}
	})
}

// isTypes reports whether the value of type is a type of JSON Schema or a list of types.
func isTypes(kind *schema.Node) bool {
	if kind.Kind == schema.String {
		return isType(kind.Text)
	}
	return kind.Kind == schema.Array && len(kind.Elements) > 0 && !slices.ContainsFunc(kind.Elements, func(element *schema.Node) bool {
		return element.Kind == schema.String && !isType(element.Text)
	})
}

// isType reports whether a word is a type of JSON Schema in any case, as providers differ in
// it.
func isType(word string) bool {
	return slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, strings.ToLower(word))
}

// isSchemaMap reports whether a value can be a map of schemas by name. At least one of its
// schemas must have a keyword, as that of {"name": {"value": 1}} does not.
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

// isSubschemas reports whether a value can be a subschema or a list of subschemas.
func isSubschemas(node *schema.Node) bool {
	if node.Kind != schema.Array {
		return isSubschema(node)
	}
	return len(node.Elements) > 0 && !slices.ContainsFunc(node.Elements, func(element *schema.Node) bool { return !isSubschema(element) })
}

// isSubschema reports whether a value can be a subschema. It needs only one keyword, such as a
// description.
func isSubschema(node *schema.Node) bool {
	return node.Kind == schema.Bool || node.Kind == schema.Object && (len(node.Members) == 0 || slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return member.Key != "id" && schema.ClassOf(member.Key) != schema.Unknown
	}))
}

// isSchemaAlone reports whether a schema with a member called name is not a tool, since it has
// a member that only schemas have.
func isSchemaAlone(node *schema.Node) bool {
	return slices.ContainsFunc([]string{"properties", "$schema", "$ref", "anyOf", "oneOf", "allOf", "$defs"}, node.Has)
}

// membersOf lists the first members of an object for an error.
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

// IsBare reports whether the declaration is a bare schema.
func (t *Tool) IsBare() bool {
	return !t.IsResponse && t.Tool.Parameters != nil && t.Tool.Parameters == t.Declaration
}

// isSent reports whether the tool has a form in which tools are sent or listed. A tool that
// could not be read counts as one.
func (t *Tool) isSent() bool {
	return !t.IsBare() && t.ID == "" && t.parameters != "/schema"
}

// passedOver reports whether an entry of a list of tools is built into the provider, such as a
// search, or takes free text, so that it declares no schema, and returns its kind. That is an object
// with one member that is an object, or one whose type is neither function nor a type of JSON Schema.
func passedOver(node *schema.Node) (kind string, isPassed bool) {
	if node.Kind != schema.Object || schemaKey(node) != "" || node.Has("function") || node.Has("properties") {
		return "", false
	}
	if named := node.Get("type"); named != nil {
		return named.Text, named.Kind == schema.String && named.Text != "function" && !isType(named.Text)
	}
	if len(node.Members) != 1 || node.Members[0].Value.Kind != schema.Object || isSchema(node) {
		return "", false
	}
	return node.Members[0].Key, true
}
