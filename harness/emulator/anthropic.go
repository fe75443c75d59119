package emulator

import (
	"net/http"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/anthropic"
	"toolproof/harness/provider/wire"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// claude is Anthropic's service.
var claude = &service{
	surfaces: anthropic.Dialects,
	failure: func(status int, _, message string) []byte {
		kind := map[int]string{
			http.StatusNotFound: "not_found_error", http.StatusUnauthorized: "authentication_error", http.StatusRequestEntityTooLarge: "request_too_large",
			http.StatusTooManyRequests: "rate_limit_error", http.StatusInternalServerError: "api_error", statusOverloaded: "overloaded_error",
		}[status]
		if kind == "" {
			kind = "invalid_request_error"
		}
		return encode(object{"type": "error", "error": object{"type": kind, "message": message}, "request_id": anthropic.RequestID})
	},
	models:       []string{"claude-sonnet-4-5", "claude-sonnet-5", "claude-opus-4-5", "claude-haiku-4-5"},
	entry:        claudeEntry,
	family:       lazy.Compile(`^claude-[\w.@-]+$`),
	unknownModel: "model: %s",
	head:         anthropicHead,
}

// messages answers a request to Messages.
func (x *exchange) messages() reply {
	for _, field := range []string{"model", "max_tokens", "messages"} {
		if x.body.First(field) == nil {
			return x.service.failed(http.StatusBadRequest, "%s: Field required", field)
		}
	}
	if x.model = x.body.GetString("model"); x.noModel() != nil {
		return *x.noModel()
	}
	if missing := x.resume(); missing != nil {
		return *missing
	}
	requests := wire.Read(provider.Messages, x.service.surfaces, x.body)
	if refused := x.refusal(requests); refused != nil {
		return *refused
	}
	if unfit := x.judgeConversation(provider.Messages); unfit != nil {
		return *unfit
	}
	turns, err := x.answers(x.messagesQuestion(requests))
	if err != nil {
		return x.unanswered(err)
	}
	said, reason := turns[0], "end_turn"
	switch {
	case said.isCut:
		reason = "max_tokens"
	case said.refusal != "":
		reason = "refusal"
	case len(said.calls) > 0:
		reason = "tool_use"
	}
	blocks := x.blocks(said)
	content := make([]any, len(blocks))
	for i, block := range blocks {
		content[i] = block.object
	}
	id := x.id("msg_")
	x.hold(id, content)
	message := object{
		"id": id, "type": "message", "role": "assistant", "model": x.model, "content": content, "container": nil,
		"stop_reason": reason, "stop_sequence": nil, "stop_details": nil,
		"usage": with(x.counted(said), object{
			"cache_creation": object{"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}, "service_tier": "standard", "inference_geo": "not_available",
		}),
	}
	if x.body.Get("stream").IsTrue() {
		return messagesStream(message, blocks, x.counted(said))
	}
	return succeeded(message)
}

// counted returns the tokens of a request and its answer.
func (x *exchange) counted(said turn) object {
	var uses any // of tools that the service runs
	if said.uses == search {
		uses = object{"web_search_requests": 1, "web_fetch_requests": 0}
	}
	return object{
		"input_tokens": tokens(x.size), "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "server_tool_use": uses,
		"output_tokens": tokens(said.size()), "output_tokens_details": object{"thinking_tokens": said.thought()},
	}
}

// block is a content block of a message with the form in which it is streamed.
type block struct {
	object

	begun  object // members when it begins
	text   string // sent in pieces
	delta  func(piece string) object
	closes object // last delta; nil for none
}

// blocks returns the content of an answer: thinking, and calls or text.
func (x *exchange) blocks(said turn) []block {
	var blocks []block
	if said.thinking != "" {
		signature := x.signature()
		blocks = append(blocks, block{
			object{"type": "thinking", "thinking": said.thinking, "signature": signature},
			object{"thinking": "", "signature": ""},
			said.thinking,
			func(piece string) object { return object{"type": "thinking_delta", "thinking": piece} },
			object{"type": "signature_delta", "signature": signature},
		})
	}
	for _, call := range said.calls {
		if call.isDeferred && said.finder != "" {
			blocks = append(blocks, x.findingBlocks(said.finder, call.name)...)
		}
		blocks = append(blocks, block{
			object{"type": "tool_use", "id": x.id("toolu_"), "name": call.name, "input": call.arguments, "caller": object{"type": "direct"}},
			object{"input": object{}},
			call.text(),
			func(piece string) object { return object{"type": "input_json_delta", "partial_json": piece} }, nil,
		})
	}
	if said.uses == search {
		blocks = append(blocks, x.searchBlocks()...)
	}
	if len(said.calls) == 0 && said.refusal == "" {
		blocks = append(blocks, block{
			object{"type": "text", "text": said.text},
			object{"text": ""},
			said.text,
			func(piece string) object { return object{"type": "text_delta", "text": piece} }, nil,
		})
	}
	return blocks
}

// findingBlocks returns the blocks of a search for a tool.
func (x *exchange) findingBlocks(finder, name string) []block {
	query := object{"query": name}
	if strings.HasSuffix(finder, "regex") {
		query = object{"pattern": name}
	}
	return x.serverBlocks(finder, query, "tool_search_tool_result", object{
		"type": "tool_search_tool_search_result", "tool_references": []any{object{"type": "tool_reference", "tool_name": name}},
	})
}

// searchBlocks returns the blocks of a web search.
func (x *exchange) searchBlocks() []block {
	page := object{"type": "web_search_result", "url": searchPage, "title": "Example", "encrypted_content": x.id("Eo"), "page_age": nil}
	return x.serverBlocks("web_search", object{"query": searchQuery}, "web_search_tool_result", []any{page})
}

// serverBlocks returns the blocks of a tool that the provider runs itself: its input, and a
// result whose type is kind.
func (x *exchange) serverBlocks(name string, input object, kind string, result any) []block {
	id := x.id("srvtoolu_")
	return []block{
		{
			object{"type": "server_tool_use", "id": id, "name": name, "input": input},
			object{"input": object{}},
			string(encode(input)),
			func(piece string) object { return object{"type": "input_json_delta", "partial_json": piece} }, nil,
		},
		{object: object{"type": kind, "tool_use_id": id, "content": result}},
	}
}

// messagesStream streams a message. Each block begins empty.
func messagesStream(message object, blocks []block, usage object) reply {
	stop := object{"stop_reason": message["stop_reason"], "stop_sequence": nil, "stop_details": nil, "container": nil}
	message["content"], message["stop_reason"] = []any{}, nil
	events := []object{{"type": "message_start", "message": message}}
	for i, sent := range blocks {
		events = append(events, object{"type": "content_block_start", "index": i, "content_block": with(sent.object, sent.begun)})
		if i == 0 {
			events = append(events, object{"type": "ping"})
		}
		for _, piece := range pieces(sent.text) {
			events = append(events, object{"type": "content_block_delta", "index": i, "delta": sent.delta(piece)})
		}
		if sent.closes != nil {
			events = append(events, object{"type": "content_block_delta", "index": i, "delta": sent.closes})
		}
		events = append(events, object{"type": "content_block_stop", "index": i})
	}
	return stream(append(events,
		object{"type": "message_delta", "delta": stop, "usage": usage},
		object{"type": "message_stop"},
	), event)
}

// messagesQuestion reads the question in a request to Messages.
func (x *exchange) messagesQuestion(requests []provider.Request) question {
	q := question{functions: x.functionsOf(requests)}
	choice := x.body.Get("tool_choice")
	q.isAlone = choice.Get("disable_parallel_tool_use").IsTrue()
	thinking := x.body.Get("thinking").GetString("type")
	q.thinks = thinking == "enabled" || thinking == "adaptive"
	finder := ""
	for _, tool := range wire.List(x.body.Get("tools")) {
		if strings.HasPrefix(tool.GetString("type"), "web_search_") {
			q.builtIn = search
		}
		if strings.HasPrefix(tool.GetString("type"), "tool_search_tool_") {
			finder = tool.GetString("name")
		}
	}
	q.searching(finder)
	switch choice.GetString("type") {
	case "none":
		q.callNothing()
	case "any":
		q.isForced = len(q.functions) > 0
	case "tool":
		q.isForced, q.names = true, []string{choice.GetString("name")}
	}
	q.limit = limitOf(x.body, "max_tokens")
	q.results = resultsIn(wire.List(x.body.Get("messages")), func(message *schema.Node) (results int, isUser bool) {
		for _, block := range wire.List(message.Get("content")) {
			if block.Get("type").Is("tool_result") {
				results++
			}
		}
		return results, results == 0 && message.Get("role").Is("user")
	})
	for _, format := range []*schema.Node{x.body.Get("output_config").First("format"), x.body.First("output_format")} {
		if format.Get("type").Is("json_schema") {
			q.isJSON, q.format = true, format.First("schema")
		}
	}
	return q
}

// countMessages answers a request for a number of tokens. What that API says to declarations is
// not known, so it accepts all.
func (x *exchange) countMessages() reply { return succeeded(object{"input_tokens": tokens(x.size)}) }
