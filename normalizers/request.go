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

// RequestError says why tools of a request have no result, by the index of the tool.
type RequestError map[int]error

// Error has a line for each tool, in their order, which names the tool by its index.
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
// request, as Fit does, and makes the names differ, as TellApart does. Each result is at the index of
// its tool. If some tools have no result, the error is a RequestError, their results are empty, and
// the other tools have theirs.
func (p *Pipeline) NormalizeAll(ctx context.Context, tools ...schema.Tool) ([]Result, error) {
	results := make([]Result, len(tools))
	var made []Result
	failed := RequestError{}
	for i, tool := range tools {
		result, err := p.Normalize(ctx, tool)
		if err != nil {
			failed[i] = fmt.Errorf("normalizing %q: %w", tool.Name, err)
			continue
		}
		made = append(made, result)
	}
	made, err := p.Fit(ctx, made)
	if err != nil {
		return results, err
	}
	made = p.TellApart(made)
	for i := range tools {
		if failed[i] == nil {
			results[i], made = made[0], made[1:]
		}
	}
	if len(failed) > 0 {
		return results, failed
	}
	return results, nil
}

// Fit returns the results of one request within the limits that its strict tools have together. The
// tools stay strict in their order as long as they fit. A tool that does not fit falls back, with
// the reason; a smaller one after it may still fit.
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

// requestLimits bound the strict tools of a request: how many they are, and how many optional
// properties and unions they have together. 0 means no bound.
type requestLimits struct{ Tools, Optional, Unions int }

// exceeded says which limit of a request the strict tools with one more exceed, or returns "".
func exceeded(with, limits requestLimits) string {
	for _, one := range []struct {
		count, limit int
		what         string
	}{
		{with.Tools, limits.Tools, "strict tools"},
		{with.Optional, limits.Optional, "optional properties of strict tools"},
		{with.Unions, limits.Unions, "unions in strict tools"},
	} {
		if one.limit > 0 && one.count > one.limit {
			return fmt.Sprintf("the request would have %d %s, where %d are allowed", one.count, one.what, one.limit)
		}
	}
	return ""
}

// TellApart returns the results of one request with a different name for each tool. If two tools
// have the same name, the later one is renamed, but a tool whose given name fits keeps it. A new name
// is one of the Changes, which the way back undoes.
func (p *Pipeline) TellApart(results []Result) []Result {
	apart := slices.Clone(results)
	taken := make(map[string]bool, len(results))
	keeps := make([]bool, len(results))
	for i := range apart {
		name := apart[i].Tool.Name
		keeps[i] = name == apart[i].Given.Name && !taken[name]
		taken[name] = taken[name] || keeps[i]
	}
	grammar := p.Options.of(p.target).NameGrammar
	for i := range apart {
		if keeps[i] {
			continue
		}
		name := apart[i].Tool.Name
		for again := 0; taken[name]; again++ {
			name = rules.OtherName(apart[i].Given.Name, again, grammar)
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
