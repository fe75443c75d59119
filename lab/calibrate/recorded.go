package calibrate

import (
	"fmt"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/harness/refusal"
)

// recorded returns the cases of a recorded request. A refusal is one case with all parts,
// because any of them may be the reason.
func (r *Row) recorded(dialects []*provider.Dialect) (cases []Case, aside string) {
	if r.Status/100 != 2 {
		if class := refusal.AsideOf(r.Status, r.messageOf()); class != "" {
			return nil, string(class)
		}
	}
	body := parse(r.Request)
	if body == nil {
		return nil, Unreadable
	}
	surface := r.surface(dialects)
	if surface == nil {
		return nil, NoModelOfProvider
	}
	api := surface.API
	switch {
	case api == provider.GenerateContent:
		if wrapped := body.First("generateContentRequest", "generate_content_request"); wrapped != nil {
			body = wrapped // as in countTokens
		}
	case surface.Traffic.Provider != "": // the provider's name tells the API
	case body.Has("input"):
		api = provider.Responses
	}
	parts := partsOf(wire.Read(api, provider.OfService(dialects, surface.Service()), body))
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
		return nil, string(refusal.OtherFailure)
	}
	common.Parts, common.Verdict, common.Message, common.Whole = parts, provider.Rejected, answer.Message, true
	return []Case{common}, ""
}

// partsOf returns the parts of a case from the requests in a body.
func partsOf(requests []provider.Request) []Part {
	parts := make([]Part, len(requests))
	for i, request := range requests {
		parts[i] = Part{Dialect: request.Dialect, Declarations: request.Declarations, Indices: request.Indices, Places: request.Places, Body: request.Body}
	}
	return parts
}

// surface returns a surface of the service that a request was sent to, or nil. Evidence names
// the provider, or, for services that offer OpenAI's API, the host tells it.
func (r *Row) surface(dialects []*provider.Dialect) *provider.Dialect {
	for _, dialect := range dialects {
		if name := dialect.Traffic.Provider; name != "" && name == r.Provider && dialect.API != provider.CodeAssist { // no evidence is from there
			return dialect
		}
	}
	for _, dialect := range dialects {
		if dialect.Traffic.Provider == "" && dialect.API == provider.ChatCompletions && dialect.Traffic.Names(r.Host) {
			return dialect
		}
	}
	return nil
}
