package normalizers_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"testing"
	"time"

	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
	"toolproof/schema/hostile"
)

var large = flag.Bool("large", false, "measure the hostile schemas at their large size, and tell steps and time of each")

// TestHostileMeasure tells what each hostile schema costs.
func TestHostileMeasure(t *testing.T) {
	if !*large {
		t.Skip("only with -large")
	}
	for _, of := range hostile.Cases {
		tool := schema.Tool{Name: of.Name, Parameters: of.Make(of.Large)}
		for _, pipeline := range normalizers.Pipelines {
			t.Run(of.Name+"/"+pipeline.Name(), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				result, err := pipeline.Normalize(ctx, tool)
				took := time.Since(start)
				outcome := "ok"
				var budget *rewrite.BudgetError
				steps := result.Steps
				if errors.As(err, &budget) {
					outcome, steps = "budget", budget.Steps
				} else if err != nil {
					outcome = err.Error()
				}
				fmt.Printf("%s %s %s steps=%d ms=%d ns/step=%.0f\n", of.Name, pipeline.Name(), outcome, steps, took.Milliseconds(), float64(took.Nanoseconds())/float64(max(1, steps)))
			})
		}
	}
}
