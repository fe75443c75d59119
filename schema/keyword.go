package schema

// Class says what the value of a keyword is made of.
type Class uint8

const (
	// Unknown is a name that is no keyword.
	Unknown Class = iota
	// Data keywords hold no subschema: type, enum, default ...
	Data
	// OneSchema keywords hold a subschema: not, contains ...
	OneSchema
	// SchemaList keywords hold a list of subschemas: anyOf ...
	SchemaList
	// SchemaOrList keywords hold either: items of draft 7.
	SchemaOrList
	// SchemaMap keywords hold subschemas by name: properties, $defs ...
	SchemaMap
	// SchemaOrNamesMap keywords hold subschemas or lists of names by name:
	// dependencies of draft 7.
	SchemaOrNamesMap
)

// ClassOf returns what the keyword holds. It knows the keywords of JSON Schema
// drafts 4 to 2020-12 and those that OpenAPI 3.0 adds to them.
func ClassOf(keyword string) Class { return keywords[keyword] }

// keywords is every keyword with its class. Sources: JSON Schema core and
// validation 2020-12 (https://json-schema.org/draft/2020-12), draft-07, draft-04,
// and the Schema Object of OpenAPI 3.0.3.
var keywords = map[string]Class{
	"$anchor": Data, "$comment": Data, "$dynamicAnchor": Data, "$dynamicRef": Data, "$id": Data, "$recursiveAnchor": Data,
	"$recursiveRef": Data, "$ref": Data, "$schema": Data, "$vocabulary": Data, "id": Data,

	"$defs": SchemaMap, "definitions": SchemaMap, "properties": SchemaMap, "patternProperties": SchemaMap, "dependentSchemas": SchemaMap,
	"dependencies": SchemaOrNamesMap,

	"additionalItems": OneSchema, "additionalProperties": OneSchema, "contains": OneSchema, "contentSchema": OneSchema, "else": OneSchema,
	"if": OneSchema, "not": OneSchema, "propertyNames": OneSchema, "then": OneSchema, "unevaluatedItems": OneSchema,
	"unevaluatedProperties": OneSchema,
	"items":                 SchemaOrList,
	"allOf":                 SchemaList, "anyOf": SchemaList, "oneOf": SchemaList, "prefixItems": SchemaList,

	"const": Data, "contentEncoding": Data, "contentMediaType": Data, "default": Data, "dependentRequired": Data, "deprecated": Data,
	"description": Data, "enum": Data, "examples": Data, "exclusiveMaximum": Data, "exclusiveMinimum": Data, "format": Data,
	"maxContains": Data, "maxItems": Data, "maxLength": Data, "maxProperties": Data, "maximum": Data, "minContains": Data,
	"minItems": Data, "minLength": Data, "minProperties": Data, "minimum": Data, "multipleOf": Data, "pattern": Data,
	"readOnly": Data, "required": Data, "title": Data, "type": Data, "uniqueItems": Data, "writeOnly": Data,

	"discriminator": Data, "example": Data, "externalDocs": Data, "nullable": Data, "propertyOrdering": Data, "xml": Data,
}
