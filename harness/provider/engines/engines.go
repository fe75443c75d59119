// Package engines models the servers that anyone runs. Their code is public, so that each
// rule names the file that it is read from, and was compared with what that code answers.
// Releases take the place of days.
package engines

import (
	"errors"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/steps"
	"toolproof/schema"
)

// Dialects are the surfaces, in the order in which they are listed.
var Dialects = slices.Concat(ollamaDialects, llamaDialects, xgrammarDialects)

// unknownTypeControl is the Control of surfaces that make a grammar: no release takes a type
// of another name than JSON Schema has.
const unknownTypeControl = `{"type":"no type"}`

// hi is a conversation of one message.
func hi() *schema.Node {
	return schema.NewArray(provider.Object("role", schema.NewString("user"), "content", schema.NewString("hi")))
}

// The parts of Chat Completions that llama.cpp and vllm read alike.
const completions = "/v1/chat/completions"

func declareFunction(tool schema.Tool) *schema.Node {
	return provider.Object("type", schema.NewString("function"), "function", tool.Node())
}

// requestWithTools makes a request that declares functions.
func requestWithTools(declarations []*schema.Node) *schema.Node {
	return provider.Object("model", schema.NewString("{model}"), "messages", hi(), "tools", schema.NewArray(declarations...))
}

// declareAnswer declares the schema of an answer. No engine reads strict, which clients send.
func declareAnswer(tool schema.Tool) *schema.Node {
	declaration := tool.Node()
	if parameters := declaration.Delete("parameters"); parameters != nil {
		declaration.Set("schema", parameters)
	}
	declaration.Set("strict", schema.NewBool(true))
	return declaration
}

// requestForAnswer makes a request whose answer has a schema.
func requestForAnswer(declarations []*schema.Node) *schema.Node {
	return provider.Object("model", schema.NewString("{model}"), "messages", hi(),
		"response_format", provider.Object("type", schema.NewString("json_schema"), "json_schema", declarations[0]))
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
	return predicted.Verdict == provider.Rejected && (strings.Contains(predicted.Message, llamaCrashes) || predicted.Message == ollamaCrashes)
}
