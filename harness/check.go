package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Checker checks tools against targets.
type Checker struct {
	Store *recording.Store
	AsOf  provider.Date
	// ModelName is the provider's model; empty means that it is not known.
	ModelName string
	// Raw makes a refusal of a tool as it is given a failure too.
	Raw bool
	// Requests gives each answer the request that was judged.
	Requests bool
	// Timeout bounds the work of a normalizer on one tool; 0 means 10 seconds.
	Timeout time.Duration
	// Memory is of the one tool that is checked, for several targets; nil means none.
	Memory *Memory
}

// Check judges one tool for one target: as it is given, and normalized.
func (c Checker) Check(ctx context.Context, tool toolfile.Tool, source string, target Target) verdict.Result {
	return c.CheckAs(ctx, tool, source, target, "")
}

// CheckAs is Check of a tool that gets another name in its request, as Names returns it,
// once it is normalized; empty means that it keeps its own.
func (c Checker) CheckAs(ctx context.Context, tool toolfile.Tool, source string, target Target, name string) verdict.Result {
	result := verdict.Result{
		Version: verdict.Version, ID: tool.ID, Tool: tool.Name, Source: source, Line: tool.Line,
		Target: target.Name(), Dialect: target.Dialect.Name, RawDialect: target.Dialect.Name,
	}
	if tool.Err != nil {
		result.Status, result.Error = verdict.Error, tool.Err.Error()
		return result
	}
	result.Given = tool.Node()
	raw, surface, err := askEverywhere(target.Dialect, target.Also, func(dialect *provider.Dialect) (provider.Response, error) {
		return c.askOnce(ctx, dialect, tool.Tool)
	})
	if err != nil {
		result.Status, result.Error = verdict.Inconclusive, err.Error()
		return result
	}
	result.RawDialect = surface.Name
	result.Raw = &verdict.Answer{Verdict: raw.Verdict, Evidence: raw.Evidence, Findings: verdict.Findings(raw)}
	locateFindings(result.Raw.Findings, tool)
	if c.Requests {
		result.Raw.Request = target.Dialect.Encode([]schema.Tool{tool.Tool}).Body
	}
	if raw.Verdict == provider.Accepted || !c.Raw {
		result.Status = verdict.Pass
	} else {
		result.Status = verdict.Fail
	}

	normalized, err := normalize(ctx, target.Normalizer, tool.Tool, c.Timeout)
	if err != nil {
		result.Status, result.Error = verdict.Error, err.Error()
		return result
	}
	if name != "" {
		normalized = normalized.Renamed(name)
	}
	dialect := target.Dialect
	if target.Fallback != nil && !normalized.Strict {
		dialect = target.Fallback
		result.Dialect = dialect.Name
	}
	made := normalizedResult(normalized)
	normalized.Changes = nil // made shows them, and the model takes room of its own
	answer, surface, err := askEverywhere(dialect, target.Also, func(dialect *provider.Dialect) (provider.Response, error) {
		return c.askOnce(ctx, dialect, normalized.Tool)
	})
	if err != nil {
		result.Status, result.Error = verdict.Inconclusive, err.Error()
		return result
	}
	made.Answer = answerOf(answer)
	result.Normalized = made
	if c.Requests {
		result.Normalized.Request = dialect.Encode([]schema.Tool{normalized.Tool}).Body
	}
	if answer.Verdict != provider.Accepted {
		result.Status, result.Dialect = verdict.Fail, surface.Name
	} else {
		result.Understood = c.understood(dialect, normalized.Tool)
	}
	for i := range result.Normalized.Changes {
		result.Normalized.Changes[i].From = tool.Pointer(result.Normalized.Changes[i].From)
	}
	return result
}

// understood returns what the provider itself makes of a tool that it accepts, or nil
// where it leaves it as it is.
func (c Checker) understood(dialect *provider.Dialect, tool schema.Tool) *schema.Node {
	if dialect.Echo == nil {
		return nil
	}
	declaration := dialect.Declare(tool)
	if echo := dialect.Echo(declaration, cmp.Or(c.AsOf, provider.Today())); !schema.Identical(echo, declaration) {
		return echo
	}
	return nil
}

func (c Checker) ask(ctx context.Context, dialect *provider.Dialect, tools ...schema.Tool) (provider.Response, error) {
	return Offline{Dialect: dialect, Store: c.Store, AsOf: c.AsOf, ModelName: c.ModelName}.Send(ctx, dialect.Encode(tools))
}

// askOnce is ask of one tool, which the memory may answer.
func (c Checker) askOnce(ctx context.Context, dialect *provider.Dialect, tool schema.Tool) (provider.Response, error) {
	return c.Memory.ask(dialect, tool, func() (provider.Response, error) { return c.ask(ctx, dialect, tool) })
}

// askEverywhere asks a surface and the others that take the same tool. It returns the
// answer of the first that refuses it, with that surface; the first one's own where all
// accept.
func askEverywhere(
	first *provider.Dialect, others []*provider.Dialect, ask func(*provider.Dialect) (provider.Response, error),
) (provider.Response, *provider.Dialect, error) {
	answer, err := ask(first)
	if err != nil || answer.Verdict != provider.Accepted {
		return answer, first, err
	}
	for _, other := range others {
		if further, err := ask(other); err != nil || further.Verdict != provider.Accepted {
			return further, other, err
		}
	}
	return answer, first, nil
}

func answerOf(response provider.Response) verdict.Answer {
	return verdict.Answer{Verdict: response.Verdict, Evidence: response.Evidence, Findings: verdict.Findings(response)}
}

// normalizedResult returns what a normalizer made, without what the provider says to it.
func normalizedResult(normalized normalizers.Result) *verdict.Normalized {
	return &verdict.Normalized{
		Tool: normalized.Tool.Node(), Strict: normalized.Strict, Fallback: normalized.Fallback,
		Loss: normalized.Loss(), Changes: verdict.Changes(normalized.Changes),
	}
}

// locateFindings turns pointers into ones into the tool as it was given, and finds
// the lines of what is no part of a schema.
func locateFindings(findings []verdict.Finding, tool toolfile.Tool) {
	for i := range findings {
		finding := &findings[i]
		finding.At = tool.Pointer(finding.At)
		if finding.Line > 0 {
			continue
		}
		if node := tool.Given.Find(finding.At); node != nil {
			finding.Line, finding.Column = int(node.Position.Line), int(node.Position.Column)
		}
	}
}

const defaultTimeout = 10 * time.Second

// errTimeout means that a normalizer did not come back in time.
var errTimeout = errors.New("the normalizer took too long")

// normalize runs a normalizer. One that panics is an error and not the end. The
// project's own count their steps, so that they end alike on every machine; anybody
// else's may not come back, and has a time limit.
func normalize(ctx context.Context, normalizer normalizers.Normalizer, tool schema.Tool, timeout time.Duration) (normalizers.Result, error) {
	var normalized normalizers.Result
	var err error
	if _, isOwn := normalizer.(*normalizers.Pipeline); isOwn {
		normalized, err = caught(ctx, normalizer, tool)
	} else {
		normalized, err = awaited(ctx, normalizer, tool, timeout)
	}
	if err != nil {
		return normalizers.Result{}, fmt.Errorf("normalizing for %s: %w", normalizer.Name(), err)
	}
	return normalized, nil
}

// caught runs a normalizer and turns a panic into an error.
func caught(ctx context.Context, normalizer normalizers.Normalizer, tool schema.Tool) (result normalizers.Result, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			result, err = normalizers.Result{}, fmt.Errorf("panic: %v", caught)
		}
	}()
	return normalizer.Normalize(ctx, tool)
}

// awaited is caught of a normalizer that may not come back in time.
func awaited(ctx context.Context, normalizer normalizers.Normalizer, tool schema.Tool, timeout time.Duration) (normalizers.Result, error) {
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	type outcome struct {
		result normalizers.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := caught(ctx, normalizer, tool)
		done <- outcome{result, err}
	}()
	select {
	case got := <-done:
		if errors.Is(got.err, context.DeadlineExceeded) {
			got.err = context.Cause(ctx)
		}
		return got.result, got.err
	case <-ctx.Done():
		return normalizers.Result{}, context.Cause(ctx) //nolint:wrapcheck // normalize does
	}
}
