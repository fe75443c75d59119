// Package wire reads the bodies of requests as clients send them: what each of them
// declares, and on which surface. A body whose tools are for several surfaces, such as
// strict functions beside others, comes to several requests with the same Body.
package wire

import (
	"toolproof/harness/provider"
	"toolproof/schema"
)

// requests collects the declarations of a body by dialect, in the order in which
// dialects are met.
type requests struct {
	all  []provider.Request
	body *schema.Node
}

// tool adds a declaration from a list of tools; index is its place there.
func (r *requests) tool(dialect string, declaration *schema.Node, index int) {
	for i := range r.all {
		if r.all[i].Dialect == dialect {
			r.all[i].Declarations = append(r.all[i].Declarations, declaration)
			r.all[i].Indices = append(r.all[i].Indices, index)
			return
		}
	}
	r.all = append(r.all, provider.Request{Dialect: dialect, Declarations: []*schema.Node{declaration}, Indices: []int{index}, Body: r.body})
}

// format adds the schema of an answer.
func (r *requests) format(dialect string, declaration *schema.Node) {
	r.all = append(r.all, provider.Request{Dialect: dialect, Declarations: []*schema.Node{declaration}, Body: r.body})
}

// list returns the elements of a list; one value counts as a list of one.
func list(node *schema.Node) []*schema.Node {
	switch {
	case node == nil || node.Kind == schema.Null:
		return nil
	case node.Kind != schema.Array:
		return []*schema.Node{node}
	default:
		return node.Elements
	}
}

// Read reads a request of an API, as a service takes it; none where no reader knows the
// API.
func Read(api provider.API, service string, body *schema.Node) []provider.Request {
	switch api {
	case provider.GenerateContent:
		return GenerateContent(body, service)
	case provider.ChatCompletions:
		return Chat(body, service)
	case provider.Responses:
		return Responses(body, service)
	case provider.Messages:
		return Messages(body)
	default:
		return nil
	}
}

// GenerateContent reads a request of Google's generateContent. The service is gemini
// or vertex. Each function declaration goes to the surface of its own field, and each
// response schema is a declaration too. Functions are counted through all tools, as
// if they stood in one.
func GenerateContent(body *schema.Node, service string) []provider.Request {
	found, count := requests{body: body}, 0
	for _, tool := range list(body.Get("tools")) {
		for _, declaration := range list(tool.First("functionDeclarations", "function_declarations")) {
			surface := "/parameters"
			if declaration.First("parametersJsonSchema", "parameters_json_schema") != nil {
				surface = "/parametersJsonSchema"
			}
			found.tool(service+surface, declaration, count)
			count++
		}
	}
	config := body.First("generationConfig", "generation_config")
	if response := config.First("responseSchema", "response_schema"); response != nil {
		found.format(service+"/responseSchema", response)
	}
	if response := config.First("responseJsonSchema", "response_json_schema", "_responseJsonSchema"); response != nil {
		found.format(service+"/responseJsonSchema", response)
	}
	return found.all
}

// Chat reads a request of Chat Completions, as the service that speaks its language
// takes it. A format that is not strict is not judged by any service, and is left out.
// Only OpenAI and Azure are known to tell strict functions apart.
func Chat(body *schema.Node, service string) []provider.Request {
	isOther := service != "openai" && service != "azure"
	found := requests{body: body}
	for i, tool := range list(body.Get("tools")) {
		function := tool.First("function")
		switch {
		case function == nil:
		case service == "gemini-openai":
			found.tool(service+"/chat", function, i)
		case isOther:
			found.tool(service+"/chat", tool, i) // their declarations are whole tools
		case function.Get("strict").IsTrue():
			found.tool(service+"/chat-strict", function, i)
		default:
			found.tool(service+"/chat", function, i)
		}
	}
	format := body.Get("response_format").First("json_schema")
	if format.Get("strict").IsTrue() {
		found.format(service+"/response_format", format)
	}
	return found.all
}

// Responses reads a request of OpenAI's Responses; built-in tools are passed over.
func Responses(body *schema.Node, service string) []provider.Request {
	found := requests{body: body}
	for i, tool := range list(body.Get("tools")) {
		if !tool.Get("type").Is("function") {
			continue
		}
		switch strict := tool.First("strict"); {
		case strict == nil && !tool.Has("strict"):
			found.tool(service+"/responses", tool, i)
		case strict.IsTrue():
			found.tool(service+"/responses-strict", tool, i)
		default:
			found.tool(service+"/responses-nonstrict", tool, i)
		}
	}
	format := body.Get("text").First("format")
	if format.Get("type").Is("json_schema") && format.Get("strict").IsTrue() {
		found.format(service+"/text_format", format)
	}
	return found.all
}

// Messages reads a request of Anthropic's Messages; built-in tools are passed over. A
// format in the field of the beta says so.
func Messages(body *schema.Node) []provider.Request {
	found := requests{body: body}
	for i, tool := range list(body.Get("tools")) {
		if kind := tool.First("type"); kind != nil && !kind.Is("custom") {
			continue
		}
		dialect := "anthropic/tools"
		if tool.Get("strict").IsTrue() {
			dialect = "anthropic/tools-strict"
		}
		found.tool(dialect, tool, i)
	}
	if format := body.Get("output_config").First("format"); format.Get("type").Is("json_schema") {
		found.format("anthropic/output_format", format)
	}
	if format := body.First("output_format"); format.Get("type").Is("json_schema") {
		found.format("anthropic/output_format", schema.NewObject(schema.Member{Key: "output_format", Value: format}))
	}
	return found.all
}
