package togenai_test

import (
	"reflect"
	"strings"
	"testing"

	"google.golang.org/genai"

	"toolproof/normalizers"
	"toolproof/normalizers/togenai"
	"toolproof/schema"
)

func resultOf(t *testing.T, parameters string) normalizers.Result {
	t.Helper()
	node, err := schema.Parse([]byte(parameters))
	if err != nil {
		t.Fatal(err)
	}
	return normalizers.Result{Tool: schema.Tool{Name: "f", Parameters: node}}
}

func TestWhatCannotBeHeld(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ parameters, want string }{
		{`{"properties": {"a": {"items": {"const": 1}}}}`, `/parameters/properties/a/items/const: a genai.Schema has no field for it`},
		{`{"anyOf": [{"enum": ["a", 1]}]}`, `/parameters/anyOf/0/enum/1: the field of genai.Schema is a string, and this is 1`},
		{`{"type": ["string"]}`, `/parameters/type: the field of genai.Schema is a string, and this is ["string"]`},
		{`{"minItems": 1.5}`, `/parameters/minItems: the field of genai.Schema is an integer of 64 bits, and this is 1.5`},
		{`{"minimum": 1e999}`, `/parameters/minimum: the field of genai.Schema is a double, and this is 1e999`},
		{`{"minimum": "1"}`, `/parameters/minimum: the field of genai.Schema is a double, and this is "1"`},
		{`{"nullable": "true"}`, `/parameters/nullable: the field of genai.Schema is a boolean, and this is "true"`},
		{`{"required": true}`, `/parameters/required: the field of genai.Schema is a list of strings, and this is true`},
		{`{"anyOf": {}}`, `/parameters/anyOf: the field of genai.Schema is a list of schemas, and this is {}`},
		{`{"properties": []}`, `/parameters/properties: the field of genai.Schema is an object of schemas, and this is []`},
		{`{"properties": {"a/b": true}}`, `/parameters/properties/a~1b: a genai.Schema is an object, and this is true`},
	} {
		if _, err := togenai.FunctionDeclaration(resultOf(t, test.parameters)); err == nil || err.Error() != `declaring "f": `+test.want {
			t.Errorf("%s: got the error %v", test.parameters, err)
		}
		if _, err := togenai.ResponseSchema(resultOf(t, test.parameters)); err == nil || err.Error() != test.want {
			t.Errorf("%s: got the error %v as a response", test.parameters, err)
		}
	}
	localized := normalizers.Result{Tool: schema.Tool{Name: "f", Description: schema.NewObject()}}
	for _, declare := range []func(normalizers.Result) (*genai.FunctionDeclaration, error){togenai.FunctionDeclaration, togenai.FunctionDeclarationJSON} {
		if _, err := declare(localized); err == nil || !strings.Contains(err.Error(), "/description: ") {
			t.Errorf("got the error %v of a description", err)
		}
	}
	if _, err := togenai.ResponseSchema(localized); err == nil {
		t.Error("no error of no schema")
	}
	if _, err := togenai.ResponseJSONSchema(localized); err == nil {
		t.Error("no error of no JSON Schema")
	}
}

// TestEveryFieldIsKnown fails when the client gets a field that is not set here.
func TestEveryFieldIsKnown(t *testing.T) {
	t.Parallel()
	values := map[reflect.Kind]string{reflect.String: `"x"`, reflect.Interface: `5`, reflect.Map: `{"x": {}}`}
	fields := reflect.TypeFor[genai.Schema]()
	for i := range fields.NumField() {
		field := fields.Field(i)
		keyword, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		value := values[field.Type.Kind()]
		switch field.Type.String() {
		case "[]string":
			value = `["x"]`
		case "[]*genai.Schema":
			value = `[{}]`
		case "*genai.Schema":
			value = `{}`
		case "*bool":
			value = `true`
		case "*int64", "*float64":
			value = `5`
		}
		message, err := togenai.ResponseSchema(resultOf(t, `{"`+keyword+`": `+value+`}`))
		if err != nil || reflect.ValueOf(*message).Field(i).IsZero() {
			t.Errorf("%s is not set: %v", field.Name, err)
		}
	}
}
