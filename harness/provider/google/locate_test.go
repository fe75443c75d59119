package google

import (
	"fmt"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// located are the tools of the request that each message below is about.
var located = []string{
	`{"type": "object", "properties": {"a": {"type": "string"}, "b.c]": {"type": "array"}, "d": {"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, null, {"type": "array", "items": {"$ref": "#/$defs/none"}}]}},
		"additionalProperties": false}`,
	`{"type": "object", "properties": {"x": {"type": "object", "properties": {"y": {"type": ["string", "null"], "enum": [1, 2]}}}, "z": {"any_of": {"const": 1}}}}`,
}

func TestLocate(t *testing.T) {
	t.Parallel()
	const unknown = "Invalid JSON payload received. Unknown name %q at 'tools[0].function_declarations%s': Cannot find field."
	for name, test := range map[string]struct {
		dialect *provider.Dialect
		message string
		places  string // declaration and pointer of each
	}{
		"a member": {GeminiParameters, fmt.Sprintf(unknown, "exclusiveMinimum", "[0].parameters.properties[2].value.any_of[0]"), "0 /parameters/properties/d/anyOf/0/exclusiveMinimum"},
		"several lines": {
			GeminiParameters, fmt.Sprintf(unknown, "additionalProperties", "[0].parameters") + "\n" + fmt.Sprintf(unknown, "const", "[1].parameters.properties[1].value.any_of[0]"),
			"0 /parameters/additionalProperties, 1 /parameters/properties/z/any_of/const",
		},
		"null is not counted":      {GeminiParameters, fmt.Sprintf(unknown, "$ref", "[0].parameters.properties[2].value.any_of[1].items"), "0 /parameters/properties/d/anyOf/2/items/$ref"},
		"the SDK's spelling":       {GeminiParameters, fmt.Sprintf(unknown, "additional_properties", "[0].parameters"), "0 /parameters/additionalProperties"},
		"a list for a scalar":      {GeminiParameters, "Unknown name \"type\" at 'tools[0].function_declarations[1].parameters.properties[0].value.properties[0].value': Proto field is not repeating, cannot start list.", "1 /parameters/properties/x/properties/y/type"},
		"a value":                  {GeminiParameters, "Invalid value at 'tools.function_declarations[1].parameters.properties[0].value.properties[0].value.enum[1]' (TYPE_STRING), 2", "1 /parameters/properties/x/properties/y/enum/1"},
		"an object for a scalar":   {GeminiParameters, "Invalid value at 'tools[0].function_declarations[0].parameters.properties[0].value' (type), Starting an object on a scalar field", "0 /parameters/properties/a/type"},
		"a tool for each function": {GeminiParameters, "Invalid value at 'tools[1].function_declarations[0].parameters.properties[1].value.any_of[0].const' (TYPE_STRING), 2", "1 /parameters/properties/z/any_of/const"},
		"what is missed":           {GeminiParameters, "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[b.c]].items: missing field.\n", "0 /parameters/properties/b.c]"},
		"several of the check": {
			GeminiParameters,
			"* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x].properties[y].enum: only allowed for STRING type\n* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[d].any_of[1].items: missing field.\n",
			"1 /parameters/properties/x/properties/y/enum, 0 /parameters/properties/d/anyOf/2/items",
		},
		"a name":                     {GeminiParameters, "* GenerateContentRequest.tools[0].function_declarations[1].name: Invalid function name. Must start with a letter or an underscore.", "1 /name"},
		"a name, Code Assist":        {codeAssistParameters, "The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[1].name: [FIELD_INVALID] Invalid function name.", "1 /name"},
		"Code Assist":                {codeAssistParameters, strings.Replace(fmt.Sprintf(unknown, "const", "[1].parameters.properties[1].value.any_of[0]"), "'tools", "'request.tools", 1), "1 /parameters/properties/z/any_of/const"},
		"not Code Assist's":          {codeAssistParameters, fmt.Sprintf(unknown, "additionalProperties", "[0].parameters"), ""},
		"a response schema":          {GeminiResponseSchema, "Invalid JSON payload received. Unknown name \"additionalProperties\" at 'generation_config.response_schema': Cannot find field.", "0 /parameters/additionalProperties"},
		"a quoted key":               {GeminiResponseSchema, `* GenerateContentRequest.generation_config.response_schema.properties["x"].properties["y"].properties: should be non-empty for OBJECT type`, "1 /parameters/properties/x/properties/y"},
		"a response, not a function": {GeminiParameters, "Unknown name \"a\" at 'generation_config.response_schema': Cannot find field.", ""},
		"JSON Schema":                {GeminiParametersJSONSchema, "reference to undefined schema at properties.d.anyOf.2.items", "0 /parameters/properties/d/anyOf/2/items"},
		"JSON Schema, no such place": {GeminiParametersJSONSchema, "reference to undefined schema at properties.q", "-1 "},
		"Vertex AI":                  {VertexParameters, "Unable to submit request because `g1` functionDeclaration `parameters.x.y` schema didn't specify the schema type field. Learn more: https://x", "1 /parameters/properties/x/properties/y"},
		"Vertex AI, a dot in a name": {VertexParameters, "Unable to submit request because `g0` functionDeclaration `parameters.b.c]` schema specified incorrect schema type field.", "0 /parameters/properties/b.c]"},
		"Vertex AI, the root":        {VertexParameters, "Unable to submit request because `g1` functionDeclaration parameters schema should be of type OBJECT", "1 /parameters"},
		"Vertex AI, unknown":         {VertexParameters, "Unable to submit request because `h` functionDeclaration `parameters.x` schema didn't specify the schema type field.", "-1 "},
		"a function":                 {GeminiParameters, "FunctionDeclaration 'g1' in the request exceeds the maximum allowed nesting depth.", "1 /parameters"},
		"too few tools":              {GeminiParameters, fmt.Sprintf(unknown, "const", "[7].parameters"), "-1 "},
		"too few properties":         {GeminiParameters, fmt.Sprintf(unknown, "const", "[0].parameters.properties[9].value"), "-1 "},
		"no such member":             {GeminiParameters, fmt.Sprintf(unknown, "const", "[0].parameters"), "-1 "},
		"all functions":              {GeminiParameters, "* tools[0].function_declarations: [FIELD_INVALID] At most 512 function declarations can be specified.", "-1 "},
		"no place":                   {GeminiParameters, "Request contains an invalid argument.", "-1 "},
		"a broken place":             {GeminiParameters, "Invalid value at 'tools[0].function_declarations[0].parameters.properties[x' (a), 1", "-1 "},
		"a cut place":                {GeminiParameters, "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[", "-1 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var declarations []*schema.Node
			for i, text := range located {
				node, err := schema.Parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				declarations = append(declarations, test.dialect.Declare(schema.Tool{Name: fmt.Sprintf("g%d", i), Parameters: node}))
			}
			var got []string
			for _, place := range test.dialect.Locate(provider.ParsePasted(test.message), declarations) {
				got = append(got, fmt.Sprintf("%d %s", place.Declaration, place.At))
			}
			if strings.Join(got, ", ") != test.places {
				t.Errorf("got %q, expected %q", strings.Join(got, ", "), test.places)
			}
		})
	}
}
