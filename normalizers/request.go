package normalizers

import (
	"context"
	"fmt"
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/normalizers/rules"
	"toolproof/schema"
)

// NormalizeAll normalizes the tools of one request, in which no two may have one name:
// where two got the same, or were given it, the later one is renamed, and what fits as
// it was given keeps its name. A result stands where its tool stood. The error is that
// of the first tool without a result.
func (p *Pipeline) NormalizeAll(ctx context.Context, tools ...schema.Tool) ([]Result, error) {
	results := make([]Result, len(tools))
	taken := make(map[string]bool, len(tools))
	for i, tool := range tools {
		var err error
		if results[i], err = p.Normalize(ctx, tool); err != nil {
			return nil, fmt.Errorf("normalizing %q: %w", tool.Name, err)
		}
	}
	keeps := make([]bool, len(tools))
	for i := range results {
		name := results[i].Tool.Name
		keeps[i] = name == tools[i].Name && !taken[name]
		taken[name] = taken[name] || keeps[i]
	}
	grammar := p.Target.With(p.Options).NameGrammar
	for i := range results {
		if keeps[i] {
			continue
		}
		name := results[i].Tool.Name
		for again := 0; taken[name]; again++ {
			name = rules.OtherName(tools[i].Name, again, grammar)
		}
		taken[name] = true
		results[i] = results[i].renamed(name)
	}
	return results, nil
}

// renamed returns the result with another name of the tool, as the rule for names gives
// one.
func (r Result) renamed(name string) Result {
	if r.Tool.Name == name {
		return r
	}
	of := func(name string) *schema.Node {
		return schema.NewObject(schema.Member{Key: "name", Value: schema.NewString(name)})
	}
	r.Tool.Name = name
	r.Changes = slices.DeleteFunc(slices.Clone(r.Changes), func(change rewrite.Change) bool { return change.Rule == rules.ToolName.Name })
	r.Changes = append(r.Changes, rewrite.Change{Rule: rules.ToolName.Name, Restored: true, Before: of(r.Given.Name), After: of(name)})
	return r
}
