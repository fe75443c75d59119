package calibrate

import (
	"fmt"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
)

// recorded returns the cases of a recorded request. A refusal is one case with
// all its parts, because any of them can be what was refused.
func (r *Row) recorded(dialects []*provider.Dialect) (cases []Case, aside string) {
	if r.Status/100 != 2 {
		if class := ClassOf(r.Status, r.messageOf()); class != "" {
			return nil, class
		}
	}
	body := parse(r.Request)
	if body == nil {
		return nil, Unreadable
	}
	var parts []Part
	switch r.Provider {
	case "gemini", "vertex":
		if wrapped := body.First("generateContentRequest", "generate_content_request"); wrapped != nil {
			body = wrapped // of countTokens
		}
		parts = partsOf(wire.GenerateContent(body, r.Provider))
	case "openai-chat":
		parts = partsOf(wire.Chat(body, "openai"))
	case "openai-responses":
		parts = partsOf(wire.Responses(body, "openai"))
	case "anthropic":
		parts = partsOf(wire.Messages(body))
	default:
		service := r.service()
		if service == "" {
			return nil, NoModelOfProvider
		}
		if parts = partsOf(wire.Chat(body, service)); body.Has("input") {
			parts = partsOf(wire.Responses(body, service))
		}
	}
	if len(parts) == 0 {
		return nil, NoSchema
	}
	common := Case{Name: r.Name(), Date: known(r.RecordedAt, r.CommittedAt), Model: r.Model, Verdict: provider.Accepted}
	if r.Status/100 == 2 {
		for _, part := range parts {
			accepted := common
			accepted.Parts = []Part{part}
			if dialectNamed(dialects, part.Dialect) != nil {
				cases = append(cases, accepted)
			}
		}
		if len(cases) == 0 {
			return nil, NoModelOfSurface
		}
		return cases, ""
	}
	for _, part := range parts {
		if dialectNamed(dialects, part.Dialect) == nil {
			return nil, NoModelOfSurface
		}
	}
	dialect := dialectNamed(dialects, parts[0].Dialect)
	answer, err := dialect.Classify(r.Status, fmt.Appendf(nil, `{"error":%s}`, r.ResponseError))
	if err != nil {
		return nil, OtherFailure
	}
	common.Parts, common.Verdict, common.Message, common.Whole = parts, provider.Rejected, answer.Message, true
	return []Case{common}, ""
}

// partsOf takes what a case is about from the requests that a body comes to.
func partsOf(requests []provider.Request) []Part {
	parts := make([]Part, len(requests))
	for i, request := range requests {
		parts[i] = Part{Dialect: request.Dialect, Declarations: request.Declarations, Indices: request.Indices}
	}
	return parts
}

// service returns the name of the provider that speaks the language of OpenAI at
// the host of a request, or "".
func (r *Row) service() string {
	for _, known := range []struct{ part, name string }{
		{"azure.com", "azure"},
		{"groq", "groq"},
		{"cerebras", "cerebras"},
		{"deepseek", "deepseek"},
		{"moonshot", "moonshot"},
		{"x.ai", "xai"},
		{"xai", "xai"},
		{"generativelanguage", "gemini-openai"}, // asked in the language of OpenAI
	} {
		if strings.Contains(r.Host, known.part) {
			return known.name
		}
	}
	return ""
}
