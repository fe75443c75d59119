package normalizers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolproof/normalizers/internal/rules"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// RequestError holds the reasons why tools of a request have no result, by the index of the tool.
type RequestError map[int]error

// Error returns a line for each tool, in their order, that names the tool by its index.
func (e RequestError) Error() string {
	lines := make([]string, 0, len(e))
	for _, index := range slices.Sorted(maps.Keys(e)) {
		lines = append(lines, fmt.Sprintf("tool %d: %v", index, e[index]))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors in the order of the tools.
func (e RequestError) Unwrap() []error {
	errs := make([]error, 0, len(e))
	for _, index := range slices.Sorted(maps.Keys(e)) {
		errs = append(errs, e[index])
	}
	return errs
}

// NormalizeAll normalizes the tools of one request. It keeps the strict tools within the limits of a
// request, as Fit does, and makes the names differ, as TellApart does. Each result has the index of
// its tool. If tools fail, the error is a RequestError; their results are empty, and the results of
// the other tools are complete. When the context ends, the error is that of the context, and there
// are no results.
func (p *Pipeline) NormalizeAll(ctx context.Context, tools ...schema.Tool) ([]Result, error) {
	results := make([]Result, len(tools))
	var normalized []Result
	failed := RequestError{}
	for i, tool := range tools {
		result, err := p.Normalize(ctx, tool)
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
		if err != nil {
			failed[i] = fmt.Errorf("normalizing %q: %w", tool.Name, err)
			continue
		}
		normalized = append(normalized, result)
	}
	normalized, err := p.Fit(ctx, normalized)
	if err != nil {
		return results, err
	}
	normalized = p.TellApart(normalized, nil)
	for i := range tools {
		if failed[i] == nil {
			results[i], normalized = normalized[0], normalized[1:]
		}
	}
	if len(failed) > 0 {
		return results, failed
	}
	return results, nil
}

// Fit keeps the results of one request within the limits on all its strict tools together. It goes
// through the tools in their order: a tool that fits beside those before it stays strict, and any
// other falls back, with the reason, so that a smaller tool after it may still fit.
func (p *Pipeline) Fit(ctx context.Context, results []Result) ([]Result, error) {
	limits := p.request
	if p.fallback == nil || limits == (requestLimits{}) {
		return results, nil
	}
	fitting := slices.Clone(results)
	var sum requestLimits
	for i, result := range fitting {
		if !result.Strict {
			continue
		}
		optional, unions := rules.Grammar(result.Tool.Parameters)
		with := requestLimits{Tools: sum.Tools + 1, Optional: sum.Optional + optional, Unions: sum.Unions + unions}
		reason := exceeded(with, limits)
		if reason == "" {
			sum = with
			continue
		}
		var err error
		if fitting[i], err = p.FallBack(ctx, result.Given, reason); err != nil {
			return nil, fmt.Errorf("normalizing %q: %w", result.Given.Name, err)
		}
	}
	return fitting, nil
}

// requestLimits bound the number of strict tools in a request, and the optional properties and the
// unions of all of them together. 0 means no bound.
type requestLimits struct{ Tools, Optional, Unions int }

// exceeded names the limit that a sum exceeds, or returns "".
func exceeded(sum, limits requestLimits) string {
	for _, quantity := range []struct {
		count, limit int
		name         string
	}{
		{sum.Tools, limits.Tools, "strict tools"},
		{sum.Optional, limits.Optional, "optional properties of strict tools"},
		{sum.Unions, limits.Unions, "unions in strict tools"},
	} {
		if quantity.limit > 0 && quantity.count > quantity.limit {
			return fmt.Sprintf("the request would have %d %s, where %d are allowed", quantity.count, quantity.name, quantity.limit)
		}
	}
	return ""
}

// TellApart returns the results of one request with a different name for each tool. Of the tools
// that have one name, the first that was given this name keeps it, or else the first of all. None gets
// a name that isTaken reports, which may be nil. A new name is one of the Changes, and package calls
// restores the given name.
func (p *Pipeline) TellApart(results []Result, isTaken func(name string) bool) []Result {
	if isTaken == nil {
		isTaken = func(string) bool { return false }
	}
	apart := slices.Clone(results)
	taken := make(map[string]bool, len(results))
	keeps := make([]bool, len(results))
	for i := range apart {
		name := apart[i].Tool.Name
		keeps[i] = name == apart[i].Given.Name && !taken[name] && !isTaken(name)
		taken[name] = taken[name] || keeps[i]
	}
	grammar := p.Options.of(p.target).NameGrammar
	next := map[string]int{} // the number of the next other name, by the given one
	for i := range apart {
		if keeps[i] {
			continue
		}
		name, given := apart[i].Tool.Name, apart[i].Given.Name
		for ; taken[name] || isTaken(name); next[given]++ {
			name = rules.OtherName(given, next[given], grammar)
		}
		taken[name] = true
		apart[i] = apart[i].Renamed(name)
	}
	return apart
}

// Renamed returns the result with another name of the tool, reported as a change of the rule
// tool_name.
func (r Result) Renamed(name string) Result {
	if r.Tool.Name == name {
		return r
	}
	of := func(name string) *schema.Node {
		return schema.NewObject(schema.Member{Key: "name", Value: schema.NewString(name)})
	}
	r.Tool.Name = name
	r.Changes = slices.DeleteFunc(slices.Clone(r.Changes), func(change rewrite.Change) bool { return change.Rule == rules.ToolName.Name })
	r.Changes = append(r.Changes, rewrite.Change{Rule: rules.ToolName.Name, Restored: true, Before: rewrite.PartOf(of(r.Given.Name)), After: rewrite.PartOf(of(name))})
	return r
}
