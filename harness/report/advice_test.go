package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/report"
	"toolproof/harness/verdict"
)

// advised is a tool that every surface accepts, with two pieces of advice.
func advised(status verdict.Status) verdict.Result {
	return verdict.Result{
		Tool: "f", Source: "tools.json", Line: 3, Target: verdict.AdviceTarget, Status: status, Kind: &verdict.Advice{Tokens: 1234, Findings: []verdict.Finding{
			{Rule: "no_unit", Severity: verdict.AdviceTarget, Message: "wait is a number without a unit", At: "/parameters/properties/wait", Line: 4, Column: 7},
			{Rule: "no_unit", Severity: verdict.AdviceTarget, Message: "size is a number without a unit", At: "/parameters/properties/size", Line: 5, Column: 7},
		}},
	}
}

// TestAdvice: advice is shown in each format as what it is, and fails nothing unless its
// result does.
func TestAdvice(t *testing.T) {
	t.Parallel()
	doc := report.Options{Doc: func(dialect, rule string) string { return dialect + " of " + rule + "\n\nThe text." }}
	for format, want := range map[string]map[verdict.Status][2]string{ // what it has, and what it has not
		"text": {
			verdict.Pass: {"tools.json:4:7: f: wait is a number without a unit\n", "refuse"},
			verdict.Fail: {"Models may misuse the tool.\nThe tool costs about 1,200 tokens.\n", "refuse"},
		},
		"github": {
			verdict.Pass: {"::notice file=tools.json,line=4,col=7,title=advice/no_unit::f: wait is a number without a unit\n", "::error"},
			verdict.Fail: {"::error file=tools.json,line=5,col=7,title=advice/no_unit::f: size is a number without a unit\n", "Refused by"},
		},
		"sarif": {
			verdict.Pass: {`"ruleId":"advice/no_unit"`, `"level":"error"`},
			verdict.Fail: {`"level":"error"`, `"level":"note"`},
		},
		"junit": {
			verdict.Pass: {"<system-out><![CDATA[tools.json:4:7: wait is a number without a unit (advice/no_unit)\ntools.json:5:7: ", "<failure"},
			verdict.Fail: {`<failure message="tools.json:4:7: wait is a number without a unit (advice/no_unit)" type="fail">`, "<skipped"},
		},
		"markdown": {
			verdict.Pass: {"| advice of no\\_unit | 2 | 1 | wait is a number without a unit |\n", "## Targets"},
			verdict.Fail: {"- tools.json:5:7: f: size is a number without a unit\n", "refused by"},
		},
	} {
		for status, parts := range want {
			got := written(t, format, doc, advised(status))
			if !strings.Contains(got, parts[0]) || strings.Contains(got, parts[1]) {
				t.Errorf("%s of %v lacks %q or has %q:\n%s", format, status, parts[0], parts[1], got)
			}
		}
	}
	if got := written(t, "sarif", doc, advised(verdict.Pass)); !strings.Contains(got, `"level":"note"`) || !strings.Contains(got, "advice of no_unit") {
		t.Errorf("SARIF has no note, or no help:\n%s", got)
	}
}

// TestAdviceLines: a line of advice is what encoding/json makes of it, and is read again.
func TestAdviceLines(t *testing.T) {
	t.Parallel()
	given := advised(verdict.Pass)
	given.Advice().Findings[0].Waived = &verdict.Waiver{Reason: "known", Until: "2027-01-31"}
	text := written(t, "json", report.Options{}, given)
	line, _, _ := strings.Cut(text, "\n")
	plain, err := json.Marshal(given)
	if err != nil || line != string(plain) {
		t.Errorf("the line is\n%s\nand not\n%s", line, plain)
	}
	stream, err := report.Read(bytes.NewBufferString(text))
	if err != nil {
		t.Fatal(err)
	}
	got, err := stream.Next()
	if diff := cmp.Diff(given, got); diff != "" || err != nil {
		t.Errorf("it is read as another one: %s %v", diff, err)
	}
	if !strings.Contains(text, `"advice":{"findings":1,"tools":1,"of":1,"tokens":1234,"heaviest":[{"tool":"f","tokens":1234}]}`) {
		t.Errorf("the counts are wrong:\n%s", text)
	}
}

// TestAdviceBesideFindings: advice comes last, has room of its own, and stays short.
func TestAdviceBesideFindings(t *testing.T) {
	t.Parallel()
	groups := &report.Groups{Options: report.Options{AsGiven: true}, Places: 2}
	for i := range 300 {
		failing := failing(t)
		failing.Tool, failing.Sides().Raw.Findings[0].Rule = fmt.Sprintf("t%d", i), fmt.Sprintf("rule_%d", i%20)
		groups.Add(failing)
		advice := advised(verdict.Pass)
		advice.Tool = failing.Tool
		found := advice.Advice().Findings
		found[0].Rule, found[1].Rule = fmt.Sprintf("unclear_%d", i%20), fmt.Sprintf("unclear_%d", i%7)
		groups.Add(advice)
	}
	text := terminal(nil, func(terminal *report.Terminal) { terminal.Groups(groups) })
	const most = 60
	if lines := strings.Count(text, "\n"); lines > most {
		t.Errorf("%d lines:\n%s", lines, text)
	}
	if !strings.Contains(text, "advice/unclear_0\n  at 58 places in 55 tools, such as\n") || strings.Index(text, "advice/") < strings.LastIndex(text, "Unknown name") {
		t.Errorf("advice is not there, or not the last:\n%s", text)
	}
	if !strings.Contains(text, ", unclear_9 at 426 places") {
		t.Errorf("the advice that is not shown has no name:\n%s", text)
	}
}

// TestAdviceBaseline: a baseline has advice whether it fails or not, and only new advice
// fails then.
func TestAdviceBaseline(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	if err := report.WriteBaseline(&lines, report.Entries(advised(verdict.Pass), true)); err != nil {
		t.Fatal(err)
	}
	baseline, err := report.ReadBaseline(strings.NewReader(lines.String()))
	if err != nil {
		t.Fatal(err)
	}
	known, fresh := advised(verdict.Fail), advised(verdict.Fail)
	fresh.Advice().Findings[1].Rule = "no_base"
	baseline.Excuse(&known, true)
	baseline.Excuse(&fresh, true)
	if known.Status != verdict.KnownFailure || fresh.Status != verdict.Fail || len(baseline.Stale()) != 0 {
		t.Errorf("known is %v, new is %v, stale %v", known.Status, fresh.Status, baseline.Stale())
	}
}
