package report_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// written returns what a format writes of results.
func written(t *testing.T, name string, run report.Options, results ...verdict.Result) string {
	t.Helper()
	var out strings.Builder
	run.Out = &out
	for _, format := range report.Formats {
		if format.Name != name {
			continue
		}
		renderer, summary := format.New(run), report.NewSummary()
		for _, result := range results {
			summary.Add(result)
			if err := renderer.Result(result); err != nil {
				t.Fatal(err)
			}
		}
		if err := renderer.Summary(summary); err != nil {
			t.Fatal(err)
		}
	}
	if out.Len() == 0 {
		t.Fatalf("%s writes nothing", name)
	}
	return out.String()
}

// failing is the tool of refused where it had to be accepted as given.
func failing(t *testing.T) verdict.Result {
	t.Helper()
	result := refused(t)
	result.Status = verdict.Fail
	return result
}

// TestPlaces: a line of a file, a tool of a server, a request.
func TestPlaces(t *testing.T) {
	t.Parallel()
	asGiven := report.Options{AsGiven: true}
	server := failing(t)
	server.Source, server.Line = "npx", 0
	server.Sides().Raw.Findings[0].Line, server.Sides().Raw.Findings[0].Column = 0, 0
	request := verdict.Result{
		Source: "tools.json", Target: "openai-strict", Dialect: "openai/chat-strict", Status: verdict.Fail, Kind: &verdict.Request{
			Answer: verdict.Answer{Verdict: provider.Rejected, Findings: []verdict.Finding{{Rule: "strict_tools", Severity: "critical", Message: "too many"}}},
			Tools:  30,
		},
	}
	for _, test := range []struct {
		result        verdict.Result
		github, sarif string
		junit, page   string
	}{
		{
			failing(t), "::error file=tools.json,line=4,col=7,title=unknown_name::f: Unknown name", `"region":{"startColumn":7,"startLine":4}`,
			`message="tools.json:4:7: Unknown name`, "- tools.json:4:7: f: `write",
		},
		{
			server, "::error title=unknown_name::npx: f /parameters/properties/a/const: Unknown name", `"locations":[{"logicalLocations":[{"fullyQualifiedName":"f#/parameters/properties/a/const",`,
			`message="npx: f /parameters/properties/a/const: Unknown name`, "- npx: f /parameters/properties/a/const: `write",
		},
		{
			request, "::error title=strict_tools::tools.json: the request of 30 tools: too many", `"locations":[{"logicalLocations":[{"fullyQualifiedName":"the request of 30 tools",`,
			`testcase name="the request of 30 tools" classname="tools.json"`, "- tools.json: the request of 30 tools\n",
		},
	} {
		for format, want := range map[string]string{"github": test.github, "sarif": test.sarif, "junit": test.junit, "markdown": test.page} {
			if got := written(t, format, asGiven, test.result); !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", format, want, got)
			}
		}
	}
}

// TestJudgedSide: a run shows what the side is refused for that had to be accepted. Read
// from lines, which do not say it, a refused tool as given comes first.
func TestJudgedSide(t *testing.T) {
	t.Parallel()
	both := failing(t)
	both.Sides().Normalized.Verdict = provider.Rejected
	both.Sides().Normalized.Findings = []verdict.Finding{{Rule: "still", Severity: "critical", Message: "Still refused", Line: 2, Column: 1}}
	passes := refused(t)
	for _, format := range []string{"markdown", "junit", "sarif", "github"} {
		for _, test := range []struct {
			run       report.Options
			result    verdict.Result
			want, not string
		}{
			{report.Options{AsGiven: true}, both, "Unknown name", "Still refused"},
			{report.Options{}, both, "Still refused", "Unknown name"},
			{report.Options{Either: true}, both, "Unknown name", "Still refused"},
			{report.Options{}, passes, "", "Unknown name"},
			{report.Options{Either: true}, passes, "", "Unknown name"},
		} {
			got := written(t, format, test.run, test.result)
			if !strings.Contains(got, test.want) || strings.Contains(got, test.not) {
				t.Errorf("%s of %+v shows\n%s", format, test.run, got)
			}
		}
	}
}

// TestKnown: what a baseline excused is no annotation, also where the run is read from lines.
func TestKnown(t *testing.T) {
	t.Parallel()
	known := failing(t)
	known.Status = verdict.KnownFailure
	for format, want := range map[string]string{"github": "; 1 finding in the baseline\n", "markdown": "\n1 finding in the baseline.\n", "sarif": `"baselineState":"unchanged"`} {
		got := written(t, format, report.Options{Either: true}, known)
		if !strings.Contains(got, want) || strings.Contains(got, "::error") || strings.Contains(got, "<details>") {
			t.Errorf("%s shows\n%s", format, got)
		}
	}
}

// TestExcused: what the project lets pass is shown in each format, and is no failure, no skip
// and no entry of a baseline. A finding of its own still fails, or is in the baseline.
func TestExcused(t *testing.T) {
	t.Parallel()
	excused := failing(t)
	first := excused.Sides().Raw.Findings[0]
	waived, warning, own := first, first, first
	waived.Waived = &verdict.Waiver{Reason: "known to us", Until: "2027-01-31"}
	warning.Rule, warning.Level = "low", verdict.Warning
	own.Rule = "own"
	excused.Sides().Raw.Findings = []verdict.Finding{waived, warning}
	excused.Status = verdict.KnownFailure
	for format, wants := range map[string][]string{
		"text":     {"waived until 2027-01-31: known to us", "(a warning)\n", ", which toolproof.json excuses.\n", "findings: 1 waived, 1 warning\n"},
		"json":     {`"waived":{"reason":"known to us","until":"2027-01-31"}`, `"level":"warning"`, `"waived":1,"warnings":1`, `"excused":1`},
		"markdown": {"| unknown\\_name | 1 | 2027-01-31 | known to us |", "| Unknown name \"const\" (a warning) | 1 | 1 | Gemini |", "\nFindings: 1 waived, 1 warning.\n"},
		"html":     {"<li>1 finding of unknown_name, until 2027-01-31: known to us</li>", "low (warning)", "Findings: 1 waived, 1 warning."},
		"junit":    {"<system-out><![CDATA[", "waived until 2027-01-31: known to us", "a warning"},
		"sarif":    {`"suppressions":[{"justification":"known to us (until 2027-01-31)","kind":"external","status":"accepted"}]`, `"level":"warning"`},
		"github":   {"::warning file=tools.json,line=4,col=7,title=low::", "; 1 waived, 1 warning\n"},
	} {
		got := written(t, format, report.Options{AsGiven: true}, excused)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", format, want, got)
			}
		}
		if strings.Contains(got, "skipped") || strings.Contains(got, "::error") || strings.Contains(got, "baselineState") || strings.Contains(got, "in the baseline") {
			t.Errorf("%s shows\n%s", format, got)
		}
	}
	if entries := report.Entries(excused, true); len(entries) > 0 {
		t.Errorf("a baseline gets %v", entries)
	}
	line := func(rule string) string {
		return `{"source":"tools.json","id":"","tool":"f","target":"gemini","rule":"` + rule + `","at":"/parameters/properties/a/const"}` + "\n"
	}
	baseline, err := report.ReadBaseline(strings.NewReader(line("own") + line("unknown_name")))
	if err != nil {
		t.Fatal(err)
	}
	mixed := failing(t)
	mixed.Sides().Raw.Findings = []verdict.Finding{waived, own}
	if baseline.Excuse(&mixed, true); mixed.Status != verdict.KnownFailure || len(baseline.Stale()) > 0 {
		t.Errorf("it is %v, and stale is %v", mixed.Status, baseline.Stale())
	}
	fresh := failing(t)
	other := own
	other.Rule = "other"
	fresh.Sides().Raw.Findings = []verdict.Finding{waived, own, other}
	if baseline.Excuse(&fresh, true); fresh.Status != verdict.Fail {
		t.Errorf("a new finding is %v", fresh.Status)
	}
}

// TestIgnoreBesideBaseline: a failure is known where the project lets some of its findings pass and
// the baseline has each of the others. A baseline lets pass nothing that it does not have, also where
// the project leaves it nothing to look at.
func TestIgnoreBesideBaseline(t *testing.T) {
	t.Parallel()
	given := failing(t)
	first := given.Sides().Raw.Findings[0]
	waived, warning, own := first, first, first
	waived.Rule, waived.Waived = "waived", &verdict.Waiver{Reason: "known to us", Until: "2027-01-31"}
	warning.Rule, warning.Level = "low", verdict.Warning
	own.Rule = "own"
	const line = `{"source":"tools.json","id":"","tool":"f","target":"gemini","rule":"own","at":"/parameters/properties/a/const"}` + "\n"
	for name, test := range map[string]struct {
		findings []verdict.Finding
		want     verdict.Status
		stale    int
	}{
		"waived and in the baseline":        {[]verdict.Finding{waived, own}, verdict.KnownFailure, 0},
		"a warning and in the baseline":     {[]verdict.Finding{own, warning}, verdict.KnownFailure, 0},
		"waived and not in the baseline":    {[]verdict.Finding{waived, first}, verdict.Fail, 1},
		"in the baseline and not":           {[]verdict.Finding{own, first}, verdict.Fail, 0},
		"waived alone, and still a failure": {[]verdict.Finding{waived}, verdict.Fail, 1},
		"no finding":                        {nil, verdict.Fail, 1},
	} {
		baseline, err := report.ReadBaseline(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		result := failing(t)
		result.Sides().Raw.Findings = test.findings
		if baseline.Excuse(&result, true); result.Status != test.want || len(baseline.Stale()) != test.stale {
			t.Errorf("%s: it is %s and not %s, and stale is %v", name, result.Status, test.want, baseline.Stale())
		}
	}
}

// TestManyFindings: each format has its bound, and counts what is beyond it.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	const tools, rules = 600, 50
	var results []verdict.Result
	for i := range tools {
		result := failing(t)
		result.Tool, result.Line = strings.Repeat("a_long_name", 10)+strconv.Itoa(i), i+1
		result.Sides().Raw.Findings = nil
		for rule := range rules {
			result.Sides().Raw.Findings = append(result.Sides().Raw.Findings, verdict.Finding{
				Rule: fmt.Sprint("rule", rule), Severity: "critical", Message: strings.Repeat("long ", 40), At: schema.Pointer(fmt.Sprint("/", rule)), Line: i + 1, Column: rule + 1,
			})
		}
		results = append(results, result)
	}
	asGiven := report.Options{AsGiven: true}
	page := written(t, "markdown", asGiven, results...)
	if len(page) > 65_536 || !strings.Contains(page, "further groups are left out.") || !strings.Contains(page, "- and 590 more") {
		t.Errorf("the page has %d bytes:\n%.2000s", len(page), page)
	}
	log := written(t, "github", asGiven, results...)
	if strings.Count(log, "::error ") != 10 || !strings.Contains(log, "; 29990 further errors not shown\n") || strings.Contains(log, "title=rule9:") {
		t.Errorf("the log is\n%.3000s", log)
	}
	var scanned struct {
		Runs []struct {
			Results     []struct{} `json:"results"`
			Invocations []struct {
				Notifications []struct {
					Message struct {
						Text string `json:"text"`
					} `json:"message"`
				} `json:"toolExecutionNotifications"` //nolint:tagliatelle // as SARIF has it
			} `json:"invocations"`
		} `json:"runs"`
	}
	if err := json.Unmarshal([]byte(written(t, "sarif", asGiven, results...)), &scanned); err != nil {
		t.Fatal(err)
	}
	if run := scanned.Runs[0]; len(run.Results) != 25_000 || run.Invocations[0].Notifications[0].Message.Text != "5000 further results left out" {
		t.Errorf("SARIF has %d results, and says %+v", len(run.Results), run.Invocations)
	}
}

// TestNoLinks: in a message of SARIF brackets before parentheses are a link, unless they
// are escaped.
func TestNoLinks(t *testing.T) {
	t.Parallel()
	result := failing(t)
	result.Sides().Raw.Findings[0].Message = `see [here](https://evil.example) of tools[0]`
	if got := written(t, "sarif", report.Options{AsGiven: true}, result); !strings.Contains(got, `"text":"see \\[here\\](https://evil.example) of tools\\[0\\]`) {
		t.Errorf("SARIF is\n%s", got)
	}
}

// TestUnread: a document that cannot be read is named once, with its place, whatever the
// number of targets.
func TestUnread(t *testing.T) {
	t.Parallel()
	first, second := unread("9:3: "), unread("9:3: ")
	second.Target = "openai"
	for format, want := range map[string]string{
		"github": "::error file=tools.json,line=9,col=3,title=error::not JSON\n", "sarif": `"region":{"startColumn":3,"startLine":9}`, "markdown": "| tools.json | gemini | error | 9:3: not JSON |\n",
	} {
		if got := written(t, format, report.Options{AsGiven: true}, first, second); strings.Count(got, want) != 1 {
			t.Errorf("%s lacks %q:\n%s", format, want, got)
		}
	}
}
