// Package engines models servers that users run themselves: Ollama, llama.cpp and vLLM, with the
// engine xgrammar. Their code is public: rules name the file that they were read from, and their
// answers were compared with those of the code. The days of rules are days of releases.
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

// unknownTypeControl is the Control of surfaces that convert schemas to grammars. No release accepts
// a type that JSON Schema does not have.
const unknownTypeControl = `{"type":"no type"}`

// hi is a conversation of one message.
func hi() *schema.Node {
	return schema.NewArray(provider.Object("role", schema.NewString("user"), "content", schema.NewString("hi")))
}

// completions is the path of Chat Completions, which llama.cpp and vLLM read alike.
const completions = "/v1/chat/completions"

func declareFunction(tool schema.Tool) *schema.Node {
	return provider.Object("type", schema.NewString("function"), "function", tool.Node())
}

// requestWithTools makes a request that declares functions.
func requestWithTools(declarations []*schema.Node) *schema.Node {
	return provider.Object("model", schema.NewString("{model}"), "messages", hi(), "tools", schema.NewArray(declarations...))
}

// declareAnswer declares the schema of an answer. It adds strict, as clients do, though no engine reads
// it.
func declareAnswer(tool schema.Tool) *schema.Node {
	declaration := tool.Node()
	if parameters := declaration.Delete("parameters"); parameters != nil {
		declaration.Set("schema", parameters)
	}
	declaration.Set("strict", schema.NewBool(true))
	return declaration
}

// requestForAnswer makes a request for an answer that has a schema.
func requestForAnswer(declarations []*schema.Node) *schema.Node {
	return provider.Object("model", schema.NewString("{model}"), "messages", hi(),
		"response_format", provider.Object("type", schema.NewString("json_schema"), "json_schema", declarations[0]))
}

// bounded does work that charges for its steps. It returns an error if they are too many.
func bounded(work func(charge func(steps int))) (err error) {
	var counter steps.Counter
	counter.Bound(mostSteps, errTooLong)
	defer steps.Recover(&err)
	work(counter.Charge)
	return nil
}

// mostSteps limits the steps that it takes to find the place of a refusal.
const mostSteps = 5_000_000

var errTooLong = errors.New("the schema is too large to find a place in")

// Ends reports whether a prediction says that the server crashes or never answers. The words of its
// message are then the model's own.
func Ends(predicted provider.Response) bool {
	return predicted.Verdict == provider.Rejected && (strings.Contains(predicted.Message, llamaCrashes) || predicted.Message == ollamaCrashes)
}
