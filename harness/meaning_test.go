package harness_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/meaning"
	"toolproof/normalizers"
	"toolproof/schema"
)

var (
	whole = flag.Bool("whole", false, "hold the meaning of all tools of the corpus, which takes minutes, and not of a sample")
	named = flag.String("target", "", "hold the meaning for the targets whose names contain this alone")
)

// TestMeaningOfFixtures holds what every target and alternate makes of the fixtures, in both
// directions.
func TestMeaningOfFixtures(t *testing.T) {
	t.Parallel()
	loaded, _ := load(t)
	held := &held{most: few(), compile: validator}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, given := range loaded {
		for j, tool := range given.Tools {
			if given.WireOnly {
				continue
			}
			work.Go(func() error {
				made := func(target judge.Target) (normalizers.Result, error) {
					all, err := normalizedOnce()[target.Name()][i]()
					if err != nil {
						return normalizers.Result{}, err
					}
					return all[j], nil
				}
				return held.tool(t.Context(), given.ID, tool, askedAbout(i), made, slices.Concat(given.Valid, given.Invalid)...)
			})
		}
	}
	held.report(t, work.Wait())
}

// everyone are the targets and alternates that the flag allows.
func everyone() []judge.Target {
	return slices.DeleteFunc(slices.Concat(harness.Targets, harness.Alternates), func(target judge.Target) bool { return !strings.Contains(target.Name(), *named) })
}

// askedAbout are those of them that are asked about a fixture, by its number.
func askedAbout(fixture int) []judge.Target {
	var targets []judge.Target
	for i, target := range everyone() {
		if isAsked(fixture, i) {
			targets = append(targets, target)
		}
	}
	return targets
}

// normalizing is what a target makes of a tool.
func normalizing(ctx context.Context, tool schema.Tool) func(judge.Target) (normalizers.Result, error) {
	return func(target judge.Target) (normalizers.Result, error) { return target.Normalizer.Normalize(ctx, tool) }
}

// TestMeaningOfCorpus does the same with tools of real servers: with one of a hundred, or
// with all of them after -args -whole. A short test has one of eleven of those.
func TestMeaningOfCorpus(t *testing.T) {
	t.Parallel()
	tools := corpusTools(t)
	every := 100
	if *whole {
		every = 1
	}
	held := &held{most: few()}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i := 0; i < len(tools); i += every {
		work.Go(func() error {
			return held.tool(t.Context(), fmt.Sprintf("%d %s", i, tools[i].Name), tools[i], everyone(), normalizing(t.Context(), tools[i]))
		})
	}
	held.report(t, work.Wait())
}

// validator is meaning.Semantics, which compiles a schema once for all tests.
func validator(node *schema.Node) (meaning.Validator, error) { return compile(node) } //nolint:ireturn // a meaning.Compile

// few is how many instances are made of a schema: more where there is time.
func few() int {
	if *whole {
		return 12
	}
	return 8
}

// TestMeaningOfRandomSchemas does the same with what nobody wrote.
func TestMeaningOfRandomSchemas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const depth = 3
		tool := schema.Tool{Name: "f", Parameters: schemas(depth).Draw(t, "parameters")}
		instances := rapid.SliceOfN(arguments(depth), 3, 6).Draw(t, "instances")
		held := &held{most: few()}
		err := held.tool(context.Background(), "drawn", tool, everyone(), normalizing(context.Background(), tool), instances...)
		if err != nil || len(held.broken) > 0 {
			t.Errorf("%v%s\n%s", err, strings.Join(held.broken, "\n"), tool.Parameters)
		}
	})
}

// held counts what was held to its meaning, for all targets.
type held struct {
	most            int // instances of a schema
	compile         meaning.Compile
	pairs, unjudged atomic.Int64
	mutex           sync.Mutex
	broken          []string
}

// tool holds what targets make of a tool.
func (h *held) tool(
	ctx context.Context, name string, tool schema.Tool, targets []judge.Target, made func(judge.Target) (normalizers.Result, error), instances ...*schema.Node,
) error {
	if tool.Parameters == nil {
		return nil
	}
	original, err := meaning.Checker{Most: h.most, Compile: h.compile}.Original(ctx, tool, instances...)
	if err != nil {
		h.unjudged.Add(1)
		return nil //nolint:nilerr // counted
	}
	for _, target := range targets {
		result, err := made(target)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", name, target.Name(), err)
		}
		if result.Tool.Parameters == nil || original.IsRepaired && isAlternate(target) {
			continue // an alternate passes over what it does not mend
		}
		findings, pairs, err := original.Check(ctx, result)
		if errors.Is(err, meaning.ErrTooLarge) {
			h.unjudged.Add(1)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s, %s: %w", name, target.Name(), err)
		}
		h.pairs.Add(int64(pairs))
		for _, finding := range findings[:min(len(findings), 1)] {
			h.mutex.Lock()
			h.broken = append(h.broken, fmt.Sprintf("%s, %s: %s\n\t%s", name, target.Name(), finding, result.Tool.Parameters))
			h.mutex.Unlock()
		}
	}
	return nil
}

func (h *held) report(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d pairs, %d findings, %d schemas that are too large or no JSON Schema", h.pairs.Load(), len(h.broken), h.unjudged.Load())
	slices.Sort(h.broken)
	for _, broken := range h.broken {
		t.Error(broken)
	}
}
