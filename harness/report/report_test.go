package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

func node(t *testing.T, text string) *schema.Node {
	t.Helper()
	parsed, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// refused is a tool that is refused as given and accepted after a change.
func refused(t *testing.T) verdict.Result {
	t.Helper()
	return verdict.Result{
		Tool: "f", Source: "tools.json", Line: 2, Target: "gemini", Dialect: "gemini/parameters", Status: verdict.Pass,
		Kind: &verdict.Tool{Sides: verdict.Sides{
			RawDialect: "gemini/parameters",
			Raw: &verdict.Answer{Verdict: provider.Rejected, Evidence: provider.Reported, Findings: []verdict.Finding{
				{Rule: "unknown_name", Severity: "critical", Message: `Unknown name "const"`, At: "/parameters/properties/a/const", Line: 4, Column: 7, Answers: []verdict.Change{
					{Rule: "const_to_enum", From: "/parameters/properties/a", Before: rewrite.PartOf(node(t, `{"const": "b"}`)), After: rewrite.PartOf(node(t, `{"enum": ["b"]}`))},
				}},
			}},
			Normalized: &verdict.Normalized{
				Answer: verdict.Answer{Verdict: provider.Accepted, Evidence: provider.Predicted, Findings: []verdict.Finding{}},
				Tool:   node(t, `{"name": "f", "parameters": {"enum": ["b"]}}`),
				Changes: []verdict.Change{
					{Rule: "const_to_enum", From: "/parameters/properties/a", Before: rewrite.PartOf(node(t, `{"const": "b"}`)), After: rewrite.PartOf(node(t, `{"enum": ["b"]}`))},
					{Rule: "fill_type", From: "/parameters/properties/a", After: rewrite.PartOf(node(t, `{"type": "string"}`))},
					{Rule: "elsewhere", From: "/parameters", Loss: rewrite.Widens, Restored: true},
				},
			},
			Given: node(t, `{"name": "f", "parameters": {"const": "b"}}`),
		}},
	}
}

func unread(place string) verdict.Result {
	return verdict.Result{Source: "tools.json", Line: 9, Target: "gemini", Status: verdict.Error, Error: place + "not JSON", Kind: verdict.Source{}}
}

func terminal(configure, write func(*report.Terminal)) string {
	var out strings.Builder
	t := &report.Terminal{Out: &out}
	if configure != nil {
		configure(t)
	}
	write(t)
	return out.String()
}

func equal(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	show := func(results ...verdict.Result) func(*report.Terminal) {
		return func(terminal *report.Terminal) {
			for _, result := range results {
				terminal.Result(result)
			}
		}
	}
	const finding = `tools.json:4:7: Unknown name "const" (gemini/parameters/unknown_name)` + "\n" +
		`    rewritten: {"const":"b"} becomes {"enum":["b"]} (means the same)` + "\n"
	equal(t, terminal(nil, show(refused(t))), finding+"tools.json:2: f for gemini: refused as given, accepted after 3 changes (means the same; undone in arguments: parts of parameters) [predicted]\n")

	failed := refused(t)
	failed.Status = verdict.Fail
	equal(t, terminal(nil, show(failed)), finding+"tools.json:2: f for gemini: FAIL: refused as given, accepted after 3 changes (means the same; undone in arguments: parts of parameters) [predicted]\n")
	quiet := func(terminal *report.Terminal) { terminal.Quiet = true }
	equal(t, terminal(quiet, show(refused(t), failed)), terminal(nil, show(failed)))

	lost := refused(t)
	lost.Status, lost.Sides().Raw.Findings = verdict.Fail, nil
	lost.Sides().Normalized.Verdict, lost.Sides().Normalized.Changes = provider.Rejected, lost.Sides().Normalized.Changes[:1]
	lost.Sides().Normalized.Findings = []verdict.Finding{{Message: "no\n"}}
	equal(t, terminal(nil, show(lost)), "tools.json:2: after the rewrite: no (gemini/parameters)\n"+
		"tools.json:2: f for gemini: FAIL: refused as given, refused after 1 change (means the same) [predicted]\n")

	weak := refused(t)
	weak.Sides().Raw = &verdict.Answer{Verdict: provider.Accepted}
	weak.Sides().Normalized.Changes, weak.Sides().Normalized.Fallback = nil, "too deep"
	equal(t, terminal(nil, show(weak)), "tools.json:2: f for gemini: accepted as given, unchanged, sent with strict false: too deep [predicted]\n")

	other := unread("9:3: ")
	other.Target = "openai"
	panicked := refused(t)
	panicked.Status, panicked.Error = verdict.Error, "panic: no"
	equal(t, terminal(nil, show(unread("9:3: "), other, unread("10:1: "), unread(""), panicked)),
		"tools.json:9:3: error: not JSON\ntools.json:10:1: error: not JSON\ntools.json:9: error: not JSON\ntools.json:2: f for gemini: error: panic: no\n")
}

func TestColor(t *testing.T) {
	t.Parallel()
	painted := terminal(func(terminal *report.Terminal) { terminal.Color, terminal.Diff = true, true }, func(terminal *report.Terminal) { terminal.Result(refused(t)) })
	for _, want := range []string{"\x1b[1mf\x1b[0m for gemini", "\x1b[33mrefused as given\x1b[0m", "\x1b[31m-    \"const\": \"b\"\x1b[0m", "\x1b[32m+    \"enum\": [\x1b[0m"} {
		if !strings.Contains(painted, want) {
			t.Errorf("the output lacks %q: %q", want, painted)
		}
	}
}

// TestHostile checks that what a tool says cannot act on a terminal, nor look like
// a line of its own.
func TestHostile(t *testing.T) {
	t.Parallel()
	const hostile = "a\x1b[2J\r\n\u202eb\u009b"
	result := refused(t)
	result.Tool, result.Source, result.Sides().Raw.Findings[0].Message, result.Sides().Normalized.Fallback = hostile, hostile, hostile, hostile
	result.Sides().Normalized.Changes[0].Before = rewrite.PartOf(schema.NewObject(schema.Member{Key: hostile, Value: schema.NewString(hostile)}))
	result.Sides().Given = schema.NewObject(schema.Member{Key: hostile, Value: schema.NewString(hostile)})
	broken := result
	broken.Status, broken.Error = verdict.Error, hostile
	fixture := broken
	fixture.Error, fixture.Kind = hostile, &verdict.Fixture{Sides: *broken.Sides()}
	for name, text := range map[string]string{
		"result":  terminal(func(terminal *report.Terminal) { terminal.Diff = true }, func(terminal *report.Terminal) { terminal.Result(result) }),
		"error":   terminal(nil, func(terminal *report.Terminal) { terminal.Result(broken) }),
		"fixture": checked(t, report.Check{Places: 1}, fixture),
		"several": terminal(nil, func(terminal *report.Terminal) {
			terminal.Outcomes(hostile, 1, hostile, []report.Outcome{report.OutcomeOf(result, true)})
		}),
	} {
		if strings.ContainsAny(text, "\x1b\r\u202e\u009b") {
			t.Errorf("%s: %q", name, text)
		}
		if !strings.Contains(text, `\u202eb\u009b`) {
			t.Errorf("%s hides what it leaves out: %q", name, text)
		}
	}
}

func outcomesOf(results []verdict.Result) []report.Outcome {
	outcomes := make([]report.Outcome, len(results))
	for i, result := range results {
		outcomes[i] = report.OutcomeOf(result, true)
	}
	return outcomes
}

// TestOutcomes groups the targets on which a tool has one outcome, and says what each
// rewrite loses and what the way back undoes.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	on := func(target string, change func(*verdict.Result)) verdict.Result {
		result := refused(t)
		result.Target = target
		change(&result)
		return result
	}
	changes := func(changes ...verdict.Change) func(*verdict.Result) {
		return func(result *verdict.Result) { result.Sides().Normalized.Changes = changes }
	}
	of := func(keyword string) *schema.Node {
		return schema.NewObject(schema.Member{Key: keyword, Value: schema.NewInt(1)})
	}
	lost := verdict.Change{Rule: "spill_keywords", From: "/parameters/properties/a", Loss: rewrite.Widens, Before: rewrite.PartOf(of("minLength"))}
	whole := verdict.Change{Rule: "merge_all_of", From: "", Loss: rewrite.Both}
	undone := verdict.Change{Rule: "optional_to_nullable", From: "/parameters", Loss: rewrite.Narrows, Restored: true, Before: rewrite.PartOf(of("required"))}
	many := make([]verdict.Change, 0, 5)
	for _, keyword := range []string{"minimum", "maximum", "minItems", "maxItems", "minimum"} {
		many = append(many, verdict.Change{Rule: "spill_keywords", From: "/parameters", Loss: rewrite.Narrows, Before: rewrite.PartOf(of(keyword))})
	}
	results := []verdict.Result{
		on("a", func(result *verdict.Result) {
			result.Sides().Raw.Verdict, result.Sides().Normalized.Changes = provider.Accepted, nil
		}),
		on("b", func(result *verdict.Result) {
			result.Sides().Raw.Verdict, result.Sides().Normalized.Changes = provider.Accepted, nil
		}),
		on("c", changes(verdict.Change{Rule: "type_case", From: "/parameters"})),
		on("d", changes(lost, whole, lost)),
		on("e", changes(undone)),
		on("f", changes(many...)),
		on("g", func(result *verdict.Result) {
			result.Sides().Raw.Verdict, result.Sides().Normalized.Changes, result.Sides().Normalized.Fallback = provider.Accepted, []verdict.Change{lost}, "why"
		}),
		on("h", func(result *verdict.Result) { result.Status = verdict.KnownFailure }),
	}
	const want = `tools.json:2: f
    a, b: accepted as given
    c: rewritten: means the same
    d: rewritten: accepts more: minLength of properties/a, parts of the tool; accepts less: parts of the tool
    e: rewritten: means the same; undone in arguments: required of parameters
    f: rewritten: accepts less: minimum of parameters, maximum of parameters, minItems of parameters, and 1 more
    g: accepted as given; rewritten: accepts more: minLength of properties/a; sent with strict false: why
    h: refused, as the baseline says
`
	equal(t, terminal(nil, func(terminal *report.Terminal) { terminal.Outcomes("tools.json", 2, "f", outcomesOf(results)) }), want)
	quiet := func(terminal *report.Terminal) { terminal.Quiet = true }
	equal(t, terminal(quiet, func(terminal *report.Terminal) { terminal.Outcomes("tools.json", 2, "f", outcomesOf(results)) }), "")

	failed := []verdict.Result{
		on("a", func(result *verdict.Result) { result.Status = verdict.Fail }),
		on("b", func(result *verdict.Result) {
			result.Status, result.Sides().Normalized.Verdict = verdict.Fail, provider.Rejected
		}),
		on("c", func(result *verdict.Result) { result.Status, result.Error = verdict.Error, "broken" }),
		on("d", func(result *verdict.Result) { result.Status, result.Error = verdict.Inconclusive, "no answer" }),
	}
	got := terminal(quiet, func(terminal *report.Terminal) { terminal.Outcomes("tools.json", 2, "f", outcomesOf(failed)) })
	for _, line := range []string{
		"    a: REFUSED as given\n", "    b: REFUSED after the rewrite\n", "    c: ERROR\n", "    d: inconclusive\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is missing from\n%s", line, got)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestErr(t *testing.T) {
	t.Parallel()
	terminal := &report.Terminal{Out: fullDisk{}}
	terminal.Result(refused(t))
	lines := report.NewJSON(fullDisk{})
	for name, err := range map[string]error{
		"terminal": terminal.Err(), "result": lines.Result(refused(t)), "summary": lines.Summary(report.NewSummary()),
		"baseline": report.WriteBaseline(fullDisk{}, report.Entries(refused(t), true)),
	} {
		if err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	summary := report.NewSummary()
	if summary.Worst() != verdict.NotApplicable || !summary.Conforms {
		t.Error("nothing is worse than nothing")
	}
	failed := refused(t)
	failed.Status, failed.Target, failed.Sides().Normalized.Loss, failed.Sides().Normalized.Fallback = verdict.Fail, "a-long-target", rewrite.Both, "why"
	known := refused(t)
	known.Status, known.Sides().Normalized.Verdict, known.Sides().Normalized.Loss = verdict.KnownFailure, provider.Rejected, rewrite.Narrows
	summary.Add(refused(t))
	summary.Add(known)
	if !summary.Conforms || summary.Worst() != verdict.KnownFailure {
		t.Error("what is known conforms")
	}
	summary.Add(failed)
	summary.Add(unread(""))
	if summary.Conforms || summary.Worst() != verdict.Error || summary.Of("a-long-target").Worst() != verdict.Fail {
		t.Error("a failure does not conform")
	}
	groups := &report.Groups{}
	failed.Kind.(*verdict.Tool).IsNormalized = true //nolint:forcetypeassert // refused makes a tool
	for _, result := range []verdict.Result{refused(t), known, failed} {
		groups.Add(result)
	}
	equal(t, terminal(nil, func(terminal *report.Terminal) { terminal.CheckSummary(groups, summary) }), `
a long target refuses the tool after the rewrite.
Gemini refuses 1 of 2 tools, which the baseline excuses.
The rewrite for a long target sends the tool with strict false, because why.
evidence: 3 reported, 3 predicted, nobody was asked
`)
	equal(t, terminal(nil, func(terminal *report.Terminal) {
		terminal.FixtureSummary(groups, summary, map[string]string{"gemini": "gemini/parameters"}, true)
	}), `1 of 3 verdicts is not as expected, 1 of them for a long target.
1 known failure.

gemini        gemini/parameters: 3 verdicts, 1 pass, 1 known, 1 ERROR
a-long-target 1 verdict, 0 pass, 1 FAIL
evidence: 3 reported, 3 predicted, nobody was asked
`)
}

func TestBaseline(t *testing.T) {
	t.Parallel()
	result := refused(t)
	result.Status = verdict.Fail
	if entries := report.Entries(result, false); len(entries) != 0 {
		t.Errorf("without raw there are the entries %v", entries)
	}
	entries := report.Entries(result, true)
	gone, elsewhere := entries[0], entries[0]
	gone.At, elsewhere.Source = "/gone", "other.json"
	var text bytes.Buffer
	if err := report.WriteBaseline(&text, []report.Entry{entries[0], gone, elsewhere, entries[0]}); err != nil {
		t.Fatal(err)
	}
	line := func(source, at string) string {
		return fmt.Sprintf(`{"source":%q,"id":"","tool":"f","target":"gemini","rule":"unknown_name","at":%q}`+"\n", source, at)
	}
	equal(t, text.String(), line("other.json", "/parameters/properties/a/const")+line("tools.json", "/gone")+line("tools.json", "/parameters/properties/a/const"))

	baseline, err := report.ReadBaseline(strings.NewReader(text.String() + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if stale := baseline.Stale(); len(stale) != 0 {
		t.Errorf("before a run %v is stale", stale)
	}
	excused := result
	baseline.Excuse(&excused, true)
	if excused.Status != verdict.KnownFailure {
		t.Errorf("the status is %s", excused.Status)
	}
	if stale := baseline.Stale(); len(stale) != 1 || stale[0] != gone {
		t.Errorf("stale are %v", stale)
	}
	if !baseline.Has(result, result.Sides().Raw.Findings[0]) || baseline.Has(result, verdict.Finding{}) {
		t.Error("the baseline does not know what it has")
	}

	// One finding that is new fails, whatever the others are.
	more := refused(t)
	more.Status = verdict.Fail
	more.Sides().Raw = &verdict.Answer{Verdict: provider.Rejected, Findings: append(result.Sides().Raw.Findings[:1:1], verdict.Finding{Rule: "new"})}
	baseline.Excuse(&more, true)
	if more.Status != verdict.Fail {
		t.Errorf("with a new finding the status is %s", more.Status)
	}

	// A run without raw sees the findings of the tool as given, and does not judge
	// by them.
	baseline, err = report.ReadBaseline(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	passed := refused(t)
	baseline.Excuse(&passed, false)
	if stale := baseline.Stale(); passed.Status != verdict.Pass || len(stale) != 1 {
		t.Errorf("without raw the status is %s, and stale are %v", passed.Status, stale)
	}
	broken := unread("")
	baseline.Excuse(&broken, true)
	if broken.Status != verdict.Error {
		t.Error("a baseline excuses no error")
	}
}

func TestBadBaseline(t *testing.T) {
	t.Parallel()
	const good = `{"source":"a","id":"","tool":"f","target":"gemini","rule":"r","at":""}`
	for text, want := range map[string]string{
		good + "\n{":               "2: reading a baseline: unexpected EOF",
		`{"sauce":"a"}`:            `1: reading a baseline: json: unknown field "sauce"`,
		good + good:                "1: reading a baseline: more than one entry on a line",
		`{}`:                       "1: reading a baseline: an entry needs a source and a target",
		"\n" + `{"source":1}`:      "2: reading a baseline: json: cannot unmarshal number into Go struct field Entry.source of type string",
		strings.Repeat("x", 2<<20): "1: reading a baseline: too large: the line is longer than 1 MB",
	} {
		if _, err := report.ReadBaseline(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%.40q: the error is %v", text, err)
		}
	}
}

// TestLongLines has results with more text than a line may have: what is written can be read,
// and says how much is left out.
func TestLongLines(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("\x01", 1_000_000) // of which each byte takes six
	object := func(size int) *schema.Node {
		return schema.NewObject(schema.Member{Key: "name", Value: schema.NewString("f")}, schema.Member{Key: "description", Value: schema.NewString(text[:size])})
	}
	changes := make([]verdict.Change, 1_000)
	findings := make([]verdict.Finding, 1_000)
	for i := range changes {
		changes[i] = verdict.Change{Rule: "inline_refs", After: rewrite.PartOf(object(100_000))}
		findings[i] = verdict.Finding{Rule: "ref", Severity: "critical", Message: text[:10_000]}
	}
	for name, change := range map[string]func(*verdict.Result){
		"changes":  func(r *verdict.Result) { r.Sides().Normalized.Changes = changes },
		"findings": func(r *verdict.Result) { r.Sides().Raw.Findings, r.Sides().Normalized.Ignored = findings, findings },
		"tool": func(r *verdict.Result) {
			r.Sides().Normalized.Tool.Set("parameters", schema.NewArray(object(1_000_000), object(1_000_000), object(1_000_000)))
		},
		"everything": func(r *verdict.Result) {
			sides := r.Sides()
			r.ID, r.Tool, r.Source, r.Error, sides.AsGiven = text, text, text, text, text
			large := schema.NewArray(object(1_000_000), object(200_000))
			for _, answer := range []*verdict.Answer{sides.Raw, &sides.Normalized.Answer} {
				answer.Findings, answer.Ignored, answer.Request = findings, findings, large
			}
			sides.Normalized.Tool, sides.Normalized.Fallback, sides.Normalized.Changes, sides.Understood = large, text, changes, large
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := refused(t)
			change(&result)
			var out bytes.Buffer
			lines := report.NewJSON(&out)
			if err := errors.Join(lines.Result(result), lines.Summary(report.NewSummary())); err != nil {
				t.Fatal(err)
			}
			size := bytes.IndexByte(out.Bytes(), '\n')
			stream, err := report.Read(&out)
			if err != nil {
				t.Fatal(err)
			}
			read, err := stream.Next()
			if err != nil {
				t.Fatalf("a line of %d bytes: %v", size, err)
			}
			given, got := result.Sides(), read.Sides()
			if shown := len(got.Normalized.Changes); shown+got.Normalized.More != len(given.Normalized.Changes) || shown == len(changes) {
				t.Errorf("%d changes are shown, and %d are not", shown, got.Normalized.More)
			}
			if isWhole := len(got.Normalized.Tool.JSON()) == len(given.Normalized.Tool.JSON()); isWhole == got.Normalized.Cut {
				t.Errorf("the tool is cut: %v, and has %d bytes", got.Normalized.Cut, len(got.Normalized.Tool.JSON()))
			}
			if shown := len(got.Raw.Findings); shown < len(given.Raw.Findings) && got.Raw.Findings[shown-1].Message != fmt.Sprintf("and %d more findings", len(findings)-shown+1) {
				t.Errorf("the last of %d findings is %.60q", shown, got.Raw.Findings[shown-1].Message)
			}
		})
	}
}

// TestLargeDiff: what is too large is not shown side by side.
func TestLargeDiff(t *testing.T) {
	t.Parallel()
	result := refused(t)
	large := schema.NewArray()
	for range 20_000 {
		large.Elements = append(large.Elements, schema.NewObject())
	}
	result.Sides().Normalized.Tool = large
	text := terminal(func(terminal *report.Terminal) { terminal.Diff = true }, func(terminal *report.Terminal) { terminal.Result(result) })
	if !strings.HasSuffix(text, "\n    given and normalized for gemini are not shown side by side: 20001 values are too many\n") {
		t.Errorf("the text is %.2000s", text)
	}
}

// TestJSON checks that text is written as it is, one object a line.
func TestJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	lines := report.NewJSON(&out)
	result := refused(t)
	result.Tool = "a<b>&\u2028"
	if err := errors.Join(lines.Result(result), lines.Summary(report.NewSummary())); err != nil {
		t.Fatal(err)
	}
	if bytes.Count(out.Bytes(), []byte{'\n'}) != 2 || !bytes.Contains(out.Bytes(), []byte(`"tool":"a<b>&`)) {
		t.Errorf("the lines are\n%s", out.String())
	}
	var read struct {
		Tool string `json:"tool"`
	}
	if err := json.NewDecoder(&out).Decode(&read); err != nil || read.Tool != result.Tool {
		t.Errorf("the tool is read as %q: %v", read.Tool, err)
	}
}
