package emulator

import (
	"net/http"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

// The services of Google.
var (
	gemini       = &service{name: "gemini", failure: googleFailure}
	vertex       = &service{name: "vertex", failure: googleFailure}
	geminiOpenAI = &service{name: "gemini-openai", failure: func(status int, message string) []byte {
		return slices.Concat([]byte("["), googleFailure(status, message), []byte("]"))
	}}
)

// googleStatus are the names of google.rpc.Code that go with a status of HTTP.
var googleStatus = map[int]string{
	http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusNotFound: "NOT_FOUND", http.StatusMethodNotAllowed: "UNIMPLEMENTED",
	http.StatusRequestEntityTooLarge: "INVALID_ARGUMENT", http.StatusTooManyRequests: "RESOURCE_EXHAUSTED", http.StatusInternalServerError: "INTERNAL",
}

func googleFailure(status int, message string) []byte {
	return encode(object{"error": object{"code": status, "message": message, "status": googleStatus[status]}})
}

// generateContent answers the methods of a model of Google's.
func (x *exchange) generateContent() reply {
	model, method, _ := strings.Cut(x.request.PathValue("call"), ":")
	x.model = model
	switch method {
	case "generateContent":
		return x.generate()
	default:
		return x.service.failed(http.StatusNotFound, "models/%s has no method %q", model, method)
	}
}

func (x *exchange) generate() reply {
	requests := wire.GenerateContent(x.body, x.service.name)
	// The front end decodes each body, also one that declares nothing.
	decoded := []provider.Request{{Dialect: x.service.name + "/parameters", Body: x.body}}
	if refused := x.refusal(slices.Concat(decoded, requests)); refused != nil {
		return *refused
	}
	said, err := x.answer(x.geminiQuestion(requests))
	if err != nil {
		return x.service.failed(http.StatusBadRequest, "%v: allowed_function_names", err)
	}
	part := object{"text": said.text}
	if said.function != "" {
		part = object{"functionCall": object{"name": said.function, "args": said.arguments}}
	}
	prompt, candidate := tokens(x.size), tokens(len(encode(part)))
	return found(object{
		"candidates": []any{object{
			"content":      object{"role": "model", "parts": []any{part}},
			"finishReason": "STOP",
			"index":        0,
		}},
		"usageMetadata": object{"promptTokenCount": prompt, "candidatesTokenCount": candidate, "totalTokenCount": prompt + candidate},
		"modelVersion":  x.model,
		"responseId":    x.id(""),
	})
}

// geminiQuestion reads what is asked. Google takes each field by two names.
func (x *exchange) geminiQuestion(requests []provider.Request) question {
	q := question{functions: x.functionsOf(requests)}
	for i := range q.functions {
		q.functions[i].parameters = standard(q.functions[i].parameters)
	}
	calling := x.body.First("toolConfig", "tool_config").First("functionCallingConfig", "function_calling_config")
	switch strings.ToUpper(calling.GetString("mode")) {
	case "NONE":
		q.functions = nil
	case "ANY":
		q.isForced = len(q.functions) > 0
	}
	q.names = calling.First("allowedFunctionNames", "allowed_function_names").Strings()
	if contents := elements(x.body.Get("contents")); len(contents) > 0 {
		for _, part := range elements(contents[len(contents)-1].Get("parts")) {
			q.isTold = q.isTold || part.First("functionResponse", "function_response") != nil
		}
	}
	config := x.body.First("generationConfig", "generation_config")
	if kind := config.First("responseMimeType", "response_mime_type"); kind != nil {
		q.isJSON = kind.Text == typeJSON
	}
	q.format = standard(config.First("responseJsonSchema", "response_json_schema", "_responseJsonSchema", "responseSchema", "response_schema"))
	return q
}

// standard returns a copy of a schema with the keywords that Google's APIs take by two
// names under that of JSON, and with types by their names and not by their numbers.
func standard(node *schema.Node) *schema.Node {
	types := []string{"", "string", "number", "integer", "boolean", "array", "object", "null"}
	clone := node.Clone()
	clone.Each(func(subschema *schema.Node) bool {
		for i, member := range subschema.Members {
			if name := camelCase[member.Key]; name != "" {
				subschema.Members[i].Key = name
			}
			if number, ok := member.Value.Int64(); ok && member.Key == "type" && number > 0 && number < int64(len(types)) {
				subschema.Members[i].Value = schema.NewString(types[number])
			}
		}
		return true
	})
	return clone
}

var camelCase = map[string]string{
	"any_of": "anyOf", "max_items": "maxItems", "min_items": "minItems", "max_length": "maxLength", "min_length": "minLength",
	"max_properties": "maxProperties", "min_properties": "minProperties", "additional_properties": "additionalProperties",
}
