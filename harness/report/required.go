package report

import (
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// required is the side of a result that had to be accepted.
type required struct {
	asGiven bool
	// answer is what the surface dialect answers about that side; nil if there is no answer.
	answer  *verdict.Answer
	dialect string
	// changes are the rewrites that answer findings; none if the normalized tool had to be
	// accepted.
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

// asGiven reports whether the tool had to be accepted as given, and not normalized. A result that
// has only one side is about that side. With Either the status decides.
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

// refused returns the findings for which the surface refuses the side.
func (r required) refused() []verdict.Finding {
	if r.answer == nil || r.answer.Verdict != provider.Rejected {
		return nil
	}
	return r.answer.Findings
}

// ignored returns what the surface ignores although it accepts the side. For a fixture it returns
// nothing, because the expectation of the fixture covers that.
func (r required) ignored(result verdict.Result) []verdict.Finding {
	if r.answer == nil || !r.answer.Loses() || result.Fixture() != nil || result.Status >= verdict.Error {
		return nil
	}
	return r.answer.Ignored
}

// answering returns the changes that answer findings, by place.
func (r required) answering(findings []verdict.Finding) map[schema.Pointer][]verdict.Change {
	return placesOf(findings, r.changes)
}

// answers returns the changes that answer a finding. Those of a pasted refusal are the ones that
// were applied and judged; others are looked up by the place of the finding.
func (o Options) answers(finding verdict.Finding, changes map[schema.Pointer][]verdict.Change) []verdict.Change {
	if o.Located {
		return finding.Answers
	}
	return answering(finding, changesAt(changes, finding.At))
}

// longest returns how many bytes of a value are shown in a proposal.
func (o Options) longest() int {
	if o.Located {
		return longestAnswer
	}
	return maxText
}
