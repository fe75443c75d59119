package emulator

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// responses answers a request to Responses.
func (x *exchange) responses() reply {
	if x.model = cmp.Or(x.request.PathValue("deployment"), x.body.GetString("model")); x.model == "" {
		return x.service.failed(http.StatusBadRequest, "Missing required parameter: 'model'.")
	}
	if x.noModel() != nil {
		return x.service.refused(http.StatusBadRequest, fmt.Sprintf(conversation.ModelNotFound.Words, x.model), "model", "model_not_found")
	}
	requests := wire.Read(provider.Responses, x.service.surfaces, x.body)
	if refused := x.refusal(x.withCustom(provider.Responses, requests)); refused != nil {
		return *refused
	}
	if unknown := x.unknownResponse(); unknown != nil {
		return *unknown
	}
	if unfit := x.judgeConversation(provider.Responses); unfit != nil {
		return *unfit
	}
	turns, err := x.answers(x.responsesQuestion(requests))
	if err != nil {
		return x.unanswered(err)
	}
	items := x.items(turns[0])
	response := x.response(requests, turns[0], items)
	if turns[0].isCut {
		response["status"], response["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
		items[len(items)-1].object["status"] = "incomplete"
	}
	if x.body.Get("stream").IsTrue() {
		return responsesStream(response, items)
	}
	return succeeded(response)
}

// item is an item of the output of Responses with the form in which it is streamed.
type item struct {
	object

	begun object // members when it begins
	parts []part
}

// part is a text of an item that is streamed in pieces, with the events around it.
type part struct {
	text        string
	at          object // members of all its events
	delta, done string // types of its events
	ends        object // members of the done event
	around      string // type, without its ending, of the events before and after; "" for none
	first, last object // members of those events
}

// items returns the output of an answer: thinking, and calls or text.
func (x *exchange) items(said turn) []item {
	var items []item
	id := "" // of the reasoning, without its beginning, and of the call after it
	if said.thinking != "" || x.alwaysReasons() {
		reasoning := hashed(x.id(reasoningPrefix))
		items, id = append(items, x.reasoning(reasoning, said.thinking)), strings.TrimPrefix(reasoning, reasoningPrefix)
	}
	for _, call := range said.calls {
		if call.isDeferred && said.finder != "" {
			items = append(items, x.findingItems(call)...)
		}
		items = append(items, x.callItem(call, cmp.Or(id, x.id(""))))
		id = ""
	}
	if len(said.calls) > 0 {
		return items
	}
	if said.uses == search {
		items = append(items, x.searchItem())
	}
	content := part{
		text: said.text, at: object{"content_index": 0}, delta: "response.output_text.delta", done: "response.output_text.done",
		ends: object{"text": said.text, "logprobs": []any{}}, around: "response.content_part",
		first: object{"part": outputText("")}, last: object{"part": outputText(said.text)},
	}
	if said.refusal != "" {
		refusal := func(text string) object { return object{"part": object{"type": "refusal", "refusal": text}} }
		content = part{
			text: said.refusal, at: content.at, delta: "response.refusal.delta", done: "response.refusal.done",
			ends: object{"refusal": said.refusal}, around: content.around, first: refusal(""), last: refusal(said.refusal),
		}
	}
	message := object{"id": x.id("msg_"), "type": "message", "status": "completed", "role": "assistant", "content": []any{content.last["part"]}}
	return append(items, item{message, object{"content": []any{}}, []part{content}})
}

// reasoner matches the models that think unless the request says otherwise. Their answers have an item of
// reasoning without a summary: https://github.com/0xPlaygrounds/rig/issues/751 (gpt-5-mini, 2025-08-28),
// https://github.com/mastra-ai/mastra/issues/8738 (o3, 2025-10-11).
var reasoner = lazy.Compile(`^(o[134]|gpt-5(-mini|-nano)?(-20\d\d.*)?$)`)

// alwaysReasons reports whether the model thinks although nobody asks to see it.
func (x *exchange) alwaysReasons() bool {
	return reasoner.MatchString(x.model) && !x.body.Get("reasoning").Get("effort").Is("none")
}

// reasoning returns the item of a model's thinking, which may be "" if it is not shown.
func (x *exchange) reasoning(id, thinking string) item {
	summary := func(text string) object { return object{"type": "summary_text", "text": text} }
	reasoning := object{"id": id, "type": "reasoning", "summary": []any{}}
	if thinking == "" {
		return item{reasoning, object{}, nil}
	}
	reasoning["summary"] = []any{summary(thinking)}
	if slices.Contains(x.body.Get("include").Strings(), "reasoning.encrypted_content") {
		reasoning["encrypted_content"] = x.id("gAAAAA")
	}
	return item{
		reasoning,
		object{"summary": []any{}},
		[]part{{
			text: thinking, at: object{"summary_index": 0}, delta: "response.reasoning_summary_text.delta", done: "response.reasoning_summary_text.done",
			ends: object{"text": thinking}, around: "response.reasoning_summary_part",
			first: object{"part": summary("")}, last: object{"part": summary(thinking)},
		}},
	}
}

// searchItem returns the item of a web search, which the provider runs itself.
func (x *exchange) searchItem() item {
	search := object{"id": x.id("ws_"), "type": "web_search_call", "status": "completed", "action": object{"type": "search", "query": searchQuery}}
	return item{search, object{"status": "in_progress"}, nil}
}

// findingItems returns the items of a tool search, which the provider runs itself: its query,
// and the tool found, in its namespace.
func (x *exchange) findingItems(call call) []item {
	path, tool := call.name, call.declared
	if call.namespace != "" {
		path = call.namespace
		for _, space := range wire.List(x.body.Get("tools")) {
			if space.Get("type").Is("namespace") && space.Get("name").Is(call.namespace) {
				tool = space.Clone()
				tool.Set("tools", schema.NewArray(call.declared))
			}
		}
	}
	common := object{"execution": "server", "call_id": nil, "status": "completed"}
	return []item{
		{with(common, object{"id": x.id("tsc_"), "type": "tool_search_call", "arguments": object{"paths": []any{path}}}), object{"status": "in_progress", "arguments": object{}}, nil},
		{with(common, object{"id": x.id("tso_"), "type": "tool_search_output", "tools": []any{tool}}), object{"status": "in_progress", "tools": []any{}}, nil},
	}
}

// callItem returns the item of a call, with the namespace of the tool if it has one.
func (x *exchange) callItem(call call, id string) item {
	text := call.text()
	called := object{"id": callPrefix + id, "type": "function_call", "status": "completed", "call_id": x.id("call_"), "name": call.name, "arguments": text}
	streamed := part{
		text: text, delta: "response.function_call_arguments.delta", done: "response.function_call_arguments.done",
		ends: object{"name": call.name, "arguments": text},
	}
	begun := object{"status": "in_progress", "arguments": ""}
	if call.isCustom {
		called = object{"id": "ctc_" + id, "type": "custom_tool_call", "status": "completed", "call_id": x.id("call_"), "name": call.name, "input": text}
		streamed = part{text: text, delta: "response.custom_tool_call_input.delta", done: "response.custom_tool_call_input.done", ends: object{"input": text}}
		begun = object{"status": "in_progress", "input": ""}
	}
	if call.namespace != "" {
		called["namespace"] = call.namespace
	}
	return item{called, begun, []part{streamed}}
}

func outputText(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

// responsesStream streams a response. Each item begins empty.
func responsesStream(response object, items []item) reply {
	begun := with(response, object{"status": "in_progress", "output": []any{}, "usage": nil, "completed_at": nil})
	events := []object{
		{"type": "response.created", "response": begun},
		{"type": "response.in_progress", "response": begun},
	}
	for i, sent := range items {
		events = append(events, object{"type": "response.output_item.added", "output_index": i, "item": with(sent.object, sent.begun)})
		for _, part := range sent.parts {
			at := with(object{"item_id": sent.object["id"], "output_index": i}, part.at)
			if part.around != "" {
				events = append(events, with(with(at, part.first), object{"type": part.around + ".added"}))
			}
			for _, piece := range pieces(part.text) {
				delta := with(at, object{"type": part.delta, "delta": piece})
				if part.delta == "response.output_text.delta" {
					delta["logprobs"] = []any{}
				}
				events = append(events, delta)
			}
			events = append(events, with(with(at, part.ends), object{"type": part.done}))
			if part.around != "" {
				events = append(events, with(with(at, part.last), object{"type": part.around + ".done"}))
			}
		}
		events = append(events, object{"type": "response.output_item.done", "output_index": i, "item": sent.object})
	}
	events = append(events, object{"type": fmt.Sprintf("response.%s", response["status"]), "response": response})
	for i := range events {
		events[i]["sequence_number"] = i
	}
	return stream(events, event)
}

// with returns a copy of an object with members added or replaced.
func with(base, others object) object {
	changed := maps.Clone(base)
	maps.Copy(changed, others)
	return changed
}

// response returns the object of the whole answer.
func (x *exchange) response(requests []provider.Request, said turn, items []item) object {
	inputTokens, outputTokens := tokens(x.size), tokens(said.size())
	output := make([]any, len(items))
	for i, item := range items {
		output[i] = item.object
	}
	reasoning := x.body.Get("reasoning")
	response := object{
		"id": x.responseID(x.responsesResults()), "object": "response", "created_at": x.created(), "completed_at": x.created(), "status": "completed", "model": x.model,
		"output": output, "error": nil, "incomplete_details": nil, "tools": x.understood(requests), "service_tier": "default",
		"reasoning": object{"effort": reasoning.First("effort"), "summary": reasoning.First("summary")},
		"usage": object{
			"input_tokens": inputTokens, "input_tokens_details": object{"cached_tokens": 0, "cache_write_tokens": 0},
			"output_tokens": outputTokens, "output_tokens_details": object{"reasoning_tokens": said.thought()}, "total_tokens": inputTokens + outputTokens,
		},
	}
	for member, usual := range echoed {
		response[member] = usual
		if given := x.body.First(member); given != nil {
			response[member] = given
		}
	}
	return response
}

// echoed are the members of a request that the answer repeats, with their values if the request has none.
var echoed = object{
	"background": false, "instructions": nil, "max_output_tokens": nil, "max_tool_calls": nil, "metadata": object{}, "parallel_tool_calls": true,
	"previous_response_id": nil, "prompt_cache_key": nil, "safety_identifier": nil, "store": true, "temperature": 1,
	"text": object{"format": object{"type": "text"}, "verbosity": "medium"}, "tool_choice": "auto", "top_logprobs": 0, "top_p": 1, "truncation": "disabled", "user": nil,
}

// understood returns the tools of a request as the provider understands and echoes them.
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
	tools := echo(wire.List(x.body.Get("tools")))
	for i, tool := range tools {
		if inside := tool.Get("tools"); tool.Get("type").Is("namespace") && inside != nil {
			clone := schema.NewObject(slices.Clone(tool.Members)...)
			clone.Set("tools", schema.NewArray(echo(wire.List(inside))...))
			tools[i] = clone
		}
	}
	return tools
}

// responsesResults returns the number of results at the end of the input, with those at the end of the
// conversation before, which the identifier of a response of the emulator tells.
func (x *exchange) responsesResults() int {
	input := wire.List(x.body.Get("input"))
	results := resultsIn(input, func(item *schema.Node) (results int, isUser bool) {
		if strings.HasSuffix(item.GetString("type"), "_call_output") {
			return 1, false
		}
		return 0, item.Get("role").Is("user")
	})
	isUser := func(item *schema.Node) bool { return item.Get("role").Is("user") }
	if results > 0 && !slices.ContainsFunc(input, isUser) {
		results += resultsBefore(x.body.GetString("previous_response_id"))
	}
	return results
}

// responsesQuestion reads the question in a request to Responses.
func (x *exchange) responsesQuestion(requests []provider.Request) question {
	q := question{functions: x.functionsOf(requests), isAlone: x.body.Get("parallel_tool_calls").IsFalse()}
	tools := wire.ResponsesTools(x.body)
	for i := range q.functions {
		q.functions[i].namespace = tools[q.functions[i].index].Namespace
	}
	finder := ""
	for i, tool := range tools {
		if strings.HasPrefix(tool.GetString("type"), "web_search") {
			q.builtIn = search
		}
		if tool.Get("type").Is("custom") {
			q.functions = append(q.functions, function{
				name: tool.GetString("name"), namespace: tool.Namespace, index: i, isCustom: true, grammar: grammarOf(tool.Node), declared: tool.Node,
			})
		}
		if tool.Get("type").Is("tool_search") && !tool.Get("execution").Is("client") {
			finder = "tool_search"
		}
	}
	q.searching(finder)
	q.choose(x.body.Get("tool_choice"))
	q.limit = limitOf(x.body, "max_output_tokens")
	q.results = x.responsesResults()
	q.thinks = x.body.Get("reasoning").First("summary") != nil || slices.Contains(x.body.Get("include").Strings(), "reasoning.encrypted_content")
	format := x.body.Get("text").First("format")
	q.isJSON = format.Get("type").Is("json_object") || format.Get("type").Is("json_schema")
	q.format = format.First("schema")
	return q
}
