package judge

import (
	"fmt"
	"strings"

	"toolproof/harness/listing"
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
)

// listing judges the publication of a server to a registry.
func (j Judge) listing(subject Conversation, target Target) verdict.Result {
	judged := &verdict.Conversation{API: subject.API, Turns: 1}
	judged.Answer = verdict.Answer{Verdict: provider.Accepted, Evidence: provider.Predicted, Findings: []verdict.Finding{}}
	result := verdict.Result{Source: subject.Source, Line: subject.Line, Target: target.Dialect.Service(), Dialect: target.Dialect.Name, Status: verdict.Pass, Kind: judged}
	for _, found := range listing.Judge(subject.Body, listing.Rules) {
		finding := verdict.Finding{Rule: found.Rule.Name, Severity: provider.Finding{}.Severity(), Message: found.Message, At: found.At, Instead: found.Instead, IsBehind: found.IsBehind}
		subject.place(&finding)
		for within := finding; finding.Line == 0 && within.At != ""; { // an absent member is the matter of what lacks it
			within.At = within.At[:strings.LastIndex(string(within.At), "/")]
			subject.place(&within)
			finding.Line, finding.Column = within.Line, within.Column
		}
		if found.Rule.Stage == listing.Remark {
			finding.Severity = provider.Finding{Rule: &provider.Rule{Effect: provider.Ignores}}.Severity()
			judged.Ignored = append(judged.Ignored, finding)
			continue
		}
		judged.Verdict, result.Status = provider.Rejected, verdict.Fail
		judged.Findings = append(judged.Findings, finding)
	}
	switch {
	case judged.Verdict == provider.Rejected:
		judged.Ignored = nil // nothing is published
	case j.Lossless && judged.Loses():
		result.Status = verdict.Fail
	}
	if judged.Verdict == provider.Accepted {
		judged.Unknown = listing.Unknown(subject.Body)
	}
	if judged.Evidence < j.Required {
		result.Status, result.Error = verdict.Inconclusive, fmt.Sprintf("the answer is only %s, and %s is required", judged.Evidence, j.Required)
	}
	if j.Requests {
		judged.Request = subject.Body
	}
	return result
}
