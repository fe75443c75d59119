package emulator

import (
	"net/http"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

// openAI is OpenAI.
var openAI = &service{name: "openai", failure: func(status int, message string) []byte {
	return encode(object{"error": object{"message": message, "type": openAIType(status), "param": nil, "code": nil}})
}}

func openAIType(status int) string {
	switch status {
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusInternalServerError:
		return "server_error"
	default:
		return "invalid_request_error"
	}
}

// chat answers a request of Chat Completions.
func (x *exchange) chat() reply {
	x.model = x.body.GetString("model")
	if x.body.Get("messages") == nil {
		return x.service.failed(http.StatusBadRequest, "Missing required parameter: 'messages'.")
	}
	requests := wire.Chat(x.body, x.service.name)
	if refused := x.refusal(requests); refused != nil {
		return *refused
	}
	said, err := x.answer(x.chatQuestion(requests))
	if err != nil {
		return x.service.failed(http.StatusBadRequest, "Invalid value for 'tool_choice': %v", err)
	}
	message := object{"role": "assistant", "content": said.text, "refusal": nil, "annotations": []any{}}
	reason := "stop"
	if said.function != "" {
		reason = "tool_calls"
		message["content"] = nil
		message["tool_calls"] = []any{object{
			"id": x.id("call_"), "type": "function", "function": object{"name": said.function, "arguments": said.arguments.String()},
		}}
	}
	return found(object{
		"id": x.id("chatcmpl-"), "object": "chat.completion", "created": x.created(), "model": x.model,
		"choices": []any{object{"index": 0, "message": message, "logprobs": nil, "finish_reason": reason}},
		"usage":   chatUsage(x.size, said),
	})
}

func chatUsage(size int, said turn) object {
	prompt, completion := tokens(size), tokens(said.size())
	return object{"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
}

// chatQuestion reads what is asked.
func (x *exchange) chatQuestion(requests []provider.Request) question {
	q := question{functions: x.functionsOf(requests)}
	if x.service == geminiOpenAI {
		for i := range q.functions {
			q.functions[i].parameters = standard(q.functions[i].parameters)
		}
	}
	q.choose(x.body.Get("tool_choice"))
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
