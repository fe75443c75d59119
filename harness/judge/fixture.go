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
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Fixture judges a fixture for one target. It judges the raw side where the fixture
// expects something of it, and the normalized side always. A normalized tool must be
// accepted and must mean what the tool means. Where the fixture expects something of
// another normalizer on the target's dialect, that one is judged first. A normalizer
// that does not report its changes is compared with the target's own: it may lose no
// more than that.
func (j Judge) Fixture(ctx context.Context, given *fixture.Fixture, target Target) []verdict.Result {
	expected := given.Expect[target.Dialect.Name]
	var results []verdict.Result
	if expected.Raw != nil {
		asGiven := j.asOf(expected)
		asGiven.ModelName, asGiven.Parameters = cmp.Or(expected.Model, j.ModelName), cmp.Or(expected.Parameters, j.Parameters)
		results = append(results, asGiven.raw(ctx, given, target, *expected.Raw))
	}
	if !given.WireOnly && expected.Normalizer != "" && expected.Normalizer != target.Name() {
		results = append(results, j.asOf(expected).alternate(ctx, given, target, expected))
		expected.Normalized = nil
	}
	if !given.WireOnly && target.Normalizer != nil {
		results = append(results, j.asOf(expected).normalized(ctx, given, target, expected))
	}
	for i := range results {
		excuse(&results[i], given)
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

// excuse marks a failure that the fixture knows of. One that is known and does
// not fail has been mended, which the fixture must say.
func excuse(result *verdict.Result, given *fixture.Fixture) {
	for _, known := range given.Known {
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

func newResult(given *fixture.Fixture, target Target, side string) (verdict.Result, *verdict.Fixture) {
	judged := &verdict.Fixture{Sides: verdict.Sides{Given: target.shown(given.Tools[0])}, ID: given.ID, Side: side}
	return verdict.Result{
		ID: given.ID, Tool: given.Tools[0].Name, Source: "fixtures/" + given.File, Line: 1,
		Target: target.Name(), Dialect: target.Dialect.Name, Kind: judged,
	}, judged
}

func (j Judge) raw(ctx context.Context, given *fixture.Fixture, target Target, expected fixture.Side) verdict.Result {
	result, judged := newResult(given, target, verdict.OfRaw)
	if given.Knows(target.Dialect.Name, "raw") {
		j.Store = nil // what is known to fail is the model, and a recording would answer for it
	}
	response, _, err := j.everywhere(ctx, target.Dialect, target.Also, given.Tools)
	if err == nil {
		raw := j.answer(target.Dialect, given.Tools, response)
		judged.Raw = &raw
	}
	result.Status, result.Error = j.compare(target.Dialect, expected, response, err)
	if err == nil {
		j.weigh(ctx, &result, judged.Raw, target.Dialect, target.Also, given.Tools)
	}
	return result
}

// compare judges an answer, where it rests on evidence that counts.
func (j Judge) compare(dialect *provider.Dialect, expected fixture.Side, response provider.Response, err error) (verdict.Status, string) {
	isRecording := response.Evidence == provider.Reported || response.Evidence == provider.Recorded
	if err == nil && isRecording && response.Date < j.Oldest {
		return verdict.Inconclusive, fmt.Sprintf("the recording is of %s, which is too old: record it again with verify live --record", response.Date)
	}
	return verdict.JudgeRequired(dialect, expected, response, err, j.Required)
}

// askBoth asks about the tools, and about those that fell back on their surface. A
// refusal of either is the answer. Where both accept, it has what either ignores.
func (j Judge) askBoth(ctx context.Context, target Target, tools, fellBack []schema.Tool) (provider.Response, error) {
	if len(fellBack) == 0 {
		answer, _, err := j.everywhere(ctx, target.Dialect, target.Also, tools)
		return answer, err
	}
	answer, err := j.ask(ctx, target.Fallback, fellBack)
	if len(tools) == 0 || err != nil || answer.Verdict != provider.Accepted {
		return answer, err
	}
	strict, err := j.ask(ctx, target.Dialect, tools)
	if err == nil && strict.Verdict == provider.Accepted {
		strict.Ignored = append(slices.Clip(strict.Ignored), ignoredOn(target.Fallback, answer)...)
	}
	return strict, err
}

// alternate judges the normalizer that the fixture names instead of the target's own.
func (j Judge) alternate(ctx context.Context, given *fixture.Fixture, target Target, expected fixture.Expectation) verdict.Result {
	named := normalizers.Named(expected.Normalizer)
	if named == nil {
		result, _ := newResult(given, target, verdict.OfNormalized)
		result.Status, result.Error = verdict.Error, fmt.Sprintf("unknown normalizer %q", expected.Normalizer)
		return result
	}
	target.Normalizer = named
	return j.normalized(ctx, given, target, expected)
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

// fitted returns results within the limits of a request, as the project's own normalizers
// keep them.
func fitted(ctx context.Context, normalizer normalizers.Normalizer, made []normalizers.Result) ([]normalizers.Result, error) {
	if pipeline, isOwn := normalizer.(*normalizers.Pipeline); isOwn {
		return pipeline.Fit(ctx, made)
	}
	return made, nil
}

// bySurface returns the tools of results for the target's surface, and those that fell back.
func bySurface(target Target, made []normalizers.Result) (tools, fellBack []schema.Tool) {
	for _, one := range made {
		if target.Surface(one.Strict) == target.Dialect {
			tools = append(tools, one.Tool)
		} else {
			fellBack = append(fellBack, one.Tool)
		}
	}
	return tools, fellBack
}

func (j Judge) normalized(ctx context.Context, given *fixture.Fixture, target Target, expectation fixture.Expectation) verdict.Result {
	result, shown := newResult(given, target, verdict.OfNormalized)
	fail := func(status verdict.Status, format string, arguments ...any) verdict.Result {
		result.Status, result.Error = status, fmt.Sprintf(format, arguments...)
		return result
	}
	normalizer := normalizerFor(target, expectation)
	shown.Normalizer = normalizer.Name()
	var made []normalizers.Result
	for _, tool := range given.Tools {
		before := tool.Whole().JSON()
		one, err := j.normalize(ctx, normalizer, tool)
		if errors.Is(err, normalizers.ErrUnsupported) {
			return fail(verdict.NotApplicable, "%v", err)
		}
		if err != nil {
			return fail(verdict.Error, "%v", err)
		}
		if string(before) != string(tool.Whole().JSON()) {
			return fail(verdict.Error, "the normalizer changed its input")
		}
		if one.Tool.Name == "" {
			return fail(verdict.Fail, "the normalized tool has no name")
		}
		made = append(made, one)
	}
	made, err := fitted(ctx, normalizer, made)
	if err != nil {
		return fail(verdict.Error, "%v", err)
	}
	first := made[0]
	tools, fellBack := bySurface(target, made)
	answer, err := j.askBoth(ctx, target, tools, fellBack)
	if err == nil {
		judged := j.answer(target.Dialect, tools, answer)
		if len(fellBack) > 0 {
			judged = j.answer(target.Fallback, fellBack, answer)
			if len(tools) > 0 {
				judged.Request = nil // there were two
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
		if text := j.losesMore(ctx, given, target, first); text != "" {
			return fail(verdict.Fail, "%s", text)
		}
		return j.passed(ctx, result, target, tools, fellBack)
	}
	if text := differs(expected, first, target); text != "" {
		return fail(verdict.Fail, "%s", text)
	}
	if len(first.Changes) == 0 && !schema.Identical(given.Tools[0].Whole(), first.Tool.Whole()) {
		return fail(verdict.Fail, "the normalizer changed the tool in silence")
	}
	if text := j.meansOther(given, first, expected.Parameters != nil); text != "" {
		return fail(verdict.Fail, "%s", text)
	}
	return j.passed(ctx, result, target, tools, fellBack)
}

// passed returns the result of a normalized fixture that nothing is found wrong with: a
// pass, where it rests on what counts.
func (j Judge) passed(ctx context.Context, result verdict.Result, target Target, tools, fellBack []schema.Tool) verdict.Result {
	result.Status = verdict.Pass
	if len(fellBack) > 0 {
		j.weigh(ctx, &result, &result.Sides().Normalized.Answer, target.Fallback, nil, fellBack)
	} else {
		j.weigh(ctx, &result, &result.Sides().Normalized.Answer, target.Dialect, target.Also, tools)
	}
	return result
}
