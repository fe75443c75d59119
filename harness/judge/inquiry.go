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

// Inquiry is a tool that is ready to be sent to a provider. A client that asks about many tools at
// once sends their requests itself and hands each response to Answer.
type Inquiry struct {
	// Result is the result until there is an answer: nothing was learnt.
	Result verdict.Result
	// Dialect is the surface to ask; nil if there is nothing to ask, for the reason that Result
	// gives.
	Dialect *provider.Dialect
	// Request declares the one tool.
	Request provider.Request
	// Recorded is the newest recorded answer of the model that is asked; nil if there is none.
	Recorded *recording.Recording

	raw        bool
	tool       schema.Tool
	normalized *verdict.Normalized // without an answer; nil if raw is set
}

// Inquire prepares to ask a provider about a tool. It normalizes the tool for the target unless Raw
// is set.
func (j Judge) Inquire(ctx context.Context, subject Subject, target Target) Inquiry {
	inquiry := Inquiry{Result: j.result(subject, target), raw: j.Raw}
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

// InquireFixture prepares to ask about the first tool of a fixture. It returns false for a fixture
// that cannot be normalized.
func (j Judge) InquireFixture(ctx context.Context, fx *fixture.Fixture, target Target) (Inquiry, bool) {
	if fx.WireOnly {
		return Inquiry{}, false
	}
	inquiry := j.Inquire(ctx, Subject{Tool: toolfile.Of(fx.Tools[0]), Source: "fixtures/" + fx.File}, target)
	judged := &verdict.Fixture{Sides: *inquiry.Result.Sides(), ID: fx.ID, Side: verdict.OfRaw}
	if !j.Raw {
		judged.Side, judged.Normalizer = verdict.OfNormalized, target.Name()
	}
	inquiry.Result.ID, inquiry.Result.Line, inquiry.Result.Kind = fx.ID, 1, judged
	return inquiry, true
}

// Answer completes the result of an inquiry with the provider's response, or with the error that
// came instead of one, and returns it. It changes the inquiry's result. Every tool is expected to
// be accepted. isFlip means that the response differs from the recorded one and that the provider
// gave it twice.
func (j Judge) Answer(ctx context.Context, inquiry Inquiry, response provider.Response, isFlip bool, err error) verdict.Result {
	result := inquiry.Result
	if err != nil {
		result.Error = fmt.Sprintf("no verdict: %v", err)
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

// ignored returns what a surface ignores in a request, as its model predicts it. Providers do not
// report this themselves.
func (j Judge) ignored(ctx context.Context, dialect *provider.Dialect, request provider.Request) []provider.Finding {
	model := j.model(dialect)
	predicted, err := model.Send(ctx, request)
	if err != nil {
		return nil
	}
	return predicted.Ignored
}

// explained returns the findings of a response with their rules and positions. For a refusal
// without findings it locates the places that the provider's words refer to.
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

// IsFresh reports whether a recorded answer is recent enough to be used instead of asking the
// provider: it may be at most the given number of days old. 0 means that it must be of today.
func IsFresh(recorded *recording.Recording, days int) bool {
	return recorded != nil && recorded.Grade != recording.Reported && recorded.Date >= DaysAgo(days)
}

// DaysAgo returns the day that lies the given number of days before today.
func DaysAgo(days int) provider.Date {
	return provider.Date(time.Now().UTC().AddDate(0, 0, -days).Format(time.DateOnly))
}
