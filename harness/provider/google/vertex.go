package google

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/google/descriptor"
	"toolproof/schema"
)

// vertexPath is the method of Vertex AI that takes declarations.
const vertexPath = "/v1beta1/projects/PROJECT/locations/global/publishers/google/models/{model}:generateContent"

var vertexTraffic = provider.Traffic{Provider: "vertex", Hosts: []string{"*aiplatform.googleapis.com"}, Path: "/publishers/google/"}

// VertexParameters is the field parameters of a function declaration in Vertex AI.
var VertexParameters = &provider.Dialect{
	Name:     "vertex/parameters",
	Doc:      "function declarations of Vertex AI with an OpenAPI-like Schema message",
	Rules:    slices.Concat(vertexParseRules, vertexRules, vertexSemanticRules, protoRules),
	Path:     vertexPath,
	API:      provider.GenerateContent,
	Subject:  provider.Arguments,
	Portable: true,
	Traffic:  vertexTraffic,
	Account:  "vertex",
	Control:  provider.ListControl,
	Schema:   "/parameters",
	Wider:    VertexParametersJSONSchema,
	Members:  functionMembers,
	Declare:  schema.Tool.Node,
	Envelope: generateContent,
	Render:   render,
	Classify: classify,
	Own:      vertexFunctions,
	Locate:   locator(vertexFunctions),
}

// VertexParametersJSONSchema is the field parametersJsonSchema of a function
// declaration in Vertex AI.
var VertexParametersJSONSchema = &provider.Dialect{
	Name:     "vertex/parametersJsonSchema",
	Doc:      "function declarations of Vertex AI with a JSON Schema",
	Rules:    slices.Concat(vertexParseRules, protoRules, jsonSchemaRules),
	Path:     vertexPath,
	API:      provider.GenerateContent,
	Subject:  provider.Arguments,
	Portable: true,
	Traffic:  vertexTraffic,
	Account:  "vertex",
	Control:  jsonSchemaControl,
	Schema:   "/parametersJsonSchema",
	Members:  functionMembers,
	Declare:  declareJSONSchema,
	Envelope: generateContent,
	Render:   render,
	Classify: classify,
	Own:      vertexFreeFunctions,
	Locate:   locator(vertexFreeFunctions),
}

// vertexResponseSchema is the field responseSchema of generationConfig in Vertex AI.
// Its declaration is the schema itself.
var vertexResponseSchema = &provider.Dialect{
	Name:      "vertex/responseSchema",
	Doc:       "response schemas of Vertex AI with an OpenAPI-like Schema message",
	Rules:     slices.Concat(vertexParseRules, vertexResponseRules, vertexSemanticRules),
	Path:      vertexPath,
	API:       provider.GenerateContent,
	Subject:   provider.Answer,
	Traffic:   vertexTraffic,
	MostTools: 1,
	Relative:  "vertex", // whose unions stand alone, as those of answers do
	Declare:   declareResponse,
	Envelope:  generateResponse("responseSchema"),
	Render:    render,
	Classify:  classify,
	Own:       vertexAnswer,
	Locate:    locator(vertexAnswer),
}

// vertexResponseJSONSchema is the field responseJsonSchema of generationConfig in
// Vertex AI. Its declaration is the schema itself.
var vertexResponseJSONSchema = &provider.Dialect{
	Name:      "vertex/responseJsonSchema",
	Doc:       "response schemas of Vertex AI with a JSON Schema",
	Rules:     jsonSchemaRules,
	Path:      vertexPath,
	API:       provider.GenerateContent,
	Subject:   provider.Answer,
	Traffic:   vertexTraffic,
	MostTools: 1,
	Relative:  "gemini-response-json",
	Declare:   declareResponse,
	Envelope:  generateResponse("responseJsonSchema"),
	Render:    render,
	Classify:  classify,
	Own:       vertexFreeAnswer,
	Locate:    locator(vertexFreeAnswer),
}

// vertexParseRules are the rules of the parse stage, except those about fields that the Gemini API
// once lacked. Vertex AI has got its fields on other days.
var vertexParseRules = []*provider.Rule{
	unknownName, repeatedMapKey, listForMap, listInMap, notRepeating, objectForScalar, scalarForMessage, invalidEnumValue, invalidScalar,
}

// vertexSemanticRules are the rules of the semantic stage that answers of Vertex AI, or of Code
// Assist in front of it, have shown in the same words.
var vertexSemanticRules = []*provider.Rule{keyEmpty, itemsMissing, enumMemberEmpty, enumFormatEmpty}

// vertexTypes and vertex are the stages in which Vertex AI checks schemas in its own words: the first
// checks that each schema has a type, the second checks the other fields against the type. A stage
// reports one violation, without details, and names a schema of a function by the properties that lead
// to it: items and branches have the name of the property that they belong to. A response schema is
// not named. The Subject is a *vertexPlace.
var (
	vertexTypes = &provider.Stage{Name: "vertex types", Shared: vertexShared, Walk: walkVertex}
	vertex      = &provider.Stage{Name: "vertex", Shared: vertexShared, Walk: walkVertex}
)

const vertexShared = "one check of Vertex AI, which also served Code Assist; for answers its words are response schemas, without a function"

func walkVertex(request provider.Request, _ int, visitor *provider.Visitor) {
	surface := surfaceOf(visitor.Dialect)
	walk := &vertexWalk{visitor: visitor, pass: provider.Pass{Request: request}, place: vertexPlace{message: surface.schema()}}
	for i, declaration := range request.Declarations {
		parameters := declaration
		if surface.config == "" {
			walk.place.function = declaration.GetString("name")
			parameters = declaration.Get("parameters")
		}
		walk.pass.Declaration, walk.place.isResponse = i, surface.config != ""
		walk.path, walk.at = append(walk.path[:0], "parameters"...), append(walk.at[:0], "/parameters"...)
		if parameters != nil && parameters.Kind == schema.Object {
			walk.schema(parameters, true)
		}
	}
}

// vertexPlace is a schema as the vertex stage sees it.
type vertexPlace struct {
	typed

	message    *descriptor.Message
	function   string
	isResponse bool
	isRoot     bool
}

type vertexWalk struct {
	visitor *provider.Visitor
	pass    provider.Pass
	place   vertexPlace
	path    []byte // parameters.a.b, the nearest property
	at      []byte
}

// schema visits a schema and then its subschemas.
func (w *vertexWalk) schema(object *schema.Node, isRoot bool) {
	w.place.decode(w.place.message, object)
	w.place.isRoot = isRoot
	w.pass.Subject, w.pass.Node = &w.place, object
	w.pass.Location, w.pass.At = w.path, w.at
	if w.visitor.Visit(&w.pass); w.visitor.Done() {
		return
	}
	properties, items := w.place.fields[fieldProperties], w.place.fields[fieldItems]
	union, unionKey := w.place.list(fieldAnyOf), w.place.keys[fieldAnyOf]
	path, at := len(w.path), len(w.at)
	// below visits a subschema whose path and pointer have been appended.
	below := func(node *schema.Node) {
		if node.Kind == schema.Object && !node.IsPlain() && !w.visitor.Done() {
			w.schema(node, false)
		}
		w.path, w.at = w.path[:path], w.at[:at]
	}
	if properties != nil {
		for i := range properties.Members {
			name := &properties.Members[i]
			w.path = append(append(w.path, '.'), name.Key...)
			w.at = schema.AppendToken(append(w.at, "/properties"...), name.Key)
			below(name.Value)
		}
	}
	if items != nil && len(items.Members) > 0 {
		w.at = append(w.at, "/items"...)
		below(items)
	}
	for i, branch := range union {
		w.at = strconv.AppendInt(append(schema.AppendToken(w.at, unionKey), '/'), int64(i), 10)
		below(branch)
	}
}

// onVertex makes the check of a rule of the stage vertex.
func onVertex(check func(*provider.Pass, *vertexPlace)) func(*provider.Pass) {
	return func(p *provider.Pass) {
		if place, ok := p.Subject.(*vertexPlace); ok {
			check(p, place)
		}
	}
}

const (
	functionsPage = " Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling"
	responsesPage = " Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/control-generated-output"
)

// reportVertex reports a violation in the words of the service, after the words that name the place.
func reportVertex(p *provider.Pass, place *vertexPlace, words string) {
	who, page := "one or more response schemas", responsesPage
	switch {
	case place.isResponse:
	case place.isRoot:
		who, page = "`"+place.function+"` functionDeclaration parameters schema", functionsPage
	default:
		who, page = "`"+place.function+"` functionDeclaration `"+string(p.Location)+"` schema", functionsPage
	}
	p.Reportf("Unable to submit request because %s %s%s", who, words, page)
}

// vertexRules judge the schemas of functions, and vertexResponseRules those of responses. The first
// rule that a schema breaks is reported.
var (
	vertexRules = []*provider.Rule{
		rootNotObjectUnnamed, rootNotObject, vertexTypeMissing, anyOfAlone, referenceSiblings,
		vertexItemsType, vertexPropertiesType, vertexEnumType, vertexRequiredUndefined,
	}
	vertexResponseRules = []*provider.Rule{vertexTypeMissing, unsupportedField, anyOfAlone, referenceSiblings}
)

// rootNotObjectUnnamed is rootNotObject as it was when answers did not name the function.
var rootNotObjectUnnamed = &provider.Rule{
	Name:   "root_not_object_unnamed",
	Effect: provider.Rejects,
	Stage:  vertexTypes,
	Until:  "2025-01-01",
	Doc: `the parameters of a function are of type OBJECT

The answers of 2024 did not name the function.`,
	Source: "https://github.com/genkit-ai/genkit/issues/1134 (2024-10-29); https://github.com/spring-projects/spring-ai/issues/1373",
	Check: onVertex(func(p *provider.Pass, place *vertexPlace) {
		if place.isRoot && !place.isResponse && place.typ != "OBJECT" {
			p.Reportf("Unable to submit request because function parameters schema should be of type OBJECT.%s", functionsPage)
		}
	}),
}

// rootNotObject reports parameters of another type, or without a type.
var rootNotObject = &provider.Rule{
	Name:   "root_not_object",
	Effect: provider.Rejects,
	Stage:  vertexTypes,
	Since:  "2025-01-01",
	Doc: `the parameters of a function are of type OBJECT

Parameters may be absent. Parameters without properties need the type too.`,
	Evidence: []string{
		"vertex/parameters/14f7c627a2c2",
		// Near misses.
		"vertex/parameters/a9a6864a48aa",
	},
	Check: onVertex(func(p *provider.Pass, place *vertexPlace) {
		if place.isRoot && !place.isResponse && place.typ != "OBJECT" {
			reportVertex(p, place, "should be of type OBJECT.")
		}
	}),
}

// anyOfAlone reports any_of beside other fields.
var anyOfAlone = &provider.Rule{
	Name:   "any_of_alone",
	Effect: provider.Rejects,
	Stage:  vertex,
	Doc: `any_of beside other fields of its schema fails the request

Even a description, a title or a default beside it is refused. Reported from 2025-04 to
2026-08.`,
	Evidence: []string{
		"vertex/parameters/6ffeac44ecc1",
		"vertex/parameters/152d51a4759d",
		"vertex/parameters/b3f0f88f4a65",
		"vertex/parameters/070456a913ed",
		// Near misses.
		"vertex/parameters/a9a6864a48aa",
	},
	Check: onVertex(func(p *provider.Pass, place *vertexPlace) {
		if place.fields[fieldAnyOf] != nil && place.set > 1 {
			reportVertex(p, place, "specified other fields alongside any_of. When using any_of, it must be the only field set.")
		}
	}),
}

// referenceSiblings reports fields beside a reference, which would replace them.
var referenceSiblings = &provider.Rule{
	Name:   "reference_siblings",
	Effect: provider.Rejects,
	Stage:  vertex,
	Since:  "2026-02-01",
	Doc: `beside ref only description and default are allowed

Reported for Code Assist and for Vertex AI from 2026-02 to 2026-05.`,
	Source: "https://github.com/diegosouzapw/OmniRoute/pull/1416 (2026-04-19); https://github.com/anomalyco/opencode/issues/12295",
	Check: onVertex(func(p *provider.Pass, place *vertexPlace) {
		reference := place.fields[fieldRef]
		if reference == nil {
			return
		}
		beside := place.set - 1
		for _, field := range []int{fieldDescription, fieldDefault} {
			if place.fields[field] != nil {
				beside--
			}
		}
		if beside > 0 {
			p.Reportf("Schema.ref '%s' was set alongside unsupported fields. If a schema node has Schema.ref set, then only description and "+
				"default can be set alongside it; other fields they would be replaced by the expanded reference.", reference.Text)
		}
	}),
}

// vertexTypeMissing reports a schema without a type.
var vertexTypeMissing = &provider.Rule{
	Name:   "schema_type_missing",
	Effect: provider.Rejects,
	About:  "type",
	Stage:  vertexTypes,
	Doc: `a schema without type, any_of and ref, even with an enum, fails the request

This is asked of all schemas before any_of is asked to stand alone. The answer names a branch,
or the items of an array, by the property that has them.`,
	Evidence: []string{
		"vertex/parameters/8b0cf73dd4a6",
		"vertex/parameters/0107032775e7",
		"vertex/parameters/01e2f6d268d0",
		// Near misses.
		"vertex/parameters/2bc8077cf811",
	},
	Check: onVertex(func(p *provider.Pass, place *vertexPlace) {
		if place.typ == "" && place.fields[fieldAnyOf] == nil && place.fields[fieldRef] == nil {
			reportVertex(p, place, "didn't specify the schema type field.")
		}
	}),
}

// vertexItemsType reports items in a schema of another type.
var vertexItemsType = &provider.Rule{
	Name:   "items_type",
	Effect: provider.Rejects,
	Stage:  vertex,
	Doc:    `items is for type ARRAY alone`,
	Evidence: []string{
		"vertex/parameters/23f121c6b6f8",
		// Near misses.
		"vertex/parameters/3837d268068b",
	},
	Check: onVertex(func(p *provider.Pass, place *vertexPlace) {
		if place.fields[fieldItems] != nil && place.typ != "" && place.typ != "ARRAY" {
			reportVertex(p, place, "specified incorrect schema type field. For schema with items, schema type should be ARRAY.")
		}
	}),
}

// vertexPropertiesType reports properties in a schema of another type.
var vertexPropertiesType = &provider.Rule{
	Name:   "properties_type",
	Effect: provider.Rejects,
	Stage:  vertex,
	Doc:    `properties is for type OBJECT alone`,
	Evidence: []string{
		"vertex/parameters/bdd86fb8bd88",
		// Near misses.
		"vertex/parameters/3837d268068b",
	},
	Check: onVertex(func(p *provider.Pass, place *vertexPlace) {
		if place.fields[fieldProperties] != nil && place.typ != "" && place.typ != "OBJECT" {
			reportVertex(p, place, "specified incorrect schema type field. For schema with properties, schema type should be OBJECT.")
		}
	}),
}

// vertexEnumType reports an enum on an object or an array.
var vertexEnumType = &provider.Rule{
	Name:   "enum_type",
	Effect: provider.Rejects,
	Stage:  vertex,
	Doc:    `an enum is for single values, not for type OBJECT or ARRAY`,
	Source: "https://github.com/reportportal/reportportal-mcp-server/issues/25 (2025-07-30)",
	Check: onVertex(func(p *provider.Pass, place *vertexPlace) {
		if len(place.list(fieldEnum)) > 0 && (place.typ == "OBJECT" || place.typ == "ARRAY") {
			reportVertex(p, place, "specified incorrect schema type field. For schema with enum values, schema type should not be OBJECT or ARRAY.")
		}
	}),
}

// vertexRequiredUndefined reports required names that properties lacks.
var vertexRequiredUndefined = &provider.Rule{
	Name:   "required_fields_undefined",
	Effect: provider.Rejects,
	Stage:  vertex,
	Doc:    `required names properties that the schema has; the answer lists the missing names without their place`,
	Source: "https://github.com/genkit-ai/genkit/issues/5656 (2026-06-30)",
	Check: onVertex(func(p *provider.Pass, place *vertexPlace) {
		isDefined := schema.Among(place.fields[fieldProperties].Keys())
		var missing []string
		for _, name := range place.list(fieldRequired) {
			if !isDefined(name.Text) {
				missing = append(missing, "'"+name.Text+"'")
			}
		}
		if len(missing) > 0 {
			p.Reportf("Unable to submit request because required fields [%s] are not defined in the schema properties.", strings.Join(missing, ", "))
		}
	}),
}

// unsupportedField reports fields of a response schema that the service decoded and did not
// support.
var unsupportedField = &provider.Rule{
	Name:   "unsupported_field",
	Effect: provider.Rejects,
	Stage:  vertex,
	Until:  "2025-01-01",
	Doc: `the length and the pattern of a string were not supported in response schemas

Reported in 2024-10, the length with status 501. Later models accept both.`,
	Evidence: []string{
		"vertex/responseSchema/c9e7e18dac76",
		// Near misses.
		"vertex/responseSchema/145b6d4be46c",
	},
	Check: onVertex(func(p *provider.Pass, place *vertexPlace) {
		for _, member := range p.Node.Members {
			field := place.message.Field(member.Key)
			if field != nil && member.Value.Kind != schema.Null && slices.Contains([]string{"min_length", "max_length", "pattern"}, field.Name) {
				reportVertex(p, place, "specified unsupported field "+field.Name+".")
				return
			}
		}
	}),
}
