// Package suites has the matcher Conform, and runs the fixtures under Ginkgo, with one spec for each
// fixture and dialect. The harness judges, so that the suite and the command cannot disagree.
package suites

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/onsi/gomega/types"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
)

// Conform succeeds if a verdict.Result, or every one of a list, is a pass or a known failure. An empty list
// is an error, since nothing was judged. The message of a failure has each tool, with the provider's words
// and their place.
func Conform() types.GomegaMatcher { return conform{} }

type conform struct{}

var errNothing = errors.New("the matcher Conform got no results: nothing was judged")

// Match reports whether all of the results conform.
func (conform) Match(actual any) (bool, error) {
	results := resultsOf(actual)
	if results == nil {
		return false, fmt.Errorf("the matcher Conform takes results, not %T", actual)
	}
	if len(results) == 0 {
		return false, errNothing
	}
	return len(failures(results)) == 0, nil
}

// resultsOf returns the results that a matcher was given; nil if it was given something else.
func resultsOf(actual any) []verdict.Result {
	switch actual := actual.(type) {
	case verdict.Result:
		return []verdict.Result{actual}
	case []verdict.Result:
		return append([]verdict.Result{}, actual...)
	default:
		return nil
	}
}

func failures(results []verdict.Result) []verdict.Result {
	var failed []verdict.Result
	for _, result := range results {
		if result.Status > verdict.KnownFailure {
			failed = append(failed, result)
		}
	}
	return failed
}

// FailureMessage names the results that do not conform, with their errors and findings.
func (conform) FailureMessage(actual any) string {
	var message strings.Builder
	message.WriteString("these do not conform:")
	for _, result := range failures(resultsOf(actual)) {
		name := result.Tool
		if fixture := result.Fixture(); fixture != nil {
			name = fixture.ID + ", " + fixture.Side
		}
		fmt.Fprintf(&message, "\n%s on %s: %s", cmp.Or(name, result.Source), cmp.Or(result.Dialect, result.Target), result.Status)
		if result.Error != "" {
			message.WriteString(": " + result.Error)
		}
		for _, finding := range refused(&result) {
			at := string(finding.At)
			if result.Source != "" && finding.Line > 0 {
				at += fmt.Sprintf(" (%s:%d:%d)", result.Source, finding.Line, finding.Column)
			}
			message.WriteString("\n    " + strings.TrimPrefix(at+": ", ": ") + strings.TrimSpace(finding.Message))
		}
	}
	return message.String()
}

// refused returns the findings for which a result does not conform: those of the refused side, or else
// what is ignored of a tool that had to be accepted without loss.
func refused(result *verdict.Result) []verdict.Finding {
	for _, asGiven := range []bool{false, true} {
		if answer, _ := result.Required(asGiven); answer != nil && answer.Verdict == provider.Rejected {
			return answer.Findings
		}
	}
	if ignored := result.Failures(false); len(ignored) > 0 {
		return ignored
	}
	return result.Failures(true)
}

// NegatedFailureMessage is the message if all results conform and some should not.
func (conform) NegatedFailureMessage(any) string { return "all of the results conform" }
