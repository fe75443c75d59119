// Package calls makes calls of the tools that an MCP server lists, and requests for its prompts and resources, and judges by rules what the server answers:
// whether the protocol's clients take the result, whether a model can use it, and whether a refusal of wrong
// arguments reaches the model. It does no I/O.
package calls

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolproof/internal/lazy"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// Tool is a tool as a server lists it.
type Tool struct {
	Name  string
	Entry *schema.Node // of the list

	input, output *instance.Schema // nil if there is none, or if it cannot be read
}

// Tools returns the tools of a list, in the form that server.List returns, which have a name.
func Tools(list []byte) ([]*Tool, error) {
	node, err := schema.ParseWire(list)
	if err != nil {
		return nil, fmt.Errorf("reading the list of tools: %w", err)
	}
	var tools []*Tool
	if listed := node.Get("tools"); listed != nil {
		for _, entry := range listed.Elements {
			if name := entry.GetString("name"); name != "" {
				tools = append(tools, &Tool{Name: name, Entry: entry, input: compiled(entry.Get("inputSchema")), output: compiled(entry.Get("outputSchema"))})
			}
		}
	}
	return tools, nil
}

// compiled returns a schema that can be read, and nil otherwise.
func compiled(node *schema.Node) *instance.Schema {
	if node == nil || node.Kind != schema.Object {
		return nil
	}
	if read, err := instance.Compile(node); err == nil {
		return read
	}
	return nil
}

// Has reports whether the tool has an annotation with the value true.
func (t *Tool) Has(annotation string) bool {
	annotations := t.Entry.Get("annotations")
	return annotations != nil && annotations.Get(annotation) != nil && annotations.Get(annotation).IsTrue()
}

// destroys matches names that say that a tool destroys something.
var destroys = lazy.Compile(`(^|[^A-Za-z])(?i:delete|remove|drop|destroy|purge|erase|truncate|wipe)|[a-z](Delete|Remove|Drop|Destroy|Purge|Erase|Truncate|Wipe)`)

// Withheld says why the tool is not called unless it is named; empty if it may be called.
func (t *Tool) Withheld() string {
	switch {
	case t.Has("destructiveHint"):
		return "its annotations say destructiveHint true"
	case !t.Has("readOnlyHint"):
		return "its annotations do not say readOnlyHint true"
	case destroys.MatchString(t.Name):
		return "its name says that it destroys something, although its annotations say readOnlyHint true"
	default:
		return ""
	}
}

// Call is a call of a tool.
type Call struct {
	Tool *Tool
	// Method is the request in place of a call of the tool, such as prompts/get; empty for a call.
	Method string
	// How says how the arguments were made, such as "null for optional members".
	How string
	// Arguments are nil if the call has none.
	Arguments *schema.Node
	// IsValid means that the inputSchema accepts the arguments.
	IsValid bool
	// Again means that the call before is made once more.
	Again bool
}

// Sent returns the arguments in one line.
func (c *Call) Sent() string {
	if c.Arguments == nil {
		return "no arguments"
	}
	return c.Arguments.String()
}

// Answer is what a server answered to a call.
type Answer struct {
	Result *schema.Node // nil if there is none
	Bytes  int          // of the result
	// Code and Message are those of an error of JSON-RPC; zero if there is none.
	Code    int64
	Message string
	// IsLate means that no answer came in time, and Died, if not empty, why the connection ended instead.
	IsLate bool
	Died   string
	Took   time.Duration
	// Asked is what the server asked of the client meanwhile, and IsStopped means that the client had no answer to a
	// part of what the Result requires. Revision is the version of the protocol.
	Asked     []Asked
	IsStopped bool
	Revision  string
}

// IsError reports whether the answer says that the call failed.
func (a *Answer) IsError() bool {
	return a.Result == nil || a.Result.Get("isError") != nil && a.Result.Get("isError").IsTrue()
}

// Exchange is a call with its answer.
type Exchange struct {
	Call   Call
	Answer Answer
	// Before is the exchange that this one repeats; nil if it repeats none.
	Before *Exchange
}

// Rule is something that clients or models do not take in an answer.
type Rule struct {
	Name string // snake_case, unique
	Doc  string // one sentence about what is judged
	// Since is the first day on which the rule is known to hold, as YYYY-MM-DD, and Source where it is known
	// from.
	Since, Source string
	// Client names who refuses; empty if the rule is a warning, which makes no call fail.
	Client string
	// Instead says what to change.
	Instead string

	check func(*Exchange) []fault
}

// fault is a place in a result that a rule is about, with the words of the client or our own.
type fault struct {
	at      schema.Pointer
	message string
	instead string // in place of the rule's; empty for that
}

// Finding is what a rule found in an answer.
type Finding struct {
	Rule    *Rule
	At      schema.Pointer // in the result
	Message string
	Instead string // what to change
}

// Rules are the rules, in the order in which they report.
var Rules = []*Rule{
	died, silent, contentForm, goForm, structuredAbsent, structuredWrong, structuredOnError, imageType, providerRefuses, tooLarge,
	wrongAccepted, protocolError, different, unsafeRetry, promptTyped, promptBare, notRead, listedTwice, templateSyntax,
	requestRefused, formAsksSecret, inputRequired,
}

// ofInput are the rules about a result that only says that further input is required.
var ofInput = []*Rule{requestRefused, formAsksSecret, inputRequired}

// Judge returns what the rules find in an exchange.
func Judge(exchange *Exchange, rules []*Rule) []Finding {
	var findings []Finding
	for _, rule := range rules {
		if exchange.Answer.needsInput() && !slices.Contains(ofInput, rule) {
			continue
		}
		for _, found := range rule.check(exchange) {
			findings = append(findings, Finding{Rule: rule, At: found.at, Message: found.message, Instead: cmp.Or(found.instead, rule.Instead)})
		}
	}
	return findings
}

// whole is a fault of the whole result.
func whole(format string, arguments ...any) []fault {
	return []fault{{message: fmt.Sprintf(format, arguments...)}}
}

// died reports a server that ends for a call.
var died = &Rule{
	Name: "server_ended", Doc: "The server goes on running, whatever a tool is called with.", Since: "2024-11-05", Client: "every client",
	Source:  "specification of 2025-11-25, server/tools, error handling",
	Instead: "catch what the handler throws, and return a result with isError true",
	check: func(e *Exchange) []fault {
		if e.Answer.Died == "" {
			return nil
		}
		return whole("the server ended the connection without an answer: %s", e.Answer.Died)
	},
}

// ClientsWait is how long the clients of the TypeScript SDK wait for an answer by default.
const ClientsWait = time.Minute

// silent reports a call that is not answered while clients wait.
var silent = &Rule{
	Name: "no_answer", Doc: "A call is answered in time; the clients of the TypeScript SDK wait 60 seconds.", Since: "2024-11-05", Client: "every client",
	Source:  "DEFAULT_REQUEST_TIMEOUT_MSEC = 60000 of @modelcontextprotocol/sdk 1.32.2 and @modelcontextprotocol/client 2.4.0",
	Instead: "answer every call, also one that fails",
	check: func(e *Exchange) []fault {
		if !e.Answer.IsLate || e.Answer.Took < ClientsWait {
			return nil
		}
		return whole("MCP error -32001: Request timed out")
	},
}

// wrongAccepted reports a call with arguments that the inputSchema refuses and the tool takes.
var wrongAccepted = &Rule{
	Name: "wrong_arguments_accepted", Doc: "A tool refuses arguments that its inputSchema refuses.", Since: "2024-11-05",
	Source:  "specification of 2025-11-25, server/tools, security considerations: servers MUST validate all tool inputs",
	Instead: "validate the arguments, or let the inputSchema say what the tool takes",
	check: func(e *Exchange) []fault {
		if e.Call.IsValid || e.Call.Tool.input == nil || e.Answer.Result == nil || e.Answer.IsError() {
			return nil
		}
		return whole("the inputSchema refuses these arguments, and the result is no error")
	},
}

// protocolError reports a call that is answered by an error of JSON-RPC.
var protocolError = &Rule{
	Name: "error_not_for_the_model", Since: "2025-11-25",
	Doc: "A refusal of arguments, or a failure such as one of the network, is a result with isError true, which the model sees; " +
		"many clients do not pass errors of JSON-RPC on to it.",
	Source:  "specification of 2025-11-25, server/tools, error handling: failures of an API and of input validation are tool execution errors (SEP-1303)",
	Instead: "return a result with isError true and a text that says what to send",
	check: func(e *Exchange) []fault {
		if e.Answer.Message == "" || e.Call.Method != "" {
			return nil
		}
		return whole("MCP error %d: %s", e.Answer.Code, e.Answer.Message)
	},
}

// different reports a repeated call with another result although the tool says idempotentHint.
var different = &Rule{
	Name: "result_differs", Doc: "A tool with idempotentHint that only reads returns the same for the same arguments.", Since: "2025-03-26",
	Source:  "schema of 2025-11-25, ToolAnnotations.idempotentHint: calling the tool repeatedly with the same arguments will have no additional effect",
	Instead: "leave idempotentHint out if a second call has another effect; otherwise keep what changes, such as a time, out of the result",
	check: func(e *Exchange) []fault {
		// The text of an error often has a time or the number of the request.
		if e.Before == nil || !e.Call.Tool.Has("idempotentHint") || e.Answer.IsError() || e.Before.Answer.IsError() || schema.Equal(e.Answer.Result, e.Before.Answer.Result) {
			return nil
		}
		return []fault{{at: difference(e.Before.Answer.Result, e.Answer.Result, ""), message: "a second call with the same arguments returns something else"}}
	},
}

// difference returns the first place at which two values differ.
func difference(a, b *schema.Node, at schema.Pointer) schema.Pointer {
	if a.Kind != b.Kind || len(a.Elements) != len(b.Elements) || len(a.Members) != len(b.Members) {
		return at
	}
	for i := range a.Elements {
		if !schema.Equal(a.Elements[i], b.Elements[i]) {
			return difference(a.Elements[i], b.Elements[i], at.Child(strconv.Itoa(i)))
		}
	}
	for _, member := range a.Members {
		other := b.Get(member.Key)
		if other == nil {
			return at
		}
		if !schema.Equal(member.Value, other) {
			return difference(member.Value, other, at.Child(member.Key))
		}
	}
	return at
}

// unsafeRetry reports a tool that changes something and does not say idempotentHint.
var unsafeRetry = &Rule{
	Name: "unsafe_to_retry", Since: "2025-03-26",
	Doc:     "A model calls again when an answer is lost, so that a tool which changes something says whether a second call has a second effect.",
	Source:  "schema of 2025-11-25, ToolAnnotations.idempotentHint, false by default; https://github.com/hostinger/api-mcp-server/issues/68 (2026-09)",
	Instead: "take a key of the call as an argument and set idempotentHint, or say in the description that the tool must not be called twice",
	check: func(e *Exchange) []fault {
		tool := e.Call.Tool
		if e.Before == nil || tool.Has("idempotentHint") || tool.Has("readOnlyHint") || e.Answer.IsError() || e.Before.Answer.IsError() {
			return nil
		}
		if place := difference(e.Before.Answer.Result, e.Answer.Result, ""); !schema.Equal(e.Before.Answer.Result, e.Answer.Result) {
			return []fault{{at: place, message: "a second call after a lost answer returns something else, and nothing says that it has no second effect"}}
		}
		return whole("a second call after a lost answer is taken like the first, and nothing says that it has no second effect")
	},
}

// short shortens a text for a message.
func short(text string) string {
	const longest = 60
	if letters := []rune(text); len(letters) > longest {
		text = string(letters[:longest]) + "..."
	}
	return cmp.Or(strings.TrimSpace(text), "nothing")
}
