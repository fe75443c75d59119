package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// Runner judges fixtures. A normalizer that cannot tell what it changes is held against
// the target's own: it may lose what that loses, and no more.
type Runner struct {
	Store *recording.Store
	AsOf  provider.Date
	// Required is the lowest grade of evidence that counts; anything below is
	// inconclusive. Zero means any.
	Required provider.Grade
	// Oldest is the first day of recordings that count; a verdict that rests on an older
	// one is inconclusive. Empty means any.
	Oldest  provider.Date
	Timeout time.Duration // of a normalizer on one tool; 0 means 10 seconds
	// Requests gives each answer the request that was judged.
	Requests bool
}

// Run judges every fixture for every target.
func (r Runner) Run(ctx context.Context, fixtures []*fixture.Fixture, targets []Target) []verdict.Result {
	var results []verdict.Result
	for _, given := range fixtures {
		for _, target := range targets {
			results = append(results, r.Judge(ctx, given, target)...)
		}
	}
	return results
}

// Judge judges one fixture for one target: the raw side where something is
// expected of it, and the normalized side always, because a normalized tool must be
// accepted and must mean what the tool means. Where the fixture expects something of
// another normalizer on the target's dialect, that one is judged first.
func (r Runner) Judge(ctx context.Context, given *fixture.Fixture, target Target) []verdict.Result {
	expected := given.Expect[target.Dialect.Name]
	var results []verdict.Result
	if expected.Raw != nil {
		results = append(results, r.asOf(expected).raw(ctx, given, target, *expected.Raw))
	}
	if !given.WireOnly && expected.Normalizer != "" && expected.Normalizer != target.Name() {
		results = append(results, r.asOf(expected).alternate(ctx, given, target, expected))
		expected.Normalized = nil
	}
	if !given.WireOnly && target.Normalizer != nil {
		results = append(results, r.asOf(expected).normalized(ctx, given, target, expected))
	}
	for i := range results {
		excuse(&results[i], given)
	}
	return results
}

// asOf returns the runner for the day that an expectation names.
func (r Runner) asOf(expected fixture.Expectation) Runner {
	if expected.AsOf != "" {
		r.AsOf = provider.Date(expected.AsOf)
	}
	return r
}

// excuse marks a failure that the fixture knows of. One that is known and does
// not fail has been mended, which the fixture must say.
func excuse(result *verdict.Result, given *fixture.Fixture) {
	for _, known := range given.Known {
		if known.Dialect != result.Dialect || known.Side != result.Side {
			continue
		}
		switch result.Status {
		case verdict.Fail:
			result.Status = verdict.KnownFailure
			result.Error = known.Reason
		case verdict.Pass:
			result.Status = verdict.Error
			result.Error = "a known failure no longer fails: remove it from the fixture"
		default: // an error is never excused
		}
	}
}

func newResult(given *fixture.Fixture, target Target, side string) verdict.Result {
	return verdict.Result{
		Version: verdict.Version, Fixture: given.ID, ID: given.ID, Tool: given.Tools[0].Name, Source: "fixtures/" + given.File, Line: 1,
		Target: target.Name(), Dialect: target.Dialect.Name, Side: side, Given: given.Tools[0].Node(),
	}
}

func (r Runner) ask(ctx context.Context, dialect *provider.Dialect, tools []schema.Tool) (provider.Response, error) {
	return Offline{Dialect: dialect, Store: r.Store, AsOf: r.AsOf}.Send(ctx, dialect.Encode(tools))
}

func (r Runner) raw(ctx context.Context, given *fixture.Fixture, target Target, expected fixture.Side) verdict.Result {
	result := newResult(given, target, "raw")
	if given.Knows(target.Dialect.Name, "raw") {
		r.Store = nil // what is known to fail is the model, and a recording would answer for it
	}
	response, _, err := askEverywhere(target.Dialect, target.Also, func(dialect *provider.Dialect) (provider.Response, error) {
		return r.ask(ctx, dialect, given.Tools)
	})
	if err == nil {
		result.Raw = &verdict.Answer{Verdict: response.Verdict, Evidence: response.Evidence, Findings: verdict.Findings(response)}
		if r.Requests {
			result.Raw.Request = target.Dialect.Encode(given.Tools).Body
		}
	}
	result.Status, result.Error = r.compare(expected, response, err)
	return result
}

// compare judges an answer, where it rests on evidence that counts.
func (r Runner) compare(expected fixture.Side, response provider.Response, err error) (verdict.Status, string) {
	isRecording := response.Evidence == provider.Reported || response.Evidence == provider.Recorded
	if err == nil && isRecording && response.Date < r.Oldest {
		return verdict.Inconclusive, fmt.Sprintf("the recording is of %s, which is too old: record it again with verify live --record", response.Date)
	}
	return verdict.JudgeRequired(expected, response, err, r.Required)
}

// askBoth asks about the tools, and about those that fell back on their surface. A
// refusal of either is the answer.
func (r Runner) askBoth(ctx context.Context, target Target, tools, fellBack []schema.Tool) (provider.Response, error) {
	if len(fellBack) == 0 {
		answer, _, err := askEverywhere(target.Dialect, target.Also, func(dialect *provider.Dialect) (provider.Response, error) {
			return r.ask(ctx, dialect, tools)
		})
		return answer, err
	}
	answer, err := r.ask(ctx, target.Fallback, fellBack)
	if len(tools) == 0 || err != nil || answer.Verdict != provider.Accepted {
		return answer, err
	}
	return r.ask(ctx, target.Dialect, tools)
}

// alternate judges the normalizer that the fixture names instead of the target's own.
func (r Runner) alternate(ctx context.Context, given *fixture.Fixture, target Target, expected fixture.Expectation) verdict.Result {
	named := normalizers.Named(expected.Normalizer)
	if named == nil {
		result := newResult(given, target, "normalized")
		result.Status, result.Error = verdict.Error, fmt.Sprintf("unknown normalizer %q", expected.Normalizer)
		return result
	}
	target.Normalizer = named
	return r.normalized(ctx, given, target, expected)
}

// normalizerFor returns the target's normalizer in the language of the expectation, as
// of its day and within its limit.
func normalizerFor(target Target, expected fixture.Expectation) normalizers.Normalizer {
	pipeline, ok := target.Normalizer.(*normalizers.Pipeline)
	if !ok {
		return target.Normalizer
	}
	options := pipeline.Options
	options.AsOf, _ = time.Parse(time.DateOnly, expected.AsOf) // of "" the zero time, which is today
	if expected.Language != nil {
		options.Language = *expected.Language
	}
	options.DefaultLanguage, options.MaxValues = expected.DefaultLanguage, expected.MaxValues
	return pipeline.With(options)
}

func (r Runner) normalized(ctx context.Context, given *fixture.Fixture, target Target, expectation fixture.Expectation) verdict.Result {
	result := newResult(given, target, "normalized")
	fail := func(status verdict.Status, format string, arguments ...any) verdict.Result {
		result.Status, result.Error = status, fmt.Sprintf(format, arguments...)
		return result
	}
	normalizer := normalizerFor(target, expectation)
	result.Normalizer = normalizer.Name()
	var first normalizers.Result
	var tools, fellBack []schema.Tool
	for i, tool := range given.Tools {
		before := tool.Node().JSON()
		one, err := normalize(ctx, normalizer, tool, r.Timeout)
		if errors.Is(err, normalizers.ErrUnsupported) {
			return fail(verdict.NotApplicable, "%v", err)
		}
		if err != nil {
			return fail(verdict.Error, "%v", err)
		}
		if string(before) != string(tool.Node().JSON()) {
			return fail(verdict.Error, "the normalizer changed its input")
		}
		if one.Tool.Name == "" {
			return fail(verdict.Fail, "the normalized tool has no name")
		}
		if target.Fallback != nil && !one.Strict {
			fellBack = append(fellBack, one.Tool)
		} else {
			tools = append(tools, one.Tool)
		}
		if i == 0 {
			first = one
		}
	}
	answer, err := r.askBoth(ctx, target, tools, fellBack)
	if err == nil {
		result.Normalized = normalizedResult(first)
		result.Normalized.Answer = answerOf(answer)
		switch {
		case !r.Requests:
		case len(fellBack) == 0:
			result.Normalized.Request = target.Dialect.Encode(tools).Body
		case len(tools) == 0:
			result.Normalized.Request = target.Fallback.Encode(fellBack).Body
		}
	}
	expected := fixture.Side{Verdict: string(provider.Accepted)}
	if expectation.Normalized != nil {
		expected = *expectation.Normalized
	}
	if status, text := r.compare(expected, answer, err); status != verdict.Pass {
		return fail(status, "%s", text)
	}
	if first.Unreported {
		if text := r.losesMore(ctx, given, target, first, expected.Parameters != nil); text != "" {
			return fail(verdict.Fail, "%s", text)
		}
		result.Status = verdict.Pass
		return result
	}
	if text := differs(expected, first); text != "" {
		return fail(verdict.Fail, "%s", text)
	}
	if len(first.Changes) == 0 && !schema.Identical(given.Tools[0].Node(), first.Tool.Node()) {
		return fail(verdict.Fail, "the normalizer changed the tool in silence")
	}
	if text := meansOther(given, first, expected.Parameters != nil); text != "" {
		return fail(verdict.Fail, "%s", text)
	}
	result.Status = verdict.Pass
	return result
}

// differs compares a normalized tool with the exact forms that are expected.
func differs(expected fixture.Side, got normalizers.Result) string {
	if expected.Parameters != nil && !schema.Identical(expected.Parameters, got.Tool.Parameters) {
		return fmt.Sprintf("expected the parameters\n  %s\ngot\n  %s", expected.Parameters, got.Tool.Parameters)
	}
	if expected.Tool != nil && !schema.Identical(expected.Tool, got.Tool.Node()) {
		return fmt.Sprintf("expected the tool\n  %s\ngot\n  %s", expected.Tool, got.Tool.Node())
	}
	if expected.Loss != "" && expected.Loss != got.Loss().String() {
		return fmt.Sprintf("expected the loss %s, got %s", expected.Loss, got.Loss())
	}
	if expected.Strict != nil && *expected.Strict != got.Strict {
		return fmt.Sprintf("expected strict %t, got %t: %s", *expected.Strict, got.Strict, got.Fallback)
	}
	return ""
}

// meansOther says how a normalized tool means something else than the changes
// say, as far as the fixture's arguments show it; and whether it was emptied, unless
// the exact form was expected.
func meansOther(given *fixture.Fixture, got normalizers.Result, isExpected bool) string {
	raw, normalized := given.Tools[0].Parameters, got.Tool.Parameters
	if text := lostShape(raw, normalized, isExpected); text != "" || normalized == nil || len(given.Valid)+len(given.Invalid) == 0 {
		return text
	}
	compiled, err := instance.Compile(normalized)
	if err != nil {
		return noSchema(raw, err)
	}
	var loss rewrite.Loss
	for _, change := range got.Changes {
		loss |= change.Loss
	}
	for _, instance := range given.Valid {
		switch accepts, err := compiled.AcceptsWithin(instance); {
		case err != nil:
			return notJudged(instance, err)
		case loss&rewrite.Narrows == 0 && !accepts:
			return fmt.Sprintf("the normalized schema refuses %s, and no change says that it narrows", instance)
		}
	}
	for _, instance := range given.Invalid {
		switch accepts, err := compiled.AcceptsWithin(instance); {
		case err != nil:
			return notJudged(instance, err)
		case loss&rewrite.Widens == 0 && accepts:
			return fmt.Sprintf("the normalized schema accepts %s, and no change says that it widens", instance)
		}
	}
	return ""
}

// notJudged says that a normalized schema takes too long to be asked about an instance.
func notJudged(instance *schema.Node, err error) string {
	return fmt.Sprintf("the normalized schema cannot be asked about %s: %v", instance, err)
}

// lostShape says whether a tool was emptied, unless the exact form was expected, or its
// properties have another order.
func lostShape(raw, normalized *schema.Node, isExpected bool) string {
	if !isExpected && hasProperties(raw) && !hasProperties(normalized) {
		return "the normalized tool has lost all its properties"
	}
	if normalized == nil {
		return ""
	}
	return outOfOrder(raw, normalized)
}

// noSchema says that normalized parameters cannot be compiled, where those as given can.
func noSchema(raw *schema.Node, err error) string {
	if _, before := instance.Compile(raw); before != nil {
		return "" // What the tool means was not known before either.
	}
	return fmt.Sprintf("the normalized parameters are no schema: %v", err)
}

// losesMore says what a normalizer that reports nothing loses and the target's own does
// not, as far as the fixture's arguments show it. Of what is accepted beyond the tool
// as it was meant nothing is said: a provider may not be able to say less.
func (r Runner) losesMore(ctx context.Context, given *fixture.Fixture, target Target, got normalizers.Result, isExpected bool) string {
	raw, normalized := given.Tools[0].Parameters, got.Tool.Parameters
	if text := lostShape(raw, normalized, isExpected); text != "" || normalized == nil || len(given.Valid) == 0 {
		return text
	}
	compiled, err := instance.Compile(normalized)
	if err != nil {
		return noSchema(raw, err)
	}
	accepts := r.acceptedByOwn(ctx, given, target)
	for _, instance := range given.Valid {
		switch accepted, err := compiled.AcceptsWithin(instance); {
		case err != nil:
			return notJudged(instance, err)
		case !accepted && accepts(instance):
			return fmt.Sprintf("the normalized schema refuses %s, which the tool takes", instance)
		}
	}
	return ""
}

// acceptedByOwn returns what the target's own normalizer leaves accepted of a fixture.
func (r Runner) acceptedByOwn(ctx context.Context, given *fixture.Fixture, target Target) func(*schema.Node) bool {
	all := func(*schema.Node) bool { return true }
	own, err := TargetNamed(target.Name())
	if err != nil {
		return all
	}
	result, err := normalize(ctx, own.Normalizer, given.Tools[0], r.Timeout)
	if err != nil {
		return all
	}
	compiled, err := instance.Compile(result.Tool.Parameters)
	if err != nil {
		return all
	}
	return compiled.Accepts
}

// hasProperties reports whether a schema declares properties, or a branch of its union
// does.
func hasProperties(parameters *schema.Node) bool {
	if properties := parameters.Get("properties"); properties != nil && len(properties.Members) > 0 {
		return true
	}
	union := parameters.Get("anyOf")
	return union != nil && slices.ContainsFunc(union.Elements, hasProperties)
}

// outOfOrder says which properties of the root have changed their order, which
// decides in what order a model writes them.
func outOfOrder(raw, normalized *schema.Node) string {
	before, after := common(raw.Get("properties").Keys(), normalized.Get("properties").Keys()), common(normalized.Get("properties").Keys(), raw.Get("properties").Keys())
	if !slices.Equal(before, after) {
		return fmt.Sprintf("the properties were in the order %s and are now in the order %s", strings.Join(before, ", "), strings.Join(after, ", "))
	}
	return ""
}

// common returns those of the names that are among the others.
func common(names, others []string) []string {
	isOther := schema.Among(others)
	return slices.DeleteFunc(names, func(name string) bool { return !isOther(name) })
}

// Agreement is how a model compares with one recording.
type Agreement struct {
	Recording *recording.Recording
	Status    verdict.Status
	Error     string
}

// CrossExamine asks each dialect's model what each recording was an answer to, as
// of the recording's date. A model that fails as a fixture of the recording knows is
// a known failure.
func CrossExamine(ctx context.Context, store *recording.Store, dialects []*provider.Dialect, fixtures []*fixture.Fixture) []Agreement {
	agreements := make([]Agreement, 0, len(store.All))
	for _, recorded := range store.All {
		agreement := Agreement{Recording: recorded}
		agreement.Status, agreement.Error = crossExamine(ctx, recorded, dialects)
		if agreement.Status == verdict.Fail && isKnown(recorded, dialects, fixtures) {
			agreement.Status = verdict.KnownFailure
		}
		agreements = append(agreements, agreement)
	}
	return agreements
}

// isKnown reports whether a fixture of the recording knows that the model fails.
func isKnown(recorded *recording.Recording, dialects []*provider.Dialect, fixtures []*fixture.Fixture) bool {
	return slices.ContainsFunc(fixtures, func(given *fixture.Fixture) bool {
		return given.Knows(recorded.Dialect, "raw") && slices.ContainsFunc(dialects, func(dialect *provider.Dialect) bool {
			return dialect.Name == recorded.Dialect && dialect.Encode(given.Tools).Digest() == recorded.Digest
		})
	})
}

func crossExamine(ctx context.Context, recorded *recording.Recording, dialects []*provider.Dialect) (verdict.Status, string) {
	i := slices.IndexFunc(dialects, func(dialect *provider.Dialect) bool { return dialect.Name == recorded.Dialect })
	if i < 0 {
		return verdict.Error, "no model of the dialect " + recorded.Dialect
	}
	answer, err := recorded.Answer(dialects[i])
	if err != nil {
		return verdict.Error, err.Error()
	}
	model := provider.Model{Dialect: dialects[i], AsOf: recorded.Date, ModelName: recorded.Model}
	predicted, err := model.Send(ctx, dialects[i].Request(recorded.Request.Declarations))
	if err != nil {
		return verdict.Error, err.Error()
	}
	return verdict.Agree(predicted, answer, recorded.Response.Fragment != "")
}
