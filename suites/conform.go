// Package suites runs the fixtures under Ginkgo, with one spec for each fixture and dialect.
// The harness judges, so that the suite and the command cannot disagree.
package suites

import (
	"fmt"
	"strings"

	"github.com/onsi/gomega/types"

	"toolproof/harness/verdict"
)

// Conform succeeds if every verdict.Result is a pass or a known failure.
func Conform() types.GomegaMatcher { return conform{} }

type conform struct{}

// Match reports whether all of the results conform.
func (conform) Match(actual any) (bool, error) {
	results, ok := actual.([]verdict.Result)
	if !ok {
		return false, fmt.Errorf("the matcher Conform takes results, not %T", actual)
	}
	return len(failures(results)) == 0, nil
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

// FailureMessage names the results that do not conform, with their errors.
func (conform) FailureMessage(actual any) string {
	var message strings.Builder
	message.WriteString("these do not conform:")
	for _, result := range failures(actual.([]verdict.Result)) { //nolint:forcetypeassert // Match has checked the type
		fixture := result.Fixture()
		fmt.Fprintf(&message, "\n%s on %s, %s: %s: %s", fixture.ID, result.Dialect, fixture.Side, result.Status, result.Error)
	}
	return message.String()
}

// NegatedFailureMessage is the message if all results conform and some should not.
func (conform) NegatedFailureMessage(any) string { return "all of the results conform" }
