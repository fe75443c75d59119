package provider_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/provider"
	"toolproof/schema"
)

func TestParseDate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]provider.Date{
		"2026-01-31": "2026-01-31", "2026-02": "2026-02-28", "2024-02": "2024-02-29", "2026-12": "2026-12-31", "2026": "2026-12-31", "2025-2026": "2026-12-31",
		"": "", "yesterday": "", "2026-13": "", "2026-02-30": "", "26": "", "2026-1": "", "2026-01-31T00:00:00Z": "", "2025-2026-01": "",
	} {
		day, err := provider.ParseDate(text)
		if day != want || (err == nil) != (want != "") {
			t.Errorf("ParseDate(%q) = %q, %v; want %q", text, day, err, want)
		}
	}
}

func TestInForce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		since, until, day provider.Date
		want              bool
	}{
		{"", "", "2026-01-01", true},
		{"2026-01-01", "", "2025-12-31", false},
		{"2026-01-01", "", "2026-01-01", true},
		{"", "2026-01-01", "2025-12-31", true},
		{"", "2026-01-01", "2026-01-01", false},
		{"2025-01-01", "2026-01-01", "2025-06-01", true},
		{"2025-01-01", "2026-01-01", "2024-06-01", false},
	} {
		rule := provider.Rule{Since: test.since, Until: test.until}
		if got := rule.InForce(test.day, ""); got != test.want {
			t.Errorf("from %q to %q, on %s: %t", test.since, test.until, test.day, got)
		}
	}
}

func TestInForceForModels(t *testing.T) {
	t.Parallel()
	rule := provider.Rule{Models: []string{"gemini-2.5-*", "gemini-3-pro"}}
	for model, want := range map[string]bool{"gemini-2.5-flash": true, "gemini-3-pro": true, "gemini-3-pro-preview": false, "gemini-2.0-flash": false, "": false} {
		if got := rule.InForce("2026-01-01", model); got != want {
			t.Errorf("%q: %t, want %t", model, got, want)
		}
	}
	others := provider.Rule{Models: []string{"!gemini-1*", "!gemini-2*"}}
	for model, want := range map[string]bool{"gemini-2.5-pro": false, "gemini-1.5-flash": false, "gemini-3-pro": true, "": true} {
		if got := others.InForce("2026-01-01", model); got != want {
			t.Errorf("all but some, %q: %t, want %t", model, got, want)
		}
	}
}

func TestGrade(t *testing.T) {
	t.Parallel()
	previous := provider.NoEvidence
	for _, name := range []string{"predicted", "reported", "recorded", "live"} {
		grade, err := provider.ParseGrade(name)
		if err != nil || grade.String() != name || grade <= previous {
			t.Errorf("ParseGrade(%q) = %v, %v", name, grade, err)
		}
		previous = grade
	}
	if _, err := provider.ParseGrade("emulated"); err == nil || !strings.Contains(err.Error(), "predicted, reported, recorded, live") {
		t.Errorf("an unknown grade: %v", err)
	}
}

func TestSeverity(t *testing.T) {
	t.Parallel()
	for want, rule := range map[string]*provider.Rule{
		"critical": {Effect: provider.Rejects}, "medium": {Effect: provider.Rewrites}, "low": {Effect: provider.Ignores},
	} {
		if got := (provider.Finding{Rule: rule}).Severity(); got != want {
			t.Errorf("%s is %s, want %s", rule.Effect, got, want)
		}
	}
	if got := (provider.Finding{}).Severity(); got != "critical" {
		t.Errorf("a finding that no rule explains is %s", got)
	}
}

// walk visits each declaration, or only the given one.
func walk(request provider.Request, declaration int, visitor *provider.Visitor) {
	for i, node := range request.Declarations {
		if declaration >= 0 && declaration != i || visitor.Done() {
			continue
		}
		visitor.Visit(&provider.Pass{Request: request, Declaration: i, Node: node, At: []byte("/name"), Location: []byte("place " + node.Text)})
	}
}

// finds returns a rule that reports the declarations whose text contains a letter.
func finds(name, letter string, stage *provider.Stage) *provider.Rule {
	return &provider.Rule{Name: name, Effect: provider.Rejects, Stage: stage, Check: func(p *provider.Pass) {
		if strings.Contains(p.Node.Text, letter) {
			p.Reportf("%s in %s", letter, p.Node.Text)
		}
	}}
}

// TestModel pins the order in which stages, declarations and rules report.
func TestModel(t *testing.T) {
	t.Parallel()
	every := &provider.Stage{Name: "every", All: true, Walk: walk, Compose: func(findings []provider.Finding) string {
		var lines []string
		for _, finding := range findings {
			lines = append(lines, finding.Message)
		}
		return strings.Join(lines, "; ")
	}}
	first := &provider.Stage{Name: "first", Walk: walk}
	one := &provider.Stage{Name: "one", PerDeclaration: true, Walk: walk}
	two := &provider.Stage{Name: "two", PerDeclaration: true, Walk: walk}
	dated := finds("dated", "f", first)
	dated.Since, dated.Until = "2026-01-01", "2026-02-01"
	dialect := &provider.Dialect{Name: "d", Rules: []*provider.Rule{
		finds("a", "a", every), finds("b", "b", every), finds("c", "c", first), dated, finds("d", "d", one), finds("e", "e", two),
	}}
	for _, test := range []struct {
		name         string
		dialect      *provider.Dialect
		declarations []string
		day          provider.Date
		want         string
		findings     int
	}{
		{"nothing to say", dialect, []string{"x"}, "2026-01-15", "", 0},
		{"nothing declared", dialect, nil, "2026-01-15", "", 0},
		{"a stage that tells all", dialect, []string{"a", "x", "b"}, "2026-01-15", "a in a; b in b", 2},
		{"one rule for each place", dialect, []string{"ab"}, "2026-01-15", "a in ab", 1},
		{"a stage hides those behind it", dialect, []string{"c", "a"}, "2026-01-15", "a in a", 1},
		{"a stage that tells the first", dialect, []string{"x", "c", "cc"}, "2026-01-15", "c in c", 1},
		{"one declaration after the other", dialect, []string{"e", "d"}, "2026-01-15", "e in e", 1},
		{"each through all stages", dialect, []string{"de", "d"}, "2026-01-15", "d in de", 1},
		{"a rule on its day", dialect, []string{"f"}, "2026-01-01", "f in f", 1},
		{"a rule before its time", dialect, []string{"f"}, "2025-12-31", "", 0},
		{"a rule after its time", dialect, []string{"f"}, "2026-02-01", "", 0},
		{"without a rule", dialect.Without("a"), []string{"a", "b"}, "2026-01-15", "b in b", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			request := provider.Request{Declarations: schema.NewStrings(test.declarations...).Elements}
			response, err := (&provider.Model{Dialect: test.dialect, AsOf: test.day}).Send(context.Background(), request)
			if err != nil {
				t.Fatal(err)
			}
			if response.Message != test.want || len(response.Findings) != test.findings {
				t.Errorf("%q with %d findings, want %q with %d", response.Message, len(response.Findings), test.want, test.findings)
			}
			want := provider.Response{Verdict: provider.Accepted, Status: 200, Evidence: provider.Predicted, Date: test.day}
			if test.want != "" {
				want.Verdict, want.Status = provider.Rejected, 400
				want.Param = response.Findings[0].Location
			}
			if response.Steps < len(test.declarations) {
				t.Errorf("it took %d steps", response.Steps)
			}
			response.Message, response.Findings, response.Steps = "", nil, 0
			if diff := cmp.Diff(want, response); diff != "" {
				t.Errorf("response (-want +got):\n%s", diff)
			}
		})
	}
	if dialect.Rule("b") == nil || dialect.Rule("none") != nil || dialect.Without("b").Rule("b") != nil || len(dialect.Rules) != 6 {
		t.Error("Rule or Without is wrong")
	}
}

// TestModelIgnores: a part without effect is reported for accepted requests only, and
// never refuses one.
func TestModelIgnores(t *testing.T) {
	t.Parallel()
	every := &provider.Stage{Name: "every", All: true, Walk: walk}
	refuses := &provider.Stage{Name: "refuses", Status: 422, Walk: walk}
	ignores := finds("i", "i", every)
	ignores.Effect = provider.Ignores
	dialect := &provider.Dialect{Rules: []*provider.Rule{ignores, finds("r", "r", refuses)}}
	for text, want := range map[string]struct{ status, findings, ignored int }{"x": {200, 0, 0}, "i": {200, 0, 1}, "ir": {422, 1, 0}} {
		request := provider.Request{Declarations: schema.NewStrings(text).Elements}
		response, err := (&provider.Model{Dialect: dialect}).Send(context.Background(), request)
		if err != nil || response.Status != want.status || len(response.Findings) != want.findings || len(response.Ignored) != want.ignored {
			t.Errorf("%q: %+v, %v; want %+v", text, response, err, want)
		}
	}
}

func TestVersionOn(t *testing.T) {
	t.Parallel()
	dialect := &provider.Dialect{Versions: []provider.Version{{Name: "1", Date: "2025-01-01"}, {Name: "2", Date: "2026-01-01"}}}
	for day, want := range map[provider.Date]string{"2024-01-01": "1", "2025-01-01": "1", "2025-12-31": "1", "2026-01-01": "2"} {
		if got := dialect.VersionOn(day); got.Name != want {
			t.Errorf("on %s the version is %s, want %s", day, got.Name, want)
		}
	}
	if got := new(provider.Dialect).VersionOn("2026-01-01"); got != (provider.Version{}) {
		t.Errorf("a service has the version %v", got)
	}
}

func TestModelAnswersForToday(t *testing.T) {
	t.Parallel()
	before := provider.Today()
	response, err := (&provider.Model{Dialect: &provider.Dialect{}}).Send(context.Background(), provider.Request{})
	if err != nil || response.Date < before || response.Date > provider.Today() {
		t.Errorf("date %q, %v", response.Date, err)
	}
}

// TestSays compares words with a prediction, on surfaces that report violations in order
// and on one that does not.
func TestSays(t *testing.T) {
	t.Parallel()
	predicted := provider.Response{Message: "first", Findings: []provider.Finding{{Message: "first"}, {Message: "second, long"}}}
	fixed, unordered := new(provider.Dialect), &provider.Dialect{Unordered: true}
	letters := &provider.Dialect{Canonical: func(message string) string {
		signs := strings.Split(message, "")
		slices.Sort(signs)
		return strings.Join(signs, "")
	}}
	for _, test := range []struct {
		dialect *provider.Dialect
		words   string
		isPart  bool
		want    bool
	}{
		{fixed, " first\n", false, true},
		{fixed, "fir", false, false},
		{fixed, "fir", true, true},
		{fixed, "second, long", false, false},
		{unordered, "first", false, true},
		{unordered, "second, long", false, true},
		{unordered, "second", false, false},
		{unordered, "second", true, true},
		{unordered, "third", true, false},
		{letters, "tsrif", false, true},
		{letters, "tsri", false, false},
	} {
		if got := test.dialect.Says(predicted, test.words, test.isPart); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}
