package emulator

import (
	"net/http"
	"slices"
	"unicode/utf8"
)

// stream makes an answer that is sent piece by piece.
func stream(events []object, write func(object) []byte) reply {
	answer := reply{status: http.StatusOK, contentType: "text/event-stream", chunks: make([][]byte, len(events))}
	for i, event := range events {
		answer.chunks[i] = write(event)
	}
	return answer
}

// event writes an event under the name of its type.
func event(event object) []byte {
	kind, _ := event["type"].(string)
	return slices.Concat([]byte("event: "+kind+"\ndata: "), encode(event), []byte("\n\n"))
}

// pieces cuts a text into up to three.
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
