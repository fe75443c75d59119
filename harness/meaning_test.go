package harness_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"toolproof/harness"
	"toolproof/harness/meaning"
	"toolproof/schema"
)

var whole = flag.Bool("whole", false, "hold the meaning of all tools of the corpus, which takes minutes, and not of a sample")

// TestMeaningOfFixtures holds what every target and alternate makes of the fixtures, in both
// directions.
func TestMeaningOfFixtures(t *testing.T) {
	t.Parallel()
	loaded, _ := load(t)
	held := &held{}
	for _, given := range loaded {
		if given.WireOnly {
			continue
		}
		for _, tool := range given.Tools {
			held.tool(t.Context(), given.ID, tool, slices.Concat(given.Valid, given.Invalid)...)
		}
	}
	held.report(t)
}

// TestMeaningOfCorpus does the same with tools of real servers: with one of forty, or
// with all of them after -args -whole.
func TestMeaningOfCorpus(t *testing.T) {
	t.Parallel()
	tools := corpus(t)
	every := 40
	if *whole {
		every = 1
	}
	held := &held{}
	work, ctx := errgroup.WithContext(t.Context())
	work.SetLimit(2)
	for i := 0; i < len(tools); i += every {
		work.Go(func() error {
			held.tool(ctx, fmt.Sprintf("%d %s", i, tools[i].Name), tools[i])
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		t.Fatal(err)
	}
	held.report(t)
}

// TestMeaningOfRandomSchemas does the same with what nobody wrote.
func TestMeaningOfRandomSchemas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const depth = 3
		tool := schema.Tool{Name: "f", Parameters: schemas(depth).Draw(t, "parameters")}
		instances := rapid.SliceOfN(arguments(depth), 3, 6).Draw(t, "instances")
		held := &held{most: 25}
		held.tool(context.Background(), "drawn", tool, instances...)
		if len(held.broken) > 0 {
			t.Errorf("%s\n%s", strings.Join(held.broken, "\n"), tool.Parameters)
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

func (h *held) tool(ctx context.Context, name string, tool schema.Tool, instances ...*schema.Node) {
	if tool.Parameters == nil {
		return
	}
	original, err := meaning.Checker{Most: h.most}.Original(ctx, tool, instances...)
	if err != nil {
		h.unjudged.Add(1)
		return
	}
	for _, target := range slices.Concat(harness.Targets, harness.Alternates) {
		result, err := target.Normalizer.Normalize(ctx, tool)
		if err != nil {
			h.fail("%s, %s: %v", name, target.Name(), err)
			continue
		}
		if result.Tool.Parameters == nil || original.IsRepaired && isAlternate(target) {
			continue // an alternate passes over what it does not mend
		}
		findings, pairs, err := original.Check(ctx, result)
		if err != nil {
			h.fail("%s, %s: %v", name, target.Name(), err)
		}
		h.pairs.Add(int64(pairs))
		for _, finding := range findings[:min(len(findings), 1)] {
			h.fail("%s, %s: %s\n\t%s", name, target.Name(), finding, result.Tool.Parameters)
		}
	}
}

func (h *held) fail(format string, arguments ...any) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.broken = append(h.broken, fmt.Sprintf(format, arguments...))
}

func (h *held) report(t *testing.T) {
	t.Helper()
	t.Logf("%d pairs, %d findings, %d schemas that are no JSON Schema", h.pairs.Load(), len(h.broken), h.unjudged.Load())
	slices.Sort(h.broken)
	for _, broken := range h.broken {
		t.Error(broken)
	}
}
