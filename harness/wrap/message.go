package wrap

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// span is the place of a value in a text: from start up to, but not including, end.
type span struct{ start, end int }

func (s span) of(text []byte) []byte { return text[s.start:s.end] }

// isThere reports whether there is a value: none is empty.
func (s span) isThere() bool { return s.end > s.start }

// envelope holds what decides how a message is treated, and the places of its values in the text.
type envelope struct {
	whole  span
	method string
	id     string // in one spelling, and empty for a notification

	rawID, params, result span
}

// envelopes returns the message in a text or, if that is a batch, its messages. It returns none if the
// text is not JSON.
func envelopes(text []byte) []envelope {
	whole := valueIn(text)
	switch {
	case !whole.isThere():
		return nil
	case text[whole.start] == '[':
		var batch []envelope
		for _, element := range elements(text, whole) {
			batch = append(batch, envelopeOf(text, element))
		}
		return batch
	default:
		return []envelope{envelopeOf(text, whole)}
	}
}

// envelopeOf reads a message. It has no method and no ID if it is not an object.
func envelopeOf(text []byte, whole span) envelope {
	read := envelope{whole: whole}
	for name, value := range members(text, whole) {
		switch name {
		case "id":
			read.rawID, read.id = value, idOf(value.of(text))
		case "method":
			read.method = textOf(value.of(text))
		case "params":
			read.params = value
		case "result":
			read.result = value
		}
	}
	return read
}

// idOf returns an ID in one spelling, because the answer to 1.0 may have the ID 1. It returns "" for
// null.
func idOf(raw []byte) string {
	value := jsontext.Value(bytes.Clone(raw))
	if value.Kind() == jsontext.KindNull || value.Canonicalize(jsontext.CanonicalizeRawInts(false)) != nil {
		return ""
	}
	return string(value)
}

// textOf returns the text of a string, or "" for any other value.
func textOf(raw []byte) string {
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return ""
	}
	return string(text)
}

// decoderOf returns a decoder that reads what clients and servers read: of two members of one name the
// last counts.
func decoderOf(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// valueIn returns the place of the only value in a text. It is empty if the text is anything else.
func valueIn(text []byte) span {
	decoder := decoderOf(text)
	value, err := decoder.ReadValue()
	end := int(decoder.InputOffset())
	if err != nil || len(bytes.TrimSpace(text[end:])) > 0 {
		return span{}
	}
	return span{end - len(value), end}
}

// members returns the last member of each name of an object, and none of any other value. The text
// must be valid there.
func members(text []byte, object span) map[string]span {
	found := map[string]span{}
	decoder := decoderOf(object.of(text))
	if begin, err := decoder.ReadToken(); err != nil || begin.Kind() != jsontext.KindBeginObject {
		return nil
	}
	for decoder.PeekKind() == jsontext.KindString {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil
		}
		key := name.String()
		value, err := decoder.ReadValue()
		if err != nil {
			return nil
		}
		end := object.start + int(decoder.InputOffset())
		found[key] = span{end - len(value), end}
	}
	return found
}

// elements returns the places of the elements of an array, and none of any other value.
func elements(text []byte, array span) []span {
	var found []span
	decoder := decoderOf(array.of(text))
	if begin, err := decoder.ReadToken(); err != nil || begin.Kind() != jsontext.KindBeginArray {
		return nil
	}
	for decoder.PeekKind() != jsontext.KindEndArray {
		value, err := decoder.ReadValue()
		if err != nil {
			return nil
		}
		end := array.start + int(decoder.InputOffset())
		found = append(found, span{end - len(value), end})
	}
	return found
}

// edit replaces the text at a place.
type edit struct {
	span

	text []byte
}

// apply returns the part of a text at a place with those of the edits that are within it. The edits may
// not overlap. It returns the part itself if there are none.
func apply(text []byte, within span, edits []edit) []byte {
	if len(edits) == 0 {
		return within.of(text)
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var edited []byte
	at := within.start
	for _, edit := range edits {
		if edit.start >= within.start && edit.end <= within.end {
			edited = append(append(edited, text[at:edit.start]...), edit.text...)
			at = edit.end
		}
	}
	return append(edited, text[at:within.end]...)
}
