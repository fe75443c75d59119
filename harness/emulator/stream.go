package emulator

import (
	"net/http"
	"slices"
	"unicode/utf8"
)

// stream returns a reply with one chunk for each event.
func stream(events []object, write func(object) []byte) reply {
	answer := reply{status: http.StatusOK, contentType: "text/event-stream", chunks: make([][]byte, len(events))}
	for i, event := range events {
		answer.chunks[i] = write(event)
	}
	return answer
}

// event returns a server-sent event named by the type member.
func event(event object) []byte {
	kind, _ := event["type"].(string)
	return slices.Concat([]byte("event: "+kind+"\ndata: "), encode(event), []byte("\n\n"))
}

// pieces cuts a text into up to three pieces.
func pieces(text string) []string {
	const count = 3
	var cut []string
	for rest := count; len(text) > 0; rest-- {
		end := (len(text) + rest - 1) / max(rest, 1)
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		cut, text = append(cut, text[:end]), text[end:]
	}
	return cut
}
