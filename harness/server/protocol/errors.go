package protocol

import (
	"slices"
	"strings"
)

// errorChecks are about requests that have to be refused.
var errorChecks = []*Check{
	{
		Name: "unknown_method", Level: Must, Since: "2024-11-05", Page: jsonRPC,
		Says:  "When a rpc call encounters an error, the Response Object MUST contain the error member.",
		judge: refuses(unknownMethod),
	},
	{
		Name: "unknown_method_code", Level: States, Since: "2024-11-05", Page: jsonRPC,
		Says:  "-32601 Method not found: The method does not exist / is not available.",
		judge: refuses(unknownMethod, "-32601"),
	},
	{
		Name: "unknown_tool", Level: States, Since: "2024-11-05", Page: "server/tools#error-handling",
		Says:  "Protocol Errors: standard JSON-RPC errors for issues like unknown tools. (The example has the code -32602.)",
		judge: refuses(unknownTool, "-32602"),
	},
	{
		Name: "malformed_call", Level: States, Since: "2025-11-25", Page: "server/tools#error-handling",
		Says:  "Protocol Errors: standard JSON-RPC errors for issues like malformed requests (requests that fail to satisfy CallToolRequest schema).",
		judge: refuses(namelessTool, "-32602", "-32600", "-32603"),
	},
	{
		Name: "unknown_prompt", Level: Should, Since: "2024-11-05", Page: "server/prompts#error-handling",
		Says:  "Servers SHOULD return standard JSON-RPC errors for common failure cases: invalid prompt name: -32602 (Invalid params).",
		judge: refuses(unknownPrompt, "-32602"),
	},
	{
		Name: "unknown_resource", Level: Should, Since: "2024-11-05", Until: lastHandshake, Page: "server/resources#error-handling",
		Says:  "Servers SHOULD return standard JSON-RPC errors for common failure cases: resource not found: -32002.",
		judge: refuses(unknownResource, "-32002"),
	},
	{
		Name: "resource_not_found", Level: States, Since: Stateless, Page: "changelog#minor-changes",
		Says:  "Change resource not found error code from -32002 to -32602 (Invalid Params) to align with JSON-RPC specification.",
		judge: refuses(unknownResource, "-32602"),
	},
	{
		Name: "unknown_completion", Level: Should, Since: "2025-03-26", Page: "server/utilities/completion#error-handling",
		Says:  "Servers SHOULD return standard JSON-RPC errors for common failure cases: invalid prompt name: -32602 (Invalid params).",
		judge: refuses(unknownCompleted, "-32602"),
	},
	{
		Name: "bad_log_level", Level: Should, Since: "2024-11-05", Until: lastHandshake, Page: "server/utilities/logging#error-handling",
		Says:  "Servers SHOULD return standard JSON-RPC errors for common failure cases: invalid log level: -32602 (Invalid params).",
		judge: refuses(badLevel, "-32602"),
	},
}

// refuses returns a judge of a request that has to be refused with one of these codes, or without any with whatever code.
func refuses(step string, codes ...string) func(*transcript) sight {
	return func(t *transcript) sight {
		e, answer := t.of(step), t.answer(step)
		code := answer.Get("error").Get("code")
		switch {
		case e == nil || t.ended == step:
			return unseen
		case answer == nil:
			return broken("to " + step + ": " + e.lost)
		case code == nil && answer.Get("result").Get("isError").IsTrue():
			return broken("it answers to " + step + " with a result that has isError, and with no error")
		case code == nil:
			return broken("it answers to " + step + " with " + shortly(answer))
		case codes != nil && !slices.Contains(codes, code.String()):
			return broken("it answers to " + step + " with the code " + code.String() + ", and not " + strings.Join(codes, " or ") + ": " + shortly(answer.Get("error").Get("message")))
		}
		return kept
	}
}
