package harness_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"syscall"
	"testing"
	"time"

	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/schema"
	"toolproof/schema/hostile"
)

var large = flag.Bool("large", false, "measure")

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestHostileMeasure(t *testing.T) {
	if !*large {
		t.Skip()
	}
	for _, of := range hostile.Cases {
		tool := schema.Tool{Name: of.Name, Parameters: of.Make(of.Large)}
		for _, dialect := range harness.Dialects {
			t.Run(of.Name+"/"+dialect.Name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				request := dialect.Encode([]schema.Tool{tool})
				start := cpu()
				response, err := (&provider.Model{Dialect: dialect}).Send(ctx, request)
				took := cpu() - start
				outcome, n := string(response.Verdict), response.Steps
				var budget *provider.BudgetError
				if errors.As(err, &budget) {
					outcome, n = "budget", budget.Steps
				} else if err != nil {
					outcome = err.Error()
				}
				fmt.Printf("%s %s %s steps=%d ms=%d ns/step=%.0f\n", of.Name, dialect.Name, outcome, n, took.Milliseconds(), float64(took.Nanoseconds())/float64(max(1, n)))
			})
		}
	}
}
