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
	"toolproof/harness/meaning"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

var whole = flag.Bool("whole", false, "hold the meaning of all tools of the corpus, which takes minutes, and not of a sample")

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
	tools := corpus(t)
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
		return 40
	}
	return 12
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

// excuses are what is known to be wrong and mended elsewhere. One that excuses nothing any
// more has to go.
var excuses = []struct {
	item, target string
	needs        rewrite.Loss
	of           func(tool schema.Tool) bool
}{
	{"issue 10, 1.2: an optional property that is nullable cannot be left out", "openai-strict", rewrite.Narrows, hasOptionalNullable},
}

// hasOptionalNullable reports whether a property may be null or absent.
func hasOptionalNullable(tool schema.Tool) bool {
	found := false
	tool.Parameters.Each(func(node *schema.Node) bool {
		for _, property := range membersOf(node.Get("properties")) {
			isRequired := slices.Contains(node.Get("required").Strings(), property.Key)
			found = found || !isRequired && strings.Contains(property.Value.String(), "null")
		}
		return !found
	})
	return found
}

func membersOf(node *schema.Node) []schema.Member {
	if node == nil {
		return nil
	}
	return node.Members
}

// held counts what was held to its meaning, for all targets.
type held struct {
	most            int // instances of a schema
	pairs, unjudged atomic.Int64
	mutex           sync.Mutex
	broken          []string
	excused         map[string]int
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
			h.found(name, target.Name(), tool, result.Tool, finding)
		}
	}
	return nil
}

func (h *held) found(name, target string, tool, normalized schema.Tool, finding meaning.Finding) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for _, excuse := range excuses {
		if target == excuse.target && finding.Needs == excuse.needs && excuse.of(tool) {
			if h.excused == nil {
				h.excused = map[string]int{}
			}
			h.excused[excuse.item]++
			return
		}
	}
	h.broken = append(h.broken, fmt.Sprintf("%s, %s: %s\n\t%s", name, target, finding, normalized.Parameters))
}

func (h *held) report(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d pairs, %d findings, %d schemas that are too large or no JSON Schema", h.pairs.Load(), len(h.broken), h.unjudged.Load())
	for _, excuse := range excuses {
		t.Logf("%s: %d findings excused", excuse.item, h.excused[excuse.item])
		if h.excused[excuse.item] == 0 {
			t.Errorf("nothing is to be excused any more: %s", excuse.item)
		}
	}
	slices.Sort(h.broken)
	for _, broken := range h.broken {
		t.Error(broken)
	}
}
