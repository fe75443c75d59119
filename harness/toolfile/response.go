package toolfile

import (
	"io"
	"slices"

	"toolproof/schema"
)

// Reader reads documents of tools. The zero value is that of Read.
type Reader struct {
	// Folds keeps small tools that stand alone as text until they are Unfolded. A program that
	// judges ten thousand tools one by one would otherwise keep all their trees in memory, which
	// the collector walks through again and again.
	Folds bool
	// Responses returns the schemas of a model's answer among the tools, behind those of their
	// request. Otherwise a document that has such a schema and no tools is a *ForeignError.
	Responses bool
	// AsResponse takes a schema alone for that of an answer, and implies Responses.
	AsResponse bool
	// Passed is called with each entry of a list of tools that declares no schema, which Read passes
	// over. It may be nil.
	Passed func(Passed)
	// Body is called with each request to a model, with its messages, and with its tools, which the result
	// has, too. It may be nil. A document that is a request without tools is a *ForeignError all the same.
	Body func(body *schema.Node, tools []Tool)
}

// Passed is an entry of a list of tools that declares no schema: a tool that the provider runs itself,
// such as a web search, or one that takes free text.
type Passed struct {
	// Kind is its type, such as web_search or custom, or the name of its only member, such as
	// googleSearch.
	Kind  string
	Entry *schema.Node
	Index int // in its list
}

// Read is the function Read with the choices of the reader.
func (r Reader) Read(reader io.Reader) ([]Tool, error) {
	return r.ReadText(ReadAll(reader))
}

// ReadAll returns the text of a document, decompressing it if necessary. If it fails, for example because a
// compressed file was cut short, it also returns the text before the error.
func ReadAll(reader io.Reader) ([]byte, error) { return readAll(reader) }

// ReadText is Read for a document that ReadAll has read, with its error.
func (r Reader) ReadText(data []byte, err error) ([]Tool, error) {
	tools, err := r.read(data, err)
	if !r.AsResponse {
		return tools, err
	}
	for i := range tools {
		if tool := &tools[i]; tool.Err == nil && (tool.IsBare() || tool.parameters == "/schema") {
			tool.respond()
		}
	}
	return tools, err
}

// ResponseName is the name of a response schema whose form has none.
const ResponseName = "response"

// respond makes a tool the schema of an answer.
func (t *Tool) respond() {
	if t.IsBare() {
		t.Name = ResponseName
	}
	t.IsResponse, t.Request, t.Further = true, 0, nil
}

// Split returns the tools of requests, and the response schemas among them, each a request of its
// own.
func Split(requests [][]Tool) (tools, responses [][]Tool) {
	isResponse := func(request []Tool) bool { return request[0].IsResponse }
	for _, request := range requests {
		if isResponse(request) {
			responses = append(responses, request)
		} else {
			tools = append(tools, request)
		}
	}
	return tools, responses
}

// geminiSchemas are the members that have a response schema in a configuration of Gemini's, in the
// spellings of its API and its libraries.
var geminiSchemas = []string{"responseSchema", "responseJsonSchema", "_responseJsonSchema", "response_schema", "response_json_schema"}

// geminiConfigs are the members of a request of Gemini's that have its configuration: those of
// the API, and that of its libraries.
var geminiConfigs = []string{"generationConfig", "generation_config", "config"}

// responses reads the response schemas of a request at a place, and returns whether it has some.
func (d *document) responses(request outline, at span) bool {
	before := len(d.tools)
	d.format(request.member("response_format"))               // of Chat Completions
	d.format(request.under("text").member("format"))          // of Responses
	d.format(request.member("output_format"))                 // of Messages
	d.format(request.under("output_config").member("format")) // likewise, since 2026-01-29
	if request.text("type") == "json_schema" || request.has("{", "json_schema") {
		d.format(at) // a format alone
	}
	d.question(request.member("requestedSchema")) // of elicitation/create
	d.question(request.under("params").member("requestedSchema"))
	configs := []outline{request}
	for _, key := range geminiConfigs {
		configs = append(configs, request.under(key))
	}
	if request.has(`"`, "name") { // a function, which declares what it returns
		configs = configs[1:]
	}
	for _, config := range configs {
		for _, key := range geminiSchemas {
			d.schemaOfAnswer(config.member(key))
		}
	}
	if request.has(`"`, "model") && request.hasOneOf(`["`, "messages", "prompt") { // of Ollama
		d.schemaOfAnswer(request.member("format"))
	}
	return len(d.tools) > before
}

// member returns a member that is an object, or the zero span.
func (o outline) member(key string) span {
	at := slices.IndexFunc(o.members, func(member span) bool { return member.key == key && o.data[member.value] == '{' })
	if at < 0 {
		return span{}
	}
	return o.members[at]
}

// format reads a response format of type json_schema: an object with a name and a schema, or one
// that has such an object.
func (d *document) format(at span) {
	d.response(at, func(tool *Tool) bool {
		node := tool.Declaration
		if inner := node.Get("json_schema"); inner != nil && inner.Kind == schema.Object {
			tool.base, node = "/json_schema", inner
		}
		if tool.Tool.Parameters = node.Get("schema"); tool.Tool.Parameters == nil {
			return false
		}
		tool.parameters = tool.base.Child("schema")
		if name := node.Get("name"); name != nil && name.Kind == schema.String {
			tool.Name = name.Text
		}
		tool.Description = node.Get("description")
		return true
	})
}

// schemaOfAnswer reads a response schema that stands alone in its member.
func (d *document) schemaOfAnswer(at span) {
	d.response(at, func(tool *Tool) bool {
		tool.Tool.Parameters = tool.Declaration
		return isSchema(tool.Declaration)
	})
}

// ElicitationName is the name of the schema of a form, which a server lets a client show to its user.
const ElicitationName = "requestedSchema"

// question reads the schema of a form.
func (d *document) question(at span) {
	d.response(at, func(tool *Tool) bool {
		tool.Name, tool.Tool.Parameters = ElicitationName, tool.Declaration
		return true
	})
}

// inputRequests returns the requests of a server in the result of a call that needs further input (protocol of
// 2026-07-28) which have a form or tools.
func (o outline) inputRequests() []span {
	result := o
	if o.has("{", "result") {
		result = o.under("result")
	}
	if result.text("resultType") != "input_required" {
		return nil
	}
	asked := result.under("inputRequests")
	return slices.DeleteFunc(asked.members, func(member span) bool {
		return asked.data[member.value] != '{' || !asksClient(outline{asked.data, scanObject(asked.data, member.value).parts})
	})
}

// response reads the response schema in a value. find finds it in the Declaration, and returns false where
// there is none.
func (d *document) response(at span, find func(*Tool) bool) {
	if at.end == 0 {
		return
	}
	position := d.position(at.value)
	format, err := schema.ParseAt(d.data[at.value:at.end], position)
	tool := Tool{Line: int(position.Line), Declaration: format, Err: err, IsResponse: true, start: at.value}
	tool.Name = ResponseName
	if err == nil && !find(&tool) {
		return
	}
	d.tools = append(d.tools, tool)
}
