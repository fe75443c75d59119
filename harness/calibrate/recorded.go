package calibrate

import (
	"fmt"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// recorded returns the cases of a recorded request. A refusal is one case with
// all its parts, because any of them can be what was refused.
func (r *Row) recorded(dialects []*provider.Dialect) (cases []Case, aside string) {
	if r.Status/100 != 2 {
		if class := ClassOf(r.Status, r.messageOf()); class != "" {
			return nil, class
		}
	}
	body := parse(r.Request)
	if body == nil {
		return nil, Unreadable
	}
	var parts []Part
	switch r.Provider {
	case "gemini", "vertex":
		parts = googleParts(body, r.Provider, dialects)
	case "openai-chat":
		parts = chatParts(body, "openai")
	case "openai-responses":
		parts = responsesParts(body, "openai")
	case "anthropic":
		parts = anthropicParts(body)
	default:
		service := r.service()
		if service == "" {
			return nil, NoModelOfProvider
		}
		if parts = chatParts(body, service); body.Has("input") {
			parts = responsesParts(body, service)
		}
	}
	if len(parts) == 0 {
		return nil, NoSchema
	}
	common := Case{Name: r.Name(), Date: known(r.RecordedAt, r.CommittedAt), Model: r.Model, Verdict: provider.Accepted}
	if r.Status/100 == 2 {
		for _, part := range parts {
			accepted := common
			accepted.Parts = []Part{part}
			if dialectNamed(dialects, part.Dialect) != nil {
				cases = append(cases, accepted)
			}
		}
		if len(cases) == 0 {
			return nil, NoModelOfSurface
		}
		return cases, ""
	}
	for _, part := range parts {
		if dialectNamed(dialects, part.Dialect) == nil {
			return nil, NoModelOfSurface
		}
	}
	dialect := dialectNamed(dialects, parts[0].Dialect)
	answer, err := dialect.Classify(r.Status, fmt.Appendf(nil, `{"error":%s}`, r.ResponseError))
	if err != nil {
		return nil, OtherFailure
	}
	common.Parts, common.Verdict, common.Message, common.Whole = parts, provider.Rejected, answer.Message, true
	return []Case{common}, ""
}

// service returns the name of the provider that speaks the language of OpenAI at
// the host of a request, or "".
func (r *Row) service() string {
	for _, known := range []struct{ part, name string }{
		{"azure.com", "azure"},
		{"groq", "groq"},
		{"cerebras", "cerebras"},
		{"deepseek", "deepseek"},
		{"moonshot", "moonshot"},
		{"x.ai", "xai"},
		{"xai", "xai"},
	} {
		if strings.Contains(r.Host, known.part) {
			return known.name
		}
	}
	return ""
}

// add puts a declaration into the part of its dialect.
func add(parts []Part, dialect string, declaration *schema.Node) []Part {
	for i := range parts {
		if parts[i].Dialect == dialect {
			parts[i].Declarations = append(parts[i].Declarations, declaration)
			return parts
		}
	}
	return append(parts, Part{Dialect: dialect, Declarations: []*schema.Node{declaration}})
}

// first returns the value of the first of the keys that the object has.
func first(node *schema.Node, keys ...string) *schema.Node {
	for _, key := range keys {
		if value := node.Get(key); value != nil && value.Kind != schema.Null {
			return value
		}
	}
	return nil
}

// list returns the elements of a list; one value counts as a list of one.
func list(node *schema.Node) []*schema.Node {
	if node != nil && node.Kind != schema.Array {
		return []*schema.Node{node}
	}
	if node == nil {
		return nil
	}
	return node.Elements
}

// googleParts splits a request of Google's: each function declaration goes to the
// surface of its own field, and each response schema is a declaration too.
func googleParts(body *schema.Node, service string, dialects []*provider.Dialect) []Part {
	if wrapped := first(body, "generateContentRequest", "generate_content_request"); wrapped != nil {
		body = wrapped // of countTokens
	}
	var parts []Part
	for _, tool := range list(body.Get("tools")) {
		for _, declaration := range list(first(tool, "functionDeclarations", "function_declarations")) {
			surface := "/parameters"
			if first(declaration, "parametersJsonSchema", "parameters_json_schema") != nil {
				surface = "/parametersJsonSchema"
			}
			parts = add(parts, service+surface, declaration)
		}
	}
	config := first(body, "generationConfig", "generation_config")
	for _, field := range []struct {
		surface string
		keys    []string
	}{
		{"/responseSchema", []string{"responseSchema", "response_schema"}},
		{"/responseJsonSchema", []string{"responseJsonSchema", "response_json_schema", "_responseJsonSchema"}},
	} {
		response := first(config, field.keys...)
		if response == nil {
			continue
		}
		declaration := response
		if dialect := dialectNamed(dialects, service+field.surface); dialect != nil {
			declaration = dialect.Declare(schema.Tool{Name: "response", Parameters: response})
		}
		parts = add(parts, service+field.surface, declaration)
	}
	return parts
}

// chatParts splits a request of Chat Completions. A format that is not strict is
// not judged. Only OpenAI and Azure are known to tell strict functions apart.
func chatParts(body *schema.Node, service string) []Part {
	isOther := service != "openai" && service != "azure"
	var parts []Part
	for _, tool := range list(body.Get("tools")) {
		function := first(tool, "function")
		switch {
		case function == nil:
		case isOther:
			parts = add(parts, service+"/chat", tool) // their declarations are whole tools
		case function.Get("strict").IsTrue():
			parts = add(parts, service+"/chat-strict", function)
		default:
			parts = add(parts, service+"/chat", function)
		}
	}
	format := first(body.Get("response_format"), "json_schema")
	if format.Get("strict").IsTrue() {
		parts = add(parts, service+"/response_format", format)
	}
	return parts
}

// responsesParts splits a request of Responses; built-in tools are passed over.
func responsesParts(body *schema.Node, service string) []Part {
	var parts []Part
	for _, tool := range list(body.Get("tools")) {
		if !tool.Get("type").Is("function") {
			continue
		}
		switch strict := first(tool, "strict"); {
		case strict == nil && !tool.Has("strict"):
			parts = add(parts, service+"/responses", tool)
		case strict.IsTrue():
			parts = add(parts, service+"/responses-strict", tool)
		default:
			parts = add(parts, service+"/responses-nonstrict", tool)
		}
	}
	format := first(body.Get("text"), "format")
	if format.Get("type").Is("json_schema") && format.Get("strict").IsTrue() {
		parts = add(parts, service+"/text_format", format)
	}
	return parts
}

// anthropicParts splits a request of Messages; built-in tools are passed over. A
// format in the field of the beta says so.
func anthropicParts(body *schema.Node) []Part {
	var parts []Part
	indices := map[string][]int{}
	for i, tool := range list(body.Get("tools")) {
		if kind := first(tool, "type"); kind != nil && !kind.Is("custom") {
			continue
		}
		dialect := "anthropic/tools"
		if tool.Get("strict").IsTrue() {
			dialect = "anthropic/tools-strict"
		}
		parts = add(parts, dialect, tool)
		indices[dialect] = append(indices[dialect], i)
	}
	for i := range parts {
		parts[i].Indices = indices[parts[i].Dialect]
	}
	if format := first(body.Get("output_config"), "format"); format.Get("type").Is("json_schema") {
		parts = add(parts, "anthropic/output_format", format)
	}
	if format := first(body, "output_format"); format.Get("type").Is("json_schema") {
		parts = add(parts, "anthropic/output_format", schema.NewObject(schema.Member{Key: "output_format", Value: format}))
	}
	return parts
}
