package transport

import (
	"encoding/json"
	"strings"

	"toolproof/schema"
)

// chat is Chat Completions, with the functions from before there were tools.
var chat = &api{
	paths:   []string{"/chat/completions"},
	targets: []string{"openai", "openai-strict", "gemini-openai", "moonshot", "ollama", "llamacpp", "vllm", "portable"},
	declarations: func(request *schema.Node) []declaration {
		var declared []declaration
		for _, tool := range each(request.Get("tools")) {
			if function := tool.First("function"); function != nil {
				declared = append(declared, declaration{function, "parameters"})
			}
		}
		for _, function := range each(request.Get("functions")) {
			declared = append(declared, declaration{function, "parameters"})
		}
		return declared
	},
	others: func(request *schema.Node) []string {
		var custom []*schema.Node
		for _, tool := range each(request.Get("tools")) {
			custom = append(custom, each(tool.Get("custom"))...)
		}
		return namesOf(custom, func(*schema.Node) bool { return true })
	},
	names: func(request *schema.Node) []*schema.Node {
		choice := request.Get("tool_choice")
		names := append(nameIn(choice.Get("function"), "name"), nameIn(request.Get("function_call"), "name")...)
		for _, allowed := range each(choice.Get("allowed_tools").Get("tools")) {
			names = append(names, nameIn(allowed.Get("function"), "name")...)
		}
		for _, message := range each(request.Get("messages")) {
			if role := message.Get("role"); role.Is("tool") || role.Is("function") {
				names = append(names, nameIn(message, "name")...)
			}
		}
		return names
	},
	said: func(request *schema.Node) []call {
		var said []call
		for _, message := range each(request.Get("messages")) {
			said = append(said, callsInMessage(message)...)
		}
		return said
	},
	answered: func(response *schema.Node) []call {
		var answered []call
		for _, choice := range each(response.Get("choices")) {
			answered = append(answered, callsInMessage(choice.Get("message"))...)
		}
		return answered
	},
	stream: func(answer *answer) restorer { return &chatStream{answer: answer, open: map[chatPlace]*chatCall{}} },
}

func callsInMessage(message *schema.Node) []call {
	var calls []call
	for _, called := range each(message.Get("tool_calls")) {
		if function := called.First("function"); function != nil {
			calls = append(calls, call{function, called.GetString("id"), "arguments", true})
		}
	}
	if function := message.First("function_call"); function != nil {
		calls = append(calls, call{function, "", "arguments", true})
	}
	return calls
}

// chatPlace is a choice and the index of a call in it.
type chatPlace struct{ choice, index int64 }

// isLegacy is the index of a function_call.
const isLegacy = -1

// chatCall is a call that is not complete.
type chatCall struct {
	*held

	here   *schema.Node // the piece in the event under way; nil if there is none
	around *schema.Node // the last event with a piece
}

// isComplete reports whether the text of a call is a JSON value when another call begins. It is asked for
// each call that begins, so that a long text waits for the end.
func (c *chatCall) isComplete() bool {
	const longest = 1 << 20
	return c.text.Len() <= longest && json.Valid([]byte(c.text.String()))
}

// chatStream restores the calls of a stream of Chat Completions.
type chatStream struct {
	answer *answer
	open   map[chatPlace]*chatCall
	order  []chatPlace // of open
}

func (s *chatStream) event(e *event) []*event {
	if e.data == nil { // [DONE]
		return append(s.complete(e, func(chatPlace) bool { return true }), e)
	}
	var before []*event
	for _, choice := range each(e.data.Get("choices")) {
		number, _ := choice.Get("index").Int64()
		for i, piece := range each(choice.Get("delta").Get("tool_calls")) {
			index, isNumber := piece.Get("index").Int64()
			if !isNumber {
				index = int64(i)
			}
			before = append(before, s.piece(e, chatPlace{number, index}, piece.First("function"), piece.GetString("id"))...)
		}
		if piece := choice.Get("delta").First("function_call"); piece != nil {
			before = append(before, s.piece(e, chatPlace{number, isLegacy}, piece, "")...)
		}
		if choice.First("finish_reason") != nil {
			before = append(before, s.complete(e, func(place chatPlace) bool { return place.choice == number })...)
		}
	}
	for _, called := range s.open {
		called.here = nil
	}
	return append(before, e)
}

// piece takes a piece of a call. It returns the events of the calls before it that are complete then.
func (s *chatStream) piece(e *event, place chatPlace, piece *schema.Node, id string) (before []*event) {
	called := s.open[place]
	if called == nil {
		_, isKnown := s.answer.begin(id, piece.GetString("name"))
		if !isKnown {
			return nil
		}
		before = s.complete(e, func(other chatPlace) bool {
			return other.choice == place.choice && s.open[other].isComplete()
		})
		called = &chatCall{held: s.answer.start(id, piece.GetString("name"))}
		s.open[place], s.order = called, append(s.order, place)
	}
	if piece.GetString("name") == called.name { // some servers repeat it
		e.rename(piece, s.answer.tools.given[called.name])
	}
	called.here, called.around = piece, e.data
	s.answer.hold(called.held, e, piece, "arguments")
	return before
}

// complete restores the open calls that are selected. The text of one that has a piece in the event goes
// there, and for any other there is an event before.
func (s *chatStream) complete(e *event, isSelected func(chatPlace) bool) (before []*event) {
	var rest []chatPlace
	for _, place := range s.order {
		if !isSelected(place) {
			rest = append(rest, place)
			continue
		}
		called := s.open[place]
		delete(s.open, place)
		text := s.answer.end(called.held)
		switch {
		case called.here != nil:
			e.set(called.here, "arguments", text)
		case text != "":
			before = append(before, chatEvent(called.around, place, text))
		}
	}
	s.order = rest
	return before
}

// chatEvent returns an event with the arguments of a call, with the members of another event.
func chatEvent(around *schema.Node, place chatPlace, text string) *event {
	arguments := schema.Member{Key: "arguments", Value: schema.NewString(text)}
	delta := schema.NewObject(schema.Member{Key: "function_call", Value: schema.NewObject(arguments)})
	if place.index != isLegacy {
		delta = schema.NewObject(schema.Member{Key: "tool_calls", Value: schema.NewArray(schema.NewObject(
			schema.Member{Key: "index", Value: schema.NewInt(int(place.index))},
			schema.Member{Key: "function", Value: schema.NewObject(arguments)},
		))})
	}
	data := schema.NewObject()
	for _, member := range around.Members {
		switch member.Key {
		case "usage", "obfuscation": // are not said twice
			continue
		case "choices":
			member.Value = schema.NewArray(schema.NewObject(
				schema.Member{Key: "index", Value: schema.NewInt(int(place.choice))},
				schema.Member{Key: "delta", Value: delta},
				schema.Member{Key: "finish_reason", Value: &schema.Node{}},
			))
		}
		data.Members = append(data.Members, member)
	}
	return &event{data: data, isChanged: true}
}

func (s *chatStream) unfinished() string {
	var names []string
	for _, place := range s.order {
		names = append(names, s.open[place].name)
	}
	return strings.Join(names, ", ")
}
