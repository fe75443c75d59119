package calls

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
	"toolproof/harness/provider/mcp"
	"toolproof/harness/provider/wire"
	"toolproof/internal/lazy"
	"toolproof/schema"
	"toolproof/schema/instance"
	"toolproof/schema/instance/sample"
)

// Asked is what a server asks of the client while it works on a call.
type Asked struct {
	// Method is elicitation/create or sampling/createMessage, or another that the result of a call has.
	Method provider.API
	Params *schema.Node // nil if there are none
	// IsEmbedded means that the request stands in the result of a call, as those of the protocol of 2026-07-28 do.
	IsEmbedded bool
}

// body returns the request as a message, or as the result of a call has it.
func (a *Asked) body() *schema.Node {
	params := a.Params
	if params == nil {
		params = schema.NewObject()
	}
	body := provider.Object("method", schema.NewString(string(a.Method)), "params", params)
	if !a.IsEmbedded {
		body = provider.Object("jsonrpc", schema.NewString("2.0"), "id", schema.NewInt(1), "method", body.Get("method"), "params", params)
	}
	return body
}

// refusals returns what clients refuse in the request.
func (a *Asked) refusals() []fault {
	var faults []fault
	body := a.body()
	for _, dialect := range []*provider.Dialect{mcp.Elicitation, mcp.Sampling} {
		if dialect.API != a.Method {
			continue
		}
		for _, request := range wire.Read(a.Method, []*provider.Dialect{dialect}, body) {
			response, err := (&provider.Model{Dialect: dialect}).Send(context.Background(), request)
			if err != nil {
				continue // too large to judge
			}
			for _, finding := range response.Findings {
				faults = append(faults, fault{at: a.place(finding), message: finding.Message})
			}
		}
	}
	for _, rule := range conversation.Rules {
		asked := &conversation.Request{API: a.Method, Service: mcp.Elicitation.Service(), Body: body, Day: provider.Today()}
		if refusal := conversation.Judge(asked, []*conversation.Rule{rule}); refusal != nil {
			faults = append(faults, fault{at: refusal.At, message: refusal.Message, instead: refusal.Instead})
		}
	}
	return faults
}

// place returns the place of a finding in the request.
func (a *Asked) place(finding provider.Finding) schema.Pointer {
	within := strings.TrimPrefix(string(finding.At), "/parameters")
	if a.Method == provider.ElicitationCreate {
		return "/params/requestedSchema" + schema.Pointer(within)
	}
	tool := schema.Pointer("/params/tools").Element(finding.Declaration)
	if within != string(finding.At) {
		tool = tool.Child("inputSchema")
	}
	return tool + schema.Pointer(within)
}

// Respond returns the answer of a user and of a model to what a server asks, or why the client refuses. Only for a tool
// that says that it reads, a user fills in the form and a model answers; otherwise the user declines. No address is
// opened.
func (a *Asked) Respond(tool *Tool) (result *schema.Node, refusal string) {
	if faults := a.refusals(); len(faults) > 0 {
		return nil, faults[0].message
	}
	switch {
	case a.Method == provider.SamplingCreateMessage && tool.Has("readOnlyHint"):
		text := provider.Object("type", schema.NewString("text"), "text", schema.NewString("This is a test: no model was asked."))
		return provider.Object("role", schema.NewString("assistant"), "content", text, "model", schema.NewString("toolproof"), "stopReason", schema.NewString("endTurn")), ""
	case a.Method == provider.SamplingCreateMessage:
		return nil, "User rejected sampling request"
	case a.Method == "roots/list":
		return provider.Object("roots", schema.NewArray()), ""
	case a.Method != provider.ElicitationCreate:
		return nil, fmt.Sprintf("the client has no method %s", a.Method)
	case tool.Has("readOnlyHint") && !a.Params.Get("mode").Is("url"):
		if content := filledForm(a.Params.Get("requestedSchema")); content != nil {
			return provider.Object("action", schema.NewString("accept"), "content", content), ""
		}
	}
	return provider.Object("action", schema.NewString("decline")), ""
}

// filledForm returns values for a form, the same for the same form: its defaults, and made ones. It returns nil if none
// are found.
func filledForm(form *schema.Node) *schema.Node {
	seed := fnv.New64a()
	_, _ = seed.Write(form.JSON())
	made := sample.Object(form, rand.New(rand.NewPCG(seed.Sum64(), 1))) //nolint:gosec // no secret
	if made == nil {
		return nil
	}
	compiled, err := instance.Compile(form)
	if err != nil {
		return nil
	}
	for _, content := range []*schema.Node{filledIn(form, made.Clone()), made} {
		if accepted, err := compiled.AcceptsWithin(content); accepted && err == nil {
			return content
		}
	}
	return nil
}

// requestRefused reports what a server asks of a client that clients refuse.
var requestRefused = &Rule{
	Name: "request_refused", Since: "2025-06-20",
	Doc: "A client takes what a server asks of it while it works on a call: the form of elicitation/create is flat, and sampling/createMessage has its results after " +
		"their calls. The place is in the request.",
	Source: "the surfaces mcp/elicitation and mcp/sampling and the rules of mcp/conversation, which have their own sources; lab/referees/mcp-clients asks the clients",
	Client: "the clients of the TypeScript SDK or of the Go SDK", Instead: "ask for one text, number, choice or yes in each property",
	check: func(e *Exchange) []fault {
		var faults []fault
		for i := range e.Answer.Asked {
			faults = append(faults, e.Answer.Asked[i].refusals()...)
		}
		return faults
	},
}

// secret matches the names of what a form must not ask for.
var secret = lazy.Compile(`(?i)(?:^|[^a-z])(?:password|passphrase|passwd|api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|private[_-]?key|` +
	`credit[_-]?card|card[_-]?number|cvv|cvc)(?:$|[^a-z])`)

// formAsksSecret reports a form that asks for a secret.
var formAsksSecret = &Rule{
	Name: "form_asks_for_a_secret", Since: "2025-06-18",
	Doc:     "A form does not ask for passwords, keys and cards, which the client and the model would see.",
	Source:  "specification of 2025-11-25, client/elicitation: servers MUST NOT use form mode elicitation to request sensitive information",
	Instead: "use mode url, so that the user types it on a page of the server",
	check: func(e *Exchange) []fault {
		var faults []fault
		for _, asked := range e.Answer.Asked {
			properties := asked.Params.Get("requestedSchema").Get("properties")
			if asked.Method != provider.ElicitationCreate || properties == nil {
				continue
			}
			for _, property := range properties.Members {
				if secret.MatchString(property.Key) {
					faults = append(faults, fault{at: schema.Pointer("/params/requestedSchema/properties").Child(property.Key), message: "the form asks for " + short(property.Key)})
				}
			}
		}
		return faults
	},
}

// needsInput reports whether the result says that the call needs further input.
func (a *Answer) needsInput() bool {
	return a.Result != nil && a.Result.Get("resultType").Is("input_required")
}

// embeddable are the requests that the result of a call may have.
var embeddable = []string{string(provider.ElicitationCreate), string(provider.SamplingCreateMessage), "roots/list"}

// inputRequired reports a result that requires input in vain: the call was made again with all that a client has to say.
var inputRequired = &Rule{
	Name: "input_required", Since: "2026-07-28",
	Doc: "A result that requires input says which, or has a requestState, is sent to clients of 2026-07-28 alone, and is followed by another one once the input has come: " +
		"clients give up after ten.",
	Source: "specification of 2026-07-28, basic/patterns/mrtr; words of @modelcontextprotocol/client 2.4.0, as of 2026-11-28",
	Client: "the clients of the TypeScript SDK or of the Go SDK", Instead: "send one of inputRequests and requestState, and the result when its input has come",
	check: func(e *Exchange) []fault {
		if !e.Answer.needsInput() {
			return nil
		}
		requests, method := e.Answer.Result.Get("inputRequests"), cmp.Or(e.Call.Method, "tools/call")
		if !slices.Contains([]string{"tools/call", "prompts/get", "resources/read"}, method) {
			return []fault{{at: "/resultType", message: method + " has a result that requires input, which only tools/call, prompts/get and resources/read may have"}}
		}
		if e.Answer.Revision < "2026-07-28" {
			message := fmt.Sprintf("the session speaks the protocol of %s, which has no input_required: clients take the result for an empty one", e.Answer.Revision)
			return []fault{{at: "/resultType", message: message}}
		}
		isEmpty := requests == nil || requests.Kind != schema.Object || len(requests.Members) == 0
		if state := e.Answer.Result.Get("requestState"); isEmpty && (state == nil || state.Kind != schema.String) {
			return whole("Invalid result for %s: input_required carries neither inputRequests nor requestState (every input_required result must include at least one of the two)", method)
		}
		if isEmpty {
			requests = schema.NewObject()
		}
		for _, request := range requests.Members {
			at := schema.Pointer("/inputRequests").Child(request.Key)
			switch method := request.Value.GetString("method"); {
			case method == "":
				return []fault{{at: at, message: fmt.Sprintf("Invalid input request '%s': each inputRequests entry must be an embedded request object with a method", request.Key)}}
			case !slices.Contains(embeddable, method):
				return []fault{{at: at.Child("method"), message: fmt.Sprintf("Invalid input request '%s': '%s' is not an embedded request the 2026-07-28 revision defines "+
					"(expected elicitation/create, sampling/createMessage, or roots/list)", request.Key, method)}}
			}
		}
		if e.Answer.IsStopped || e.Call.Method != "" {
			return nil // the client refuses to give the input, or is not asked to
		}
		return whole("the call still requires input after it was made ten times")
	},
}

// ReadAsked returns a request of a server; its parameters are nil if they cannot be read.
func ReadAsked(method string, params json.RawMessage, isEmbedded bool) Asked {
	asked := Asked{Method: provider.API(method), IsEmbedded: isEmbedded}
	if node, err := schema.ParseWire(params); err == nil {
		asked.Params = node
	}
	return asked
}
