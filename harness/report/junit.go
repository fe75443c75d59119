package report

import (
	"fmt"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// testSuites collects results as JUnit test cases, with one suite per target. An inconclusive
// result becomes an error, because a skipped case would look green.
type testSuites struct {
	options Options
	suites  []*junit.Testsuite
	byName  map[string]*junit.Testsuite
}

func newJUnit(options Options) *testSuites {
	return &testSuites{options: options, byName: map[string]*junit.Testsuite{}}
}

// Result adds one result.
func (j *testSuites) Result(result verdict.Result) error {
	suite := j.byName[result.Target]
	if suite == nil {
		suite = &junit.Testsuite{Name: escape.Line(result.Target), ID: len(j.suites), Time: "0"}
		j.byName[result.Target] = suite
		j.suites = append(j.suites, suite)
	}
	tested := junit.Testcase{Name: escape.Line(titleOf(result)), Classname: escape.Line(result.Source)}
	why := escape.Lines(j.options.reason(result), "")
	outcome := &junit.Result{Message: firstLine(why), Type: result.Status.String(), Data: why}
	switch result.Status {
	case verdict.Pass:
	case verdict.Fail:
		tested.Failure = outcome
	case verdict.Error, verdict.Inconclusive:
		tested.Error = outcome
	case verdict.KnownFailure, verdict.NotApplicable:
		if isExcused(result) { // it passes with a note; a skip would look green
			tested.SystemOut = &junit.Output{Data: why}
		} else {
			tested.Skipped = outcome
		}
	}
	if result.Status == verdict.Pass {
		side := j.options.required(result)
		if ignored := side.ignored(result); len(ignored) > 0 {
			tested.SystemOut = &junit.Output{Data: escape.Lines(linesOf(result, side.dialect, "ignored: ", ignored), "")}
		}
		if advice := result.Advice(); advice != nil && len(advice.Findings) > 0 {
			tested.SystemOut = &junit.Output{Data: why}
		}
	}
	suite.AddTestcase(tested)
	return nil
}

// Summary writes the report.
func (j *testSuites) Summary(*Summary) error {
	suites := junit.Testsuites{Name: "verify"}
	for _, suite := range j.suites {
		suites.AddSuite(*suite)
	}
	if err := suites.WriteXML(j.options.Out); err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	return nil
}

// reason says why a result does not pass: its error, or else what the provider says to the side
// that had to be accepted.
func (o Options) reason(result verdict.Result) string {
	side := o.required(result)
	switch {
	case result.Error != "":
		return result.Error
	case result.Advice() != nil:
		return linesOf(result, side.dialect, "", result.Advice().Findings)
	case len(side.refused()) > 0:
		return linesOf(result, side.dialect, "", side.refused())
	default:
		return linesOf(result, side.dialect, "ignored: ", side.ignored(result))
	}
}

// linesOf formats findings of a result on a surface, one per line. kind precedes each message.
func linesOf(result verdict.Result, dialect, kind string, findings []verdict.Finding) string {
	var lines []string
	for _, finding := range findings {
		place := placeOfTool(result.Source, result.Line)
		switch found := placeOfFinding(result, finding); {
		case found.together > 0:
		case found.line == 0:
			place = found.String()
		case found.column > 0:
			place = fmt.Sprintf("%s:%d:%d", escape.Line(result.Source), found.line, found.column)
		}
		line := fmt.Sprintf("%s: %s%s (%s", place, kind, escape.Line(strings.TrimSpace(wordsOf(finding))), finding.On(dialect))
		if finding.Rule != "" {
			line += "/" + finding.Rule
		}
		line += ")"
		if words := excuseOf(finding); words != "" {
			line += " " + words
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
