package report

import (
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
)

// required is the side of a result that had to be accepted.
type required struct {
	asGiven bool
	// answer is what the surface dialect answers about that side; nil if there is no answer.
	answer  *verdict.Answer
	dialect string
}

// required returns the side of a result that had to be accepted.
func (o Options) required(result verdict.Result) required {
	asGiven := o.asGiven(result)
	answer, dialect := result.Required(asGiven)
	return required{asGiven: asGiven, answer: answer, dialect: dialect}
}

// asGiven reports whether the tool had to be accepted as given, and not normalized. A result that
// has only one side is about that side. With Either the status decides.
func (o Options) asGiven(result verdict.Result) bool {
	raw, normalized := result.Sides().Raw, result.Sides().Normalized
	tool, isTool := result.Kind.(*verdict.Tool)
	switch {
	case result.Request() != nil, result.Conversation() != nil, result.Call() != nil:
		return true
	case isTool && tool.IsNormalized:
		return false
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

// cure returns what the author can do about a finding: the edits of a pasted refusal, which the finding
// has, or those that the judge finds.
func (o Options) cure(result verdict.Result, finding verdict.Finding) verdict.Cure {
	if result.Conversation() != nil || result.Call() != nil {
		return verdict.Cure{Instead: finding.Instead}
	}
	sides := result.Sides()
	if sides.Raw == nil || sides.Raw.Verdict != provider.Rejected {
		return verdict.Cure{}
	}
	switch cure := sides.Cure; {
	case len(finding.Answers) > 0, finding.SentAs != "", finding.RewrittenFor != "", o.Located:
		return verdict.Cure{Edits: finding.Answers, Member: finding.SentAs, Target: finding.RewrittenFor, NotStrict: finding.NotStrict}
	case cure == nil || !o.asGiven(result):
		return verdict.Cure{}
	default:
		return cure(finding)
	}
}
