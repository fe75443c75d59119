package main

import (
	"context"
	"fmt"
	"slices"

	"toolproof/harness"
	"toolproof/harness/fix"
	"toolproof/harness/meaning"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// fixedFor are the targets for which check --fix edits each tool.
var fixedFor = []string{"gemini", "portable", "openai-strict"}

// checkFixes checks the meaning of a tool that check --fix edited, with the safe edits and with all. It
// prints a loss that no edit names.
func (r *referee) checkFixes(ctx context.Context, name string, tool schema.Tool, checked *recorder) error {
	text := tool.Whole().JSON()
	for _, of := range fixedFor {
		target, err := harness.TargetNamed(of)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, unsafe := range []bool{false, true} {
			fixer := &fix.Fixer{Unsafe: unsafe, Source: name}
			fixer.Targets = append(fixer.Targets, target)
			document, err := fixer.Document(ctx, text)
			if err != nil || len(document.Tools) != 1 || len(document.Tools[0].Edits) == 0 {
				continue // nothing is written
			}
			fixed := document.Tools[0]
			said := rewrite.Exact
			for _, edit := range fixed.Edits {
				said |= edit.Loss
			}
			pairs, lost := compared(checked, fixed.Parameters, fixed.After.Parameters)
			r.counting.Lock()
			r.fixed++
			r.pairs += pairs
			if lost&^said != rewrite.Exact {
				r.disagreements++
				fmt.Fprintf(r.out, "%s, --fix for %s: not reported: it %s\n", name, of, lost&^said)
			}
			r.counting.Unlock()
		}
	}
	return ctx.Err()
}

// compared returns the number of instances on which two schemas were compared, and the loss that they show.
func compared(checked *recorder, before, after *schema.Node) (pairs int, lost rewrite.Loss) {
	const most, largest = 30, 2_000
	if before == nil || after == nil || before.Size() > largest || after.Size() > largest {
		return 0, rewrite.Exact
	}
	was, err := checked.compile(before)
	is, failed := checked.compile(after)
	if err != nil || failed != nil {
		return 0, rewrite.Exact // what check --fix repairs has no meaning to compare with
	}
	for _, value := range slices.Concat(meaning.Instances(before, 21, most), meaning.Instances(after, 22, most)) {
		pairs++
		switch accepted, accepts := was.Accepts(value), is.Accepts(value); {
		case accepted && !accepts:
			lost |= rewrite.Narrows
		case !accepted && accepts:
			lost |= rewrite.Widens
		}
	}
	return pairs, lost
}
