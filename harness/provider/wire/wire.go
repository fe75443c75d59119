// Package wire finds the declarations in the bodies of requests that clients send, and the
// surface of each. A body for several surfaces, such as one with strict functions and others,
// becomes several requests with the same Body. Declarations that fit no surface of the service
// are in a request whose Dialect is empty.
package wire

import (
	"slices"
	"strconv"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// requests collects the declarations of a body by surface, in the order in which surfaces
// appear.
type requests struct {
	api      provider.API
	surfaces []*provider.Dialect // of the service
	all      []provider.Request
	body     *schema.Node
}

// of returns the surfaces of the API for a subject.
func (r *requests) of(subject provider.Subject) []*provider.Dialect {
	return slices.DeleteFunc(slices.Clone(r.surfaces), func(surface *provider.Dialect) bool {
		return surface.API != r.api || surface.Subject != subject
	})
}

// tool adds a declaration at an index in a list of tools.
func (r *requests) tool(surface *provider.Dialect, declaration *schema.Node, index int) {
	r.toolAt(surface, declaration, index, "")
}

// toolAt adds a declaration with its path in the body, which is "" if it follows from the
// index.
func (r *requests) toolAt(surface *provider.Dialect, declaration *schema.Node, index int, place string) {
	name := nameOf(surface)
	i := slices.IndexFunc(r.all, func(request provider.Request) bool { return request.Dialect == name && request.Indices != nil })
	if i < 0 {
		i = len(r.all)
		r.all = append(r.all, provider.Request{Dialect: name, Body: r.body})
	}
	request := &r.all[i]
	if place != "" && request.Places == nil {
		request.Places = make([]string, len(request.Declarations))
	}
	if request.Places != nil {
		request.Places = append(request.Places, place)
	}
	request.Declarations, request.Indices = append(request.Declarations, declaration), append(request.Indices, index)
}

// format adds the schema of an answer.
func (r *requests) format(surface *provider.Dialect, declaration *schema.Node) {
	r.all = append(r.all, provider.Request{Dialect: nameOf(surface), Declarations: []*schema.Node{declaration}, Body: r.body})
}

func nameOf(surface *provider.Dialect) string {
	if surface == nil {
		return ""
	}
	return surface.Name
}

// first returns the first surface, or nil if there is none.
func first(surfaces []*provider.Dialect) *provider.Dialect {
	return find(surfaces, func(*provider.Dialect) bool { return true })
}

// find returns the first surface that fits, or nil if none does.
func find(surfaces []*provider.Dialect, fits func(*provider.Dialect) bool) *provider.Dialect {
	i := slices.IndexFunc(surfaces, fits)
	if i < 0 {
		return nil
	}
	return surfaces[i]
}

// List returns the elements of a list. Any other value counts as a list of one, but null as an empty
// one.
func List(node *schema.Node) []*schema.Node {
	switch {
	case node == nil || node.Kind == schema.Null:
		return nil
	case node.Kind != schema.Array:
		return []*schema.Node{node}
	default:
		return node.Elements
	}
}

// Read reads the body of a request to an API of the service that has the surfaces. It returns
// nil for an API that it cannot read.
func Read(api provider.API, surfaces []*provider.Dialect, body *schema.Node) []provider.Request {
	found := &requests{api: api, surfaces: surfaces, body: body}
	switch api {
	case provider.GenerateContent:
		found.generateContent()
	case provider.ChatCompletions:
		found.chat()
	case provider.Responses:
		found.responses()
	case provider.Messages:
		found.messages()
	case provider.OllamaChat:
		found.ollama()
	case provider.ElicitationCreate:
		if params := paramsOf(body); params.Has("requestedSchema") {
			found.format(first(found.of(provider.Answer)), params)
		}
	case provider.SamplingCreateMessage:
		for i, tool := range List(paramsOf(body).Get("tools")) {
			found.tool(first(found.of(provider.Arguments)), tool, i)
		}
	case provider.CodeAssist, provider.Converse, provider.ToolsList, provider.Publish: // clients' requests to these are not read
	}
	return found.all
}

// paramsOf returns the parameters of a request of the Model Context Protocol, of which a body may be the whole
// message.
func paramsOf(body *schema.Node) *schema.Node {
	if body.Has("method") {
		return body.Get("params")
	}
	return body
}

// protoNames are the fields that have a schema in generateContent, with the names that they have
// in Google's protocol buffers, which requests may use as well.
var protoNames = map[string]string{
	"parameters": "parameters", "parametersJsonSchema": "parameters_json_schema",
	"responseSchema": "response_schema", "responseJsonSchema": "response_json_schema",
}

// generateContent reads a request to Google's generateContent. The field that has the schema
// of a function declaration, or of an answer, decides which surface it belongs to. Functions of
// all tools are numbered together.
func (r *requests) generateContent() {
	count, surfaces := 0, r.of(provider.Arguments)
	for _, tool := range List(r.body.Get("tools")) {
		for _, declaration := range List(tool.First("functionDeclarations", "function_declarations")) {
			surface := first(surfaces)                                             // if there is no schema
			for _, field := range []string{"parameters", "parametersJsonSchema"} { // if there are both, the last one counts
				if declaration.First(field, protoNames[field]) != nil {
					surface = find(surfaces, func(surface *provider.Dialect) bool { return surface.Schema.Tokens()[0] == field })
				}
			}
			r.tool(surface, declaration, count)
			count++
		}
	}
	config := r.body.First("generationConfig", "generation_config")
	answers := r.of(provider.Answer)
	for _, field := range []string{"responseSchema", "responseJsonSchema"} {
		if response := config.First(field, protoNames[field], "_"+field); response != nil {
			r.format(find(answers, func(surface *provider.Dialect) bool { return puts(surface, field) }), response)
		}
	}
}

// puts reports whether a surface puts its schema into a field of generationConfig.
func puts(surface *provider.Dialect, field string) bool {
	return surface.Envelope([]*schema.Node{schema.NewObject()}).Get("generationConfig").Has(field)
}

// strictness is the value of strict in a declaration.
type strictness string

const (
	silent strictness = ""
	strict strictness = "true"
	loose  strictness = "false or null"
)

func strictnessOf(declaration *schema.Node) strictness {
	value := declaration.Get("strict")
	switch {
	case value == nil:
		return silent
	case value.IsTrue():
		return strict
	default:
		return loose
	}
}

// byStrictness returns the first surface that declares functions with the same value of strict
// as the declaration or, if there is none, the first whose functions are not strict.
func byStrictness(surfaces []*provider.Dialect, declaration *schema.Node) *provider.Dialect {
	strictness := strictnessOf(declaration)
	equal := find(surfaces, func(surface *provider.Dialect) bool {
		return strictnessOf(surface.Declare(schema.Tool{Name: "f"})) == strictness
	})
	if equal == nil {
		return looseOf(surfaces)
	}
	return equal
}

// looseOf returns the first surface whose functions are not strict, or nil.
func looseOf(surfaces []*provider.Dialect) *provider.Dialect {
	return find(surfaces, func(surface *provider.Dialect) bool { return !surface.Strict })
}

// chat reads a request to Chat Completions. A response format that is not strict is read only
// for surfaces that have no strict formats, and for engines, which ignore strict.
func (r *requests) chat() {
	surfaces := r.of(provider.Arguments)
	for i, tool := range List(r.body.Get("tools")) {
		declaration := tool.First("function")
		if declaration == nil {
			continue
		}
		if len(surfaces) == 0 || surfaces[0].Schema.Tokens()[0] == "function" { // a declaration is a whole tool
			declaration = tool
		}
		r.tool(byStrictness(surfaces, declaration), declaration, i)
	}
	if len(surfaces) > 0 && surfaces[0].Schema.Tokens()[0] != "function" {
		r.functions(surfaces)
	}
	format, answer := r.body.Get("response_format").First("json_schema"), first(r.of(provider.Answer))
	isRead := answer != nil && (answer.Versions != nil || strictnessOf(answer.Declare(schema.Tool{Name: "f"})) == silent)
	if format.Get("strict").IsTrue() || format != nil && isRead {
		r.format(answer, format)
	}
}

// functions reads the list functions, which came before tools and has no strict functions.
func (r *requests) functions(surfaces []*provider.Dialect) {
	before := len(List(r.body.Get("tools")))
	for i, declaration := range List(r.body.Get("functions")) {
		r.toolAt(looseOf(surfaces), declaration, before+i, "functions["+strconv.Itoa(i)+"]")
	}
}

// responses reads a request to OpenAI's Responses. It skips built-in tools.
func (r *requests) responses() {
	surfaces := r.of(provider.Arguments)
	for i, tool := range ResponsesTools(r.body) {
		if tool.Get("type").Is("function") {
			r.toolAt(byStrictness(surfaces, tool.Node), tool.Node, i, tool.placeAt(i))
		}
	}
	format := r.body.Get("text").First("format")
	if format.Get("type").Is("json_schema") && format.Get("strict").IsTrue() {
		declared := schema.NewObject(slices.Clone(format.Members)...)
		declared.Delete("type") // which Envelope adds
		r.format(first(r.of(provider.Answer)), declared)
	}
}

// messages reads a request to Anthropic's Messages. It skips built-in tools. The declaration of
// a format in output_format, the field of the beta, contains that field.
func (r *requests) messages() {
	for i, tool := range List(r.body.Get("tools")) {
		if kind := tool.First("type"); kind == nil || kind.Is("custom") {
			r.tool(byStrictness(r.of(provider.Arguments), tool), tool, i)
		}
	}
	answer := first(r.of(provider.Answer))
	if format := r.body.Get("output_config").First("format"); format.Get("type").Is("json_schema") {
		r.format(answer, format)
	}
	if format := r.body.First("output_format"); format.Get("type").Is("json_schema") {
		r.format(answer, schema.NewObject(schema.Member{Key: "output_format", Value: format}))
	}
}

// ollama reads a request to Ollama's own API, where a declaration is a whole tool. The formats
// "json" and "" have no schema.
func (r *requests) ollama() {
	tools := first(r.of(provider.Arguments))
	for i, tool := range List(r.body.Get("tools")) {
		r.tool(tools, tool, i)
	}
	format := r.body.Get("format")
	if format != nil && format.Kind != schema.Null && !format.Is("json") && !format.Is("") {
		r.format(first(r.of(provider.Answer)), format)
	}
}
