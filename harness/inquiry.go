package harness

import (
	"context"
	"fmt"
	"time"

	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Inquiry is a judgement whose last step is to ask the provider itself.
type Inquiry struct {
	// Result is what is known before: the judgement of a Checker.
	Result verdict.Result
	// Dialect is the surface to ask on; nil where there is nothing to ask, and Result says
	// why.
	Dialect *provider.Dialect
	// Request has the one declaration.
	Request provider.Request
	// Recorded is the newest answer that is recorded, of the model that is asked; nil where
	// there is none.
	Recorded *recording.Recording

	raw  bool
	tool schema.Tool
}

// Inquire prepares to ask a provider about a tool: as it is normalized for the target,
// or with Raw as it is given.
func (c Checker) Inquire(ctx context.Context, tool toolfile.Tool, source string, target Target) Inquiry {
	return c.InquireAs(ctx, tool, source, target, "")
}

// InquireAs is Inquire of a tool that gets another name in its request, as CheckAs has it.
func (c Checker) InquireAs(ctx context.Context, tool toolfile.Tool, source string, target Target, name string) Inquiry {
	inquiry := Inquiry{raw: c.Raw, tool: tool.Tool}
	inquiry.Result = c.CheckAs(ctx, tool, source, target, name)
	result := &inquiry.Result
	switch {
	case tool.Err != nil:
		return inquiry
	case c.Raw:
		result.Dialect, result.Normalized, result.Understood = target.Dialect.Name, nil, nil
		inquiry.Dialect = target.Dialect
	case result.Normalized == nil:
		return inquiry
	default:
		result.Raw = nil // it is not asked about
		made := result.Normalized.Tool
		inquiry.tool = schema.Tool{Name: made.GetString("name"), Description: made.Get("description"), Parameters: made.Get("parameters")}
		inquiry.Dialect = target.Dialect
		if result.Dialect != target.Dialect.Name {
			inquiry.Dialect = target.Fallback
		}
	}
	result.Status, result.Error = verdict.Inconclusive, "nobody was asked"
	inquiry.Request = inquiry.Dialect.Encode([]schema.Tool{inquiry.tool})
	if c.Store != nil {
		inquiry.Recorded = Offline{Dialect: inquiry.Dialect, Store: c.Store, ModelName: c.ModelName}.recorded(inquiry.Request)
	}
	return inquiry
}

// InquireFixture prepares to ask about the first tool of a fixture, normalized. There
// is nothing to ask about a fixture that cannot be normalized.
func (c Checker) InquireFixture(ctx context.Context, given *fixture.Fixture, target Target) (Inquiry, bool) {
	if given.WireOnly {
		return Inquiry{}, false
	}
	inquiry := c.Inquire(ctx, toolfile.Of(given.Tools[0]), "fixtures/"+given.File, target)
	result := &inquiry.Result
	result.ID, result.Fixture, result.Side, result.Line = given.ID, given.ID, "normalized", 1
	if c.Raw {
		result.Side = "raw"
	} else {
		result.Normalizer = target.Name()
	}
	return inquiry, true
}

// Answer completes the result with what the provider answered, or with why nothing was
// learnt. Every tool is expected to be accepted. flipped says that the answer is another
// than the recorded one, and was given twice.
func (c Checker) Answer(ctx context.Context, inquiry Inquiry, response provider.Response, flipped bool, err error) verdict.Result {
	result := inquiry.Result
	if err != nil {
		result.Status, result.Error = verdict.Inconclusive, fmt.Sprintf("nothing was learnt: %v", err)
		if inquiry.raw {
			result.Raw = nil
		} else {
			result.Normalized = nil
		}
		return result
	}
	if response.Verdict == provider.Rejected && len(response.Findings) == 0 && inquiry.Dialect.Locate != nil {
		for _, place := range inquiry.Dialect.Locate(response, inquiry.Request.Declarations) {
			if place.Declaration != provider.Nowhere {
				response.Findings = append(response.Findings, provider.Finding{Message: place.Message, At: place.At, Location: place.Location})
			}
		}
	}
	for i := range response.Findings {
		finding := &response.Findings[i]
		place := provider.Place{At: finding.At, Location: finding.Location, Message: finding.Message}
		if rule, failed := c.ruleOf(ctx, inquiry.Dialect, toolfile.Of(inquiry.tool), place); failed == nil {
			finding.Rule = rule
		}
		finding.Position = positionOf(inquiry.tool.Node(), finding.At)
	}
	answer := verdict.Answer{Verdict: response.Verdict, Evidence: response.Evidence, Findings: verdict.Findings(response)}
	if inquiry.raw {
		result.Raw = &answer
	} else {
		normalized := *result.Normalized
		normalized.Answer = answer
		result.Normalized = &normalized
	}
	result.Status, result.Error = verdict.Pass, ""
	if response.Verdict != provider.Accepted {
		result.Status, result.Understood = verdict.Fail, nil
	}
	if flipped {
		result.Error = fmt.Sprintf("the recording of %s says otherwise, and the provider was asked twice", inquiry.Recorded.Date)
	}
	return result
}

// IsFresh reports whether a recorded answer may stand for asking: it is no older than
// so many days, of today where that is 0.
func IsFresh(recorded *recording.Recording, days int) bool {
	return recorded != nil && recorded.Grade != "reported" && recorded.Date >= DaysAgo(days)
}

// DaysAgo returns the day so many days before today.
func DaysAgo(days int) provider.Date {
	return provider.Date(time.Now().UTC().AddDate(0, 0, -days).Format(time.DateOnly))
}
