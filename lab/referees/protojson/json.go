package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// value is a JSON value that keeps the order of members, and repeated members.
type value struct {
	kind     byte // '{', '[', '"', '0', 't' for both booleans, 'n'
	scalar   json.RawMessage
	members  []member
	elements []*value
}

type member struct {
	name  string
	value *value
}

// parse reads one JSON text.
func parse(text []byte) (*value, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	read, err := readValue(decoder)
	if err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	if decoder.More() {
		return nil, errors.New("reading JSON: a second value follows the first")
	}
	return read, nil
}

func readValue(decoder *json.Decoder) (*value, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		read := &value{kind: byte(token)}
		for decoder.More() {
			if err := read.readNext(decoder); err != nil {
				return nil, err
			}
		}
		_, err := decoder.Token() // the end
		return read, err
	case string:
		return newScalar('"', token), nil
	case json.Number:
		return newScalar('0', token), nil
	case bool:
		return newScalar('t', token), nil
	default:
		return newScalar('n', nil), nil
	}
}

// readNext reads the next member or element.
func (v *value) readNext(decoder *json.Decoder) error {
	var name string
	if v.kind == '{' {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		name, _ = token.(string)
	}
	below, err := readValue(decoder)
	if err != nil {
		return err
	}
	if v.kind == '{' {
		v.members = append(v.members, member{name, below})
	} else {
		v.elements = append(v.elements, below)
	}
	return nil
}

// newScalar returns a scalar value.
func newScalar(kind byte, scalar any) *value {
	text, err := json.Marshal(scalar)
	if err != nil {
		panic(err) // a string, a number, a boolean or null
	}
	return &value{kind: kind, scalar: text}
}

// text returns the value of a string, or "" for any other value.
func (v *value) text() string {
	var text string
	if v.kind == '"' {
		_ = json.Unmarshal(v.scalar, &text)
	}
	return text
}

// get returns the last member of a name, or nil.
func (v *value) get(name string) *value {
	var found *value
	for _, member := range v.members {
		if member.name == name {
			found = member.value
		}
	}
	return found
}

// appendTo appends the value as JSON.
func (v *value) appendTo(text []byte) []byte {
	switch v.kind {
	case '{':
		text = append(text, '{')
		for i, member := range v.members {
			if i > 0 {
				text = append(text, ',')
			}
			text = append(append(text, newScalar('"', member.name).scalar...), ':')
			text = member.value.appendTo(text)
		}
		return append(text, '}')
	case '[':
		text = append(text, '[')
		for i, element := range v.elements {
			if i > 0 {
				text = append(text, ',')
			}
			text = element.appendTo(text)
		}
		return append(text, ']')
	default:
		return append(text, v.scalar...)
	}
}
