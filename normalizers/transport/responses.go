package transport

import (
	"maps"
	"slices"

	"toolproof/schema"
)

// responses is OpenAI's Responses. A call of a tool in a namespace passes as it is, as the tool does.
var responses = &api{
	paths:        []string{"/responses", "/responses/compact", "/responses/input_tokens"},
	targets:      []string{"openai", "openai-strict", "openai-responses", "portable"},
	alwaysStrict: true,
	declarations: func(request *schema.Node) []declaration {
		var declared []declaration
		for _, tool := range toolsOfResponses(request) {
			if tool.Get("type").Is("function") {
				declared = append(declared, declaration{tool, "parameters"})
			}
		}
		return declared
	},
	others: func(request *schema.Node) []string {
		return namesOf(toolsOfResponses(request), func(tool *schema.Node) bool { return !tool.Get("type").Is("function") })
	},
	names: func(request *schema.Node) []*schema.Node {
		choice := request.Get("tool_choice")
		var names []*schema.Node
		for _, chosen := range append([]*schema.Node{choice}, each(choice.Get("tools"))...) {
			if chosen.Get("type").Is("function") {
				names = append(names, nameIn(chosen, "name")...)
			}
		}
		return names
	},
	said:     func(request *schema.Node) []call { return callsInItems(request.Get("input")) },
	answered: func(response *schema.Node) []call { return callsInItems(response.Get("output")) },
	stream: func(answer *answer) restorer {
		return &responsesStream{answer: answer, open: map[int64]*responsesCall{}}
	},
}

// toolsOfResponses returns the tools of a request, with those that items of the input add.
func toolsOfResponses(request *schema.Node) []*schema.Node {
	tools := append([]*schema.Node(nil), each(request.Get("tools"))...)
	for _, item := range each(request.Get("input")) {
		if item.Get("type").Is("additional_tools") {
			tools = append(tools, each(item.Get("tools"))...)
		}
	}
	return tools
}

func callsInItems(items *schema.Node) []call {
	var calls []call
	for _, item := range each(items) {
		if item.Get("type").Is("function_call") && item.First("namespace") == nil {
			calls = append(calls, call{item, item.GetString("call_id"), "arguments", true})
		}
	}
	return calls
}

// responsesCall is a call whose item is not complete.
type responsesCall struct {
	*held

	last       *event // the last delta, which waits for the text; nil if there is none
	isReleased bool   // its text is complete
}

// responsesStream restores the calls of a stream of Responses. Its events have numbers, so that none is
// added: the last delta of a call waits until the call is complete, and has its whole text then.
type responsesStream struct {
	answer *answer
	open   map[int64]*responsesCall // by the index of the item
}

func (s *responsesStream) event(e *event) (out []*event) {
	number, _ := e.data.Get("output_index").Int64()
	called := s.open[number]
	switch kind := e.data.GetString("type"); {
	case kind == "response.output_item.added":
		s.begin(e, number)
	case kind == "response.function_call_arguments.delta" && called != nil && !called.isReleased:
		s.answer.hold(called.held, e, e.data, "delta")
		if called.last != nil {
			out = append(out, called.last)
		}
		called.last = e
		return out
	case kind == "response.function_call_arguments.done" && called != nil:
		out = s.release(called)
		e.set(e.data, "arguments", s.answer.arguments(called.id, called.name, e.data.GetString("arguments")))
		if e.data.Has("name") {
			e.rename(e.data, s.answer.tools.given[called.name])
		}
	case kind == "response.output_item.done":
		if called != nil {
			out = s.release(called)
			delete(s.open, number)
		}
		e.isChanged = s.answer.restoreAll(callsInItems(e.data.Get("item")))
	case e.data.Has("response"):
		response := e.data.Get("response")
		if status := response.GetString("status"); status != "in_progress" && status != "queued" {
			for _, number := range slices.Sorted(maps.Keys(s.open)) {
				out = append(out, s.release(s.open[number])...)
			}
			clear(s.open)
		}
		e.isChanged = s.answer.restoreAll(callsInItems(response.Get("output")))
	}
	return append(out, e)
}

// begin takes the item of a call that begins.
func (s *responsesStream) begin(e *event, number int64) {
	for _, begun := range callsInItems(e.data.Get("item")) {
		name := begun.GetString("name")
		if given, isKnown := s.answer.begin(begun.id, name); isKnown {
			called := &responsesCall{held: s.answer.start(begun.id, name)}
			s.open[number] = called
			e.rename(begun.Node, given)
			s.answer.hold(called.held, e, begun.Node, "arguments")
		}
	}
}

// release returns the delta that waits, with the text of the call.
func (s *responsesStream) release(called *responsesCall) []*event {
	if called.isReleased {
		return nil
	}
	called.isReleased = true
	text := s.answer.end(called.held)
	if called.last == nil {
		return nil
	}
	called.last.set(called.last.data, "delta", text)
	return []*event{called.last}
}

func (s *responsesStream) unfinished() string {
	for _, called := range s.open {
		return called.name
	}
	return ""
}
