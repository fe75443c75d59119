package gateway

import (
	"cmp"
	"encoding/json"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// eventsIn returns the events of a stream that hold JSON, and nil for a body that is no stream. The
// body may be the JSON string of a stream, as package emulator keeps it, or the list in which Gemini
// answers if it is not asked for server-sent events.
func eventsIn(body []byte) []*schema.Node {
	text := string(body)
	if root, err := schema.ParseWire(body); err == nil && root.Kind == schema.Array {
		return root.Elements
	} else if err == nil && root.Kind == schema.String {
		text = root.Text
	} else if json.Valid(body) {
		return nil
	}
	var events []*schema.Node
	for line := range strings.Lines(text) {
		data, isData := strings.CutPrefix(line, "data:")
		if event, err := schema.ParseWire([]byte(strings.TrimSpace(data))); isData && err == nil {
			events = append(events, event)
		}
	}
	return events
}

// streamedCalls returns the calls of functions in the events of a stream.
func streamedCalls(api provider.API, events []*schema.Node) []call {
	var parts parts
	for _, event := range events {
		switch api {
		case provider.ChatCompletions:
			for choice := range elements(event.Get("choices")) {
				for part := range elements(choice.Get("delta").Get("tool_calls")) {
					parts.add(part.Get("index").String(), part.Get("function").GetString("name"), part.Get("function").GetString("arguments"))
				}
			}
		case provider.Messages:
			index, block := event.Get("index").String(), event.Get("content_block")
			if kind := block.GetString("type"); kind == "tool_use" || kind == "server_tool_use" {
				parts.add(index, block.GetString("name"), "")
			}
			if delta := event.Get("delta"); delta.GetString("type") == "input_json_delta" {
				parts.add(index, "", delta.GetString("partial_json"))
			}
		case provider.Responses:
			if item := event.Get("item"); event.GetString("type") == "response.output_item.done" && item.GetString("type") == "function_call" {
				parts.add(event.Get("output_index").String(), item.GetString("name"), item.GetString("arguments"))
			}
		default: // each event of Gemini is an answer of its own
			for _, whole := range readers[api](event) {
				parts.calls = append(parts.calls, whole)
				parts.texts = append(parts.texts, "")
				parts.indices = append(parts.indices, "")
			}
		}
	}
	for i, text := range parts.texts {
		if arguments, err := schema.ParseWire([]byte(text)); err == nil && text != "" {
			parts.calls[i].arguments = arguments
		}
	}
	return parts.calls
}

// parts are calls whose arguments arrive in pieces.
type parts struct {
	calls          []call
	texts, indices []string
}

// add adds a piece to the call with an index. A piece with a name begins the call.
func (p *parts) add(index, name, text string) {
	for i := len(p.calls) - 1; i >= 0; i-- {
		if p.indices[i] == index {
			p.calls[i].name, p.texts[i] = cmp.Or(p.calls[i].name, name), p.texts[i]+text
			return
		}
	}
	p.calls, p.texts, p.indices = append(p.calls, call{name: name}), append(p.texts, text), append(p.indices, index)
}
