// Package engines models the servers that anyone runs. Their code is public, so that each
// rule names the file that it is read from, and was compared with what that code answers.
// Releases take the place of days.
package engines

import (
	"errors"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/engines/gbnf"
	"toolproof/schema"
	"toolproof/schema/steps"
)

// Dialects are the surfaces, in the order in which they are listed.
var Dialects = slices.Concat(ollamaDialects, llamaDialects, xgrammarDialects)

// unknownTypeControl is the Control of surfaces that make a grammar: no release takes a type
// of another name than JSON Schema has.
const unknownTypeControl = `{"type":"no type"}`

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

// bounded does work that charges for its steps. It errs where there are too many.
func bounded(work func(charge func(steps int))) (err error) {
	var counter steps.Counter
	counter.Bound(mostSteps, errTooLong)
	defer steps.Recover(&err)
	work(counter.Charge)
	return nil
}

// mostSteps is how much work it may be to find the place of a refusal.
const mostSteps = 5_000_000

var errTooLong = errors.New("the schema is too large to find a place in")

// Ends reports whether a prediction is that the server crashes, or never answers.
// The message of the prediction says so; no server has these words.
func Ends(predicted provider.Response) bool {
	return predicted.Verdict == provider.Rejected && (strings.Contains(predicted.Message, gbnf.Crashes) || predicted.Message == ollamaCrashes)
}
