package report

import (
	"fmt"
	"io"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"toolproof/internal/escape"
)

// ScenarioRow is how a client did in a scenario on an API. Why is empty if it passed; Expected is the reason why a
// failure is expected.
type ScenarioRow struct{ Scenario, API, Outcome, Why, Expected string }

// state says how a row counts.
func (r *ScenarioRow) state() string {
	switch {
	case r.Why == "":
		return "good"
	case r.Expected != "":
		return "warn"
	default:
		return "bad"
	}
}

// Scenarios are what a client did in a set of scenarios.
type Scenarios struct {
	Client, Set string
	Rows        []ScenarioRow
	Stale       []string // expected failures that do not fail
}

// count returns how many rows are in a state.
func (s *Scenarios) count(state string) int {
	count := 0
	for i := range s.Rows {
		if s.Rows[i].state() == state {
			count++
		}
	}
	return count
}

// Failed returns the number of failures that are not expected, and of expected failures that are stale.
func (s *Scenarios) Failed() int { return s.count("bad") + len(s.Stale) }

// Conclusion says in words how the client did.
func (s *Scenarios) Conclusion() string {
	passed := fmt.Sprintf("%d of %s passed", s.count("good"), Count(len(s.Rows), "scenario"))
	if expected := s.count("warn"); expected > 0 {
		passed += fmt.Sprintf(", %d failed as expected", expected)
	}
	return passed
}

func (s *Scenarios) conclusion() htmlTag {
	passed := s.Conclusion()
	switch {
	case s.Failed() > 0:
		return htmlTag{"bad", passed}
	case s.count("warn") > 0:
		return htmlTag{"warn", passed}
	default:
		return htmlTag{"good", passed}
	}
}

// htmlScenario is a row of the page.
type htmlScenario struct {
	ScenarioRow

	State string
}

// HTML writes a self-contained page.
func (s *Scenarios) HTML(options Options) error {
	view := htmlView{
		Title: "Scenarios", Name: "What the client makes of answers", Tag: s.conclusion(), Version: options.Version,
		Facts: []htmlFact{{Text: "client: " + escape.Line(s.Client)}, {Text: "set " + s.Set}},
	}
	if !options.Now.IsZero() {
		view.Facts = append(view.Facts, htmlFact{Text: options.Now.UTC().Format("2006-01-02")})
	}
	for _, name := range s.Stale {
		view.Sentences = append(view.Sentences, htmlTag{"bad", escape.Line(name) + " is an expected failure, and it does not fail."})
	}
	for _, row := range s.Rows {
		row.Why, row.Expected = escape.Line(row.Why), escape.Line(row.Expected)
		view.Scenarios = append(view.Scenarios, htmlScenario{row, row.state()})
	}
	return writeHTML(options, view)
}

// JUnit writes a test case for each row, with one suite for each API. An expected failure is skipped.
func (s *Scenarios) JUnit(out io.Writer) error {
	suites := junit.Testsuites{Name: "verify conformance"}
	byAPI := map[string]*junit.Testsuite{}
	var order []string
	for i := range s.Rows {
		row := &s.Rows[i]
		suite := byAPI[row.API]
		if suite == nil {
			suite = &junit.Testsuite{Name: row.API, ID: len(order), Time: "0"}
			byAPI[row.API], order = suite, append(order, row.API)
		}
		tested := junit.Testcase{Name: row.Scenario, Classname: escape.Line(s.Client)}
		outcome := &junit.Result{Message: escape.Line(row.Why), Type: row.Outcome}
		switch row.state() {
		case "bad":
			tested.Failure = outcome
		case "warn":
			outcome.Message = escape.Line(row.Expected + ": " + row.Why)
			tested.Skipped = outcome
		}
		suite.AddTestcase(tested)
	}
	for _, name := range s.Stale {
		suite := byAPI[order[0]]
		suite.AddTestcase(junit.Testcase{
			Name: escape.Line(name), Classname: "expected failures", Failure: &junit.Result{Message: "it does not fail", Type: "stale"},
		})
	}
	for _, api := range order {
		suites.AddSuite(*byAPI[api])
	}
	if err := suites.WriteXML(out); err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	return nil
}

// Badge writes JSON for an endpoint badge of shields.io.
func (s *Scenarios) Badge(out io.Writer) error {
	conclusion := s.conclusion()
	return writeBadge(out, conclusion.Text, map[string]string{"good": "brightgreen", "warn": "yellow", "bad": "red"}[conclusion.State])
}
