package run

import (
	"context"

	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/verdict"
)

// Fixtures judges fixtures for each target. Where Documents judges a tool both as given and in
// its request, judge.Judge.Fixture holds each side of a fixture against what the fixture expects.
func (r *Run) Fixtures(ctx context.Context, fixtures []*fixture.Fixture) error {
	r.begin(len(fixtures) * len(r.Targets))
	defer r.clear()
	judged := func(i int) [][]verdict.Result {
		of := r.Judge
		of.Memory = &judge.Memory{}
		results := make([][]verdict.Result, len(r.Targets))
		for j, target := range r.Targets {
			if ctx.Err() != nil {
				return results
			}
			one := guard(func() ([]verdict.Result, error) { return of.Fixture(ctx, fixtures[i], target), nil })
			if results[j] = one.value; one.err != nil {
				results[j] = []verdict.Result{broken(fixtures[i], target, one.err)}
			}
		}
		return results
	}
	for _, byTarget := range inOrder(ctx, len(fixtures), r.isAlone, judged) {
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

// broken is the result of a fixture that the judge panicked on.
func broken(given *fixture.Fixture, target judge.Target, err error) verdict.Result {
	return verdict.Result{
		ID: given.ID, Source: "fixtures/" + given.File, Line: 1, Target: target.Name(), Dialect: target.Dialect.Name,
		Status: verdict.Error, Error: err.Error(), Kind: &verdict.Fixture{ID: given.ID, Side: verdict.OfRaw},
	}
}
