package report

import (
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// required is the side of a result that had to be accepted.
type required struct {
	asGiven bool
	// answer is what the surface says to that side; nil where there is none.
	answer  *verdict.Answer
	dialect string
	// changes are those that answer the findings; none of a normalized tool.
	changes []verdict.Change
}

// required returns the side of a result that had to be accepted.
func (o Options) required(result verdict.Result) required {
	asGiven := o.asGiven(result)
	answer, dialect := result.Required(asGiven)
	side := required{asGiven: asGiven, answer: answer, dialect: dialect}
	if normalized := result.Sides().Normalized; asGiven && normalized != nil {
		side.changes = normalized.Changes
	}
	return side
}

// asGiven reports whether the tool as given had to be accepted, and not the normalized one.
// A result with one side is about that side. Where nothing else says it, the status does.
func (o Options) asGiven(result verdict.Result) bool {
	raw, normalized := result.Sides().Raw, result.Sides().Normalized
	switch {
	case result.Request() != nil:
		return true
	case raw == nil && normalized == nil:
		return o.AsGiven
	case raw == nil || normalized == nil:
		return raw != nil
	case !o.Either:
		return o.AsGiven
	case raw.Verdict == provider.Rejected:
		return result.Status > verdict.Pass
	case normalized.Verdict == provider.Rejected:
		return result.Status <= verdict.Pass
	default:
		return raw.Loses()
	}
}

// refused returns the findings that the side is refused for.
func (r required) refused() []verdict.Finding {
	if r.answer == nil || r.answer.Verdict != provider.Rejected {
		return nil
	}
	return r.answer.Findings
}

// ignored returns what the surface accepts and ignores of the tool of a result. Of a
// fixture it is none: its expectation speaks of it.
func (r required) ignored(result verdict.Result) []verdict.Finding {
	if r.answer == nil || !r.answer.Loses() || result.Fixture() != nil || result.Status >= verdict.Error {
		return nil
	}
	return r.answer.Ignored
}

// answering returns the changes that answer findings, by their places.
func (r required) answering(findings []verdict.Finding) map[schema.Pointer][]verdict.Change {
	return placesOf(findings, r.changes)
}
