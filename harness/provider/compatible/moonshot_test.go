package compatible

import (
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/walle"
	"toolproof/schema"
)

// TestWordsOfWalle checks each message of the validator where it appears, and where it
// almost does. TestAgreesWithWalle checks the verdicts on the corpus.
func TestWordsOfWalle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ schema, want string }{
		{`{}`, ""},
		{`{"$defs":[],"type":"object"}`, "At path '$defs': $defs must be an object"},
		{`{"$defs":{"a":true}}`, "At path '$defs': $defs schema must be object"},
		{`{"$defs":{"":{}}}`, "At path '$defs': $defs property name cannot be empty"},
		{`{"$defs":{"a/b":{}}}`, "At path '$defs': $defs property name 'a/b' cannot contain '/' character"},
		{`{"$defs":{"a":{"x/y":1}}}`, "At path '$defs': $defs property name 'x/y' cannot contain '/' character"},
		{`{"$defs":{"a":{"enum":["x/y"],"type":"string"}}}`, ""},
		{`{"$defs":{"a":{"anyOf":[{"x/y":{}}]}}}`, "At path '$defs.a': $defs property name 'x/y' cannot contain '/' character"},
		{`{"$id":1}`, "At path '$id': $id must be a string"},
		{`{"$id":null,"pattern":null}`, ""},
		{`{"$ref":1}`, "At path '$ref': $ref must be a string"},
		{`{"$ref":"#/$defs/","$defs":{}}`, "At path '$ref': definition name cannot be empty"},
		{`{"$ref":"#/$defs/a"}`, "At path '$ref': $defs not found for reference: #/$defs/a"},
		{`{"$ref":"#/$defs/a","$defs":{}}`, "At path 'root': invalid $ref path: #/$defs/a"},
		{`{"$ref":"#/$defs/a/properties/b","$defs":{"a":{"properties":{"b":{"type":"string"}}}}}`, ""},
		{`{"not":{"$ref":{}}}`, "At path 'not.$ref': $ref must be a string"},
		{`{"not":{"$ref":"#/$defs/a"}}`, "At path 'root': invalid $ref path: #/$defs/a"},
		{`{"additionalProperties":"no"}`, "At path 'additionalProperties': additionalProperties must be a boolean or an object"},
		{`{"anyOf":{}}`, "At path 'anyOf': anyOf must be an array"},
		{`{"anyOf":[{"anyOf":[]}]}`, "At path 'anyOf.anyOf': anyOf must have 1-500 items"},
		{`{"anyOf":[{"anyOf":[1]}]}`, "At path 'anyOf.anyOf': schema in anyOf must be an object"},
		{`{"enum":{}}`, "At path 'enum': enum must be an array"},
		{`{"type":{},"enum":[1]}`, "At path 'root': invalid type value"},
		{`{"type":["null","null"],"enum":[null]}`, "At path 'root': invalid type combination with enum:  + null"},
		{`{"type":["array","null"],"enum":[null]}`, "At path 'root': type array is not allowed in combination with enum"},
		{`{"type":"integer","enum":[1.5]}`, "At path 'enum': not a valid integer"},
		{`{"type":"integer","enum":[1,2.0]}`, ""},
		{`{"type":["integer","null"],"enum":[null]}`, "At path 'enum': not a valid integer"},
		{`{"type":["null","integer"],"enum":[null]}`, ""},
		{`{"type":"number","enum":["1"]}`, "At path 'enum': not a valid number"},
		{`{"type":"string","enum":[10000000]}`, "At path 'enum': enum value (1e+07) does not match any type in [string]"},
		{`{"type":"string","enum":[{"a":[true,null]}]}`, "At path 'enum': enum value (map[a:[true <nil>]]) does not match any type in [string]"},
		{`{"type":["boolean","null"],"enum":["a"]}`, "At path 'enum': enum value (a) does not match any type in [boolean null]"},
		{`{"type":[]}`, "At path 'root': type array cannot be empty"},
		{`{"type":["object","any"]}`, "At path 'root': invalid type in type array"},
		{`{"type":["object"],"properties":{}}`, ""},
		{`{"type":["string","null"],"title":"t","description":"d","$id":"i","$defs":{}}`, ""},
		{`{"items":{"type":["string","null"],"$id":"i"}}`, "At path 'items': keyword $id is not allowed in combination with multiple types"},
		{`{"properties":[]}`, "At path 'properties': properties must be an object"},
		{`{"pattern":1}`, "At path 'pattern': pattern must be a string"},
		{`{"required":"a"}`, "At path 'required': required must be an array"},
		{`{"required":[1]}`, "At path 'required': items in required array must be strings"},
		{`{"required":["a"]}`, "At path 'required': required property 'a' is not defined in properties"},
		{`{"properties":{"{a}":{"required":[],"properties":{}}}}`, ""},
		{`{"properties":{"{a}":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"string"}}}`, "At path 'properties.{a}.$ref': invalid path: properties.{a}"},
		{`{"anyOf":[{"properties":{"{a}":{"anyOf":[{}]}}}]}`, "At path 'anyOf.properties.{a}.anyOf': invalid path: anyOf{0}.properties.{a}"},
		{`{"title":"t","anyOf":[{"title":"u"}]}`, ""},
		{`{"z":1,"a":1,"anyOf":[{"z":2,"a":2}]}`, "At path 'root': conflicting keywords found in anyOf with parent: keywords (a, z) are defined on the parent schema and inside anyOf; remove them from the parent or from anyOf branches"},
		{`{"properties":{"a":{"$ref":"#/$defs/b","anyOf":[{}]}},"$defs":{"b":{"type":"string"}}}`, "At path 'properties.a': invalid schema after $ref expansion: (when using anyOf, type should be defined in anyOf items instead of the parent schema)"},
		// References that end, and some that do not.
		{`{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}`, "At path 'properties.a': detected infinite recursion without termination condition"},
		{`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"type":"null"}},"required":["a","b"]}`, ""},
		{`{"type":"object","properties":{"a":{"$ref":"#"}}}`, ""},
		{`{"type":"array","items":{"$ref":"#"}}`, "At path 'items': detected infinite recursion without termination condition"},
		{`{"properties":{"a":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}}`, "At path 'properties.a.anyOf': detected infinite recursion without termination condition"},
		{`{"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"type":"null"}]}`, ""},
		{`{"properties":{"a":{"$ref":"#"}},"required":[]}`, ""},
	} {
		dialect := moonshotResponseFormat
		request := dialect.Encode([]schema.Tool{{Name: "f", Parameters: read(t, test.schema)}})
		said, err := (&provider.Model{Dialect: dialect, AsOf: walle.Versions[0].Date}).Send(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if want := said.Message == ""; want != (test.want == "") || !strings.HasSuffix(said.Message, test.want) && !strings.HasSuffix(said.Message, "details: <"+test.want+">") {
			t.Errorf("%s: %q, want %q", test.schema, said.Message, test.want)
		}
	}
}
