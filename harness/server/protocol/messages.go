package protocol

import (
	"fmt"
	"strings"

	"toolproof/schema"
)

// jsonRPC is the page that every revision demands of messages.
const jsonRPC = "https://www.jsonrpc.org/specification"

// messageChecks are about the form of messages, whatever they say.
var messageChecks = []*Check{
	{
		Name: "stdout_messages", Level: Must, Since: "2024-11-05", Over: Stdio, Page: "basic/transports#stdio",
		Says: "The server MUST NOT write anything to its stdout that is not a valid MCP message.",
		judge: func(t *transcript) sight {
			if len(t.strays) == 0 {
				return kept
			}
			return broken("it writes to its standard output: " + t.strays[0])
		},
	},
	{
		Name: "message_form", Level: Must, Since: "2024-11-05", Page: "basic#messages",
		Says:  "All messages between MCP clients and servers MUST follow the JSON-RPC 2.0 specification.",
		judge: all(func(_ *transcript, _ *exchange, came *schema.Node) string { return formOf(came) }),
	},
	{
		Name: "error_code", Level: Must, Since: "2024-11-05", Page: "basic#responses", Says: "Error codes MUST be integers.",
		judge: all(func(_ *transcript, _ *exchange, came *schema.Node) string {
			code := came.Get("error").Get("code")
			if came.Has("error") && (code == nil || code.Kind != schema.Number || strings.ContainsAny(code.Text, ".eE")) {
				return "the error is " + shortly(came.Get("error"))
			}
			return ""
		}),
	},
	{
		Name: "same_id", Level: Must, Since: "2024-11-05", Page: "basic#responses",
		Says: "Responses MUST include the same ID as the request they correspond to.",
		judge: all(func(t *transcript, e *exchange, came *schema.Node) string {
			id := came.Get("id")
			if came.Has("method") || id == nil || id.Kind == schema.Null && e.wants == 0 {
				return ""
			}
			if _, isAsked := t.asked[id.String()]; !isAsked && !(id.Kind == schema.Null && came.Has("error")) {
				return "it answers to the id " + shortly(id) + ", which no request has"
			}
			return ""
		}),
	},
	{
		Name: "answers_once", Level: Must, Since: "2024-11-05", Page: jsonRPC,
		Says: "When a rpc call is made, the Server MUST reply with a Response, except for in the case of Notifications.",
		judge: func(t *transcript) sight {
			answers := map[string]int{}
			return t.first(func(e *exchange) string {
				for _, came := range e.came {
					id := came.Get("id")
					if id == nil || came.Has("method") || e.step == resume {
						continue // it is no answer, or the repetition of one
					}
					if answers[id.String()]++; answers[id.String()] == 2 && t.asked[id.String()] != "" {
						return "it answers to " + t.asked[id.String()] + " twice"
					}
				}
				if e.lost == "" || e.wants == 0 || e.step == batch || e.step == callTool || e.step == t.ended || e.status/100 == 4 {
					return ""
				}
				return "to " + e.step + ": " + e.lost
			})
		},
	},
	{
		Name: "string_id", Level: Must, Since: "2024-11-05", Until: "2025-11-25", Page: "basic#requests",
		Says: "Requests MUST include a string or integer ID.",
		judge: func(t *transcript) sight {
			switch e := t.of(textID); {
			case e == nil || t.answer(ping) == nil:
				return unseen
			case len(e.answers) == 0:
				return broken("it answers to a ping whose id is a number, and not to one whose id is a string")
			}
			return kept
		},
	},
	{
		Name: "notifications_unanswered", Level: Must, Since: "2025-03-26", Page: "basic#notifications",
		Says: "The receiver MUST NOT send a response.",
		judge: func(t *transcript) sight {
			return t.first(func(e *exchange) string {
				switch e.step {
				case initialized, unknownNotice, cancelUnknown, cancelAnswered:
				default:
					return ""
				}
				for _, came := range e.came {
					if id := came.Get("id"); !came.Has("method") && (id == nil || id.Kind == schema.Null) && e.status/100 != 4 {
						return "it answers to " + e.step + ": " + shortly(came)
					}
				}
				return ""
			})
		},
	},
	{
		Name: "survives", Level: States, Since: "2024-11-05", Page: jsonRPC,
		Says: "-32700 Parse error: Invalid JSON was received by the server. An error occurred on the server while parsing the JSON text.",
		judge: func(t *transcript) sight {
			e := t.of(pingAfter)
			switch {
			case t.ended == unreadable || t.ended == pingAfter:
				return broken("it ends after a message that is no JSON")
			case e == nil:
				return unseen
			case len(e.answers) == 0:
				return broken("it answers no request after a message that is no JSON")
			}
			return kept
		},
	},
	{
		Name: "stays", Level: States, Since: "2024-11-05", Page: "basic#messages",
		Says: "Responses are sent in reply to requests, containing the result or error of the operation.",
		judge: func(t *transcript) sight {
			if t.ended == "" || t.ended == unreadable || t.ended == pingAfter {
				return kept
			}
			return broken("it ends at " + t.ended)
		},
	},
	{
		Name: "receives_batches", Level: Must, Since: "2025-03-26", Until: "2025-03-26", Page: "basic#batching",
		Says: "MCP implementations MAY support sending JSON-RPC batches, but MUST support receiving JSON-RPC batches.",
		judge: func(t *transcript) sight {
			e := t.of(batch)
			switch {
			case e == nil || e.isLast:
				return unseen
			case len(e.answers) < e.wants:
				return broken(fmt.Sprintf("it answers %d of %d requests of a batch", len(e.answers), e.wants))
			}
			return kept
		},
	},
	{
		Name: "at_once", Level: Must, Since: "2024-11-05", Over: Stdio, Page: jsonRPC,
		Says: "When a rpc call is made, the Server MUST reply with a Response, except for in the case of Notifications.",
		judge: func(t *transcript) sight {
			e := t.of(together)
			switch {
			case e == nil || e.isLast:
				return unseen
			case len(e.answers) < e.wants:
				return broken(fmt.Sprintf("it answers %d of %d requests that are sent at once", len(e.answers), e.wants))
			}
			return kept
		},
	},
	{
		Name: "exits", Level: Should, Since: Stateless, Over: Stdio, Page: "basic/transports/stdio#shutdown",
		Says:  "Servers SHOULD exit promptly when their standard input is closed or reads return end-of-file.",
		judge: exits,
	},
	{
		Name: "exits_on_close", Level: States, Since: "2024-11-05", Until: "2025-11-25", Over: Stdio, Page: "basic/lifecycle#shutdown",
		Says:  "The client SHOULD initiate shutdown by: first, closing the input stream to the child process (the server); waiting for the server to exit.",
		judge: exits,
	},
}

// exits judges whether the program ended when its input was closed.
func exits(t *transcript) sight {
	switch {
	case t.exited == nil || t.ended != "":
		return unseen
	case !*t.exited:
		return broken("it still runs 2 seconds after its input was closed")
	}
	return kept
}

// all returns a judge that asks about each message until one breaks the sentence, but for repetitions of messages.
func all(fault func(*transcript, *exchange, *schema.Node) string) func(*transcript) sight {
	return func(t *transcript) sight {
		return t.first(func(e *exchange) string {
			for _, came := range e.came {
				if e.step == resume {
					return ""
				}
				if why := fault(t, e, came); why != "" {
					return "at " + e.step + ": " + why
				}
			}
			return ""
		})
	}
}

// first asks about each exchange until one breaks the sentence.
func (t *transcript) first(fault func(*exchange) string) sight {
	for _, e := range t.exchanges {
		if why := fault(e); why != "" {
			return broken(why)
		}
	}
	return kept
}

// formOf says what is wrong with the envelope of a message.
func formOf(came *schema.Node) string {
	hasID, isCall := came.Has("id"), came.Has("method")
	switch {
	case !came.Get("jsonrpc").Is("2.0"):
		return `"jsonrpc" is ` + shortly(came.Get("jsonrpc")) + `, and not "2.0"`
	case isCall && came.Get("method").Kind != schema.String:
		return "the method is " + shortly(came.Get("method"))
	case isCall && came.Has("params") && came.Get("params").Kind != schema.Object:
		return "the params are " + shortly(came.Get("params"))
	case isCall:
		return ""
	case came.Has("result") == came.Has("error"):
		return "a response has a result or an error, and not both: " + shortly(came)
	case came.Has("result") && came.Get("result").Kind != schema.Object:
		return "the result is " + shortly(came.Get("result"))
	case came.Has("error") && (came.Get("error").Kind != schema.Object || came.Get("error").Get("message") == nil || came.Get("error").Get("message").Kind != schema.String):
		return "the error is " + shortly(came.Get("error"))
	case !hasID && came.Has("result"):
		return "a result has no id"
	}
	return ""
}

// shortly returns the beginning of a value in JSON.
func shortly(node *schema.Node) string {
	const longest = 120
	if node == nil {
		return "missing"
	}
	if letters := []rune(node.String()); len(letters) > longest {
		return string(letters[:longest]) + "..."
	}
	return node.String()
}
