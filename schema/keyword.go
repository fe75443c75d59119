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
func ClassOf(keyword string) Class { return keywords[keyword].class }

// TypeOf returns the JSON Schema type that the 2020-12 metaschema, or OpenAPI
// 3.0, demands of a keyword's value: array, object, string and so on. It returns
// "" where that is any value, a schema, or no keyword.
func TypeOf(keyword string) string { return keywords[keyword].valueType }

type keyword struct {
	class     Class
	valueType string
}

// keywords is every keyword. Sources: JSON Schema core and validation 2020-12
// (https://json-schema.org/draft/2020-12), draft-07, draft-04, and the Schema
// Object of OpenAPI 3.0.3.
var keywords = map[string]keyword{
	"$anchor":          {Data, "string"},
	"$comment":         {Data, "string"},
	"$dynamicAnchor":   {Data, "string"},
	"$dynamicRef":      {Data, "string"},
	"$id":              {Data, "string"},
	"$recursiveAnchor": {Data, "boolean"},
	"$recursiveRef":    {Data, "string"},
	"$ref":             {Data, "string"},
	"$schema":          {Data, "string"},
	"$vocabulary":      {Data, "object"},
	"id":               {Data, "string"},

	"$defs":             {SchemaMap, "object"},
	"definitions":       {SchemaMap, "object"},
	"dependentSchemas":  {SchemaMap, "object"},
	"patternProperties": {SchemaMap, "object"},
	"properties":        {SchemaMap, "object"},
	"dependencies":      {SchemaOrNamesMap, "object"},

	"additionalItems":       {OneSchema, ""},
	"additionalProperties":  {OneSchema, ""},
	"contains":              {OneSchema, ""},
	"contentSchema":         {OneSchema, ""},
	"else":                  {OneSchema, ""},
	"if":                    {OneSchema, ""},
	"items":                 {SchemaOrList, ""},
	"not":                   {OneSchema, ""},
	"propertyNames":         {OneSchema, ""},
	"then":                  {OneSchema, ""},
	"unevaluatedItems":      {OneSchema, ""},
	"unevaluatedProperties": {OneSchema, ""},

	"allOf":       {SchemaList, "array"},
	"anyOf":       {SchemaList, "array"},
	"oneOf":       {SchemaList, "array"},
	"prefixItems": {SchemaList, "array"},

	"const":             {Data, ""},
	"contentEncoding":   {Data, "string"},
	"contentMediaType":  {Data, "string"},
	"default":           {Data, ""},
	"dependentRequired": {Data, "object"},
	"deprecated":        {Data, "boolean"},
	"description":       {Data, "string"},
	"enum":              {Data, "array"},
	"examples":          {Data, "array"},
	"exclusiveMaximum":  {Data, "number"},
	"exclusiveMinimum":  {Data, "number"},
	"format":            {Data, "string"},
	"maxContains":       {Data, "integer"},
	"maxItems":          {Data, "integer"},
	"maxLength":         {Data, "integer"},
	"maxProperties":     {Data, "integer"},
	"maximum":           {Data, "number"},
	"minContains":       {Data, "integer"},
	"minItems":          {Data, "integer"},
	"minLength":         {Data, "integer"},
	"minProperties":     {Data, "integer"},
	"minimum":           {Data, "number"},
	"multipleOf":        {Data, "number"},
	"pattern":           {Data, "string"},
	"readOnly":          {Data, "boolean"},
	"required":          {Data, "array"},
	"title":             {Data, "string"},
	"type":              {Data, ""},
	"uniqueItems":       {Data, "boolean"},
	"writeOnly":         {Data, "boolean"},

	"discriminator":    {Data, ""},
	"example":          {Data, ""},
	"externalDocs":     {Data, ""},
	"nullable":         {Data, "boolean"},
	"propertyOrdering": {Data, "array"},
	"xml":              {Data, ""},
}
