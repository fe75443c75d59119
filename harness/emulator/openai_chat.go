package emulator

import (
	"net/http"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/openai"
	"toolproof/harness/provider/wire"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// openAI is OpenAI.
var openAI = &service{
	surfaces: provider.OfService(openai.Dialects, openai.Chat.Service()),
	failure: func(status int, code, message string) []byte {
		failure := object{"message": message, "type": "invalid_request_error", "param": nil, "code": nil}
		switch status {
		case http.StatusTooManyRequests:
			failure["type"], code = "requests", "rate_limit_exceeded"
		case http.StatusInternalServerError:
			failure["type"] = "server_error"
		}
		if code != "" {
			failure["code"] = code
		}
		return encode(object{"error": failure})
	},
	models:       []string{"gpt-4o-mini", "gpt-4o", "gpt-4.1", "gpt-5", "gpt-5-mini"},
	entry:        openAIEntry,
	family:       lazy.Compile(`^(ft:)?(gpt-|chatgpt-|codex-|o\d)[\w.:-]*$`),
	unknownModel: "The model `%s` does not exist or you do not have access to it.",
}

// chat answers a request of Chat Completions.
func (x *exchange) chat() reply {
	x.model = strings.TrimPrefix(x.body.GetString("model"), "models/") // Gemini's take both
	if x.model == "" && x.service == llamaCPP {
		x.model = llamaCPP.models[0] // the server has one
	}
	if x.model == "" {
		return x.service.failed(http.StatusBadRequest, "you must provide a model parameter")
	}
	if unknown := x.noModel(); unknown != nil {
		return *unknown
	}
	if len(elements(x.body.Get("messages"))) == 0 {
		return x.service.failed(http.StatusBadRequest, "Missing required parameter: 'messages'.")
	}
	requests := x.chatRequests()
	judged := requests
	if x.service.judged != nil {
		judged = x.service.judged(x.body.Get("tool_choice"), requests)
	}
	if refused := x.refusal(judged); refused != nil {
		return *refused
	}
	said, err := x.answer(x.chatQuestion(requests))
	if err != nil {
		return x.service.failed(http.StatusBadRequest, "Invalid value for 'tool_choice': %v.", err)
	}
	common := object{"id": x.id("chatcmpl-"), "object": "chat.completion", "created": x.created(), "model": x.model, "system_fingerprint": "fp_emulator"}
	if x.body.Get("stream").IsTrue() {
		return x.chatStream(common, said)
	}
	message, reason := object{"role": "assistant", "content": said.text, "refusal": nil, "annotations": []any{}}, "stop"
	if said.function != "" {
		message["content"], reason = nil, "tool_calls"
		message["tool_calls"] = []any{x.toolCall(said, said.arguments.String())}
	}
	common["choices"] = []any{object{"index": 0, "message": message, "logprobs": nil, "finish_reason": reason}}
	common["usage"] = x.chatUsage(said)
	return found(common)
}

// chatRequests reads what a request declares.
func (x *exchange) chatRequests() []provider.Request {
	if x.service == ollamaOpenAI {
		return x.ollamaRequests()
	}
	return wire.Read(provider.ChatCompletions, x.service.surfaces, x.body)
}

// toolCall makes a call, with the arguments as far as they are sent.
func (x *exchange) toolCall(said turn, arguments string) object {
	return object{"id": x.id("call_"), "type": "function", "function": object{"name": said.function, "arguments": arguments}}
}

// chatStream sends an answer in pieces: first who speaks, or what is called.
func (x *exchange) chatStream(common object, said turn) reply {
	first, content, reason := object{"role": "assistant", "content": ""}, said.text, "stop"
	piece := func(text string) object { return object{"content": text} }
	if said.function != "" {
		call := x.toolCall(said, "")
		call["index"] = 0
		first, content, reason = object{"role": "assistant", "content": nil, "tool_calls": []any{call}}, said.arguments.String(), "tool_calls"
		piece = func(text string) object {
			return object{"tool_calls": []any{object{"index": 0, "function": object{"arguments": text}}}}
		}
	}
	deltas := []object{first}
	for _, text := range pieces(content) {
		deltas = append(deltas, piece(text))
	}
	common["object"] = "chat.completion.chunk"
	var events []object
	event := func(choices []any, usage object) {
		chunk := with(common, object{"choices": choices})
		if usage != nil {
			chunk["usage"] = usage
		}
		events = append(events, chunk)
	}
	for _, delta := range deltas {
		event([]any{object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": nil}}, nil)
	}
	event([]any{object{"index": 0, "delta": object{}, "logprobs": nil, "finish_reason": reason}}, nil)
	if x.body.Get("stream_options").Get("include_usage").IsTrue() {
		event([]any{}, x.chatUsage(said))
	}
	answer := stream(events, func(event object) []byte { return slices.Concat([]byte("data: "), encode(event), []byte("\n\n")) })
	answer.chunks = append(answer.chunks, []byte("data: [DONE]\n\n"))
	return answer
}

func (x *exchange) chatUsage(said turn) object {
	prompt, completion := tokens(x.size), tokens(said.size())
	return object{"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
}

// chatQuestion reads what is asked.
func (x *exchange) chatQuestion(requests []provider.Request) question {
	q := question{functions: x.functionsOf(requests)}
	if x.service == geminiOpenAI {
		q.replaceParameters(standard)
	}
	if x.service != ollamaOpenAI { // which has no field for it
		q.choose(x.body.Get("tool_choice"))
	}
	if messages := elements(x.body.Get("messages")); len(messages) > 0 {
		role := messages[len(messages)-1].GetString("role")
		q.isTold = role == "tool" || role == "function"
	}
	format := x.body.Get("response_format")
	q.isJSON = format.Get("type").Is("json_object") || format.Get("type").Is("json_schema")
	q.format = format.Get("json_schema").First("schema")
	return q
}

// choose reads the tool_choice of Chat Completions and of Responses.
func (q *question) choose(choice *schema.Node) {
	switch {
	case choice.Is("none"):
		q.functions = nil
	case choice.Is("required"):
		q.isForced = len(q.functions) > 0
	case choice.Get("type").Is("function"):
		q.isForced = true
		named := choice
		if inner := choice.First("function"); inner != nil {
			named = inner
		}
		q.names = []string{named.GetString("name")}
	case choice.Get("type").Is("allowed_tools"):
		allowed := choice
		if inner := choice.First("allowed_tools"); inner != nil {
			allowed = inner
		}
		q.isForced = allowed.Get("mode").Is("required")
		for _, tool := range elements(allowed.Get("tools")) {
			if inner := tool.First("function"); inner != nil {
				tool = inner
			}
			q.names = append(q.names, tool.GetString("name"))
		}
	}
}
