package openai

import (
	"toolproof/harness/provider"
	"toolproof/schema"
)

// reasoningRules judge functions of Chat Completions beside a reasoning effort.
var reasoningRules = []*provider.Rule{reasoningEffortBefore, reasoningEffort, reasoningByDefaultBefore, reasoningByDefault}

// parameters is the stage that judges members of the body beside the tools. The Node is
// the body.
var parameters = &provider.Stage{
	Name: "parameters",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		visitor.Visit(&provider.Pass{Request: request, Declaration: -1, Node: visitor.Body(request), Subject: visitor.ModelName})
	},
}

// What the words about a reasoning effort advise, before and since they name none as a way out.
const (
	useResponses       = "Please use /v1/responses instead."
	useResponsesOrNone = "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
)

// reasoningNamesNone is the first day on which the words were seen that advise to set none.
const reasoningNamesNone = provider.Date("2026-07-21")

// reasoningEffortBefore reports what reasoningEffort does, in its earlier words.
var reasoningEffortBefore = &provider.Rule{
	Name:   "reasoning_effort_before",
	Effect: provider.Rejects,
	Stage:  parameters,
	Since:  "2026-03-11",
	Until:  reasoningNamesNone,
	Models: []string{"gpt-5.4*"},
	Doc: `a request with functions sets no reasoning_effort other than none

The same rule as reasoning_effort, before its words advised to set none. Leave out reasoning_effort
or set it to none, or use Responses.`,
	Source: "https://github.com/pipecat-ai/pipecat/issues/4043 (2026-03-16, gpt-5.4); https://github.com/openai/openai-openapi/issues/541 (2026-05-18)",
	Check:  refuseReasoning("none", useResponses),
}

// reasoningEffort reports functions beside a reasoning effort.
var reasoningEffort = &provider.Rule{
	Name:   "reasoning_effort",
	Effect: provider.Rejects,
	Stage:  parameters,
	Since:  reasoningNamesNone,
	Models: []string{"gpt-5.4*"},
	Doc: `a request with functions sets no reasoning_effort other than none

GPT-5.4 takes functions without reasoning_effort, since it does not reason by default: leave it out
or set it to none, or use Responses. Whether the functions themselves are judged first is not known.`,
	Source: "the words of 2026-07-21 on gpt-5.6-sol, https://github.com/danny-avila/LibreChat/issues/14355; the model: reasoning_effort_before",
	Check:  refuseReasoning("none", useResponsesOrNone),
}

// reasoningByDefaultBefore reports what reasoningByDefault does, in its earlier words.
var reasoningByDefaultBefore = &provider.Rule{
	Name:   "reasoning_by_default_before",
	Effect: provider.Rejects,
	Stage:  parameters,
	Since:  "2026-04-29",
	Until:  reasoningNamesNone,
	Models: reasoningByDefault.Models,
	Doc: `a request with functions sets reasoning_effort to none

The same rule as reasoning_by_default, before its words advised to set none. Set reasoning_effort to
none, or use Responses.`,
	Source: "https://github.com/jeffdafoe/llm-memory-api/pull/178 (2026-04-29, gpt-5.5, also without reasoning_effort); " +
		"https://github.com/charmbracelet/crush/issues/2913 (2026-05-14)",
	Check: refuseReasoning("", useResponses),
}

// reasoningByDefault reports functions for a model that reasons unless told otherwise.
var reasoningByDefault = &provider.Rule{
	Name:   "reasoning_by_default",
	Effect: provider.Rejects,
	Stage:  parameters,
	Since:  reasoningNamesNone,
	Models: []string{"gpt-5.5*", "gpt-5.6*"},
	Doc: `a request with functions sets reasoning_effort to none

These models reason unless the request says none, and refuse functions on Chat Completions even if
reasoning_effort is absent. Set it to none, or use Responses, which takes them.`,
	Source: "https://github.com/BerriAI/litellm/pull/34569 (2026-07-24: refused without reasoning_effort and with low, accepted with none); " +
		"https://github.com/danny-avila/LibreChat/issues/14355 (2026-07-21); https://github.com/GoogleChromeLabs/webmcp-tools/issues/417 (2026-09-03)",
	Check: refuseReasoning("", useResponsesOrNone),
}

// needsNoReasoning is the Needs of Chat Completions.
func needsNoReasoning(model string) *schema.Node {
	if !reasoningByDefault.InForce(reasoningByDefault.Since, model) {
		return nil
	}
	return provider.Object("reasoning_effort", schema.NewString("none"))
}

// refuseReasoning makes a check that reports a reasoning effort other than none. The effort
// is usual where the request has none.
func refuseReasoning(usual, advice string) func(*provider.Pass) {
	return func(p *provider.Pass) {
		effort := p.Node.Get("reasoning_effort")
		if effort == nil || effort.Kind == schema.Null {
			effort = schema.NewString(usual)
		}
		if effort.Is("none") || len(p.Request.Declarations) == 0 {
			return
		}
		model, _ := p.Subject.(string)
		p.Report(provider.Finding{
			Message:  "Function tools with reasoning_effort are not supported for " + model + " in /v1/chat/completions. " + advice,
			Location: "reasoning_effort",
		})
	}
}
