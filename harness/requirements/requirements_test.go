package requirements_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/advice"
	"toolproof/harness/conversation"
	"toolproof/harness/judge"
	"toolproof/harness/project"
	"toolproof/harness/provider"
	"toolproof/harness/requirements"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// TestSets checks that the rules of each set whose month is over are rules of today, because the findings of a rule that
// got another name would no longer fail.
func TestSets(t *testing.T) {
	t.Parallel()
	months := requirements.Months()
	if len(months) == 0 || !slices.IsSorted(months) {
		t.Fatalf("the months are %q", months)
	}
	for _, month := range months {
		set, err := requirements.Of(month)
		if err != nil {
			t.Fatal(err)
		}
		if set.Month != month || !regexp.MustCompile(`^\d{4}-\d{2}$`).MatchString(month) || len(set.Rules) < 50 {
			t.Errorf("the set of %s is of %q and has %d surfaces", month, set.Month, len(set.Rules))
		}
		for surface, names := range set.Rules {
			for _, name := range names {
				if isOver := month < string(provider.Today())[:len(month)]; isOver && !isRule(surface, name) {
					t.Errorf("%s: %s/%s is no rule any more: let the set keep the name, and have it a rule", month, surface, name)
				}
			}
		}
	}
	if _, err := requirements.Of("2026-10"); err == nil || !strings.Contains(err.Error(), months[0]) {
		t.Errorf("a month before the first: %v", err)
	}
}

// isRule reports whether a surface has a rule of a name.
func isRule(surface, name string) bool {
	switch surface {
	case requirements.Conversation:
		return slices.ContainsFunc(slices.Concat(conversation.Rules, conversation.Ignoring), func(rule *conversation.Rule) bool { return rule.Name == name })
	case verdict.AdviceTarget:
		return slices.ContainsFunc(advice.Rules, func(rule *advice.Rule) bool { return rule.Name == name })
	default:
		dialect, err := harness.DialectNamed(surface)
		return err == nil && dialect.Rule(name) != nil
	}
}

// refusesF is a rule of a surface that no set has.
func refusesF(since provider.Date, stage *provider.Stage) *provider.Rule {
	return &provider.Rule{Name: "refuses_f", Effect: provider.Rejects, Stage: stage, Since: since, Check: func(p *provider.Pass) { p.Reportf("no f") }}
}

// TestRequires judges a tool that a known rule refuses, and one that only a rule refuses that is not required: because
// the set lacks it, or because it held after the month alone. It warns, and the known rule fails.
func TestRequires(t *testing.T) {
	t.Parallel()
	gemini, err := harness.DialectNamed("gemini/parameters")
	if err != nil {
		t.Fatal(err)
	}
	known := &requirements.Set{Month: "2026-11", Rules: map[string][]string{gemini.Name: {"unknown_name"}}}
	knowing := &requirements.Set{Month: "2026-11", Rules: map[string][]string{gemini.Name: {"refuses_f", "unknown_name"}}}
	for _, test := range []struct {
		name   string
		set    *requirements.Set
		since  provider.Date
		schema string
		file   string
		want   verdict.Status
		newer  []string
	}{
		{"a rule of the set", known, "", `{"type":"object","properties":{"a":{"type":"string","const":"b"}}}`, "", verdict.Fail, nil},
		{"a rule that the set lacks", known, "", `{"type":"object"}`, "", verdict.KnownFailure, []string{"gemini/parameters/refuses_f"}},
		{"a rule of the set that held", knowing, "2026-11-30", `{"type":"object"}`, "", verdict.Fail, nil},
		{"a rule of the set that held later", knowing, "2026-12-01", `{"type":"object"}`, "", verdict.KnownFailure, []string{"gemini/parameters/refuses_f"}},
		{"a rule that the file wants", known, "", `{"type":"object"}`, `,"severity":{"refuses_f":"error"}`, verdict.Fail, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			changed := *gemini
			if test.schema == `{"type":"object"}` {
				changed.Rules = append(slices.Clone(gemini.Rules), refusesF(test.since, gemini.Rules[len(gemini.Rules)-1].Stage))
			}
			file, err := project.Read(strings.NewReader(`{"sources":["a"],"requirements":"2026-11"`+test.file+`}`), project.Name,
				project.Names{Targets: []string{"gemini"}, Rules: []string{"refuses_f"}, Months: []string{"2026-11"}})
			if err != nil {
				t.Fatal(err)
			}
			file.Requires = test.set.Requires([]*provider.Dialect{&changed})
			result := judged(t, &changed, test.schema)
			if result.Status != verdict.Fail {
				t.Fatalf("the tool is judged %v", result.Status)
			}
			file.Apply(&result, true, provider.Today())
			if result.Status != test.want || !slices.Equal(file.Newer(), test.newer) {
				t.Errorf("%v with the newer rules %q, want %v with %q", result.Status, file.Newer(), test.want, test.newer)
			}
		})
	}
}

// judged returns the result of a tool as given. Rules that hold later hold already.
func judged(t *testing.T, dialect *provider.Dialect, parameters string) verdict.Result {
	t.Helper()
	node, err := schema.Parse([]byte(parameters))
	if err != nil {
		t.Fatal(err)
	}
	judging := judge.Judge{Raw: true, Coverage: &judge.Coverage{}, AsOf: "2027-01-01"}
	return judging.Tool(context.Background(), judge.Subject{Tool: toolfile.Of(schema.Tool{Name: "f", Parameters: node})}, judge.Target{Dialect: dialect})
}

// TestConversation checks that a rule about requests is required of any service, and one of a surface of the requests
// of its service.
func TestConversation(t *testing.T) {
	t.Parallel()
	set := &requirements.Set{Month: "2026-11", Rules: map[string][]string{requirements.Conversation: {"lone_result"}, "gemini/parameters": {"unknown_name"}, "advice": {"no_unit"}}}
	requires := set.Requires(harness.Dialects)
	for place, want := range map[[2]string]bool{
		{"openai/conversation", "lone_result"}: true, {"gemini/conversation", "unknown_name"}: true, {"openai/conversation", "unknown_name"}: false,
		{"gemini/conversation", "other"}: false, {"advice", "no_unit"}: true, {"advice", "other"}: false, {"vertex/parameters", "unknown_name"}: false,
	} {
		if requires(place[0], place[1]) != want {
			t.Errorf("%s/%s is required: %t", place[0], place[1], !want)
		}
	}
}
