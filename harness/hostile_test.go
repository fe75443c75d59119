package harness_test

import (
	"context"
	"errors"
	"flag"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/lab/hostile"
	"toolproof/schema"
)

var large = flag.Bool("large", false, "ask the models about the hostile schemas at their large size too, and tell the steps of each: minutes")

// answerTo returns what a model says to a tool: nothing, where it takes more steps than
// it may.
func answerTo(ctx context.Context, t *testing.T, dialect *provider.Dialect, tool schema.Tool) (response provider.Response, within bool) {
	t.Helper()
	response, err := (&provider.Model{Dialect: dialect}).Send(ctx, dialect.Encode([]schema.Tool{tool}))
	var budget *provider.BudgetError
	switch {
	case err == nil:
		return response, true
	case errors.As(err, &budget) && budget.Dialect == dialect.Name && strings.Contains(err.Error(), tool.Name):
		return response, false
	default:
		t.Errorf("%s to %s: %v", dialect.Name, tool.Name, err)
		return response, false
	}
}

// TestModelsTakeBoundedSteps asks each model about hostile schemas as they are: no model
// follows a reference more than once, so that none of them grows. A short test asks one
// model of six about the size that is four times as large.
func TestModelsTakeBoundedSteps(t *testing.T) {
	t.Parallel()
	const perValue, perLevel = 60, 4
	for number, of := range hostile.Cases {
		t.Run(of.Name, func(t *testing.T) {
			t.Parallel()
			sizes := []int{of.Small, 4 * of.Small}
			if of.Growth == hostile.Endless {
				sizes = sizes[:1]
			}
			if *large {
				sizes = append(sizes, of.Large)
			}
			for _, size := range sizes {
				tool := schema.Tool{Name: "f", Parameters: of.Make(size)}
				values := tool.Parameters.Size()
				most := perValue * values
				if of.Growth == hostile.Square {
					most += perLevel * size * size // the way to each level is written, and the keys on it
				}
				for i, dialect := range harness.Dialects {
					if size != of.Small && !inShare(i+number, 6) {
						continue
					}
					response, within := answerTo(t.Context(), t, dialect, tool)
					if *large {
						t.Logf("%s of %d values: %d steps, %v", dialect.Name, values, response.Steps, within)
						continue
					}
					if !within || response.Steps > most {
						t.Errorf("%s: %d steps for %d values of size %d", dialect.Name, response.Steps, values, size)
					}
				}
			}
		})
	}
}

// endingContext ends when it is asked for the nth time: no clock decides.
type endingContext struct {
	context.Context //nolint:containedctx // it is one

	asked, end int
}

func (c *endingContext) Err() error {
	if c.asked++; c.asked >= c.end {
		return context.Canceled
	}
	return nil
}

func TestModelsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	tool := schema.Tool{Name: "f", Parameters: hostile.Named("required_flags").Make(6_000)} // none is plain
	ended := 0
	for _, dialect := range harness.Dialects {
		for end := range 2 {
			ctx := &endingContext{Context: t.Context(), end: end + 1}
			_, err := (&provider.Model{Dialect: dialect}).Send(ctx, dialect.Encode([]schema.Tool{tool}))
			if ctx.asked > ctx.end || ctx.asked == ctx.end && !errors.Is(err, context.Canceled) {
				t.Errorf("%s was asked %d times about a context that ended at the first of %d: %v", dialect.Name, ctx.asked, ctx.end, err)
			}
			if errors.Is(err, context.Canceled) {
				ended++
			}
		}
	}
	if ended < len(harness.Dialects) {
		t.Errorf("only %d models were ended", ended)
	}
}
