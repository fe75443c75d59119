package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// page is the result of tools/list.
type page struct {
	tools      []json.RawMessage
	nextCursor string
	// repeated is the first member that the result has twice; empty if there is none.
	repeated string
	// members are the values of those in ofCaching, as JSON.
	members map[string]string
}

// ofCaching are the members that a list has since 2026-07-28.
var ofCaching = []string{"resultType", "ttlMs", "cacheScope"}

// readPage reads a result as clients do: the names of its members are told apart by case, and of two
// members of one name the last counts.
func readPage(text []byte) (*page, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if begin, err := decoder.ReadToken(); err != nil || begin.Kind() != jsontext.KindBeginObject {
		return nil, errors.New("the result is no object")
	}
	read := &page{members: map[string]string{}}
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
		if err == nil && slices.Contains(ofCaching, name) {
			read.members[name] = string(value)
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
