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

// RequestError says why tools of a request have no result, by their index.
type RequestError map[int]error

// Error names each tool by its index, in their order, a line for each.
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

// NormalizeAll normalizes the tools of one request and makes their names differ, as
// TellApart does. A result is at the index of its tool. A tool without a result gets an
// empty one, and the error is a RequestError. The others have theirs all the same.
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

// TellApart returns the results of one request, in which each tool has its own name.
// Where two tools have the same name, the later one is renamed. A tool whose given name
// fits keeps it. A new name is one of the Changes, which the way back undoes.
func (p *Pipeline) TellApart(results []Result) []Result {
	apart := slices.Clone(results)
	taken := make(map[string]bool, len(results))
	keeps := make([]bool, len(results))
	for i := range apart {
		name := apart[i].Tool.Name
		keeps[i] = name == apart[i].Given.Name && !taken[name]
		taken[name] = taken[name] || keeps[i]
	}
	grammar := p.Target.With(p.Options).NameGrammar
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

// Renamed returns the result with another name of the tool, as the rule for names gives
// one.
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
