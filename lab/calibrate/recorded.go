package calibrate

import (
	"fmt"

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
	asked := r.surface(dialects)
	if asked == nil {
		return nil, NoModelOfProvider
	}
	api := asked.API
	switch {
	case api == provider.GenerateContent:
		if wrapped := body.First("generateContentRequest", "generate_content_request"); wrapped != nil {
			body = wrapped // of countTokens
		}
	case asked.Traffic.Provider != "": // evidence tells the API
	case body.Has("input"):
		api = provider.Responses
	}
	parts := partsOf(wire.Read(api, provider.OfService(dialects, asked.Service()), body))
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
		parts[i] = Part{Dialect: request.Dialect, Declarations: request.Declarations, Indices: request.Indices, Places: request.Places}
	}
	return parts
}

// surface returns a surface of the service that a request asked, or nil: evidence names
// the provider, or else the host does, where it speaks the language of OpenAI.
func (r *Row) surface(dialects []*provider.Dialect) *provider.Dialect {
	for _, dialect := range dialects {
		if name := dialect.Traffic.Provider; name != "" && name == r.Provider && dialect.API != provider.CodeAssist { // which no recording is of
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
