package drift_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolproof/harness/drift"
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/internal/seeded"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

const (
	a = provider.Accepted
	b = provider.Rejected
)

// TestMain draws the same cases in every run.
func TestMain(m *testing.M) { os.Exit(seeded.Run(m)) }

// TestBlame checks the table of the architecture, by the model, the recording and the live
// answer.
func TestBlame(t *testing.T) {
	t.Parallel()
	state := func(answer provider.Verdict, grade provider.Grade, rule string) drift.State {
		return drift.State{Verdict: answer, Evidence: grade, Rule: rule}
	}
	for name, test := range map[string]struct {
		before, after drift.State
		model         provider.Verdict
		want          drift.Guilty
	}{
		"model a, recording b":                 {state(a, provider.Predicted, ""), state(b, provider.Recorded, ""), a, drift.Rule},
		"model a, live b":                      {state(a, provider.Predicted, ""), state(b, provider.Live, ""), a, drift.Rule},
		"recording a, model b":                 {state(a, provider.Reported, ""), state(b, provider.Predicted, "r"), b, drift.Rule},
		"model a, recording a, live b":         {state(a, provider.Recorded, ""), state(b, provider.Live, ""), a, drift.Provider},
		"model b, recording a, live b":         {state(a, provider.Recorded, ""), state(b, provider.Live, "r"), b, drift.Recording},
		"no word of the model, a rule foresaw": {state(a, provider.Recorded, ""), state(b, provider.Live, "r"), "", drift.Recording},
		"no word of the model, none foresaw":   {state(a, provider.Recorded, ""), state(b, provider.Live, ""), "", drift.Provider},
		"a rule foresaw what is accepted now":  {state(b, provider.Reported, "r"), state(a, provider.Live, ""), "", drift.Provider},
		"none foresaw, and it is accepted now": {state(b, provider.Reported, ""), state(a, provider.Live, ""), "", drift.Recording},
		"live both times":                      {state(a, provider.Live, ""), state(b, provider.Live, "r"), b, drift.Provider},
		"recorded again":                       {state(a, provider.Reported, ""), state(b, provider.Recorded, "r"), b, drift.Provider},
		"live, then an old recording":          {state(a, provider.Live, ""), state(b, provider.Recorded, ""), a, drift.Recording},
		"two models":                           {state(a, provider.Predicted, ""), state(b, provider.Predicted, "r"), b, drift.Rule},
	} {
		if got := drift.Blame(test.before, test.after, test.model); got != test.want {
			t.Errorf("%s: %s and not %s", name, got, test.want)
		}
	}
}

func result(tool string, raw, normalized provider.Verdict, grade provider.Grade) verdict.Result {
	made := verdict.Result{Tool: tool, Source: "tools.json", Target: "gemini", Dialect: "gemini/parameters", Status: verdict.Pass, Kind: &verdict.Tool{}}
	answer := func(said provider.Verdict) verdict.Answer {
		answered := verdict.Answer{Verdict: said, Evidence: grade}
		if said == b {
			answered.Findings = []verdict.Finding{{Rule: "r", Message: "no"}}
		}
		return answered
	}
	if raw != "" {
		answered := answer(raw)
		made.Sides().Raw = &answered
	}
	if normalized != "" {
		made.Sides().Normalized = &verdict.Normalized{Answer: answer(normalized), Tool: schema.NewObject()}
	}
	return made
}

func results(results ...verdict.Result) drift.Results {
	return func() (verdict.Result, error) {
		if len(results) == 0 {
			return verdict.Result{}, io.EOF
		}
		next := results[0]
		results = results[1:]
		return next, nil
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	lossy, rewritten, fails := result("f", b, a, provider.Live), result("f", b, b, provider.Live), verdict.Result{
		Tool: "f", Source: "tools.json", Target: "gemini", Status: verdict.Inconclusive, Error: "no route", Kind: &verdict.Tool{},
	}
	lossy.Sides().Normalized.Loss = rewrite.Both
	rewritten.Sides().Normalized.Tool = schema.NewString("other")
	for name, test := range map[string]struct {
		before, after []verdict.Result
		want          []string
	}{
		"nothing":      {[]verdict.Result{result("f", b, a, provider.Predicted)}, []verdict.Result{result("f", b, a, provider.Live)}, nil},
		"as given":     {[]verdict.Result{result("f", b, a, provider.Live)}, []verdict.Result{result("f", a, a, provider.Live)}, []string{"raw f provider"}},
		"normalized":   {[]verdict.Result{result("f", b, a, provider.Predicted)}, []verdict.Result{result("f", b, b, provider.Live)}, []string{"normalized f rule"}},
		"both":         {[]verdict.Result{result("f", b, a, provider.Live)}, []verdict.Result{result("f", a, b, provider.Live)}, []string{"raw f provider", "normalized f provider"}},
		"rewritten":    {[]verdict.Result{result("f", b, a, provider.Live)}, []verdict.Result{rewritten}, []string{"normalized f rewrite"}},
		"loss":         {[]verdict.Result{result("f", b, a, provider.Live)}, []verdict.Result{lossy}, []string{"loss f rewrite"}},
		"gone and new": {[]verdict.Result{result("f", b, a, provider.Live)}, []verdict.Result{result("g", b, a, provider.Live)}, []string{"gone f tools", "new g tools"}},
		"lost":         {[]verdict.Result{result("f", b, a, provider.Live)}, []verdict.Result{fails}, []string{"inconclusive f nobody"}},
		"learnt":       {[]verdict.Result{fails}, []verdict.Result{result("f", b, a, provider.Live)}, []string{"inconclusive f nobody"}},
		"not asked":    {[]verdict.Result{result("f", b, a, provider.Live)}, []verdict.Result{result("f", b, "", provider.Live)}, nil},
		"never learnt": {[]verdict.Result{fails}, []verdict.Result{fails}, nil},
		"of one name": {
			[]verdict.Result{result("f", b, a, provider.Live), result("f", a, a, provider.Live)},
			[]verdict.Result{result("f", b, a, provider.Live), result("f", b, a, provider.Live), result("f", b, a, provider.Live)},
			[]string{"raw f provider", "new f tools"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			summary, err := drift.Compare(results(test.before...), results(test.after...), drift.Options{}, func(flip drift.Flip) {
				got = append(got, fmt.Sprintf("%s %s %s", flip.Kind, flip.Tool, flip.Guilty))
				if flip.Kind == drift.Inconclusive && flip.Error != "no route" {
					t.Errorf("the error is %q", flip.Error)
				}
			})
			if err != nil || !slices.Equal(got, test.want) || summary.Flips+summary.Inconclusive != len(got) {
				t.Errorf("%v, %v, %+v", err, got, summary)
			}
		})
	}
}

// TestModel checks that the caller's model counts before the answers.
func TestModel(t *testing.T) {
	t.Parallel()
	asked := 0
	model := func(verdict.Result, drift.Kind) provider.Verdict { asked++; return a }
	_, err := drift.Compare(results(result("f", a, a, provider.Recorded)), results(result("f", b, a, provider.Live)), drift.Options{Model: model}, func(flip drift.Flip) {
		if flip.Guilty != drift.Provider {
			t.Errorf("guilty is %s", flip.Guilty)
		}
	})
	if err != nil || asked == 0 {
		t.Errorf("%v after %d asks", err, asked)
	}
}

// TestAnyOrder checks that the order of the runs does not change the flips, and that compared
// results are dropped.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var before, after []verdict.Result
		for i := range rapid.IntRange(0, 30).Draw(t, "tools") {
			tool := strconv.Itoa(i)
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				before = append(before, result(tool, a, a, provider.Live))
			case 1:
				after = append(after, result(tool, a, a, provider.Live))
			case 2:
				before, after = append(before, result(tool, a, a, provider.Live)), append(after, result(tool, b, a, provider.Live))
			default:
				before, after = append(before, result(tool, a, a, provider.Live)), append(after, result(tool, a, a, provider.Live))
			}
		}
		compare := func(before, after []verdict.Result) []string {
			var flips []string
			if _, err := drift.Compare(results(before...), results(after...), drift.Options{}, func(flip drift.Flip) {
				flips = append(flips, string(flip.Kind)+flip.Tool)
			}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(flips)
			return flips
		}
		want := compare(before, after)
		got := compare(rapid.Permutation(before).Draw(t, "before"), rapid.Permutation(after).Draw(t, "after"))
		if !slices.Equal(got, want) {
			t.Errorf("in order %v, and else %v", want, got)
		}
	})
}

// TestBounded compares runs of the same order with one result waiting, and runs that are too
// far apart.
func TestBounded(t *testing.T) {
	t.Parallel()
	many := func(first, count int) drift.Results {
		next := first
		return func() (verdict.Result, error) {
			if next == first+count {
				return verdict.Result{}, io.EOF
			}
			next++
			return result(strconv.Itoa(next), a, a, provider.Live), nil
		}
	}
	flips := 0
	summary, err := drift.Compare(many(0, 5000), many(1, 5000), drift.Options{MaxPending: 2}, func(drift.Flip) { flips++ })
	if err != nil || summary.Compared != 4999 || flips != 2 {
		t.Errorf("%v: %+v, %d flips", err, summary, flips)
	}
	_, err = drift.Compare(many(0, 50), many(100, 50), drift.Options{MaxPending: 20}, func(drift.Flip) {})
	if err == nil || !strings.Contains(err.Error(), "too far apart") {
		t.Errorf("got %v", err)
	}
	broken := errors.New("broken")
	_, err = drift.Compare(many(0, 5), func() (verdict.Result, error) { return verdict.Result{}, broken }, drift.Options{}, func(drift.Flip) {})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
