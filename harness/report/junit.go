package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// JUnit collects results as test cases, one suite for each target. What is
// inconclusive is an error there, because a skip would look green.
type JUnit struct {
	suites []*junit.Testsuite
	byName map[string]*junit.Testsuite
}

// Result adds one result.
func (j *JUnit) Result(result verdict.Result) {
	if j.byName == nil {
		j.byName = map[string]*junit.Testsuite{}
	}
	suite := j.byName[result.Target]
	if suite == nil {
		suite = &junit.Testsuite{Name: escape.Line(result.Target), ID: len(j.suites), Time: "0"}
		j.byName[result.Target] = suite
		j.suites = append(j.suites, suite)
	}
	tested := junit.Testcase{Name: escape.Line(result.Tool), Classname: escape.Line(result.Source)}
	if result.Fixture != "" {
		tested.Name = escape.Line(result.Fixture + ", " + result.Side)
	}
	why := escape.Lines(reason(result), "")
	outcome := &junit.Result{Message: firstLine(why), Type: result.Status.String(), Data: why}
	switch result.Status {
	case verdict.Pass:
	case verdict.Fail:
		tested.Failure = outcome
	case verdict.Error, verdict.Inconclusive:
		tested.Error = outcome
	case verdict.KnownFailure, verdict.NotApplicable:
		tested.Skipped = outcome
	}
	suite.AddTestcase(tested)
}

// Write writes the report.
func (j *JUnit) Write(out io.Writer) error {
	suites := junit.Testsuites{Name: "verify"}
	for _, suite := range j.suites {
		suites.AddSuite(*suite)
	}
	if err := suites.WriteXML(out); err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	return nil
}

// reason says why a result is no pass: its error, or else what the provider says.
func reason(result verdict.Result) string {
	if result.Error != "" {
		return result.Error
	}
	var lines []string
	add := func(dialect string, findings []verdict.Finding) {
		for _, finding := range findings {
			place := fmt.Sprintf("%s:%d", result.Source, result.Line)
			if finding.Line > 0 {
				place = fmt.Sprintf("%s:%d:%d", result.Source, finding.Line, finding.Column)
			}
			line := fmt.Sprintf("%s: %s (%s", place, escape.Line(strings.TrimSpace(finding.Message)), dialect)
			if finding.Rule != "" {
				line += "/" + finding.Rule
			}
			lines = append(lines, line+")")
		}
	}
	if result.Normalized != nil && len(result.Normalized.Findings) > 0 {
		add(result.Dialect, result.Normalized.Findings)
	} else if result.Raw != nil {
		add(result.RawDialect, result.Raw.Findings)
	}
	return strings.Join(lines, "\n")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
