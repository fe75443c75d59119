package normalizers_test

import (
	"context"
	"errors"
	"flag"
	"strconv"
	"strings"
	"testing"

	"toolproof/lab/hostile"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

var large = flag.Bool("large", false, "normalize the hostile schemas at their large size too, and tell the steps of each: minutes")

// stepsOf returns how many steps a tool took, and whether it was within its budget.
func stepsOf(t *testing.T, pipeline *normalizers.Pipeline, tool schema.Tool) (steps int, within bool) {
	t.Helper()
	result, err := pipeline.Normalize(t.Context(), tool)
	var budget *rewrite.BudgetError
	switch {
	case err == nil:
		return result.Steps, true
	case errors.As(err, &budget) && budget.Tool == tool.Name && budget.Target != "":
		return budget.Steps, false
	default:
		t.Errorf("%s for %s: %v", tool.Name, pipeline.Name(), err)
		return 0, false
	}
}

// isAsked reports whether a sweep asks a target about a case, by their numbers: make whole
// asks all about all. A short test asks one of four targets about each case, and each target
// about one of four cases.
func isAsked(of, target int) bool { return !testing.Short() || (of+target)%4 == 0 }

// TestHostileSchemas holds each target to its budget: what is large takes no more steps
// for each value than what is small, and what grows without end ends with an error.
func TestHostileSchemas(t *testing.T) {
	t.Parallel()
	const perValue, more, few = 70, 4, 200_000 // a text costs a step for four bytes
	for number, of := range hostile.Cases {
		t.Run(of.Name, func(t *testing.T) {
			t.Parallel()
			sizes := []int{of.Small}
			if of.Growth == hostile.Linear {
				sizes = append(sizes, more*of.Small)
			}
			if *large {
				sizes = append(sizes, of.Large)
			}
			for _, size := range sizes {
				tool := schema.Tool{Name: of.Name, Parameters: of.Make(size)}
				values := tool.Parameters.Size()
				for i, pipeline := range normalizers.Pipelines {
					if !isAsked(number, i) {
						continue
					}
					if of.Growth != hostile.Linear && !*large {
						pipeline = pipeline.With(normalizers.Options{MaxSteps: few})
					}
					steps, within := stepsOf(t, pipeline, tool)
					if *large {
						t.Logf("%s of %d values: %d steps, %v", pipeline.Name(), values, steps, within)
					}
					if of.Growth == hostile.Linear && (!within || steps > perValue*values) {
						t.Errorf("%s: %d steps for %d values of size %d", pipeline.Name(), steps, values, size)
					}
					if size > of.Small {
						continue
					}
					if again, _ := stepsOf(t, pipeline, tool); again != steps {
						t.Errorf("%s: %d steps, and then %d", pipeline.Name(), steps, again)
					}
				}
			}
		})
	}
}

// TestDoublingEndsWithItsBudget has the 30 definitions of which each is all of the next,
// twice.
func TestDoublingEndsWithItsBudget(t *testing.T) {
	t.Parallel()
	tool := schema.Tool{Name: "doubles", Parameters: hostile.Named("all_of_doubles").Make(30)}
	_, err := normalizers.Gemini.Normalize(t.Context(), tool)
	if _, ok := errors.AsType[*rewrite.BudgetError](err); !ok {
		t.Fatalf("the error is %v", err)
	}
	for _, word := range []string{`"doubles"`, "gemini", "steps", "MaxSteps"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %s", err, word)
		}
	}
	result, err := normalizers.OpenAIStrict.Normalize(t.Context(), tool)
	if err != nil || result.Strict || !strings.Contains(result.Fallback, "steps") || strings.Contains(result.Fallback, "\n") {
		t.Errorf("strict true is %v for %q: %v", result.Strict, result.Fallback, err)
	}
}

// TestCopiedTextIsBounded has a text that each of many references would copy: as a
// description, as the name of a property, and in an enum. What is written is as bounded as
// the steps are.
func TestCopiedTextIsBounded(t *testing.T) {
	t.Parallel()
	const references, size, most = 2_400, 120_000, 16 << 20
	text := strings.Repeat("d", size)
	for _, definition := range []string{
		`"type": "string", "description": "` + text + `"`,
		`"type": "object", "properties": {"` + text + `": {"type": "string"}}`,
		`"type": "string", "enum": ["` + text + `"]`,
	} {
		root := properties()
		for i := range references {
			root.Get("properties").Set("p"+strconv.Itoa(i), object(`"$ref": "#/$defs/A"`))
		}
		root.Set("$defs", schema.NewObject(schema.Member{Key: "A", Value: object(definition)}))
		tool := schema.Tool{Name: "texts", Parameters: root}
		for _, pipeline := range normalizers.Pipelines {
			result, err := pipeline.Normalize(t.Context(), tool)
			budget, isSpent := errors.AsType[*rewrite.BudgetError](err)
			switch {
			case isSpent && budget.Bytes > 0 && budget.Bytes < most && strings.Contains(err.Error(), "bytes of text"):
			case err != nil:
				t.Errorf("%s: %v", pipeline.Name(), err)
			case len(result.Tool.Parameters.JSON()) > most:
				t.Errorf("%s: %.30s... grows to %d bytes", pipeline.Name(), definition, len(result.Tool.Parameters.JSON()))
			}
		}
	}
}

// TestMaxSteps allows each target just what a tool takes, and one step less.
func TestMaxSteps(t *testing.T) {
	t.Parallel()
	for _, text := range shared {
		tool := schema.Tool{Name: "f", Parameters: parse(t, text)}
		for _, pipeline := range normalizers.Pipelines {
			alone := normalizers.Alone(pipeline)
			result, err := alone.Normalize(t.Context(), tool)
			if err != nil {
				continue // strict mode cannot say it
			}
			if _, err := alone.With(normalizers.Options{MaxSteps: result.Steps}).Normalize(t.Context(), tool); err != nil {
				t.Errorf("%s: %d steps are not enough: %v", pipeline.Name(), result.Steps, err)
			}
			var budget *rewrite.BudgetError
			if _, err := alone.With(normalizers.Options{MaxSteps: result.Steps - 1}).Normalize(t.Context(), tool); !errors.As(err, &budget) || budget.Steps != result.Steps-1 {
				t.Errorf("%s: with %d steps the error is %v", pipeline.Name(), result.Steps-1, err)
			}
		}
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

// TestNormalizeEndsWithItsContext has each target end the first time that it sees its
// context has ended, wherever it is.
func TestNormalizeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for number, name := range []string{"all_of_doubles", "any_of_doubles", "if_doubles", "recursive_all_of", "unions_of_unions", "deep_unions"} {
		tool := schema.Tool{Name: name, Parameters: hostile.Named(name).Make(30)}
		for i, pipeline := range normalizers.Pipelines {
			if !isAsked(number, i) {
				continue
			}
			for _, end := range []int{1, 2, 10} {
				ctx := &endingContext{Context: t.Context(), end: end}
				_, err := pipeline.Normalize(ctx, tool)
				switch {
				case ctx.asked > end:
					t.Errorf("%s for %s was asked on after its end", name, pipeline.Name())
				case ctx.asked == end && !errors.Is(err, context.Canceled):
					t.Errorf("%s for %s: the error is %v", name, pipeline.Name(), err)
				}
			}
		}
	}
}

// TestNormalizeAllEndsWithItsContext: no tool is blamed for the end, whenever it comes.
func TestNormalizeAllEndsWithItsContext(t *testing.T) {
	t.Parallel()
	tools := make([]schema.Tool, 50)
	for i := range tools {
		tools[i] = schema.Tool{Name: "f", Parameters: properties()}
	}
	for end := 1; ; end++ {
		ctx := &endingContext{Context: t.Context(), end: end}
		results, err := normalizers.Gemini.NormalizeAll(ctx, tools...)
		if ctx.asked < end {
			if err != nil || results[49].Tool.Name == results[48].Tool.Name || end < len(tools) {
				t.Errorf("asked %d times: %v", ctx.asked, err)
			}
			return
		}
		if err != context.Canceled { //nolint:errorlint // as it is
			t.Fatalf("ended when asked for the time %d: %v", end, err)
		}
	}
}

// TestEndlessTrees has trees that only a program can make.
func TestEndlessTrees(t *testing.T) {
	t.Parallel()
	loop := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")})
	loop.Set("properties", schema.NewObject(schema.Member{Key: "a", Value: loop}))
	const levels = 20_000
	for number, root := range []*schema.Node{loop, hostile.Named("deep").Make(levels), schema.NewObject(schema.Member{Key: "x-a", Value: schema.NewArray(loop)})} {
		for i, pipeline := range normalizers.Pipelines {
			if !isAsked(number, i) {
				continue
			}
			_, err := pipeline.Normalize(t.Context(), schema.Tool{Name: "f", Parameters: root})
			var tooDeep *rewrite.TooDeepError
			if !errors.As(err, &tooDeep) || !strings.Contains(err.Error(), `"f"`) {
				t.Errorf("%s: the error is %v", pipeline.Name(), err)
			}
		}
	}
}
