// Package judge takes tools through the whole flow: normalize, encode, send, verdict. It judges a
// user's tool, the tools of one request, and a fixture. It gets its answers from any
// provider.Provider: recordings and models (Offline), a replay, or a live client.
package judge

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Judge judges tools. The zero value asks the models of today.
type Judge struct {
	// Provider returns what answers for a surface; nil means Offline with Store, AsOf and
	// ModelName.
	Provider func(*provider.Dialect) provider.Provider
	Store    *recording.Store // nil means no recordings
	AsOf     provider.Date    // empty means today
	// ModelName is the provider's model; empty means that it is not known.
	ModelName string
	// Parameters are members of the request's body beside the declarations, such as
	// reasoning_effort; nil means none.
	Parameters *schema.Node
	// Raw means that the tools must be accepted as given. The normalized tools are then only a
	// proposal.
	Raw bool
	// Lossless makes an accepted tool fail if the surface ignores a part of it.
	Lossless bool
	// Requests adds to each answer the request that was judged.
	Requests bool
	// Required is the lowest grade of evidence that counts; a result on weaker evidence is
	// inconclusive. Zero means that any evidence counts.
	Required provider.Grade
	// Coverage adds to a predicted acceptance how much of the tool recordings show; nil adds
	// nothing.
	Coverage *Coverage
	// Seen makes a predicted acceptance inconclusive unless recordings show every construct of the
	// tool. It requires Coverage.
	Seen bool
	// Oldest is the first day of recordings that count for a fixture; a verdict that rests on an
	// older one is inconclusive. Empty means that any recording counts.
	Oldest provider.Date
	// Timeout bounds the time that a normalizer from outside the project may spend on one tool; 0
	// means 10 seconds.
	Timeout time.Duration
	// Memory caches what is learnt about the tools of one request or fixture; nil means no cache.
	Memory *Memory
}

// Subject is a tool that is judged.
type Subject struct {
	toolfile.Tool

	Source string // the file, program or server that the tool is from
	// Shared is what the normalized tool becomes because of the other tools in its request.
	Shared Shared
	// Cures finds what the author can do about a refusal of the tool as given; nil if nobody asks.
	Cures *Cures
}

// result returns the result of a subject before it is judged.
func (j Judge) result(s Subject, target Target) verdict.Result {
	judged := &verdict.Tool{Sides: verdict.Sides{RawDialect: target.Dialect.Name}, IsResponse: s.IsResponse, IsNormalized: !j.Raw}
	result := verdict.Result{
		ID: s.ID, Tool: s.Tool.Name, Source: s.Source, Line: s.Line, Target: target.Name(), Dialect: target.Dialect.Name, Kind: judged,
	}
	if s.Err != nil {
		result.Status, result.Error = verdict.Error, s.Err.Error()
		return result
	}
	judged.Given = target.shown(s.Tool.Tool)
	if s.Cures != nil {
		judged.Cure = s.Cures.Of
	}
	return result
}

// Tool judges a tool for a target: as it is given, and normalized.
func (j Judge) Tool(ctx context.Context, subject Subject, target Target) verdict.Result {
	result := j.result(subject, target)
	if subject.Err != nil {
		return result
	}
	sides := result.Sides()
	raws := []schema.Tool{subject.Tool.Tool}
	response, surface, err := j.everywhere(ctx, target.Dialect, target.Also, raws)
	unknown, isUnknown := errors.AsType[*provider.UnknownError](err)
	if err != nil && (!isUnknown || j.Raw || target.Normalizer == nil) {
		result.Status, result.Error = verdict.Inconclusive, err.Error()
		return result
	}
	result.Status = verdict.Pass
	if !isUnknown { // the normalized tool may lack what is unknown
		if left := target.leftOut(subject.Tool.Tool); len(left) > 0 {
			response.Ignored = slices.Concat(response.Ignored, left)
		}
		response.Behind = j.behind(ctx, surface, raws, response)
		raw := j.answer(target.Dialect, raws, response)
		placeFindings(raw.Findings, subject.Tool)
		placeFindings(raw.Ignored, subject.Tool)
		sides.Raw, sides.RawDialect = &raw, surface.Name
		if j.Raw && !j.conforms(raw) {
			result.Status = verdict.Fail
		}
	}
	if target.Normalizer == nil {
		return j.onlyAsGiven(ctx, result, target, raws, target.Dialect.AsGiven)
	}

	normalized, err := j.normalizeSubject(ctx, subject, target)
	if err != nil {
		result.Status, result.Error = verdict.Error, err.Error()
		return result
	}
	if target.cannotSay(normalized) && isUnknown {
		result.Status, result.Error = verdict.Inconclusive, unknown.Error()
		return result
	}
	if target.cannotSay(normalized) {
		return j.onlyAsGiven(ctx, result, target, raws, normalized.Fallback)
	}
	dialect, normalizedTools := target.Surface(normalized.Strict), []schema.Tool{normalized.Tool}
	result.Dialect = dialect.Name
	shown := target.result(normalized)
	placeChanges(shown.Changes, subject.Tool)
	normalized.Changes = nil // shown has them; the memory is free for the model
	response, surface, err = j.everywhere(ctx, dialect, target.Also, normalizedTools)
	if err != nil {
		result.Status, result.Error = verdict.Inconclusive, err.Error()
		return result
	}
	response.Behind = j.behind(ctx, surface, normalizedTools, response)
	shown.Answer, sides.Normalized = j.answer(dialect, normalizedTools, response), shown
	if !j.Raw && !j.conforms(shown.Answer) {
		result.Status = verdict.Fail
	}
	if response.Verdict != provider.Accepted {
		result.Dialect = surface.Name
	} else {
		sides.Understood = j.understood(dialect, normalized.Tool)
	}
	if j.Raw {
		j.weigh(ctx, &result, sides.Raw, target.Dialect, target.Also, raws)
	} else {
		j.weigh(ctx, &result, &shown.Answer, dialect, target.Also, normalizedTools)
	}
	return result
}

// Custom judges a custom tool of a request by the model of a surface, unless the tool is in the form of
// another API. If the status is neither Pass nor NotApplicable, the text says why.
func (j Judge) Custom(ctx context.Context, custom toolfile.Passed, target Target) (verdict.Status, string) {
	if !target.Dialect.JudgesCustom || custom.Entry.Has("custom") != (target.Dialect.API == provider.ChatCompletions) {
		return verdict.NotApplicable, ""
	}
	tools := slices.Repeat([]*schema.Node{schema.NewObject()}, custom.Index) // any others
	body := provider.Object("tools", schema.NewArray(append(tools, custom.Entry)...))
	model := j.model(target.Dialect)
	answer, err := model.Send(ctx, provider.Request{Dialect: target.Dialect.Name, Body: body})
	if err == nil {
		err = answer.Settled()
	}
	switch {
	case err != nil:
		return verdict.Inconclusive, err.Error()
	case answer.Verdict == provider.Rejected:
		return verdict.Fail, answer.Message
	default:
		return verdict.Pass, ""
	}
}

// onlyAsGiven completes the result of a tool that has no normalized form and therefore has to be
// accepted as given. why is the reason.
func (j Judge) onlyAsGiven(ctx context.Context, result verdict.Result, target Target, tools []schema.Tool, why string) verdict.Result {
	sides := result.Sides()
	sides.AsGiven = why
	if !j.conforms(*sides.Raw) {
		result.Status = verdict.Fail
	}
	j.weigh(ctx, &result, sides.Raw, target.Dialect, target.Also, tools)
	return result
}

// conforms reports whether an answer is the one that a tool needs: an acceptance and, if Lossless
// is set, one that ignores nothing.
func (j Judge) conforms(answer verdict.Answer) bool {
	return answer.Verdict == provider.Accepted && !(j.Lossless && answer.Loses())
}

// normalizeSubject normalizes a subject, taking into account the other tools of its request.
func (j Judge) normalizeSubject(ctx context.Context, subject Subject, target Target) (normalizers.Result, error) {
	normalizer := target.Normalizer
	if pipeline, isOwn := normalizer.(*normalizers.Pipeline); isOwn && subject.Shared.Fallback != "" {
		normalizer = fallingBack{pipeline, subject.Shared.Fallback}
	}
	normalized, err := j.normalize(ctx, normalizer, subject.Tool.Tool)
	if err == nil && subject.Shared.Name != "" {
		normalized = normalized.Renamed(subject.Shared.Name)
	}
	return normalized, err
}

// fallingBack is a pipeline that always takes its fallback, for a reason that its changes state.
type fallingBack struct {
	*normalizers.Pipeline

	reason string
}

// Normalize normalizes a tool with the fallback.
func (f fallingBack) Normalize(ctx context.Context, tool schema.Tool) (normalizers.Result, error) {
	return f.FallBack(ctx, tool, f.reason)
}

// understood returns the declaration that the provider makes of a tool that it accepts; nil if it
// leaves the tool as it is.
func (j Judge) understood(dialect *provider.Dialect, tool schema.Tool) *schema.Node {
	if dialect.Echo == nil {
		return nil
	}
	declaration := dialect.Declaration(tool)
	if echo := dialect.Echo(declaration, cmp.Or(j.AsOf, provider.Today())); !schema.Identical(echo, declaration) {
		return echo
	}
	return nil
}

// offline returns what answers for a surface if Provider is nil.
func (j Judge) offline(dialect *provider.Dialect) Offline {
	return Offline{Dialect: dialect, Store: j.Store, AsOf: j.AsOf, ModelName: j.ModelName, Parameters: j.Parameters}
}

// ask sends the tools in one request. The answer to a request of a single tool may come from the
// memory.
func (j Judge) ask(ctx context.Context, dialect *provider.Dialect, tools []schema.Tool) (provider.Response, error) {
	send := func() (provider.Response, error) {
		if j.Provider == nil {
			return j.offline(dialect).Send(ctx, dialect.Declared(tools))
		}
		request := dialect.Encode(tools)
		response, err := j.Provider(dialect).Send(ctx, request)
		if err == nil && response.Verdict == provider.Accepted {
			response.Ignored = j.ignored(ctx, dialect, request)
		}
		return response, err
	}
	if len(tools) != 1 {
		return send()
	}
	return j.Memory.ask(question{j.offline(dialect), tools[0]}, send)
}

// behind returns what waits behind the refusal of tools by a surface, as far as its model knows: an
// ignored finding must not hide what is refused next. Behind a live answer, nothing is predicted.
func (j Judge) behind(ctx context.Context, dialect *provider.Dialect, tools []schema.Tool, refusal provider.Response) []provider.Finding {
	isUnexplained := func(finding provider.Finding) bool { return finding.Rule == nil }
	if j.Provider != nil || refusal.Verdict != provider.Rejected || len(refusal.Findings) == 0 || slices.ContainsFunc(refusal.Findings, isUnexplained) {
		return nil
	}
	model := j.model(dialect)
	found, err := model.Behind(ctx, dialect.Declared(tools), refusal.Findings)
	if err != nil {
		return nil // judging further takes too many steps
	}
	return found
}

// everywhere asks a surface, and then the others that take the same tools. It returns the answer of
// the first surface that refuses them, and that surface. If all accept, it returns the answer of
// the first surface, extended by what the others ignore, and an *UnknownError if a model does not
// know whether they do.
func (j Judge) everywhere(
	ctx context.Context, first *provider.Dialect, others []*provider.Dialect, tools []schema.Tool,
) (provider.Response, *provider.Dialect, error) {
	answer, err := j.ask(ctx, first, tools)
	if err != nil || answer.Verdict != provider.Accepted {
		return answer, first, err
	}
	for _, other := range others {
		further, err := j.ask(ctx, other, tools)
		if err != nil || further.Verdict != provider.Accepted {
			return further, other, err
		}
		answer.Ignored, answer.Unknown = append(slices.Clip(answer.Ignored), ignoredOn(other, further)...), slices.Concat(answer.Unknown, further.Unknown)
	}
	return answer, first, answer.Settled()
}

// ignoredOn returns what a surface ignores according to an answer, labelled with the name of the
// surface.
func ignoredOn(surface *provider.Dialect, answer provider.Response) []provider.Finding {
	ignored := slices.Clone(answer.Ignored)
	for i := range ignored {
		ignored[i].Surface = surface.Name
	}
	return ignored
}

// answer converts a surface's response to tools into the answer of a result.
func (j Judge) answer(dialect *provider.Dialect, tools []schema.Tool, response provider.Response) verdict.Answer {
	answer := verdict.Answer{Verdict: response.Verdict, Evidence: response.Evidence, Findings: verdict.Findings(response), Ignored: verdict.Ignored(response)}
	if j.Requests {
		answer.Request = dialect.Encode(tools).Body
	}
	return answer
}

// result converts a normalized tool into that of a result, which has no answer yet.
func (t Target) result(normalized normalizers.Result) *verdict.Normalized {
	return &verdict.Normalized{
		Tool: t.shown(normalized.Tool), Strict: normalized.Strict, Fallback: normalized.Fallback,
		Loss: normalized.Loss(), Changes: verdict.Changes(normalized.Changes),
	}
}
