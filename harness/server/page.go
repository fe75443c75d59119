package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// page is the result of tools/list.
type page struct {
	tools      []json.RawMessage
	nextCursor string
	// repeated is the first member that the result has twice; empty if there is none.
	repeated string
}

// readPage reads a result as clients do: the names of its members are told apart by case, and of two
// members of one name the last counts.
func readPage(text []byte) (*page, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if begin, err := decoder.ReadToken(); err != nil || begin.Kind() != jsontext.KindBeginObject {
		return nil, errors.New("the result is no object")
	}
	read := &page{}
	seen := map[string]bool{}
	for decoder.PeekKind() == jsontext.KindString {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("reading the result: %w", err)
		}
		name := token.String()
		value, err := decoder.ReadValue()
		if err == nil && name == "tools" {
			read.tools = nil
			err = json.Unmarshal(value, &read.tools)
		}
		if err == nil && name == "nextCursor" {
			err = json.Unmarshal(value, &read.nextCursor)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the member %.40q of the result: %w", name, err)
		}
		if seen[name] && read.repeated == "" {
			read.repeated = name
		}
		seen[name] = true
	}
	return read, nil
}
