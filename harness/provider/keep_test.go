package provider_test

import (
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// TestKeep: what two stages ask for is computed once per request, and again for another
// request. A plan of rules is made again when the day, the model or the rules change.
func TestKeep(t *testing.T) {
	t.Parallel()
	found := 0
	type key struct{}
	ask := func(name string) *provider.Stage {
		return &provider.Stage{Name: name, Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
			provider.Keep(visitor, key{}, func() int { found++; return found })
			visitor.Visit(&provider.Pass{Request: request, Declaration: -1})
		}}
	}
	first := &provider.Rule{Name: "first", Effect: provider.Rejects, Stage: ask("first"), Check: func(*provider.Pass) {}}
	last := &provider.Rule{
		Name: "last", Effect: provider.Rejects, Stage: ask("last"), Until: "2026-01-02", Models: []string{"!b*"},
		Check: func(p *provider.Pass) { p.Reportf("no") },
	}
	dialect := &provider.Dialect{Name: "of/test", Rules: []*provider.Rule{first, last}}
	send := func(day provider.Date, name string) provider.Verdict {
		model := provider.Model{Dialect: dialect, AsOf: day, ModelName: name}
		answer, err := model.Send(t.Context(), provider.Request{Declarations: []*schema.Node{{}}})
		if err != nil {
			t.Fatal(err)
		}
		return answer.Verdict
	}
	for i, test := range []struct {
		day  provider.Date
		name string
		want provider.Verdict
	}{
		{"2026-01-01", "a", provider.Rejected},
		{"2026-01-01", "a", provider.Rejected},
		{"2026-01-02", "a", provider.Accepted},
		{"2026-01-01", "a", provider.Rejected},
		{"2026-01-01", "b1", provider.Accepted},
	} {
		if got := send(test.day, test.name); got != test.want || found != i+1 {
			t.Errorf("on %s model %s: %s, found out %d times", test.day, test.name, got, found)
		}
	}
	if dialect.Rules = dialect.Rules[:1]; send("2026-01-01", "a") != provider.Accepted {
		t.Error("a rule that the surface has no longer is asked")
	}
}
