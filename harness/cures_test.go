package harness_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/meaning"
	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/lab/corpus"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// TestCures holds what authors are told to write, for tools of the corpus and the default targets: each
// edit cures its place, no surface that took the tool refuses it, and no more is lost than is said,
// which instances show in both directions. The same holds if all advice is followed, round by round.
func TestCures(t *testing.T) {
	t.Parallel()
	interval := 101
	if *whole {
		interval = 1
	}
	tools, err := corpus.Tools(interval)
	if err != nil {
		corpus.Missing(t, err)
	}
	held := &heldCures{}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for _, tool := range tools {
		work.Go(func() error { return held.tool(t.Context(), tool) })
	}
	if err := work.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, fault := range held.faults[:min(len(held.faults), 20)] {
		t.Error(fault)
	}
	t.Logf("%d tools, %d faults: %+v", len(tools), len(held.faults), held.curedCounts)
	if held.refused == 0 || held.cured == 0 || held.exact == 0 {
		t.Error("no tool was refused and cured")
	}
}

// heldCures collects faults and counts.
type heldCures struct {
	curedCounts

	mutex  sync.Mutex
	faults []string
}

// curedCounts are tools that are refused, cured by all advice, and cured without loss; and places of
// refusals, by what is said of them.
type curedCounts struct {
	refused, cured, exact                               int
	places, exactEdits, lossyEdits, later, member, none int
}

// refusals are the findings of each target about a tool as given; nil where it takes the tool.
type refusals [][]verdict.Finding

func refusalsOf(ctx context.Context, tool schema.Tool) refusals {
	judging, found := judge.Judge{Raw: true}, make(refusals, len(harness.Direct))
	for i, target := range harness.Direct {
		result := judging.Tool(ctx, judge.Subject{Tool: toolfile.Of(tool)}, judge.Target{Dialect: target.Dialect})
		if raw := result.Sides().Raw; raw != nil && raw.Verdict == provider.Rejected {
			found[i] = raw.Findings
		}
	}
	return found
}

// worse names a target that took a tool before an edit and no longer does.
func (r refusals) worse(after refusals) string {
	for i := range r {
		if len(r[i]) == 0 && len(after[i]) > 0 {
			return harness.Direct[i].Name() + ": " + after[i][0].Message
		}
	}
	return ""
}

func (r refusals) isEmpty() bool {
	return !slices.ContainsFunc(r, func(findings []verdict.Finding) bool { return len(findings) > 0 })
}

// tool holds the advice on one tool.
func (h *heldCures) tool(ctx context.Context, given schema.Tool) error {
	const mostRounds = 20
	var counts curedCounts
	var faults []string
	fault := func(format string, arguments ...any) {
		faults = append(faults, given.Name+": "+fmt.Sprintf(format, arguments...))
	}
	before := refusalsOf(ctx, given)
	tool, loss := given, rewrite.Exact
	for round := range mostRounds {
		now := refusalsOf(ctx, tool)
		if now.isEmpty() {
			break
		}
		cures := judge.Judge{}.Cures(ctx, toolfile.Of(tool), harness.Direct)
		next, edited := tool, []schema.Pointer{}
		for _, findings := range now {
			for _, finding := range findings {
				cure := cures.Of(finding)
				if round == 0 {
					counts.note(cure)
				}
				if len(cure.Edits) == 0 || cure.Edits[0].Then {
					continue
				}
				edit := cure.Edits[0]
				if round == 0 {
					for _, text := range wrong(ctx, tool, now, finding, edit) {
						fault("%s at %s, after %s for %s: %s", finding.Rule, finding.At, edit.After.Node(), edit.Before.Node(), text)
					}
				}
				if !slices.ContainsFunc(edited, func(at schema.Pointer) bool { return at.Under(edit.From) || edit.From.Under(at) }) {
					next, edited, loss = judge.Edited(next, edit), append(edited, edit.From), loss|edit.Loss
				}
			}
		}
		if len(edited) == 0 {
			break
		}
		tool = next
	}
	after := refusalsOf(ctx, tool)
	if worse := before.worse(after); worse != "" {
		fault("after all advice %s", worse)
	}
	if needs := lost(given.Parameters, tool.Parameters) &^ loss; needs != rewrite.Exact {
		fault("all advice %s, and %s was said", needs, loss)
	}
	if !before.isEmpty() {
		counts.refused = 1
		if after.isEmpty() {
			counts.cured = 1
			if loss == rewrite.Exact {
				counts.exact = 1
			}
		}
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.faults = append(h.faults, faults...)
	h.add(counts)
	return ctx.Err()
}

// wrong says what is wrong with one edit.
func wrong(ctx context.Context, tool schema.Tool, before refusals, finding verdict.Finding, edit verdict.Change) []string {
	edited := judge.Edited(tool, edit)
	after := refusalsOf(ctx, edited)
	var faults []string
	if worse := before.worse(after); worse != "" {
		faults = append(faults, worse)
	}
	for _, findings := range after {
		isLeft := func(other verdict.Finding) bool {
			return other.Rule == finding.Rule && other.At == finding.At && other.Message == finding.Message
		}
		if slices.ContainsFunc(findings, isLeft) {
			faults = append(faults, "it is still refused")
		}
	}
	if needs := lost(tool.Parameters, edited.Parameters) &^ edit.Loss; needs != rewrite.Exact {
		faults = append(faults, fmt.Sprintf("it %s, and %q was said", needs, edit.Loses))
	}
	// An edit that gives something another name loses no argument, and says so all the same.
	isRename := edit.Loses == "calls have the new name" || edit.Loses == "arguments have new names"
	if (edit.Loss == rewrite.Exact) != (edit.Loses == "") && !isRename {
		faults = append(faults, fmt.Sprintf("its loss is %s, and the words are %q", edit.Loss, edit.Loses))
	}
	return faults
}

// lost returns the loss that instances show between two schemas.
func lost(before, after *schema.Node) rewrite.Loss {
	const most, largest = 60, 2_000
	if before == nil || after == nil || before.Size() > largest || after.Size() > largest {
		return rewrite.Exact
	}
	old, err := instance.Compile(before)
	fresh, failed := instance.Compile(after)
	if err != nil || failed != nil {
		return rewrite.Exact // not JSON Schema, as providers say
	}
	loss := rewrite.Exact
	for _, value := range slices.Concat(meaning.Instances(before, 11, most), meaning.Instances(after, 12, most)) {
		was, endless := old.AcceptsWithin(value)
		is, endlessNow := fresh.AcceptsWithin(value)
		switch {
		case endless != nil || endlessNow != nil:
		case was && !is:
			loss |= rewrite.Narrows
		case !was && is:
			loss |= rewrite.Widens
		}
	}
	return loss
}

// note counts what is said of a place.
func (c *curedCounts) note(cure verdict.Cure) {
	c.places++
	switch {
	case len(cure.Edits) > 0 && cure.Edits[0].Then:
		c.later++
	case len(cure.Edits) > 0 && cure.Edits[0].Loss == rewrite.Exact:
		c.exactEdits++
	case len(cure.Edits) > 0:
		c.lossyEdits++
	case cure.Member != "":
		c.member++
	default:
		c.none++
	}
}

func (c *curedCounts) add(more curedCounts) {
	c.refused += more.refused
	c.cured += more.cured
	c.exact += more.exact
	c.places += more.places
	c.exactEdits += more.exactEdits
	c.lossyEdits += more.lossyEdits
	c.later += more.later
	c.member += more.member
	c.none += more.none
}

// TestCuresSayWhatMoved: the changes of schemas in a branch of the union have the place of the union.
func TestCuresSayWhatMoved(t *testing.T) {
	t.Parallel()
	const parameters = `{"properties":{"body":{"properties":{"started_at":{},"completed_at":{},"output":{"properties":{
		"annotations":{},"images":{"items":{"required":["image_url"]}}}}},"anyOf":[{},{"additionalProperties":true}]}}}`
	node, err := schema.Parse([]byte(parameters))
	if err != nil {
		t.Fatal(err)
	}
	held := &heldCures{}
	if err := held.tool(t.Context(), schema.Tool{Name: "f", Parameters: node}); err != nil {
		t.Fatal(err)
	}
	if len(held.faults) > 0 || held.refused != 1 {
		t.Errorf("%d refused, %q", held.refused, held.faults)
	}
}
