package site

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/lab/tally"
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

// File returns the path of the page of a rewrite, relative to the root of the site.
func rewriteFile(name string) string { return "rewrites/" + anchor(name) + ".html" }

// rulesOf holds the rules of a service, those with the most recorded refusals first.
type rulesOf struct {
	Service string
	Rules   []sharedRule
}

// File returns the path of the service's page, relative to the root of the site.
func (r *rulesOf) File() string { return "rules/" + anchor(r.Service) + ".html" }

// rulesData is the data of the page that leads to all rules.
type rulesData struct {
	// Most is what surfaces refuse most of public tools; empty if none were counted.
	Most     plot
	Tools    int
	Services []*rulesOf
	Rewrites []rewriteView
}

// rules makes a page for the rules of each service, a page for each rewrite, and one that leads to
// them.
func rules(ctx context.Context, data *Data) ([]Page, error) {
	k, err := data.learn(ctx)
	if err != nil {
		return nil, err
	}
	index := rulesData{Most: mostRefused(k.newest), Tools: k.newest.Tools}
	if index.Rewrites, err = rewrites(); err != nil {
		return nil, err
	}
	for _, dialect := range harness.Dialects {
		if len(dialect.Rules) == 0 {
			continue
		}
		if count := len(index.Services); count == 0 || index.Services[count-1].Service != dialect.Service() {
			index.Services = append(index.Services, &rulesOf{Service: dialect.Service()})
		}
		last := index.Services[len(index.Services)-1]
		for _, rule := range dialect.Rules {
			view, err := k.rule(ctx, dialect, rule)
			if err != nil {
				return nil, err
			}
			last.Rules = share(last.Rules, view)
		}
	}
	pages := []Page{{
		Path: "rules.html", Section: "Rules", Title: "Rules", Template: "rules",
		Summary: "What each LLM provider refuses or ignores in a tool, the most frequent first, and how tools are rewritten for it.",
		Data:    index,
	}}
	for _, service := range index.Services {
		slices.SortStableFunc(service.Rules, func(a, b sharedRule) int { return cmp.Compare(b.Refusals(), a.Refusals()) })
		pages = append(pages, Page{
			Path: service.File(), Section: "Rules", Title: "Rules of " + service.Service, Template: "service",
			Summary: fmt.Sprintf("The %d rules by which %s refuses or ignores parts of tools, with the surfaces that have them.", len(service.Rules), service.Service),
			Data:    service,
		})
	}
	pages = append(pages, Page{
		Path: "rewrites.html", Section: "Rules", Title: "Rewrites", Template: "rewrites",
		Summary: fmt.Sprintf("The %d rewrites that make LLM providers accept a tool, and what each does to its meaning.", len(index.Rewrites)),
		Data:    index.Rewrites,
	})
	for _, rewrite := range index.Rewrites {
		pages = append(pages, Page{
			Path: rewriteFile(rewrite.Name), Section: "Rules", Title: rewrite.Name, Template: "rewrite",
			Summary: "A rewrite of tool schemas, before and after: " + rewrite.Title + ".",
			Data:    rewrite,
		})
	}
	return pages, nil
}

// rewrites returns all rewrites with their examples.
func rewrites() ([]rewriteView, error) {
	var views []rewriteView
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
		views = append(views, view)
	}
	return views, nil
}

// mostRefused shows what the surfaces to which clients pass tools on as they are refuse in most tools.
func mostRefused(counted tally.Tally) plot {
	const most = 12
	shown := plot{Heads: []string{"tools"}}
	for _, surface := range counted.Surfaces {
		isDirect := func(target judge.Target) bool { return target.Dialect.Name == surface.Name }
		if !slices.ContainsFunc(harness.Direct, isDirect) {
			continue
		}
		for _, row := range causeBars(surface, counted.Tools) {
			at := slices.IndexFunc(shown.Bars, func(other bar) bool { return other.Name == row.Name })
			if at < 0 {
				at, shown.Bars = len(shown.Bars), append(shown.Bars, row)
			} else {
				shown.Bars[at].Note += ", "
			}
			shown.Bars[at].Note += surface.Name
			if row.Parts[0].Count > shown.Bars[at].Parts[0].Count {
				shown.Bars[at].Parts, shown.Bars[at].Link = row.Parts, row.Link
			}
		}
	}
	slices.SortStableFunc(shown.Bars, func(a, b bar) int { return cmp.Compare(b.Parts[0].Count, a.Parts[0].Count) })
	shown.Bars = shown.Bars[:min(len(shown.Bars), most)]
	for i, row := range shown.Bars {
		if evidence.Knows(row.Name) {
			shown.Bars[i].Link = keywordFile(row.Name) // which says what to write instead
		}
	}
	return shown
}

// sharedRule is a rule that several surfaces of a service have.
type sharedRule struct {
	*ruleView

	On []*ruleView
}

// Refusals counts the recorded refusals by the rule.
func (s sharedRule) Refusals() int {
	seen := map[*recording.Recording]bool{}
	for _, view := range s.On {
		for _, known := range view.Answers {
			if known.Outcome == "refused" {
				seen[known.Recording] = true
			}
		}
	}
	return len(seen)
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
