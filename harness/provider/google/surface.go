package google

import (
	"toolproof/harness/provider"
	"toolproof/harness/provider/google/descriptor"
	"toolproof/schema"
)

// surface is what the stages need to know of the dialect that a request is for.
type surface struct {
	// request returns the message that the body, or the wrapped part of it, is
	// decoded into.
	request func() *descriptor.Message
	wrapper string // the member of the body that holds the request; empty for the body
	// config is the field of generationConfig that a declaration is the value of;
	// empty when declarations are those of functions.
	config string
	root   schema.Pointer // from the tool to a declaration
	free   bool           // whether the schema is a JSON Schema, which the front end does not look at
	// named is the member of a declaration that is read as a JSON Schema, where it is
	// not one of the Gemini API's own.
	named string
}

// surfaces are the surfaces by the names of the dialects.
var surfaces = map[string]*surface{
	"gemini/parameters":           {request: descriptor.Gemini},
	"gemini/parametersJsonSchema": {request: descriptor.Gemini, free: true},
	"gemini/responseSchema":       {request: descriptor.Gemini, config: "response_schema", root: "/parameters"},
	"gemini/responseJsonSchema":   {request: descriptor.Gemini, config: "response_json_schema", root: "/parameters", free: true},
	"vertex/parameters":           {request: descriptor.Vertex},
	"vertex/parametersJsonSchema": {request: descriptor.Vertex, free: true},
	"vertex/responseSchema":       {request: descriptor.Vertex, config: "response_schema", root: "/parameters"},
	"vertex/responseJsonSchema":   {request: descriptor.Vertex, config: "response_json_schema", root: "/parameters", free: true},
	"codeassist/parameters":       {request: descriptor.CodeAssist, wrapper: "request"},
	"codeassist/claude":           {request: descriptor.CodeAssist, wrapper: "request"},
	"gemini-openai/chat":          {request: descriptor.Gemini, named: "parameters"},
}

// surfaceOf returns the surface that a request is for; a request of no known dialect
// is read as one of the Gemini API.
func surfaceOf(request provider.Request) *surface {
	if served := surfaces[request.Dialect]; served != nil {
		return served
	}
	return surfaces["gemini/parameters"]
}

// schema returns the message of a schema.
func (s *surface) schema() *descriptor.Message {
	return s.request().Field("tools").Message.Field("function_declarations").Message.Field("parameters").Message
}

// jsonSchema returns the JSON Schema of a declaration; nil when it has none.
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
