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
	"toolproof/internal/meaning"
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
	held := &held{most: few()}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for _, given := range loaded {
		for _, tool := range given.Tools {
			if !given.WireOnly {
				work.Go(func() error {
					return held.tool(t.Context(), given.ID, tool, slices.Concat(given.Valid, given.Invalid)...)
				})
			}
		}
	}
	held.report(t, work.Wait())
}

// TestMeaningOfCorpus does the same with tools of real servers: with one of forty, or
// with all of them after -args -whole.
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
		work.Go(func() error { return held.tool(t.Context(), fmt.Sprintf("%d %s", i, tools[i].Name), tools[i]) })
	}
	held.report(t, work.Wait())
}

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
		err := held.tool(context.Background(), "drawn", tool, instances...)
		if err != nil || len(held.broken) > 0 {
			t.Errorf("%v%s\n%s", err, strings.Join(held.broken, "\n"), tool.Parameters)
		}
	})
}

// held counts what was held to its meaning, for all targets.
type held struct {
	most            int // instances of a schema
	pairs, unjudged atomic.Int64
	mutex           sync.Mutex
	broken          []string
}

func (h *held) tool(ctx context.Context, name string, tool schema.Tool, instances ...*schema.Node) error {
	if tool.Parameters == nil {
		return nil
	}
	original, err := meaning.Checker{Most: h.most}.Original(ctx, tool, instances...)
	if err != nil {
		h.unjudged.Add(1)
		return nil //nolint:nilerr // counted
	}
	for _, target := range slices.Concat(harness.Targets, harness.Alternates) {
		if !strings.Contains(target.Name(), *named) {
			continue
		}
		result, err := target.Normalizer.Normalize(ctx, tool)
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
