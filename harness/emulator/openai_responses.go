package emulator

import (
	"net/http"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

// responses answers a request of OpenAI's Responses.
func (x *exchange) responses() reply {
	x.model = x.body.GetString("model")
	requests := wire.Responses(x.body, x.service.name)
	if refused := x.refusal(requests); refused != nil {
		return *refused
	}
	said, err := x.answer(x.responsesQuestion(requests))
	if err != nil {
		return x.service.failed(http.StatusBadRequest, "Invalid value for 'tool_choice': %v", err)
	}
	item := object{
		"id": x.id("msg_"), "type": "message", "status": "completed", "role": "assistant",
		"content": []any{object{"type": "output_text", "text": said.text, "annotations": []any{}, "logprobs": []any{}}},
	}
	if said.function != "" {
		item = object{
			"id": x.id("fc_"), "type": "function_call", "status": "completed", "call_id": x.id("call_"),
			"name": said.function, "arguments": said.arguments.String(),
		}
	}
	return found(x.response(requests, "completed", said, item))
}

// response makes the object that stands for the whole answer.
func (x *exchange) response(requests []provider.Request, status string, said turn, output ...any) object {
	response := object{
		"id": x.id("resp_"), "object": "response", "created_at": x.created(), "status": status, "model": x.model,
		"output": output, "error": nil, "incomplete_details": nil, "instructions": nil, "metadata": object{},
		"parallel_tool_calls": true, "temperature": 1, "top_p": 1, "tool_choice": "auto", "tools": x.understood(requests),
		"usage": nil,
	}
	if choice := x.body.First("tool_choice"); choice != nil {
		response["tool_choice"] = choice
	}
	if status == "completed" {
		input, answer := tokens(x.size), tokens(said.size())
		response["usage"] = object{
			"input_tokens": input, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": answer, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": input + answer,
		}
	}
	return response
}

// understood returns the tools as the provider understands them, which is how it echoes
// them.
func (x *exchange) understood(requests []provider.Request) []*schema.Node {
	tools := append([]*schema.Node{}, elements(x.body.Get("tools"))...)
	for _, request := range requests {
		if echo := dialectNamed(request.Dialect).Echo; echo != nil {
			for i, declaration := range request.Declarations {
				tools[request.Index(i)] = echo(declaration, x.day)
			}
		}
	}
	return tools
}

// responsesQuestion reads what is asked.
func (x *exchange) responsesQuestion(requests []provider.Request) question {
	q := question{functions: x.functionsOf(requests)}
	q.choose(x.body.Get("tool_choice"))
	if input := x.body.Get("input"); input != nil && len(input.Elements) > 0 {
		q.isTold = input.Elements[len(input.Elements)-1].Get("type").Is("function_call_output")
	}
	format := x.body.Get("text").First("format")
	q.isJSON = format.Get("type").Is("json_object") || format.Get("type").Is("json_schema")
	q.format = format.First("schema")
	return q
}
