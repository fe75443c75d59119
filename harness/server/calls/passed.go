package calls

import (
	"path"
	"strings"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
	"toolproof/schema"
)

// providerRefuses reports a result that a provider refuses when a client passes it on. The rules of conversation
// judge the request, and have the words, the days and the sources.
var providerRefuses = &Rule{
	Name: "provider_refuses", Since: "2025-08-22",
	Doc: "A provider takes the request in which a client passes the result on: its texts and images as a result of Anthropic's, its texts as one of " +
		"Bedrock's and of OpenAI's two APIs, and its structuredContent, or its texts, as the response of Gemini's.",
	Source: "harness/conversation, whose rules have their own sources: https://github.com/llmsresearch/paperbanana/issues/58 (2026-02-26) for an image of an " +
		"MCP server, https://github.com/vercel/ai/issues/14369 (2026-04-12) for a $ref",
	Client:  "the provider that the finding names, where a client passes the result on as it is",
	Instead: "return what the provider takes",
	check: func(e *Exchange) []fault {
		if e.Answer.Result == nil {
			return nil
		}
		var faults []fault
		for _, form := range passings {
			body, from := form.with(e.Answer.Result)
			for _, service := range form.services {
				request := &conversation.Request{API: form.api, Service: service, Model: form.model, Body: body, Day: provider.Today()}
				if refusal := conversation.Judge(request, conversation.Rules); refusal != nil {
					at, _ := strings.CutPrefix(string(refusal.At), string(form.at))
					faults = append(faults, fault{at: from + schema.Pointer(at), message: service + ": " + refusal.Message, instead: refusal.Instead})
				}
			}
		}
		return faults
	},
}

// passing is how a client passes a result on with an API: in a request, at a place of it.
type passing struct {
	api      provider.API
	services []string
	model    string
	request  string
	at       schema.Pointer
	// content turns a result into the value at that place, and returns the part of the result that it took.
	content func(result *schema.Node) (made *schema.Node, from schema.Pointer)
}

var passings = []passing{
	{
		provider.Messages,
		[]string{"anthropic"},
		"claude-opus-4-8",
		`{"model":"claude-opus-4-8","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
		"/messages/2/content/0/content", anthropicBlocks,
	},
	{
		provider.Converse,
		[]string{"bedrock"},
		"",
		`{"messages":[{"role":"user","content":[{"text":"hi"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"f","input":{}}}]},` +
			`{"role":"user","content":[{"toolResult":{"toolUseId":"c"}}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}]}}`,
		"/messages/2/content/0/toolResult/content", func(result *schema.Node) (*schema.Node, schema.Pointer) {
			texts := schema.NewArray()
			for _, block := range content(result) {
				texts.Elements = append(texts.Elements, schema.NewObject(schema.Member{Key: "text", Value: schema.NewString(textOf(block))}))
			}
			return texts, "/content"
		},
	},
	{
		provider.ChatCompletions,
		[]string{"openai"},
		"gpt-5.2",
		`{"model":"gpt-5.2","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"c"}],"tools":[{"type":"function","function":{"name":"f"}}]}`,
		"/messages/2/content", allText,
	},
	{
		provider.Responses,
		[]string{"openai"},
		"gpt-5.2",
		`{"model":"gpt-5.2","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c"}],` +
			`"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{}}}]}`,
		"/input/2/output", allText,
	},
	{
		provider.GenerateContent,
		[]string{"gemini", "vertex"},
		"gemini-2.5-flash",
		`{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"name":"f"}}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}]}`,
		"/contents/2/parts/0/functionResponse/response", func(result *schema.Node) (*schema.Node, schema.Pointer) {
			if structured := result.Get("structuredContent"); structured != nil && structured.Kind == schema.Object {
				return structured, "/structuredContent"
			}
			text, from := allText(result)
			return schema.NewObject(schema.Member{Key: "output", Value: text}), from
		},
	},
}

// with returns the request with a result, and the part of the result that stands in it.
func (p *passing) with(result *schema.Node) (request *schema.Node, from schema.Pointer) {
	request, err := schema.ParseWire([]byte(p.request))
	if err != nil {
		return schema.NewObject(), "" // a test reads each
	}
	made, from := p.content(result)
	within, name := path.Split(string(p.at))
	request.Find(schema.Pointer(strings.TrimSuffix(within, "/"))).Set(name, made)
	return request, from
}

// content returns the blocks of a result that are objects.
func content(result *schema.Node) []*schema.Node {
	listed := result.Get("content")
	if listed == nil || listed.Kind != schema.Array {
		return nil
	}
	return listed.Elements
}

// anthropicBlocks makes a block of Anthropic's of each block of a result.
func anthropicBlocks(result *schema.Node) (*schema.Node, schema.Pointer) {
	blocks := schema.NewArray()
	for _, block := range content(result) {
		if block.Get("type").Is("image") {
			blocks.Elements = append(blocks.Elements, schema.NewObject(
				schema.Member{Key: "type", Value: schema.NewString("image")},
				schema.Member{Key: "source", Value: schema.NewObject(
					schema.Member{Key: "type", Value: schema.NewString("base64")},
					schema.Member{Key: "media_type", Value: schema.NewString(block.GetString("mimeType"))},
					schema.Member{Key: "data", Value: schema.NewString(block.GetString("data"))},
				)},
			))
			continue
		}
		blocks.Elements = append(blocks.Elements, schema.NewObject(
			schema.Member{Key: "type", Value: schema.NewString("text")}, schema.Member{Key: "text", Value: schema.NewString(textOf(block))},
		))
	}
	return blocks, "/content"
}

// allText returns the texts of all blocks.
func allText(result *schema.Node) (*schema.Node, schema.Pointer) {
	var texts []string
	for _, block := range content(result) {
		texts = append(texts, textOf(block))
	}
	return schema.NewString(strings.Join(texts, "\n")), "/content"
}

// textOf returns the text of a block or of the resource in it, and otherwise the address of the resource.
func textOf(block *schema.Node) string {
	if block.Get("type").Is("resource") {
		block = block.Get("resource")
	}
	if text := block.First("text", "uri"); text != nil && text.Kind == schema.String {
		return text.Text
	}
	return "no text"
}
