package judge

import (
	"context"
	"fmt"
	"time"

	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/refusal"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Inquiry is a tool that is ready to be sent. A client that asks about many at once
// sends its request and hands the response to Answer.
type Inquiry struct {
	// Result says so far that nothing was learnt.
	Result verdict.Result
	// Dialect is the surface to ask on; nil where there is nothing to ask, and Result says
	// why.
	Dialect *provider.Dialect
	// Request has the one declaration.
	Request provider.Request
	// Recorded is the newest answer that is recorded, of the model that is asked; nil where
	// there is none.
	Recorded *recording.Recording

	raw        bool
	tool       schema.Tool
	normalized *verdict.Normalized // without an answer; nil with raw
}

// Inquire prepares to ask a provider about a tool. It normalizes the tool for the
// target, or takes it as given with Raw.
func (j Judge) Inquire(ctx context.Context, subject Subject, target Target) Inquiry {
	inquiry := Inquiry{Result: subject.result(target), raw: j.Raw}
	result := &inquiry.Result
	if subject.Err != nil {
		return inquiry
	}
	inquiry.tool, inquiry.Dialect = subject.Tool.Tool, target.Dialect
	if inquiry.raw = j.Raw || target.Normalizer == nil; !inquiry.raw {
		normalized, err := j.normalizeSubject(ctx, subject, target)
		if err == nil && target.cannotSay(normalized) {
			err = fmt.Errorf("the surface takes no such tool: %s", normalized.Fallback)
		}
		if err != nil {
			inquiry.Dialect, result.Status, result.Error = nil, verdict.Error, err.Error()
			return inquiry
		}
		inquiry.tool, inquiry.Dialect = normalized.Tool, target.Surface(normalized.Strict)
		inquiry.normalized = target.result(normalized)
		placeChanges(inquiry.normalized.Changes, subject.Tool)
	}
	result.Dialect, result.Status, result.Error = inquiry.Dialect.Name, verdict.Inconclusive, "no provider was asked"
	inquiry.Request = inquiry.Dialect.Encode([]schema.Tool{inquiry.tool})
	if j.Store != nil {
		inquiry.Recorded = Offline{Dialect: inquiry.Dialect, Store: j.Store, ModelName: j.ModelName}.recorded(inquiry.Request)
	}
	return inquiry
}

// InquireFixture prepares to ask about the first tool of a fixture. There is nothing to
// ask about a fixture that cannot be normalized.
func (j Judge) InquireFixture(ctx context.Context, given *fixture.Fixture, target Target) (Inquiry, bool) {
	if given.WireOnly {
		return Inquiry{}, false
	}
	inquiry := j.Inquire(ctx, Subject{Tool: toolfile.Of(given.Tools[0]), Source: "fixtures/" + given.File}, target)
	asked := &verdict.Fixture{Sides: *inquiry.Result.Sides(), ID: given.ID, Side: verdict.OfRaw}
	if !j.Raw {
		asked.Side, asked.Normalizer = verdict.OfNormalized, target.Name()
	}
	inquiry.Result.ID, inquiry.Result.Line, inquiry.Result.Kind = given.ID, 1, asked
	return inquiry, true
}

// Answer completes the result of an inquiry, which it changes and returns, with what the
// provider answered, or with why nothing was learnt. Every tool is expected to be accepted.
// isFlip says that the answer differs from the recorded one, and was given twice.
func (j Judge) Answer(ctx context.Context, inquiry Inquiry, response provider.Response, isFlip bool, err error) verdict.Result {
	result := inquiry.Result
	if err != nil {
		result.Error = fmt.Sprintf("nothing was learnt: %v", err)
		return result
	}
	response.Findings, response.Ignored = j.explained(ctx, inquiry, response), j.ignored(ctx, inquiry.Dialect, inquiry.Request)
	answer := verdict.Answer{
		Verdict: response.Verdict, Evidence: response.Evidence, Findings: verdict.Findings(response), Ignored: verdict.Ignored(response),
	}
	sides := result.Sides()
	if inquiry.raw {
		sides.Raw = &answer
	} else {
		normalized := *inquiry.normalized
		normalized.Answer, sides.Normalized = answer, &normalized
	}
	result.Status, result.Error = verdict.Fail, ""
	if response.Verdict == provider.Accepted {
		result.Status = verdict.Pass
		if !inquiry.raw {
			sides.Understood = j.understood(inquiry.Dialect, inquiry.tool)
		}
	}
	if isFlip {
		result.Error = fmt.Sprintf("the recording of %s says otherwise, and the provider was asked twice", inquiry.Recorded.Date)
	}
	return result
}

// ignored returns what the model of a surface knows to be ignored of a request: a provider
// does not say it.
func (j Judge) ignored(ctx context.Context, dialect *provider.Dialect, request provider.Request) []provider.Finding {
	model := j.model(dialect)
	predicted, err := model.Send(ctx, request)
	if err != nil {
		return nil
	}
	return predicted.Ignored
}

// explained returns the findings of a response with their rules and positions. Where it
// has none they are the places that the words of a refusal mean.
func (j Judge) explained(ctx context.Context, inquiry Inquiry, response provider.Response) []provider.Finding {
	findings := response.Findings
	if response.Verdict == provider.Rejected && len(findings) == 0 && inquiry.Dialect.Locate != nil {
		for _, place := range inquiry.Dialect.Locate(response, inquiry.Request.Declarations) {
			if place.Declaration != provider.Nowhere {
				findings = append(findings, provider.Finding{Message: place.Message, At: place.At, Location: place.Location})
			}
		}
	}
	for i := range findings {
		finding := &findings[i]
		place := provider.Place{At: finding.At, Location: finding.Location, Message: finding.Message}
		if rule, failed := refusal.RuleOf(ctx, j.model(inquiry.Dialect), inquiry.tool, place); failed == nil {
			finding.Rule = rule
		}
		finding.Position = positionOf(inquiry.tool.Node(), finding.At)
	}
	return findings
}

// IsFresh reports whether a recorded answer replaces a question to the provider. It is
// at most so many days old; 0 means of today.
func IsFresh(recorded *recording.Recording, days int) bool {
	return recorded != nil && recorded.Grade != recording.Reported && recorded.Date >= DaysAgo(days)
}

// DaysAgo returns the day so many days before today.
func DaysAgo(days int) provider.Date {
	return provider.Date(time.Now().UTC().AddDate(0, 0, -days).Format(time.DateOnly))
}
