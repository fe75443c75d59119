package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Change is what differs between two lists of a server. Its zero value is no difference.
type Change struct {
	// Kind is OtherOrder, OtherTools or OtherTexts.
	Kind string
	// Says says in a sentence what the server does.
	Says string
}

// The kinds of changes: the same tools in another order, tools of other names, and tools of the same
// names that differ.
const (
	OtherOrder = "order"
	OtherTools = "tools"
	OtherTexts = "texts"
)

// deterministic is what the protocol says of the order of tools.
const deterministic = "(specification of 2026-07-28, server/tools: servers SHOULD return tools in a deterministic order)"

// Again starts the server once more, or connects to it once more, and compares its list with the first
// one. It is called after List, and adds no remarks. A server that does not list its tools within the time
// has not changed them, as far as anybody knows; one whose lists differed in one session is not asked.
func (s *Server) Again(ctx context.Context, first []byte, within time.Duration) Change {
	if s.change.Kind != "" {
		return s.change
	}
	s.isAgain = true
	s.remarks.end()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	second, err := s.List(ctx)
	if err != nil {
		return Change{}
	}
	return changeOf(first, second, "when it is started again")
}

// changeOf compares two lists. when says when the second one came.
func changeOf(first, second []byte, when string) Change {
	if bytes.Equal(first, second) {
		return Change{}
	}
	before, after := toolsIn(first), toolsIn(second)
	if more, fewer := missing(before.names, after.names), missing(after.names, before.names); len(more)+len(fewer) > 0 {
		return Change{OtherTools, fmt.Sprintf("it lists other tools %s: %s; %s", when, some("more", more), some("fewer", fewer))}
	}
	changed := missing(before.texts, after.texts)
	if len(changed) == 0 {
		return Change{OtherOrder, "it lists the same tools in another order " + when + ", so that no provider can cache the prompt " + deterministic}
	}
	for i, text := range changed {
		changed[i] = nameIn(text)
	}
	return Change{OtherTexts, "it lists tools with other texts or schemas " + when + ", so that no provider can cache the prompt: " + some("changed", changed)}
}

// listed are the texts and the names of the tools of a list.
type listed struct{ texts, names []string }

func toolsIn(list []byte) listed {
	var read struct {
		Tools []json.RawMessage `json:"tools"`
	}
	_ = json.Unmarshal(list, &read) // List has read it
	var all listed
	for _, tool := range read.Tools {
		all.texts, all.names = append(all.texts, string(tool)), append(all.names, nameIn(string(tool)))
	}
	return all
}

// nameIn returns the name of a tool; empty if it has none.
func nameIn(tool string) string {
	var read struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal([]byte(tool), &read) // the name of what cannot be read is not known
	return read.Name
}

// missing returns the texts of the second list that the first lacks.
func missing(first, second []string) []string {
	known := make(map[string]bool, len(first))
	for _, text := range first {
		known[text] = true
	}
	return slices.DeleteFunc(slices.Clone(second), func(text string) bool { return known[text] })
}

// some returns the number of names, and the first of them.
func some(what string, names []string) string {
	const most = 3
	if len(names) == 0 {
		return "none " + what
	}
	text := fmt.Sprintf("%d %s (%s", len(names), what, strings.Join(names[:min(len(names), most)], ", "))
	if len(names) > most {
		text += " and so on"
	}
	return text + ")"
}
