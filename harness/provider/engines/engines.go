// Package engines models the servers that anyone runs. Their code is public, so that each
// rule names the file that it is read from, and was compared with what that code answers.
// Releases take the place of days.
package engines

import (
	"slices"

	"toolproof/schema"
)

// Dialects are the surfaces, in the order in which they are listed.
var Dialects = slices.Concat(ollamaDialects, llamaDialects, xgrammarDialects)

// object makes an object of alternating names and values.
func object(members ...any) *schema.Node {
	node := schema.NewObject()
	for i := 0; i < len(members); i += 2 {
		node.Set(members[i].(string), members[i+1].(*schema.Node)) //nolint:forcetypeassert,gosec // called with pairs of literals
	}
	return node
}

// hi is a conversation of one message.
func hi() *schema.Node {
	return schema.NewArray(object("role", schema.NewString("user"), "content", schema.NewString("hi")))
}
