package minimize

import (
	"cmp"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Reason is the reason why a tool is refused.
type Reason struct {
	// Rule is the rule that explains the refusal; nil if none does.
	Rule *provider.Rule
	// At points to the violation, in the answer that the reason comes from.
	At schema.Pointer
	// Message is the provider's message about it.
	Message string
}

// ReasonOf returns the reason of the first violation in a refusal, or, if message is not empty,
// of the first that matches it. It reports false if none matches.
func ReasonOf(refusal provider.Response, message string) (Reason, bool) {
	for _, finding := range refusal.Findings {
		if finding.Rule != nil && (message == "" || provider.Alike(message, finding.Message)) {
			return Reason{finding.Rule, finding.At, finding.Message}, true
		}
	}
	isExplained := slices.ContainsFunc(refusal.Findings, func(finding provider.Finding) bool { return finding.Rule != nil })
	if isExplained || message != "" && !provider.Alike(message, refusal.Message) {
		return Reason{}, false
	}
	return Reason{Message: cmp.Or(message, refusal.Message)}, true
}

// Explains reports whether an answer is a refusal for the same reason: by the same rule at the
// same place, apart from the indices of lists, which change when elements are left out; or, if
// no rule explains it, in the same words.
func (r Reason) Explains(answer provider.Response) bool {
	if answer.Verdict != provider.Rejected {
		return false
	}
	if r.Rule == nil {
		return provider.Alike(answer.Message, r.Message)
	}
	return slices.ContainsFunc(answer.Findings, func(finding provider.Finding) bool {
		return finding.Rule != nil && finding.Rule.Name == r.Rule.Name && withoutIndices(finding.At) == withoutIndices(r.At)
	})
}

func withoutIndices(at schema.Pointer) string {
	tokens := at.Tokens()
	for i, token := range tokens {
		if strings.Trim(token, "0123456789") == "" {
			tokens[i] = ""
		}
	}
	return strings.Join(tokens, "/")
}

// Name returns the name of the rule, or "" if none explains the refusal.
func (r Reason) Name() string {
	if r.Rule == nil {
		return ""
	}
	return r.Rule.Name
}
