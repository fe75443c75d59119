package transport

import (
	"toolproof/schema"
)

// messages is Anthropic's Messages.
var messages = &api{
	paths:   []string{"/messages", "/messages/count_tokens"},
	targets: []string{"anthropic", "anthropic-strict", "portable"},
	declarations: func(request *schema.Node) []declaration {
		var declared []declaration
		for _, tool := range each(request.Get("tools")) {
			if isOwn(tool) {
				declared = append(declared, declaration{tool, "input_schema"})
			}
		}
		return declared
	},
	others: func(request *schema.Node) []string {
		return namesOf(each(request.Get("tools")), func(tool *schema.Node) bool { return !isOwn(tool) })
	},
	names: func(request *schema.Node) []*schema.Node {
		names := nameIn(request.Get("tool_choice"), "name")
		for _, block := range blocksOf(request, "tool_result") {
			for _, part := range each(block.Get("content")) { // of a tool search that the program runs itself
				if part.Get("type").Is("tool_reference") {
					names = append(names, nameIn(part, "tool_name")...)
				}
			}
		}
		return names
	},
	said: func(request *schema.Node) []call {
		return callsInBlocks(blocksOf(request, "tool_use"))
	},
	answered: func(response *schema.Node) []call { return callsInBlocks(each(response.Get("content"))) },
	stream:   func(answer *answer) restorer { return &messagesStream{answer: answer, open: map[int64]*held{}} },
}

// isOwn reports whether a tool is the user's own and no tool of the provider.
func isOwn(tool *schema.Node) bool {
	kind := tool.First("type")
	return kind == nil || kind.Is("custom")
}

// blocksOf returns the blocks of a type in the history of a request.
func blocksOf(request *schema.Node, kind string) []*schema.Node {
	var blocks []*schema.Node
	for _, message := range each(request.Get("messages")) {
		for _, block := range each(message.Get("content")) {
			if block.Get("type").Is(kind) {
				blocks = append(blocks, block)
			}
		}
	}
	return blocks
}

func callsInBlocks(blocks []*schema.Node) []call {
	var calls []call
	for _, block := range blocks {
		if block.Get("type").Is("tool_use") {
			calls = append(calls, call{block, block.GetString("id"), "input", false})
		}
	}
	return calls
}

// messagesStream restores the calls of a stream of Messages.
type messagesStream struct {
	answer *answer
	open   map[int64]*held // by the index of the block
}

func (s *messagesStream) event(e *event) []*event {
	number, _ := e.data.Get("index").Int64()
	called := s.open[number]
	switch e.data.GetString("type") {
	case "content_block_start":
		for _, begun := range callsInBlocks(each(e.data.Get("content_block"))) {
			if input := begun.Get("input"); input != nil && len(input.Members) > 0 { // which no pieces follow
				e.isChanged = s.answer.restoreAll([]call{begun})
			} else if name, isKnown := s.answer.begin(begun.id, begun.GetString("name")); isKnown {
				s.open[number] = s.answer.start(begun.id, begun.GetString("name"))
				e.rename(begun.Node, name)
			}
		}
	case "content_block_delta":
		if delta := e.data.Get("delta"); called != nil && delta.Get("type").Is("input_json_delta") {
			s.answer.hold(called, e, delta, "partial_json")
		}
	case "content_block_stop":
		if called == nil {
			break
		}
		delete(s.open, number)
		isEmpty := called.text.Len() == 0
		if text := s.answer.end(called); !isEmpty || text != "" {
			return []*event{{isChanged: true, isNamed: true, data: schema.NewObject(
				schema.Member{Key: "type", Value: schema.NewString("content_block_delta")},
				schema.Member{Key: "index", Value: e.data.Get("index")},
				schema.Member{Key: "delta", Value: schema.NewObject(
					schema.Member{Key: "type", Value: schema.NewString("input_json_delta")},
					schema.Member{Key: "partial_json", Value: schema.NewString(text)},
				)},
			)}, e}
		}
	}
	return []*event{e}
}

func (s *messagesStream) unfinished() string {
	for _, called := range s.open {
		return called.name
	}
	return ""
}
