package run

import (
	"context"

	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/verdict"
)

// Fixtures judges fixtures for each target. Unlike Documents, which judges each tool as given and
// in its request, it compares each side of a fixture with what the fixture expects.
func (r *Run) Fixtures(ctx context.Context, fixtures []*fixture.Fixture) error {
	r.begin(len(fixtures) * len(r.Targets))
	defer r.clear()
	judged := func(i int) [][]verdict.Result {
		judging := r.Judge
		judging.Memory = &judge.Memory{}
		results := make([][]verdict.Result, len(r.Targets))
		for j, target := range r.Targets {
			if ctx.Err() != nil {
				return results
			}
			outcome := guard(func() ([]verdict.Result, error) { return judging.Fixture(ctx, fixtures[i], target), nil })
			results[j] = outcome.value
			if outcome.err != nil {
				results[j] = []verdict.Result{broken(fixtures[i], target, outcome.err)}
			}
		}
		return results
	}
	for _, byTarget := range inOrder(ctx, len(fixtures), func(int) bool { return r.Alone }, judged) {
		if ctx.Err() != nil {
			break
		}
		for _, results := range byTarget {
			for _, result := range results {
				if err := r.Count(result); err != nil {
					return err
				}
			}
			r.step()
		}
		r.tool(true, true)
	}
	return ctx.Err()
}

// broken returns the result of a fixture for which the judge panicked.
func broken(fx *fixture.Fixture, target judge.Target, err error) verdict.Result {
	return verdict.Result{
		ID: fx.ID, Source: "fixtures/" + fx.File, Line: 1, Target: target.Name(), Dialect: target.Dialect.Name,
		Status: verdict.Error, Error: err.Error(), Kind: &verdict.Fixture{ID: fx.ID, Side: verdict.OfRaw},
	}
}
