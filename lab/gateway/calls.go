package gateway

import (
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// call is a call of a function in an answer.
type call struct {
	name      string
	arguments *schema.Node
}

// apiOf returns the API of the path of a request, or the empty API.
func apiOf(path string) provider.API {
	for suffix, api := range map[string]provider.API{
		"/chat/completions": provider.ChatCompletions, "/responses": provider.Responses, "/messages": provider.Messages,
		":generateContent": provider.GenerateContent, ":streamGenerateContent": provider.GenerateContent,
	} {
		if strings.HasSuffix(path, suffix) {
			return api
		}
	}
	return ""
}

// callsIn returns the calls of functions in an answer, which may be a stream, and false if the body
// is not an answer of the API.
func callsIn(api provider.API, body []byte) ([]call, bool) {
	read, ok := readers[api]
	if events := eventsIn(body); ok && len(events) > 0 {
		return streamedCalls(api, events), true
	}
	root, err := schema.ParseWire(body)
	if !ok || err != nil || root.Kind != schema.Object {
		return nil, false
	}
	return read(root), true
}

// readers return the calls of functions in an answer, by the API.
var readers = map[provider.API]func(*schema.Node) []call{
	provider.ChatCompletions: func(root *schema.Node) (calls []call) {
		for choice := range elements(root.Get("choices")) {
			for element := range elements(choice.Get("message").Get("tool_calls")) {
				calls = append(calls, textCall(element.Get("function")))
			}
		}
		return calls
	},
	provider.Responses: func(root *schema.Node) (calls []call) {
		for element := range elements(root.Get("output")) {
			if element.GetString("type") == "function_call" {
				calls = append(calls, textCall(element))
			}
		}
		return calls
	},
	provider.Messages: func(root *schema.Node) (calls []call) {
		for element := range elements(root.Get("content")) {
			// A call of a tool of the provider counts as well: a gateway may make one up.
			if kind := element.GetString("type"); kind == "tool_use" || kind == "server_tool_use" {
				calls = append(calls, call{element.GetString("name"), element.Get("input")})
			}
		}
		return calls
	},
	provider.GenerateContent: func(root *schema.Node) (calls []call) {
		for candidate := range elements(root.Get("candidates")) {
			for part := range elements(candidate.Get("content").Get("parts")) {
				if element := part.Get("functionCall"); element != nil {
					calls = append(calls, call{element.GetString("name"), element.Get("args")})
				}
			}
		}
		return calls
	},
}

// elements yields the elements of a list, and nothing for any other value.
func elements(list *schema.Node) func(func(*schema.Node) bool) {
	return func(yield func(*schema.Node) bool) {
		if list == nil || list.Kind != schema.Array {
			return
		}
		for _, element := range list.Elements {
			if !yield(element) {
				return
			}
		}
	}
}

// textCall returns a call whose arguments are JSON in a string.
func textCall(node *schema.Node) call {
	called := call{name: node.GetString("name")}
	if arguments, err := schema.ParseWire([]byte(node.GetString("arguments"))); err == nil {
		called.arguments = arguments
	}
	return called
}

// sameCalls reports whether two answers call the same functions with the same arguments, in
// the same order. Missing arguments are the same as empty ones.
func sameCalls(a, b []call) bool {
	return slices.EqualFunc(a, b, func(a, b call) bool {
		return a.name == b.name && schema.Equal(orEmpty(a.arguments), orEmpty(b.arguments))
	})
}

// namesOf returns the names of the functions that are called.
func namesOf(calls []call) []string {
	names := make([]string, len(calls))
	for i, call := range calls {
		names[i] = call.name
	}
	return names
}

// orEmpty returns arguments, or the empty object if there are none.
func orEmpty(arguments *schema.Node) *schema.Node {
	if arguments == nil {
		return schema.NewObject()
	}
	return arguments
}
