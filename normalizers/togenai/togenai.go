// Package togenai converts normalized tools to types of google.golang.org/genai, the client
// for the Gemini API and for Vertex AI.
//
// A result for another target is an error that names both, and so is a schema that the types cannot hold,
// with its place. The client omits a field of Schema whose value is empty, which means the same to the
// provider, sorts the members of every object that it sends, and sends numbers as doubles. If the order of
// properties matters, normalize with the option PropertyOrdering.
package togenai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"google.golang.org/genai"

	"toolproof/normalizers"
	"toolproof/schema"
)

// FunctionDeclaration returns the declaration of a tool, with its parameters as a Schema, from a result
// for gemini or portable. A result for vertex that has additionalProperties is an error, because the
// client's type has no field for it; FunctionDeclarationJSON takes one for vertex-json.
func FunctionDeclaration(result normalizers.Result) (*genai.FunctionDeclaration, error) {
	if err := result.CheckTarget("gemini", "vertex", "portable"); err != nil {
		return nil, err
	}
	declaration, err := declare(result.Tool)
	if err == nil && result.Tool.Parameters != nil {
		declaration.Parameters, err = toSchema(result.Tool.Parameters, "/parameters")
	}
	if err != nil {
		return nil, fmt.Errorf("declaring %q: %w", result.Tool.Name, err)
	}
	return declaration, nil
}

// FunctionDeclarationJSON returns the declaration of a tool, with its parameters as JSON Schema, from a
// result for gemini-json, vertex-json or portable.
func FunctionDeclarationJSON(result normalizers.Result) (*genai.FunctionDeclaration, error) {
	if err := result.CheckTarget("gemini-json", "vertex-json", "portable"); err != nil {
		return nil, err
	}
	declaration, err := declare(result.Tool)
	if err != nil {
		return nil, fmt.Errorf("declaring %q: %w", result.Tool.Name, err)
	}
	if result.Tool.Parameters != nil {
		declaration.ParametersJsonSchema = json.RawMessage(result.Tool.Parameters.JSON())
	}
	if response := result.Tool.Members.Get("response"); response != nil {
		if err := json.Unmarshal(response.JSON(), &declaration.Response); err != nil {
			return nil, fmt.Errorf("declaring %q: /response: %w", result.Tool.Name, err)
		}
	}
	declaration.Behavior = genai.Behavior(result.Tool.Members.GetString("behavior"))
	if response := result.Tool.Members.First("responseJsonSchema", "response_json_schema"); response != nil {
		declaration.ResponseJsonSchema = json.RawMessage(response.JSON())
	}
	return declaration, nil
}

// ResponseSchema returns the ResponseSchema of a GenerateContentConfig from a result for
// gemini-response.
func ResponseSchema(result normalizers.Result) (*genai.Schema, error) {
	if err := result.CheckTarget("gemini-response"); err != nil {
		return nil, err
	}
	if result.Tool.Parameters == nil {
		return nil, errNoSchema
	}
	return toSchema(result.Tool.Parameters, "/parameters")
}

// ResponseJSONSchema returns the ResponseJsonSchema of a GenerateContentConfig from a result for
// gemini-response-json.
func ResponseJSONSchema(result normalizers.Result) (json.RawMessage, error) {
	if err := result.CheckTarget("gemini-response-json"); err != nil {
		return nil, err
	}
	if result.Tool.Parameters == nil {
		return nil, errNoSchema
	}
	return result.Tool.Parameters.JSON(), nil
}

var errNoSchema = errors.New("there is no schema")

func declare(tool schema.Tool) (*genai.FunctionDeclaration, error) {
	description, err := tool.DescriptionText()
	if err != nil {
		return nil, err
	}
	return &genai.FunctionDeclaration{Name: tool.Name, Description: description}, nil
}

// toSchema returns a schema as a message.
func toSchema(node *schema.Node, at schema.Pointer) (*genai.Schema, error) {
	if node.Kind != schema.Object {
		return nil, fmt.Errorf("%s: a genai.Schema is an object, and this is %s", at, node)
	}
	message := &genai.Schema{}
	for _, member := range node.Members {
		if err := set(message, member, at.Child(member.Key)); err != nil {
			return nil, err
		}
	}
	return message, nil
}

// set sets the field of the message for a member.
func set(message *genai.Schema, member schema.Member, at schema.Pointer) (err error) {
	value := member.Value
	if text := textField(message, member.Key); text != nil {
		*text, err = textOf(value, at)
		return err
	}
	if count := countField(message, member.Key); count != nil {
		*count, err = integerOf(value, at)
		return err
	}
	switch member.Key {
	case "type":
		var name string
		name, err = textOf(value, at)
		message.Type = genai.Type(name)
	case "nullable":
		message.Nullable, err = boolOf(value, at)
	case "maximum":
		message.Maximum, err = numberOf(value, at)
	case "minimum":
		message.Minimum, err = numberOf(value, at)
	case "enum":
		message.Enum, err = listOf(value, at, "a list of strings", textOf)
	case "required":
		message.Required, err = listOf(value, at, "a list of strings", textOf)
	case "propertyOrdering":
		message.PropertyOrdering, err = listOf(value, at, "a list of strings", textOf)
	case "default":
		message.Default = anyOf(value)
	case "example":
		message.Example = anyOf(value)
	case "items":
		message.Items, err = toSchema(value, at)
	case "anyOf":
		message.AnyOf, err = listOf(value, at, "a list of schemas", toSchema)
	case "properties":
		message.Properties, err = propertiesOf(value, at)
	default:
		err = fmt.Errorf("%s: a genai.Schema has no field for it", at)
	}
	return err
}

// textField returns the field of a keyword if it is a string, and nil otherwise.
func textField(message *genai.Schema, keyword string) *string {
	switch keyword {
	case "format":
		return &message.Format
	case "title":
		return &message.Title
	case "description":
		return &message.Description
	case "pattern":
		return &message.Pattern
	default:
		return nil
	}
}

// countField returns the field of a keyword if it is a count, and nil otherwise.
func countField(message *genai.Schema, keyword string) **int64 {
	switch keyword {
	case "maxItems":
		return &message.MaxItems
	case "minItems":
		return &message.MinItems
	case "maxLength":
		return &message.MaxLength
	case "minLength":
		return &message.MinLength
	case "maxProperties":
		return &message.MaxProperties
	case "minProperties":
		return &message.MinProperties
	default:
		return nil
	}
}

func textOf(value *schema.Node, at schema.Pointer) (string, error) {
	if value.Kind != schema.String {
		return "", wrong(value, at, "a string")
	}
	return value.Text, nil
}

func boolOf(value *schema.Node, at schema.Pointer) (*bool, error) {
	if value.Kind != schema.Bool {
		return nil, wrong(value, at, "a boolean")
	}
	isTrue := value.IsTrue()
	return &isTrue, nil
}

func integerOf(value *schema.Node, at schema.Pointer) (*int64, error) {
	integer, ok := value.Int64()
	if !ok {
		return nil, wrong(value, at, "an integer of 64 bits")
	}
	return &integer, nil
}

// numberOf returns a number as a double, as the provider reads it.
func numberOf(value *schema.Node, at schema.Pointer) (*float64, error) {
	number, err := strconv.ParseFloat(value.Text, 64)
	if err != nil || value.Kind != schema.Number {
		return nil, wrong(value, at, "a double")
	}
	return &number, nil
}

// listOf returns the results of convert for the elements of a list. want names the list in an error.
func listOf[T any](value *schema.Node, at schema.Pointer, want string, convert func(*schema.Node, schema.Pointer) (T, error)) ([]T, error) {
	if value.Kind != schema.Array {
		return nil, wrong(value, at, want)
	}
	list := make([]T, len(value.Elements))
	for i, element := range value.Elements {
		var err error
		if list[i], err = convert(element, at.Element(i)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// anyOf returns a value of any type. Null is raw JSON, because the client omits a field that is nil.
func anyOf(value *schema.Node) any {
	if value.Kind == schema.Null {
		return json.RawMessage("null")
	}
	return value.Value()
}

func propertiesOf(value *schema.Node, at schema.Pointer) (map[string]*genai.Schema, error) {
	if value.Kind != schema.Object {
		return nil, wrong(value, at, "an object of schemas")
	}
	messages := make(map[string]*genai.Schema, len(value.Members))
	for _, member := range value.Members {
		message, err := toSchema(member.Value, at.Child(member.Key))
		if err != nil {
			return nil, err
		}
		messages[member.Key] = message
	}
	return messages, nil
}

func wrong(value *schema.Node, at schema.Pointer, want string) error {
	return fmt.Errorf("%s: the field of genai.Schema is %s, and this is %s", at, want, value)
}
