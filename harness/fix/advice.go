package fix

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
)

// advise makes the edits of advice on the tools of a document, after which no target refuses more, or counts them if unsafe edits are
// not wanted. An edit can make way for others, and advice on the edited tools has what still holds, so advice is asked for until it has
// no edit that was not tried.
func (f *Fixer) advise(ctx context.Context, tools []Tool) error {
	tried := make([]map[string]bool, len(tools))
	for range mostRounds {
		after := make([]toolfile.Tool, len(tools))
		for i := range tools {
			after[i] = tools[i].After
		}
		results := f.Advise(ctx, after)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var hasMade atomic.Bool
		var work errgroup.Group
		work.SetLimit(runtime.GOMAXPROCS(0))
		for i := range tools {
			edits := f.advised(results[i])
			if !f.Unsafe {
				tools[i].Offered = len(edits)
				continue
			}
			if tools[i].now == nil { // a target gave no verdict
				continue
			}
			if tried[i] == nil {
				tried[i] = map[string]bool{}
			}
			work.Go(func() error {
				if f.answer(ctx, &tools[i], edits, tried[i]) {
					hasMade.Store(true)
				}
				return ctx.Err()
			})
		}
		if err := work.Wait(); err != nil || !hasMade.Load() {
			return err //nolint:wrapcheck // the context's
		}
	}
	return nil
}

// advised returns the edits of the advice on a tool that the project does not excuse.
func (f *Fixer) advised(result verdict.Result) []verdict.Change {
	f.apply(&result)
	var edits []verdict.Change
	for _, finding := range result.Findings() {
		if !finding.IsExcused() {
			edits = append(edits, finding.Answers...)
		}
	}
	return edits
}

// answer makes those of some edits of a tool that were not tried, at most one at each place, and reports whether it made any.
func (f *Fixer) answer(ctx context.Context, fixed *Tool, edits []verdict.Change, tried map[string]bool) bool {
	defer func() {
		if caught := recover(); caught != nil {
			fixed.keep(fmt.Errorf("panic: %v", caught))
		}
	}()
	first := len(fixed.Edits)
	for _, edit := range edits {
		key := keyOf(edit)
		if tried[key] || slices.ContainsFunc(fixed.Edits[first:], func(other verdict.Change) bool { return other.From == edit.From }) {
			continue
		}
		tried[key] = true
		switch next, after := f.after(ctx, fixed.After, []verdict.Change{edit}); {
		case next.Err != nil:
		case fixed.now.isWorse(after):
			fixed.Withheld = append(fixed.Withheld, f.targets(next)[fixed.now.firstWorse(after)].Name())
		default:
			fixed.After, fixed.now, fixed.Edits = next, after, append(fixed.Edits, edit)
		}
	}
	fixed.IsRefused = fixed.now.isRefused()
	return len(fixed.Edits) > first
}
