package breaking

import (
	"fmt"
	"slices"

	"toolproof/schema"
)

// texts adds the annotations that differ between two expanded schemas: what models read, and what servers
// go by. An annotation of a schema that only one side has is part of what that side adds or lacks.
func (c *comparison) texts(before, after *schema.Node, at schema.Pointer) {
	if before == nil || after == nil || before.Kind != schema.Object || after.Kind != schema.Object {
		return
	}
	for _, keyword := range []string{"title", "description", "default", "format", "example", "examples", "contentEncoding", "contentMediaType"} {
		c.member(before, after, at, keyword)
	}
	for place := range before.Subschemas() {
		if place.Keyword == "$defs" || place.Keyword == "definitions" {
			continue
		}
		below, other := at, after
		for _, token := range place.Tokens() {
			below, other = below.Child(token), other.Step(token)
			if other == nil {
				break
			}
		}
		c.texts(place.Node(), other, below)
	}
}

// member adds a member that differs.
func (c *comparison) member(before, after *schema.Node, at schema.Pointer, name string) {
	was, is := before.Get(name), after.Get(name)
	if schema.Equal(was, is) {
		return
	}
	what := Value
	if name == "description" || name == "title" {
		what = Text
	}
	message := name + " changed"
	switch {
	case was == nil:
		message = name + " added"
	case is == nil:
		message = name + " removed"
	}
	c.addAt(Finding{Level: Dangerous, What: what, At: at.Child(name), Was: was, Is: is, Message: message}, is, after)
}

// hints are the hints of MCP by which clients decide whether a user has to approve a call, with the values
// that absent ones have, which promise the least (MCP 2025-06-18, ToolAnnotations).
var hints = []struct {
	name  string
	usual bool
}{{"readOnlyHint", false}, {"destructiveHint", true}, {"idempotentHint", false}, {"openWorldHint", true}}

// further compares what MCP servers publish beyond name, description and schema.
func (c *comparison) further(before, after *schema.Node) {
	was, is := before.Get("annotations"), after.Get("annotations")
	for _, hint := range hints {
		valueOf := func(annotations *schema.Node) bool {
			value := annotations.Get(hint.name)
			return value.IsTrue() || !value.IsFalse() && hint.usual
		}
		if valueOf(was) == valueOf(is) {
			continue
		}
		// A promise where there was none is no surprise. One that is taken back is, and so is one in place
		// of a warning.
		level := Dangerous
		if valueOf(is) != hint.usual && !was.Has(hint.name) {
			level = Safe
		}
		message := fmt.Sprintf("%s became %t, by which clients decide about approval", hint.name, valueOf(is))
		c.addAt(Finding{Level: level, What: Hint, At: schema.Pointer("/annotations").Child(hint.name), Was: was.Get(hint.name), Is: is.Get(hint.name), Message: message}, is, after)
	}
	if was != nil || is != nil {
		c.member(orEmpty(was), orEmpty(is), "/annotations", "title")
	}
	c.member(orEmpty(before), orEmpty(after), "", "title")
	for _, name := range schema.FurtherMembers {
		if slices.Contains([]string{"title", "outputSchema", "annotations"}, name) || schema.Equal(before.Get(name), after.Get(name)) {
			continue
		}
		c.addAt(Finding{Level: Safe, What: Value, At: schema.Pointer("").Child(name), Was: before.Get(name), Is: after.Get(name), Message: name + " changed"}, after.Get(name), after)
	}
}

func orEmpty(node *schema.Node) *schema.Node {
	if node == nil {
		return schema.NewObject()
	}
	return node
}
