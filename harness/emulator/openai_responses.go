package emulator

import (
	"cmp"
	"maps"
	"net/http"
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

// responses answers a request of OpenAI's Responses.
func (x *exchange) responses() reply {
	if x.model = x.body.GetString("model"); x.model == "" {
		return x.service.failed(http.StatusBadRequest, "Missing required parameter: 'model'.")
	}
	if unknown := x.noModel(); unknown != nil {
		return *unknown
	}
	requests := wire.Read(provider.Responses, x.service.surfaces, x.body)
	if refused := x.refusal(requests); refused != nil {
		return *refused
	}
	said, err := x.answer(x.responsesQuestion(requests))
	if err != nil {
		return x.service.failed(http.StatusBadRequest, "Invalid value for 'tool_choice': %v.", err)
	}
	item := object{
		"id": x.id("msg_"), "type": "message", "status": "completed", "role": "assistant", "content": []any{outputText(said.text)},
	}
	if said.function != "" {
		item = object{
			"id": x.id("fc_"), "type": "function_call", "status": "completed", "call_id": x.id("call_"),
			"name": said.function, "arguments": said.arguments.String(),
		}
	}
	response := x.response(requests, said, item)
	if x.body.Get("stream").IsTrue() {
		return responsesStream(response, item, said)
	}
	return found(response)
}

func outputText(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

// responsesStream sends a response in pieces: its one item begins empty.
func responsesStream(response, item object, said turn) reply {
	begun := with(response, object{"status": "in_progress", "output": []any{}, "usage": nil})
	events := []object{
		{"type": "response.created", "response": begun},
		{"type": "response.in_progress", "response": begun},
	}
	at := object{"item_id": item["id"], "output_index": 0}
	if said.function != "" {
		arguments := said.arguments.String()
		events = append(events, object{
			"type": "response.output_item.added", "output_index": 0, "item": with(item, object{"status": "in_progress", "arguments": ""}),
		})
		for _, piece := range pieces(arguments) {
			events = append(events, with(at, object{"type": "response.function_call_arguments.delta", "delta": piece}))
		}
		events = append(events, with(at, object{"type": "response.function_call_arguments.done", "name": said.function, "arguments": arguments}))
	} else {
		in := with(at, object{"content_index": 0})
		events = append(events,
			object{"type": "response.output_item.added", "output_index": 0, "item": with(item, object{"status": "in_progress", "content": []any{}})},
			with(in, object{"type": "response.content_part.added", "part": outputText("")}),
		)
		for _, piece := range pieces(said.text) {
			events = append(events, with(in, object{"type": "response.output_text.delta", "delta": piece, "logprobs": []any{}}))
		}
		events = append(events,
			with(in, object{"type": "response.output_text.done", "text": said.text, "logprobs": []any{}}),
			with(in, object{"type": "response.content_part.done", "part": outputText(said.text)}),
		)
	}
	events = append(events,
		object{"type": "response.output_item.done", "output_index": 0, "item": item},
		object{"type": "response.completed", "response": response},
	)
	for i := range events {
		events[i]["sequence_number"] = i
	}
	return stream(events, event)
}

// with returns a copy of an object with other members besides or instead.
func with(given, others object) object {
	changed := maps.Clone(given)
	maps.Copy(changed, others)
	return changed
}

// response makes the object that stands for the whole answer.
func (x *exchange) response(requests []provider.Request, said turn, item object) object {
	input, output := tokens(x.size), tokens(said.size())
	response := object{
		"id": x.id("resp_"), "object": "response", "created_at": x.created(), "status": "completed", "model": x.model,
		"output": []any{item}, "error": nil, "incomplete_details": nil, "instructions": nil, "metadata": object{},
		"parallel_tool_calls": true, "temperature": 1, "top_p": 1, "tool_choice": "auto", "tools": x.understood(requests),
		"usage": object{
			"input_tokens": input, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": output, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": input + output,
		},
	}
	if choice := x.body.First("tool_choice"); choice != nil {
		response["tool_choice"] = choice
	}
	return response
}

// understood returns the tools as the provider understands them, which is how it echoes
// them.
func (x *exchange) understood(requests []provider.Request) []*schema.Node {
	understood := map[*schema.Node]*schema.Node{}
	for _, request := range requests {
		dialect := x.service.surface(request.Dialect)
		if dialect == nil || dialect.Echo == nil {
			continue
		}
		for _, declaration := range request.Declarations {
			understood[declaration] = dialect.Echo(declaration, x.day)
		}
	}
	echo := func(tools []*schema.Node) []*schema.Node {
		echoed := make([]*schema.Node, len(tools))
		for i, tool := range tools {
			echoed[i] = cmp.Or(understood[tool], tool)
		}
		return echoed
	}
	tools := echo(elements(x.body.Get("tools")))
	for i, tool := range tools {
		if inside := tool.Get("tools"); tool.Get("type").Is("namespace") && inside != nil {
			clone := schema.NewObject(slices.Clone(tool.Members)...)
			clone.Set("tools", schema.NewArray(echo(elements(inside))...))
			tools[i] = clone
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
