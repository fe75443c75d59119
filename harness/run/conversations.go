package run

import (
	"context"

	"toolproof/harness/verdict"
)

// conversations judges the requests of a document as wholes.
func (r *Run) conversations(ctx context.Context, document Document) error {
	if r.Conversing == nil {
		return nil
	}
	judged := func(i int) []verdict.Result { return r.conversation(ctx, document.Conversations[i]) }
	for _, results := range inOrder(ctx, len(document.Conversations), func(int) bool { return false }, judged) {
		if len(results) > 0 {
			r.Summary().Conversations++
		}
		for _, result := range results {
			for _, step := range r.Steps {
				step(&result)
			}
			if err := r.Count(result); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// conversation returns the results of a request for its targets.
func (r *Run) conversation(ctx context.Context, subject Conversation) []verdict.Result {
	targets := r.Conversing(subject)
	if len(targets) == 0 {
		return nil
	}
	subject.Body = subject.Load()
	var results []verdict.Result
	for _, target := range targets {
		outcome := guard(func() (verdict.Result, error) { return r.Judge.Conversation(ctx, subject.Conversation, target), nil })
		if outcome.err != nil {
			outcome.value = verdict.Result{
				Source: subject.Source, Line: subject.Line, Target: target.Name(), Dialect: target.Dialect.Service() + "/conversation",
				Status: verdict.Error, Error: outcome.err.Error(), Kind: &verdict.Conversation{API: subject.API},
			}
		}
		results = append(results, outcome.value)
	}
	return results
}
