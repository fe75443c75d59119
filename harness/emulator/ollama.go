package emulator

import (
	"net/http"
	"strings"
	"time"

	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/harness/provider/wire"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// ollamaFamily matches the names that Ollama would find among the listed models.
var ollamaFamily = lazy.Compile(`^(qwen|llama|gpt-oss|mistral)[\w.:/-]*$`)

var ollamaModels = []string{"qwen3:latest", "llama3.2:latest", "gpt-oss:20b"}

var ollama = &service{
	surfaces: provider.OfService(engines.Dialects, engines.OllamaChat.Service()),
	failure: func(_ int, _, message string) []byte {
		return encode(object{"error": message})
	},
	models: ollamaModels, entry: ollamaEntry, family: ollamaFamily, unknownModel: "model '%s' not found",
}

// ollamaOpenAI is OpenAI's API on the same server. It has the errors of Ollama's own API in
// OpenAI's form.
var ollamaOpenAI = &service{
	surfaces: ollama.surfaces, failure: ollamaOpenAIFailure, models: ollamaModels, entry: ollamaOpenAIEntry, family: ollamaFamily, unknownModel: ollama.unknownModel,
	refusal: func(response provider.Response) []byte {
		words := strings.Replace(response.Message, " field ChatRequest.", " field ChatCompletionRequest.", 1)
		return ollamaOpenAIFailure(response.Status, "", words)
	},
}

func ollamaOpenAIFailure(status int, _, message string) []byte {
	kind := "invalid_request_error"
	switch status {
	case http.StatusNotFound:
		kind = "not_found_error"
	case http.StatusInternalServerError:
		kind = "api_error"
	}
	return encode(object{"error": object{"message": message, "type": kind, "param": nil, "code": nil}})
}

// ollamaDetails returns the details of a model in a list.
func ollamaDetails(name string) object {
	family, _, _ := strings.Cut(name, ":")
	return object{"parent_model": "", "format": "gguf", "family": family, "families": []string{family}, "parameter_size": "8.2B", "quantization_level": "Q4_K_M"}
}

func ollamaEntry(name string) object {
	return object{
		"name": name, "model": name, "modified_at": "2026-01-01T00:00:00Z", "size": 1 << 32, "digest": strings.Repeat("0", 64), "details": ollamaDetails(name),
	}
}

func ollamaOpenAIEntry(name string) object {
	return object{"id": name, "object": "model", "created": 0, "owned_by": "library"}
}

// ollamaRoot answers a request that checks whether the server runs.
func (x *exchange) ollamaRoot() reply {
	return reply{status: http.StatusOK, contentType: "text/plain; charset=utf-8", chunks: [][]byte{[]byte("Ollama is running")}}
}

// ollamaVersion answers with the release of the day.
func (x *exchange) ollamaVersion() reply {
	return succeeded(object{"version": engines.OllamaChat.VersionOn(x.day).Name})
}

// ollamaTags answers a request for the list of models.
func (x *exchange) ollamaTags() reply { return succeeded(object{"models": ollama.list()}) }

// ollamaShow answers a request for one model.
func (x *exchange) ollamaShow() reply {
	x.model = x.body.GetString("model")
	if unknown := x.noModel(); unknown != nil {
		return *unknown
	}
	return succeeded(object{
		"modelfile": "", "parameters": "", "template": "{{ .Prompt }}", "details": ollamaDetails(x.model), "model_info": object{},
		"modified_at": "2026-01-01T00:00:00Z", "capabilities": []string{"completion", "tools"},
	})
}

// ollamaChat answers a request to /api/chat. The model sees the tools as the server rewrites
// them.
func (x *exchange) ollamaChat() reply {
	x.model = x.body.GetString("model")
	if unknown := x.noModel(); unknown != nil {
		return *unknown
	}
	requests := wire.Read(provider.OllamaChat, x.service.surfaces, x.body)
	if refused := x.refusal(requests); refused != nil {
		return *refused
	}
	common := object{"model": x.model, "created_at": time.Unix(x.created(), 0).UTC().Format(time.RFC3339)}
	if len(wire.List(x.body.Get("messages"))) == 0 { // the request only loads the model
		return succeeded(with(common, object{"message": object{"role": "assistant", "content": ""}, "done_reason": "load", "done": true}))
	}
	turns, err := x.answers(x.ollamaQuestion(requests))
	if err != nil {
		return x.unanswered(err)
	}
	said := turns[0]
	message := object{"role": "assistant", "content": said.text}
	if said.thinking != "" {
		message["thinking"] = said.thinking
	}
	calls := make([]any, len(said.whole()))
	for i, call := range said.whole() {
		calls[i] = object{"id": x.id("call_"), "function": object{"index": i, "name": call.name, "arguments": call.arguments}}
	}
	if len(calls) > 0 {
		message["content"], message["tool_calls"] = "", calls
	}
	reason := "stop"
	if said.isCut {
		reason = "length"
	}
	end := object{
		"done": true, "done_reason": reason, "total_duration": 1, "load_duration": 1, "prompt_eval_count": tokens(x.size),
		"prompt_eval_duration": 1, "eval_count": tokens(said.size()), "eval_duration": 1,
	}
	if streams := x.body.Get("stream"); streams != nil && !streams.IsTrue() {
		return succeeded(with(with(common, object{"message": message}), end))
	}
	var events []object
	event := func(message, more object) {
		events = append(events, with(with(common, object{"message": message}), more))
	}
	for _, text := range pieces(said.thinking) {
		event(object{"role": "assistant", "content": "", "thinking": text}, object{"done": false})
	}
	if len(calls) > 0 {
		event(object{"role": "assistant", "content": "", "tool_calls": calls}, object{"done": false})
	} else {
		for _, text := range pieces(said.text) {
			event(object{"role": "assistant", "content": text}, object{"done": false})
		}
	}
	event(object{"role": "assistant", "content": ""}, end)
	answer := stream(events, func(event object) []byte { return append(encode(event), '\n') })
	answer.contentType = "application/x-ndjson"
	return answer
}

// ollamaQuestion reads the question in a request to /api/chat, which has no tool_choice.
func (x *exchange) ollamaQuestion(requests []provider.Request) question {
	q := question{functions: x.functionsOf(requests), thinks: x.body.Get("think").IsTrue(), results: chatResults(x.body)}
	q.limit = limitOf(x.body.Get("options"), "num_predict")
	q.format = x.body.Get("format")
	if q.format != nil && q.format.Kind != schema.Object {
		q.isJSON, q.format = q.format.Is("json"), nil
	}
	q.isJSON = q.isJSON || q.format != nil
	return q
}

// ollamaRequests reads a request to Chat Completions as the server does, which translates it
// into a request of its own API.
func (x *exchange) ollamaRequests() []provider.Request {
	own := schema.NewObject()
	if tools := x.body.Get("tools"); tools != nil {
		own.Set("tools", tools)
	}
	if format := x.body.Get("response_format"); format.Get("type").Is("json_schema") {
		if node := format.Get("json_schema").First("schema"); node != nil {
			own.Set("format", node)
		}
	}
	return wire.Read(provider.OllamaChat, x.service.surfaces, own)
}

// ollamaMisfit returns the error of a response_format that Ollama cannot decode, or "". Its types are
// ResponseFormat and JsonSchema in openai/openai.go of Ollama's repository, and its ChatMiddleware
// answers the error of encoding/json with status 400. The schema itself takes any value.
func ollamaMisfit(format *schema.Node) string {
	for _, field := range []struct {
		value *schema.Node
		kind  schema.Kind
		name  string
	}{
		{format, schema.Object, "ChatCompletionRequest.response_format of type openai.ResponseFormat"},
		{format.Get("type"), schema.String, "ResponseFormat.response_format.type of type string"},
		{format.Get("json_schema"), schema.Object, "ResponseFormat.response_format.json_schema of type openai.JsonSchema"},
	} {
		if field.value != nil && field.value.Kind != field.kind && field.value.Kind != schema.Null {
			found := strings.Replace(field.value.Kind.String(), "boolean", "bool", 1) // as Go calls it
			return "json: cannot unmarshal " + found + " into Go struct field " + field.name
		}
	}
	return ""
}
