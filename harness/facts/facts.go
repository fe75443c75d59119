// Package facts collects what the project knows as plain data: the types are those of the published
// package data. Commands that list and explain write the same values.
package facts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/requirements"
	"toolproof/normalizers"
	"toolproof/packages/data"
	"toolproof/schema"
)

// Shape is the first two numbers of the version of the data. The first grows if a member goes away or
// changes its meaning, or a name that users ask for goes away; the second if a member is added.
const Shape = data.Major + ".0"

// Version returns the version of the data of a day.
func Version(day string) string { return Shape + "." + strings.ReplaceAll(day, "-", "") }

// Supports are all kinds of support, in the order in which they are shown: what costs most first.
var Supports = []data.Support{data.Refused, data.Ignored, data.Rewritten, data.Unknown, data.Accepted}

// All returns all facts as of today.
func All(ctx context.Context, store *recording.Store) (*data.Data, error) {
	surfaces, err := Surfaces(ctx, store, Surface)
	if err != nil {
		return nil, err
	}
	sets, err := Requirements()
	if err != nil {
		return nil, err
	}
	today := string(provider.Today())
	return &data.Data{
		Version: Version(today), Day: today,
		Constructs: Constructs(), Surfaces: surfaces, Clients: Clients(), Rewrites: Rewrites(), Requirements: sets,
	}, nil
}

// Surfaces returns what of knows of all surfaces, such as Surface.
func Surfaces(ctx context.Context, store *recording.Store, of func(context.Context, *provider.Dialect, *recording.Store) (*data.Surface, error)) ([]data.Surface, error) {
	var all []data.Surface
	for _, dialect := range harness.Dialects {
		surface, err := of(ctx, dialect, store)
		if err != nil {
			return nil, err
		}
		all = append(all, *surface)
	}
	return all, nil
}

// Requirements returns the sets of rules by month.
func Requirements() ([]data.Requirements, error) {
	var all []data.Requirements
	for _, month := range requirements.Months() {
		set, err := requirements.Of(month)
		if err != nil {
			return nil, err
		}
		all = append(all, data.Requirements{Month: set.Month, Rules: set.Rules})
	}
	return all, nil
}

// Constructs returns the constructs, with an example of each.
func Constructs() []data.Construct {
	var all []data.Construct
	for _, one := range evidence.Trials() {
		all = append(all, data.Construct{Name: one.Name, Keyword: one.Keyword, Example: json.RawMessage(one.Tool.Parameters.String())})
	}
	return all
}

// Construct returns the construct with a name, or nil.
func Construct(name string) *data.Construct {
	all := Constructs()
	if at := slices.IndexFunc(all, func(one data.Construct) bool { return one.Name == name }); at >= 0 {
		return &all[at]
	}
	return nil
}

// Tool returns a tool with a construct.
func Tool(construct data.Construct) schema.Tool {
	parameters, err := schema.Parse(construct.Example)
	if err != nil {
		panic("the example of " + construct.Name + " is no schema: " + err.Error())
	}
	return schema.Tool{Name: "f", Parameters: parameters}
}

// Closed returns a tool of which every object takes no properties beside those that it lists, as strict surfaces want
// it.
func Closed(tool schema.Tool) schema.Tool {
	tool.Parameters = tool.Parameters.Clone()
	tool.Parameters.Each(func(subschema *schema.Node) bool {
		if isObject := subschema.Has("properties") || subschema.GetString("type") == "object"; isObject && !subschema.Has("additionalProperties") {
			subschema.Set("additionalProperties", schema.NewBool(false))
		}
		return true
	})
	return tool
}

// OnConstruct is a construct with the statements of all surfaces.
type OnConstruct struct {
	data.Construct

	Surfaces map[string][]data.Statement `json:"surfaces"`
}

// OnSurfaces returns a construct with the statements of surfaces.
func OnSurfaces(construct data.Construct, surfaces []data.Surface) OnConstruct {
	on := OnConstruct{construct, map[string][]data.Statement{}}
	for _, surface := range surfaces {
		if said := surface.Support[construct.Name]; said != nil {
			on.Surfaces[surface.Name] = said
		}
	}
	return on
}

// Rewrites returns the rewrites with their examples.
func Rewrites() []data.Rewrite {
	var all []data.Rewrite
	for _, rule := range normalizers.Rules() {
		_, text, _ := strings.Cut(rule.Doc, "\n\n")
		rewrite := data.Rewrite{
			Name: rule.Name, Title: rule.Title(), Text: text, Loss: rule.Loss.String(),
			Before: json.RawMessage(rule.Before), After: json.RawMessage(rule.After), Targets: []string{},
		}
		for _, pipeline := range normalizers.All {
			if pipeline.Has(rule.Name) {
				rewrite.Targets = append(rewrite.Targets, pipeline.Name())
			}
		}
		all = append(all, rewrite)
	}
	return all
}

// Named returns what a surface is, with its rules but without answers and limits.
func Named(_ context.Context, dialect *provider.Dialect, _ *recording.Store) (*data.Surface, error) {
	surface := &data.Surface{
		Name: dialect.Name, Doc: dialect.Doc, Subject: string(dialect.Subject), Strict: dialect.Strict, API: string(dialect.API),
		Support: map[string][]data.Statement{}, Limits: []data.Limit{}, Rules: []data.Rule{},
	}
	for _, version := range dialect.Versions {
		surface.Releases = append(surface.Releases, data.Release{Name: version.Name, Day: string(version.Date)})
	}
	for _, rule := range dialect.Rules {
		surface.Rules = append(surface.Rules, Plain(rule))
	}
	return surface, nil
}

// Surface returns what is known of a surface.
func Surface(ctx context.Context, dialect *provider.Dialect, store *recording.Store) (*data.Surface, error) {
	surface, err := Supporting(ctx, dialect, store)
	if err != nil {
		return nil, err
	}
	if surface.Limits, err = Limits(ctx, dialect); err != nil {
		return nil, fmt.Errorf("asking %s about limits: %w", dialect.Name, err)
	}
	for i, rule := range dialect.Rules {
		known, err := Rule(ctx, dialect, rule, store)
		if err != nil {
			return nil, err
		}
		surface.Rules[i] = *known
	}
	return surface, nil
}

// Supporting returns what a surface does with each construct. It leaves out limits, and the answers that show rules.
func Supporting(ctx context.Context, dialect *provider.Dialect, store *recording.Store) (*data.Surface, error) {
	surface, _ := Named(ctx, dialect, store) // the error is nil
	constructs, err := evidence.Constructs(ctx, dialect, store)
	if err != nil {
		return nil, fmt.Errorf("asking %s about constructs: %w", dialect.Name, err)
	}
	for _, construct := range constructs {
		for _, said := range construct.Statements {
			stated, err := statement(ctx, dialect, said, store)
			if err != nil {
				return nil, err
			}
			surface.Support[construct.Name] = append(surface.Support[construct.Name], stated)
		}
	}
	return surface, nil
}

// supports are the states of evidence as the data has them.
var supports = map[evidence.State]data.Support{
	evidence.Refused: data.Refused, evidence.Ignored: data.Ignored, evidence.Accepted: data.Accepted, evidence.Predicted: data.Accepted,
	evidence.Rewritten: data.Rewritten, evidence.Unknown: data.Unknown,
}

// Doc returns the title and the text of a rule.
func Doc(title, text string) string {
	if text == "" {
		return title
	}
	return title + "\n\n" + text
}

// Effect returns what a rule does with a support, as a verb; "" for one that is accepted.
func Effect(support data.Support) provider.Effect {
	for effect, known := range effects {
		if known == support {
			return effect
		}
	}
	return ""
}

// effects are the effects of rules as the data has them.
var effects = map[provider.Effect]data.Support{
	provider.Rejects: data.Refused, provider.Ignores: data.Ignored, provider.Rewrites: data.Rewritten, provider.Unknown: data.Unknown,
}

func statement(ctx context.Context, dialect *provider.Dialect, said evidence.Statement, store *recording.Store) (data.Statement, error) {
	stated := data.Statement{
		Support: supports[said.State], Note: said.Remark, Since: string(said.Since), Until: string(said.Until),
	}
	grade := provider.Predicted
	for _, recorded := range said.Answers {
		source, err := answer(dialect, recorded)
		if err != nil {
			return stated, err
		}
		stated.Sources = append(stated.Sources, source.Source)
		grade = max(grade, source.grade)
	}
	if said.State != evidence.Unknown {
		stated.Grade = grade.String()
	}
	if said.Rule != nil {
		stated.Rule = said.Rule.Name
		if len(stated.Sources) == 0 {
			known, err := Rule(ctx, dialect, said.Rule, store)
			if err != nil {
				return stated, err
			}
			stated.Sources = known.Sources[:min(len(known.Sources), mostSources)]
		}
	}
	if said.State == evidence.Refused {
		stated.Words = said.Words
	}
	return stated, nil
}

// A statement has at most mostSources sources, each with at most mostWords bytes of an answer.
const (
	mostSources = 3
	mostWords   = 500 // bytes of the words of an answer
)

// graded is a source with its grade.
type graded struct {
	data.Source

	grade provider.Grade
}

// answer returns a recorded answer as a source.
func answer(dialect *provider.Dialect, recorded *recording.Recording) (graded, error) {
	read, err := recorded.Answer(dialect)
	if err != nil {
		return graded{}, err
	}
	source := data.Source{Outcome: outcome(recorded), Day: string(recorded.Date), Grade: read.Evidence.String(), Model: recorded.Model, Where: recorded.Source}
	if recorded.Accepted() {
		return graded{source, read.Evidence}, nil
	}
	if source.Words = strings.TrimSpace(read.Message); len(source.Words) > mostWords {
		source.Words = strings.ToValidUTF8(source.Words[:mostWords], "") + "…"
	}
	return graded{source, read.Evidence}, nil
}

// Rule returns what is known of a rule of a surface. Its sources are what it is known from, and then the answers on
// which it fires, those of the surface itself first and of them the newest.
func Rule(ctx context.Context, dialect *provider.Dialect, rule *provider.Rule, store *recording.Store) (*data.Rule, error) {
	known := Plain(rule)
	found := evidence.RecordingsOf(rule, store)
	slices.SortStableFunc(found, func(a, b *recording.Recording) int {
		if isOwn := a.Dialect == dialect.Name; isOwn != (b.Dialect == dialect.Name) {
			if isOwn {
				return -1
			}
			return 1
		}
		return strings.Compare(string(b.Date), string(a.Date))
	})
	for _, recorded := range found {
		if !evidence.Shows(ctx, rule, recorded) {
			continue
		}
		of, err := harness.DialectNamed(recorded.Dialect)
		if err != nil {
			return nil, err
		}
		source, err := answer(of, recorded)
		if err != nil {
			return nil, err
		}
		if of != dialect {
			source.Surface = of.Name
		}
		known.Sources = append(known.Sources, source.Source)
	}
	return &known, nil
}
