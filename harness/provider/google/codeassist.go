package google

import (
	"encoding/json"
	"slices"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// codeAssistPath is the method of Code Assist, which Antigravity calls too.
const codeAssistPath = "/v1internal:generateContent"

var codeAssistTraffic = provider.Traffic{Provider: "codeassist", Hosts: []string{"cloudcode-pa.googleapis.com"}}

// codeAssistParameters is the field parameters of a function declaration in Code
// Assist and Antigravity, for Gemini models.
var codeAssistParameters = &provider.Dialect{
	Name: "codeassist/parameters",
	Doc:  "function declarations of Code Assist and Antigravity, for Gemini models",
	Rules: slices.Concat([]*provider.Rule{tooDeep}, vertexParseRules, []*provider.Rule{
		until(vertexTypeMissing, "2026-01-01"), until(anyOfAlone, "2026-01-01"), anyOfAloneGemini3, referenceSiblings,
		keyEmpty, propertiesOnlyObject, requiredUndefined, itemsOnlyArray, itemsMissing, since(enumOnlyString, "2026-01-27"), enumMemberEmpty,
	}, protoRules, []*provider.Rule{duplicateFunction}),
	Path:     codeAssistPath,
	API:      provider.CodeAssist,
	Subject:  provider.Arguments,
	Portable: true,
	Aliases:  []string{"codeassist.tool_name", "codeassist.tools", "antigravity/codeassist.parameters"},
	Traffic:  codeAssistTraffic,
	Relative: "vertex", // whose unions stand alone, as Gemini 3 once required here
	Schema:   "/parameters",
	Members:  functionMembers,
	Declare:  schema.Tool.Node,
	Envelope: wrapped,
	Render:   renderCodeAssist,
	Classify: classify,
	Own:      codeAssistFunctions,
	Locate:   locator(codeAssistFunctions),
}

// CodeAssistClaude is the same field for Claude models: Google passes the request on to
// Anthropic's API, and its answer back.
var CodeAssistClaude = &provider.Dialect{
	Name:     "codeassist/claude",
	Doc:      "function declarations of Code Assist and Antigravity, for Claude models",
	Rules:    slices.Concat([]*provider.Rule{tooDeep}, vertexParseRules, []*provider.Rule{inputSchemaMissing}),
	Path:     codeAssistPath,
	API:      provider.CodeAssist,
	Subject:  provider.Arguments,
	Portable: true,
	Aliases:  []string{"antigravity.claude"},
	Traffic:  codeAssistTraffic,
	Schema:   "/parameters",
	Members:  functionMembers,
	Declare:  schema.Tool.Node,
	Envelope: wrapped,
	Render:   renderCodeAssist,
	Classify: classifyClaude,
	Own:      claudeFunctions,
	Locate:   locator(claudeFunctions),
}

// wrapped makes the smallest request with the declarations. Code Assist passes on its member
// request.
func wrapped(declarations []*schema.Node) *schema.Node {
	return provider.Object("project", schema.NewString("PROJECT"), "model", schema.NewString("MODEL"), "request", generateContent(declarations))
}

// until returns a copy of a rule that ends on a day, for a service that dropped the rule earlier
// or later than others.
func until(rule *provider.Rule, day provider.Date) *provider.Rule {
	clone := *rule
	clone.Until = day
	return &clone
}

// since returns a copy of a rule that begins on a day, for a service on which it was first seen then.
func since(rule *provider.Rule, day provider.Date) *provider.Rule {
	clone := *rule
	clone.Since = day
	return &clone
}

// anyOfAloneGemini3 is anyOfAlone for the models that the service asked it of the longest.
var anyOfAloneGemini3 = &provider.Rule{
	Name:   "any_of_alone_gemini_3",
	Effect: provider.Rejects,
	Stage:  vertex,
	Since:  "2026-01-01",
	Until:  "2026-03-01",
	Models: []string{"!gemini-1*", "!gemini-2*"},
	Doc: `any_of is the only field of its schema for models of the third generation

Reported on 2026-02-22 for gemini-3-pro-preview and gemini-3.1-pro-preview, when other requests
were already refused in the words of the Gemini API. Whether the rule still holds is unknown:
no later report has it, and gemini-3.8-flash accepted any_of on 2026-09-05.`,
	Evidence: []string{
		"codeassist/parameters/95f2d03e9ff3",
		// Near misses.
		"codeassist/parameters/e025e17e4be4",
	},
	Check: anyOfAlone.Check,
}

// renderCodeAssist makes the body of a refusal, which has the message twice unless the parse stage
// refused.
func renderCodeAssist(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	type repeated struct {
		Message string `json:"message"`
		Domain  string `json:"domain"`
		Reason  string `json:"reason"`
	}
	var body struct {
		Error struct {
			Code    int        `json:"code"`
			Message string     `json:"message"`
			Errors  []repeated `json:"errors,omitempty"`
			Status  string     `json:"status"`
			Details []detail   `json:"details,omitempty"`
		} `json:"error"`
	}
	body.Error.Code, body.Error.Message, body.Error.Status = response.Status, response.Message, "INVALID_ARGUMENT"
	if body.Error.Details = parseDetails(response); body.Error.Details == nil {
		body.Error.Errors = []repeated{{response.Message, "global", "badRequest"}}
	}
	return provider.AnswerBody(body)
}

// aboutInputSchema matches a refusal of a declaration by Anthropic's API, which the message of
// Google's answer contains.
var aboutInputSchema = lazy.Compile(`tools\.\d+\.|input_schema|Tool names must be unique`)

func classifyClaude(status int, data []byte) (provider.Response, error) {
	var body errorBody
	if err := json.Unmarshal(data, &body); err == nil && status == 400 && aboutInputSchema.MatchString(body.Error.Message) {
		return provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Error.Message}, nil
	}
	return classify(status, data)
}

// depth is the stage in which the front end parses the JSON of the body.
var depth = &provider.Stage{
	Name:   "depth",
	Shared: "one parser of JSON in front of Code Assist, whichever model answers",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		walk := &depthWalk{visitor: visitor, pass: provider.Pass{Request: request, Declaration: -1}}
		walk.value(schema.Member{Value: visitor.Body(request)}, 1)
	},
}

// maxDepth is the limit on nested objects and lists. 30 nested properties make 67 levels
// and were accepted; 31 make 69, and the 69th level was refused.
const maxDepth = 68

type depthWalk struct {
	visitor *provider.Visitor
	pass    provider.Pass
}

func (w *depthWalk) value(member schema.Member, depth int) {
	if depth > maxDepth {
		w.pass.Key, w.pass.KeyPosition, w.pass.Node = member.Key, member.Position, member.Value
		w.visitor.Visit(&w.pass)
	}
	w.visitor.Charge(1 + len(member.Value.Members) + len(member.Value.Elements))
	isNested := func(node *schema.Node) bool { return node.Kind == schema.Object || node.Kind == schema.Array }
	for _, below := range member.Value.Members {
		if isNested(below.Value) && !w.visitor.Done() {
			w.value(below, depth+1)
		}
	}
	for _, element := range member.Value.Elements {
		if isNested(element) && !w.visitor.Done() {
			w.value(schema.Member{Key: member.Key, Value: element}, depth+1)
		}
	}
}

// tooDeep reports JSON that is nested too deep to be read.
var tooDeep = &provider.Rule{
	Name:   "too_deep",
	Effect: provider.Rejects,
	Stage:  depth,
	Doc: `a body that is nested too deep cannot be read

On 2026-09-05 30 nested properties were accepted and 31 were not. The answer names the key but
no declaration.`,
	Source: omnigateway,
	Check: func(p *provider.Pass) {
		p.Reportf("Invalid JSON payload received. Message too deep. Max recursion depth reached for key '%s'", p.Key)
	},
}

// claude is the stage in which Anthropic's API judges the declarations that Google passes on. It
// reports the first violation only.
var claude = &provider.Stage{
	Name: "claude",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		for i, node := range request.Declarations {
			if visitor.Visit(&provider.Pass{Request: request, Declaration: i, Node: node}) {
				return
			}
		}
	},
}

// inputSchemaMissing reports a function without parameters.
var inputSchemaMissing = &provider.Rule{
	Name:   "input_schema_missing",
	Effect: provider.Rejects,
	Stage:  claude,
	Doc: `a function of a Claude model has parameters

They become its input_schema, which Anthropic requires; parametersJsonSchema does not. The
answer contains Anthropic's as a string, with an id of the request that differs each time.`,
	Source: "https://github.com/router-for-me/CLIProxyAPI/issues/407 (Antigravity, 2025-12-03)",
	Check: func(p *provider.Pass) {
		if parameters := p.Node.Get("parameters"); parameters == nil || parameters.Kind == schema.Null {
			p.Reportf(`{"type":"error","error":{"type":"invalid_request_error","message":"tools.%d.custom.input_schema: Field required"},`+
				`"request_id":"req_vrtx_000000000000000000000000"}`, p.Declaration)
		}
	},
}
