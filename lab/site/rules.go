package site

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/normalizers"
	"toolproof/schema"
)

// ruleView is a rule of a surface with its evidence.
type ruleView struct {
	*provider.Rule

	Dialect *provider.Dialect
	Text    string // Doc without its title
	Period  string // "" if it always holds
	// Words are up to three of the provider's messages.
	Words []string
	// Answers are the recordings among the rule's evidence.
	Answers []answer
	// Fixtures are the first fixtures with a finding of the rule, and More counts the others.
	Fixtures []*fixture.Fixture
	More     int
	// Smallest is the smallest declaration among them; "" if there is none.
	Smallest string
	Errors   []*message
}

// answer is a recording as the evidence of a rule.
type answer struct {
	*recording.Recording

	Outcome string // "refused", "ignored" or "near miss"
	// Elsewhere is the surface that answered, if it is another.
	Elsewhere string
}

// Link returns the URL at which the answer is published, or "".
func (a answer) Link() string { return linkOf(a.Source) }

// Refusal returns the newest refusal by the surface itself, or nil.
func (r *ruleView) Refusal() *recording.Recording {
	for _, known := range r.Answers {
		if known.Outcome == "refused" && known.Elsewhere == "" {
			return known.Recording
		}
	}
	return nil
}

// State returns the effect in words.
func (r *ruleView) State() string {
	return map[provider.Effect]string{provider.Rejects: "refused", provider.Ignores: "ignored", provider.Rewrites: "rewritten", provider.Unknown: "unknown"}[r.Effect]
}

// Anchor returns the anchor of the rule on the surface's page.
func (r *ruleView) Anchor() string {
	earlier := 0
	for _, rule := range r.Dialect.Rules[:slices.Index(r.Dialect.Rules, r.Rule)] {
		if rule.Name == r.Name {
			earlier++ // the same rule in another stage
		}
	}
	if earlier == 0 {
		return "rule-" + r.Name
	}
	return fmt.Sprintf("rule-%s-%d", r.Name, earlier+1)
}

// Page returns the path of the surface's page.
func (r *ruleView) Page() string { return "surfaces/" + anchor(r.Dialect.Name) + ".html" }

// The bounds of what is shown of a rule.
const (
	wordsOfRule    = 3
	fixturesOfRule = 5
	mostOfFixture  = 1500 // bytes of a declaration
)

// rule returns the view of a rule on a surface.
func (k *known) rule(ctx context.Context, dialect *provider.Dialect, rule *provider.Rule) (*ruleView, error) {
	key := ruleKey{dialect, rule}
	if view := k.views[key]; view != nil {
		return view, nil
	}
	_, text, _ := strings.Cut(rule.Doc, "\n\n")
	view := &ruleView{Rule: rule, Dialect: dialect, Text: text, Period: periodOf(dialect, rule), Errors: k.errorsOf[key]}
	k.views[key] = view
	smallest := 0
	for _, shown := range k.shown[key] {
		if words := strings.TrimSpace(shown.Message); words != "" && len(view.Words) < wordsOfRule && !slices.Contains(view.Words, words) {
			view.Words = append(view.Words, words)
		}
		if shown.Fixture == nil || slices.Contains(view.Fixtures, shown.Fixture) {
			continue
		}
		view.Fixtures = append(view.Fixtures, shown.Fixture)
		if shown.Declaration < 0 || shown.Declaration >= len(shown.Request.Declarations) {
			continue
		}
		declaration := string(shown.Request.Declarations[shown.Declaration].Indented())
		if size := len(declaration); size <= mostOfFixture && (smallest == 0 || size < smallest) {
			smallest, view.Smallest = size, declaration
		}
	}
	view.More = max(len(view.Fixtures)-fixturesOfRule, 0)
	view.Fixtures = view.Fixtures[:len(view.Fixtures)-view.More]
	for _, recorded := range k.evidence(rule) {
		outcome, err := outcomeOf(ctx, rule, recorded)
		if err != nil {
			return nil, err
		}
		shownAnswer := answer{Recording: recorded, Outcome: outcome}
		if recorded.Dialect != dialect.Name {
			shownAnswer.Elsewhere = recorded.Dialect
		}
		view.Answers = append(view.Answers, shownAnswer)
	}
	slices.SortStableFunc(view.Answers, func(a, b answer) int { return cmp.Compare(b.Date, a.Date) })
	return view, nil
}

// outcomeOf returns what a recorded answer shows of a rule.
func outcomeOf(ctx context.Context, rule *provider.Rule, recorded *recording.Recording) (string, error) {
	if !recorded.Accepted() {
		return "refused", nil
	}
	if rule.Effect == provider.Ignores {
		dialect, err := harness.DialectNamed(recorded.Dialect)
		if err != nil {
			return "", err
		}
		model := recorded.Asked(dialect)
		answer, err := model.Send(ctx, dialect.Request(recorded.Request.Declarations))
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(answer.Ignored, func(finding provider.Finding) bool { return finding.Rule.Name == rule.Name }) {
			return "ignored", nil
		}
	}
	return "near miss", nil
}

// periodOf returns the period in which a rule holds, or "" if it always does.
func periodOf(dialect *provider.Dialect, rule *provider.Rule) string {
	name := func(day provider.Date) string {
		if version := dialect.VersionOn(day); day != "" && version.Date == day {
			return fmt.Sprintf("%s of %s", version.Name, day)
		}
		return string(day)
	}
	var parts []string
	if rule.Since != "" {
		parts = append(parts, "since "+name(rule.Since))
	}
	if rule.Until != "" {
		parts = append(parts, "until "+name(rule.Until))
	}
	return strings.Join(parts, ", ")
}

// linkOf returns the URL in a source, or "".
func linkOf(source string) string {
	if strings.HasPrefix(source, "https://") && !strings.Contains(source, " ") {
		return source
	}
	return ""
}

// rewriteView is a rewrite with its example.
type rewriteView struct {
	normalizers.Rule

	Title, Text string
	Targets     []string
	Sides       sides
	HasExample  bool
}

// rules makes the page of the rewrites and of all surfaces' rules.
func rules(ctx context.Context, data *Data) ([]Page, error) {
	k, err := data.learn(ctx)
	if err != nil {
		return nil, err
	}
	var rewrites []rewriteView
	for _, rule := range normalizers.Rules() {
		_, text, _ := strings.Cut(rule.Doc, "\n\n")
		view := rewriteView{Rule: rule, Title: rule.Title(), Text: text, HasExample: rule.Before != rule.After}
		for _, pipeline := range normalizers.All {
			if pipeline.Has(rule.Name) {
				view.Targets = append(view.Targets, pipeline.Name())
			}
		}
		before, err := schema.Parse([]byte(rule.Before))
		if err != nil {
			return nil, fmt.Errorf("the example of %s: %w", rule.Name, err)
		}
		after, err := schema.Parse([]byte(rule.After))
		if err != nil {
			return nil, fmt.Errorf("the example of %s: %w", rule.Name, err)
		}
		view.Sides = sidesOf(before, after)
		rewrites = append(rewrites, view)
	}
	type ofService struct {
		Service string
		Rules   []sharedRule
	}
	var services []*ofService
	for _, dialect := range harness.Dialects {
		if len(services) == 0 || services[len(services)-1].Service != dialect.Service() {
			services = append(services, &ofService{Service: dialect.Service()})
		}
		last := services[len(services)-1]
		for _, rule := range dialect.Rules {
			view, err := k.rule(ctx, dialect, rule)
			if err != nil {
				return nil, err
			}
			last.Rules = share(last.Rules, view)
		}
	}
	return []Page{{
		Path: "rules.html", Section: "Rules", Title: "Rules", Template: "rules",
		Summary: "How a tool schema is rewritten for each LLM provider, before and after, and what each provider refuses, in its own words.",
		Data: struct {
			Rewrites []rewriteView
			Services []*ofService
		}{rewrites, services},
	}}, nil
}

// sharedRule is a rule that several surfaces of a service have.
type sharedRule struct {
	*ruleView

	On []*ruleView
}

// share adds a rule to the equal one in the list, or to the list.
func share(rules []sharedRule, view *ruleView) []sharedRule {
	for i, known := range rules {
		if known.Name == view.Name && known.Doc == view.Doc {
			rules[i].On = append(rules[i].On, view)
			return rules
		}
	}
	return append(rules, sharedRule{view, []*ruleView{view}})
}
