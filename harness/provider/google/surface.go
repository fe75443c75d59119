package google

import (
	"toolproof/harness/provider"
	"toolproof/harness/provider/google/descriptor"
	"toolproof/schema"
)

// surface is what the stages need to know about a surface beyond its row.
type surface struct {
	// request returns the message that the body, or the wrapped part of it, is decoded
	// into.
	request func() *descriptor.Message
	wrapper string // the member of the body that has the request; empty if the body is the request
	// config is the field of generationConfig whose value is the declaration. It is empty if
	// declarations are functions.
	config string
	root   schema.Pointer // from the tool to a declaration
	free   bool           // whether the schema is a JSON Schema, which the front end does not decode
	// named is the member of a declaration that is read as a JSON Schema, if it is not
	// parametersJsonSchema.
	named    string
	isVertex bool // whether Vertex AI checks functions in its own words, which name them
	isClaude bool // whether Claude answers behind the front end
}

// The surfaces, as the Own of their rows.
var (
	geminiFunctions     = &surface{request: descriptor.Gemini}
	geminiFreeFunctions = &surface{request: descriptor.Gemini, free: true}
	geminiAnswer        = &surface{request: descriptor.Gemini, config: "response_schema", root: "/parameters"}
	geminiFreeAnswer    = &surface{request: descriptor.Gemini, config: "response_json_schema", root: "/parameters", free: true}
	compatibleFunctions = &surface{request: descriptor.Gemini, named: "parameters"}
	vertexFunctions     = &surface{request: descriptor.Vertex, isVertex: true}
	vertexFreeFunctions = &surface{request: descriptor.Vertex, isVertex: true, free: true}
	vertexAnswer        = &surface{request: descriptor.Vertex, config: "response_schema", root: "/parameters"}
	vertexFreeAnswer    = &surface{request: descriptor.Vertex, config: "response_json_schema", root: "/parameters", free: true}
	codeAssistFunctions = &surface{request: descriptor.CodeAssist, wrapper: "request"}
	claudeFunctions     = &surface{request: descriptor.CodeAssist, wrapper: "request", isClaude: true}
)

// surfaceOf returns what the stages need to know about a surface.
func surfaceOf(dialect *provider.Dialect) *surface {
	return dialect.Own.(*surface) //nolint:forcetypeassert // the package's own type
}

// schema returns the message that a schema is decoded into.
func (s *surface) schema() *descriptor.Message {
	return s.request().Field("tools").Message.Field("function_declarations").Message.Field("parameters").Message
}

// jsonSchema returns the JSON Schema of a declaration, or nil if it has none.
func (s *surface) jsonSchema(declaration *schema.Node) *schema.Node {
	switch {
	case s.config != "":
		return declaration
	case s.named != "":
		return declaration.Get(s.named)
	case declaration.Has("parametersJsonSchema"):
		return declaration.Get("parametersJsonSchema")
	default:
		return declaration.Get("parameters_json_schema")
	}
}
