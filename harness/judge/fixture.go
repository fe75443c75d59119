package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Fixture judges a fixture for one target. It judges the raw side if the fixture expects something
// of it, and the normalized side always: a normalized tool must be accepted and must mean what the
// original means. If the fixture expects something of another normalizer for the target's dialect,
// that normalizer is judged first. A normalizer that does not report its changes is compared with
// the target's own, and may lose no more than that.
func (j Judge) Fixture(ctx context.Context, fx *fixture.Fixture, target Target) []verdict.Result {
	expected := fx.Expect[target.Dialect.Name]
	var results []verdict.Result
	if expected.Raw != nil {
		asGiven := j.asOf(expected)
		asGiven.ModelName, asGiven.Parameters = cmp.Or(expected.Model, j.ModelName), cmp.Or(expected.Parameters, j.Parameters)
		results = append(results, asGiven.raw(ctx, fx, target, *expected.Raw))
	}
	if !fx.WireOnly && expected.Normalizer != "" && expected.Normalizer != target.Name() {
		results = append(results, j.asOf(expected).alternate(ctx, fx, target, expected))
		expected.Normalized = nil
	}
	if !fx.WireOnly && target.Normalizer != nil {
		results = append(results, j.asOf(expected).normalized(ctx, fx, target, expected))
	}
	for i := range results {
		excuse(&results[i], fx)
	}
	return results
}

// asOf returns the judge of the day that an expectation names.
func (j Judge) asOf(expected fixture.Expectation) Judge {
	if expected.AsOf != "" {
		j.AsOf = provider.Date(expected.AsOf)
	}
	return j
}

// excuse marks a failure that the fixture declares as known. A declared failure that passes is an
// error, so that the fixture gets updated.
func excuse(result *verdict.Result, fx *fixture.Fixture) {
	for _, known := range fx.Known {
		if known.Dialect != result.Dialect || known.Side != result.Fixture().Side {
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

func newResult(fx *fixture.Fixture, target Target, side string) (verdict.Result, *verdict.Fixture) {
	judged := &verdict.Fixture{Sides: verdict.Sides{Given: target.shown(fx.Tools[0])}, ID: fx.ID, Side: side}
	return verdict.Result{
		ID: fx.ID, Tool: fx.Tools[0].Name, Source: "fixtures/" + fx.File, Line: 1,
		Target: target.Name(), Dialect: target.Dialect.Name, Kind: judged,
	}, judged
}

func (j Judge) raw(ctx context.Context, fx *fixture.Fixture, target Target, expected fixture.Side) verdict.Result {
	result, judged := newResult(fx, target, verdict.OfRaw)
	if fx.Knows(target.Dialect.Name, "raw") {
		j.Store = nil // the known failure is one of the model, which a recording would hide
	}
	response, _, err := j.everywhere(ctx, target.Dialect, target.Also, fx.Tools)
	if err == nil {
		raw := j.answer(target.Dialect, fx.Tools, response)
		judged.Raw = &raw
	}
	result.Status, result.Error = j.compare(target.Dialect, expected, response, err)
	if err == nil {
		j.weigh(ctx, &result, judged.Raw, target.Dialect, target.Also, fx.Tools)
	}
	return result
}

// compare compares an answer with what is expected. The outcome is inconclusive if the answer rests
// on evidence that is too weak or too old.
func (j Judge) compare(dialect *provider.Dialect, expected fixture.Side, response provider.Response, err error) (verdict.Status, string) {
	isRecording := response.Evidence == provider.Reported || response.Evidence == provider.Recorded
	if err == nil && isRecording && response.Date < j.Oldest {
		return verdict.Inconclusive, fmt.Sprintf("the recording is of %s, which is too old: record it again with verify-lab live --record", response.Date)
	}
	return verdict.JudgeRequired(dialect, expected, response, err, j.Required)
}

// askBoth asks the target's dialect about tools, and its fallback about the tools that fell back.
// If one of them refuses, that refusal is the answer. If both accept, the answer lists what either
// of them ignores.
func (j Judge) askBoth(ctx context.Context, target Target, tools, fellBack []schema.Tool) (provider.Response, error) {
	if len(fellBack) == 0 {
		answer, _, err := j.everywhere(ctx, target.Dialect, target.Also, tools)
		return answer, err
	}
	answer, _, err := j.everywhere(ctx, target.Fallback, nil, fellBack)
	if len(tools) == 0 || err != nil || answer.Verdict != provider.Accepted {
		return answer, err
	}
	strict, _, err := j.everywhere(ctx, target.Dialect, nil, tools)
	if err == nil && strict.Verdict == provider.Accepted {
		strict.Ignored = append(slices.Clip(strict.Ignored), ignoredOn(target.Fallback, answer)...)
	}
	return strict, err
}

// alternate judges the normalizer that the fixture names instead of the target's own.
func (j Judge) alternate(ctx context.Context, fx *fixture.Fixture, target Target, expected fixture.Expectation) verdict.Result {
	normalizer := normalizers.Named(expected.Normalizer)
	if normalizer == nil {
		result, _ := newResult(fx, target, verdict.OfNormalized)
		result.Status, result.Error = verdict.Error, fmt.Sprintf("unknown normalizer %q", expected.Normalizer)
		return result
	}
	target.Normalizer = normalizer
	return j.normalized(ctx, fx, target, expected)
}

// normalizerFor returns the target's normalizer with the language, the day and the limits that the
// expectation names.
func normalizerFor(target Target, expected fixture.Expectation) normalizers.Normalizer {
	pipeline, ok := target.Normalizer.(*normalizers.Pipeline)
	if !ok {
		return target.Normalizer
	}
	options := pipeline.Options
	options.AsOf, _ = time.Parse(time.DateOnly, expected.AsOf) // "" gives the zero time, which means today
	if expected.Language != nil {
		options.Language = *expected.Language
	}
	options.DefaultLanguage, options.MaxValues = expected.DefaultLanguage, expected.MaxValues
	return pipeline.With(options)
}

// fitted makes the results fit into one request if the normalizer is one of the project's own
// pipelines. It returns the results of any other normalizer unchanged.
func fitted(ctx context.Context, normalizer normalizers.Normalizer, results []normalizers.Result) ([]normalizers.Result, error) {
	if pipeline, isOwn := normalizer.(*normalizers.Pipeline); isOwn {
		return pipeline.Fit(ctx, results)
	}
	return results, nil
}

// bySurface divides the normalized tools into those for the target's surface and those that fell
// back.
func bySurface(target Target, results []normalizers.Result) (tools, fellBack []schema.Tool) {
	for _, result := range results {
		if target.Surface(result.Strict) == target.Dialect {
			tools = append(tools, result.Tool)
		} else {
			fellBack = append(fellBack, result.Tool)
		}
	}
	return tools, fellBack
}

func (j Judge) normalized(ctx context.Context, fx *fixture.Fixture, target Target, expectation fixture.Expectation) verdict.Result {
	result, shown := newResult(fx, target, verdict.OfNormalized)
	fail := func(status verdict.Status, format string, arguments ...any) verdict.Result {
		result.Status, result.Error = status, fmt.Sprintf(format, arguments...)
		return result
	}
	normalizer := normalizerFor(target, expectation)
	shown.Normalizer = normalizer.Name()
	var results []normalizers.Result
	for _, tool := range fx.Tools {
		before := tool.Whole().JSON()
		normalizedTool, err := j.normalize(ctx, normalizer, tool)
		if errors.Is(err, normalizers.ErrUnsupported) {
			return fail(verdict.NotApplicable, "%v", err)
		}
		if err != nil {
			return fail(verdict.Error, "%v", err)
		}
		if string(before) != string(tool.Whole().JSON()) {
			return fail(verdict.Error, "the normalizer changed its input")
		}
		if normalizedTool.Tool.Name == "" {
			return fail(verdict.Fail, "the normalized tool has no name")
		}
		results = append(results, normalizedTool)
	}
	results, err := fitted(ctx, normalizer, results)
	if err != nil {
		return fail(verdict.Error, "%v", err)
	}
	first := results[0]
	tools, fellBack := bySurface(target, results)
	answer, err := j.askBoth(ctx, target, tools, fellBack)
	if err == nil {
		judged := j.answer(target.Dialect, tools, answer)
		if len(fellBack) > 0 {
			judged = j.answer(target.Fallback, fellBack, answer)
			if len(tools) > 0 {
				judged.Request = nil // the tools were sent in two requests
			}
		}
		shown.Normalized = target.result(first)
		shown.Normalized.Answer = judged
	}
	expected := fixture.Side{Verdict: string(provider.Accepted)}
	if expectation.Normalized != nil {
		expected = *expectation.Normalized
	}
	if status, text := j.compare(target.Dialect, expected, answer, err); status != verdict.Pass {
		return fail(status, "%s", text)
	}
	if first.Unreported {
		if text := j.losesMore(ctx, fx, target, first); text != "" {
			return fail(verdict.Fail, "%s", text)
		}
		return j.passed(ctx, result, target, tools, fellBack)
	}
	if text := differs(expected, first, target); text != "" {
		return fail(verdict.Fail, "%s", text)
	}
	if len(first.Changes) == 0 && !schema.Identical(fx.Tools[0].Whole(), first.Tool.Whole()) {
		return fail(verdict.Fail, "the normalizer changed the tool in silence")
	}
	if text := j.meansOther(fx, first, expected.Parameters != nil); text != "" {
		return fail(verdict.Fail, "%s", text)
	}
	return j.passed(ctx, result, target, tools, fellBack)
}

// passed returns the result of a normalized fixture in which no fault was found. It is a pass if
// the evidence for it suffices.
func (j Judge) passed(ctx context.Context, result verdict.Result, target Target, tools, fellBack []schema.Tool) verdict.Result {
	result.Status = verdict.Pass
	switch normalized := result.Sides().Normalized; {
	case normalized == nil: // unknown, as expected
	case len(fellBack) > 0:
		j.weigh(ctx, &result, &normalized.Answer, target.Fallback, nil, fellBack)
	default:
		j.weigh(ctx, &result, &normalized.Answer, target.Dialect, target.Also, tools)
	}
	return result
}

// Bodies returns the requests of fixtures to those of the surfaces with a rule that have members
// beside the tools, which show what the rule says of these.
func Bodies(dialects []*provider.Dialect, rule *provider.Rule, fixtures []*fixture.Fixture) []refusal.Shown {
	var shown []refusal.Shown
	for _, fx := range fixtures {
		for _, dialect := range dialects {
			expected := fx.Expect[dialect.Name]
			if expected.Parameters == nil || !slices.Contains(dialect.Rules, rule) {
				continue
			}
			request := dialect.Encode(fx.Tools)
			for _, parameter := range expected.Parameters.Members {
				request.Body.Set(parameter.Key, parameter.Value)
			}
			shown = append(shown, refusal.Shown{Request: request, Day: provider.Date(expected.AsOf)})
		}
	}
	return shown
}
