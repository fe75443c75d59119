package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness"
	"toolproof/harness/advice"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/provider/google"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/lab/hostile"
	"toolproof/normalizers"
	"toolproof/schema"
)

// collected is a sink that keeps what it is handed. It fails from a number of results on, where that
// is not 0.
type collected struct {
	results []verdict.Result
	fails   int
	ended   *report.Summary
}

var errFull = errors.New("the disk is full")

func (c *collected) Result(result verdict.Result) error {
	if c.results = append(c.results, result); len(c.results) == c.fails {
		return errFull
	}
	return nil
}

func (c *collected) Summary(summary *report.Summary) error {
	c.ended = summary
	return nil
}

// seen returns the tools and targets of the results.
func (c *collected) seen() []string {
	seen := make([]string, len(c.results))
	for i, result := range c.results {
		seen[i] = result.Tool + " " + result.Target
	}
	return seen
}

// read reads a document.
func read(t *testing.T, source, text string) Document {
	t.Helper()
	tools, err := toolfile.Read(strings.NewReader(text))
	return Document{Source: source, Tools: tools, Err: err}
}

// linesOf is a document of tools that are sent alone.
func linesOf(t *testing.T, source string, count int) Document {
	t.Helper()
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, `{"name": "%s%d", "schema": {"type": "object", "properties": {"a": {"type": "string"}}}}`+"\n", source, i)
	}
	return read(t, source, text.String())
}

// TestOrder: results come in the order of documents, tools and targets, and are counted.
func TestOrder(t *testing.T) {
	t.Parallel()
	sink := &collected{}
	run := &Run{Targets: harness.Targets[:3], Judge: judge.Judge{Raw: true}, Sink: sink}
	documents := []Document{linesOf(t, "b", 40), linesOf(t, "a", 3)}
	if err := errors.Join(run.Documents(t.Context(), documents), run.End()); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, source := range []struct {
		name  string
		tools int
	}{{"b", 40}, {"a", 3}} {
		for i := range source.tools {
			for _, target := range run.Targets {
				want = append(want, fmt.Sprintf("%s%d %s", source.name, i, target.Name()))
			}
		}
	}
	if difference := cmp.Diff(want, sink.seen()); difference != "" {
		t.Error(difference)
	}
	if summary := sink.ended; summary != run.Summary() || summary.Tools != 43 || summary.Read != 43 || summary.Judged != 43 || summary.Of("gemini").Passed != 43 {
		t.Errorf("the summary is %+v", summary)
	}
	if documents[0].Tools != nil || documents[1].Tools != nil {
		t.Error("the run holds on to the documents")
	}
}

// TestZero: a run without anything counts and drops what it is given.
func TestZero(t *testing.T) {
	t.Parallel()
	var run Run
	if err := errors.Join(run.Documents(t.Context(), []Document{linesOf(t, "a", 2)}), run.Fixtures(t.Context(), nil), run.Count(verdict.Result{Target: "gemini", Status: verdict.Fail}), run.End()); err != nil {
		t.Fatal(err)
	}
	if summary := run.Summary(); summary.Conforms || summary.Of("gemini").Failed != 1 {
		t.Errorf("the summary is %+v", summary)
	}
}

// TestTogether: the results of tools of one list hold what is wrong with the tools together; a fault
// of the request that is of no single tool is a result of its own, after those of the tools.
func TestTogether(t *testing.T) {
	t.Parallel()
	sink := &collected{}
	limited, err := harness.TargetNamed("codeassist/parameters") // refuses names twice and more than 512 functions
	if err != nil {
		t.Fatal(err)
	}
	run := &Run{Targets: []judge.Target{limited}, Judge: judge.Judge{Raw: true}, Sink: sink}
	twice := read(t, "twice.json", `[{"name": "f", "parameters": {"type": "object"}}, {"name": "f", "parameters": {"type": "object"}}]`)
	var many strings.Builder
	for i := range 600 {
		fmt.Fprintf(&many, `,{"name": "f%d", "parameters": {"type": "object"}}`, i)
	}
	if err := run.Documents(t.Context(), []Document{twice, read(t, "many.json", "["+many.String()[1:]+"]")}); err != nil {
		t.Fatal(err)
	}
	if result := sink.results[1]; result.Together() != 2 || result.Status != verdict.Fail {
		t.Errorf("two tools of one name are %s, together %d", result.Status, result.Together())
	}
	last := sink.results[len(sink.results)-1]
	if request := last.Request(); request == nil || request.Tools != 600 || len(sink.results) != 603 || run.Summary().Requests != 1 || run.Summary().Tools != 602 {
		t.Errorf("the last of %d results is %+v", len(sink.results), last)
	}
}

// TestProblems: what could not be read costs each target a verdict, after the tools that could.
func TestProblems(t *testing.T) {
	t.Parallel()
	sink := &collected{}
	var warned []string
	run := &Run{
		Targets: harness.Targets[:2], Judge: judge.Judge{Raw: true}, Sink: sink,
		Warn:  func(document Document, problem error) { warned = append(warned, document.Say(problem)) },
		Steps: []func(*verdict.Result){func(result *verdict.Result) { result.ID = "stepped" }},
	}
	document := read(t, "cut.json", `{"tools": [{"name": "f", "inputSchema": {"type": "object"}}`)
	if err := run.Documents(t.Context(), []Document{document}); err != nil {
		t.Fatal(err)
	}
	if len(sink.results) != 4 || len(warned) != 1 || !strings.HasPrefix(warned[0], "cut.json:1:") {
		t.Fatalf("%d results, warned of %q", len(sink.results), warned)
	}
	for i, result := range sink.results {
		_, isSource := result.Kind.(verdict.Source)
		if isSource != (i > 1) || (result.Status == verdict.Error) != isSource || (result.ID == "stepped") == isSource {
			t.Errorf("result %d is %+v", i, result)
		}
	}
}

// TestSinkFails: an error of the sink ends the run.
func TestSinkFails(t *testing.T) {
	t.Parallel()
	sink := &collected{fails: 5}
	run := &Run{Targets: harness.Targets[:2], Judge: judge.Judge{Raw: true}, Sink: sink}
	if err := run.Documents(t.Context(), []Document{linesOf(t, "a", 100)}); !errors.Is(err, errFull) || len(sink.results) != 5 {
		t.Errorf("after %d results the error is %v", len(sink.results), err)
	}
}

// TestCancelled: a run ends with its context, between two results.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sink := &collected{}
	run := &Run{Targets: harness.Targets[:2], Judge: judge.Judge{Raw: true}, Sink: sink}
	run.Steps = []func(*verdict.Result){func(*verdict.Result) {
		if len(sink.results) == 6 {
			cancel()
		}
	}}
	if err := run.Documents(ctx, []Document{linesOf(t, "a", 200)}); !errors.Is(err, context.Canceled) || len(sink.results) < 7 || len(sink.results) > 8 {
		t.Errorf("after %d results the error is %v", len(sink.results), err)
	}
}

// faulty is a provider that panics on tools whose names begin with a letter.
type faulty struct {
	provider.Provider
	letter string
}

func (f faulty) Send(ctx context.Context, request provider.Request) (provider.Response, error) {
	if strings.HasPrefix(request.Declarations[0].GetString("name"), f.letter) {
		panic("out of paper")
	}
	return f.Provider.Send(ctx, request)
}

// panicsOn returns a judge that panics on tools whose names begin with a letter.
func panicsOn(letter string) judge.Judge {
	return judge.Judge{Raw: true, Provider: func(dialect *provider.Dialect) provider.Provider {
		return faulty{&provider.Model{Dialect: dialect}, letter}
	}}
}

// TestPanic: a judge that panics on a tool costs no other one its verdict, and a list for which it
// panics ends the run with an error.
func TestPanic(t *testing.T) {
	t.Parallel()
	sink := &collected{}
	run := &Run{Targets: harness.Targets[:2], Judge: panicsOn("b"), Sink: sink}
	if err := run.Documents(t.Context(), []Document{linesOf(t, "a", 2), linesOf(t, "b", 1), linesOf(t, "c", 1)}); err != nil {
		t.Fatal(err)
	}
	for _, result := range sink.results {
		want := verdict.Pass
		if result.Tool == "b0" {
			want = verdict.Error
		}
		if result.Status != want || (result.Error == "panic: out of paper") != (want == verdict.Error) {
			t.Errorf("%s for %s is %s: %s", result.Tool, result.Target, result.Status, result.Error)
		}
	}
	if summary := run.Summary(); len(sink.results) != 8 || summary.Tools != 4 || summary.Judged != 3 {
		t.Errorf("%d results, %+v", len(sink.results), summary)
	}
	list := read(t, "list.json", `[{"name": "b", "parameters": {"type": "object"}}, {"name": "a", "parameters": {"type": "object"}}]`)
	if err := run.Documents(t.Context(), []Document{list}); err == nil || err.Error() != "panic: out of paper" {
		t.Errorf("the error is %v", err)
	}
	given := &fixture.Fixture{ID: "x", File: "x.json", Tools: []schema.Tool{{Name: "b", Parameters: schema.NewObject()}}, Expect: map[string]fixture.Expectation{
		google.GeminiParameters.Name: {Raw: &fixture.Side{Verdict: "accepted"}},
	}}
	run.Targets = []judge.Target{{Dialect: google.GeminiParameters}}
	if err := run.Fixtures(t.Context(), []*fixture.Fixture{given}); err != nil {
		t.Fatal(err)
	}
	if last := sink.results[len(sink.results)-1]; last.Status != verdict.Error || last.Error != "panic: out of paper" || last.Fixture() == nil {
		t.Errorf("the fixture is %s: %s", last.Status, last.Error)
	}
}

// TestLargeResultsOfASmallTool: what a small tool grows to is not held for all targets, and
// each target has its result, in order.
func TestLargeResultsOfASmallTool(t *testing.T) {
	t.Parallel()
	sink := &collected{}
	run := &Run{Targets: harness.Targets[:8], Sink: sink}
	const doubles = 14 // 16,000 places
	given := schema.Tool{Name: "f", Parameters: hostile.Named("any_of_doubles").Make(doubles)}
	tools, err := toolfile.Read(bytes.NewReader(given.Node().JSON()))
	if err != nil {
		t.Fatal(err)
	}
	if held := run.judged(t.Context(), member{Tool: tools[0]}, part{to: len(run.Targets)}); len(held) == 0 || len(held) == len(run.Targets) {
		t.Errorf("%d results of %d are held together", len(held), len(run.Targets))
	}
	if err := run.Documents(t.Context(), []Document{{Source: "tools.json", Tools: tools}}); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, target := range run.Targets {
		want = append(want, "f "+target.Name())
	}
	if difference := cmp.Diff(want, sink.seen()); difference != "" {
		t.Error(difference)
	}
}

// raise sets a number to a higher one.
func raise(most *atomic.Int64, now int64) {
	for {
		known := most.Load()
		if now <= known || most.CompareAndSwap(known, now) {
			return
		}
	}
}

// TestInOrder: values come in order, few are held, and a heavy one is held alone.
func TestInOrder(t *testing.T) {
	t.Parallel()
	const count = 500
	isHeavy := func(i int) bool { return i%50 == 7 }
	var held, most atomic.Int64
	made := func(i int) int {
		now := held.Add(1)
		raise(&most, now)
		if isHeavy(i) && now > 1 {
			t.Errorf("%d others are held beside %d", now-1, i)
		}
		return i
	}
	next := 0
	for i, value := range inOrder(t.Context(), count, isHeavy, made) {
		if i != next || value != i {
			t.Fatalf("number %d is %d at %d", next, value, i)
		}
		held.Add(-1)
		next++
	}
	if bound := int64(2 * runtime.GOMAXPROCS(0)); next != count || most.Load() > bound {
		t.Errorf("%d values, of which %d were held and not %d", next, most.Load(), bound)
	}
}

// TestAdvice: advice comes behind the verdicts of a document, and alone it is all that counts. What
// the surfaces drop is known to it all the same.
func TestAdvice(t *testing.T) {
	t.Parallel()
	const tool = `{"name": "f", "description": "Waits.", "parameters": {"type": "object", "properties": {"wait": {"type": "integer", "minimum": 1}}}}`
	ollama, err := harness.DialectNamed("ollama/chat")
	if err != nil {
		t.Fatal(err)
	}
	for _, alone := range []bool{true, false} {
		sink := &collected{}
		run := &Run{
			Targets: []judge.Target{{Normalizer: normalizers.OpenAI, Dialect: ollama}}, Judge: judge.Judge{Raw: true}, Sink: sink,
			Advice: &Advice{Rules: advice.Rules, Fails: true, Asks: true, Alone: alone},
		}
		if err := run.Documents(t.Context(), []Document{read(t, "a.json", tool), read(t, "none.json", "{")}); err != nil {
			t.Fatal(err)
		}
		targets := []string{"openai", verdict.AdviceTarget, "openai"}
		if alone {
			targets = []string{verdict.AdviceTarget, verdict.AdviceTarget}
		}
		var got []string
		var given *verdict.Advice
		for _, result := range sink.results {
			got = append(got, result.Target)
			if given == nil {
				given = result.Advice()
			}
		}
		if difference := cmp.Diff(targets, got); difference != "" || given == nil {
			t.Fatalf("alone %t: %s", alone, difference)
		}
		isOfOllama := func(finding verdict.Finding) bool { return strings.Contains(finding.Message, "ollama/chat") }
		if !slices.ContainsFunc(given.Findings, isOfOllama) || run.Advice.Forms()["openai"] == 0 || given.Tokens == 0 {
			t.Errorf("alone %t: nothing of what the surface drops: %+v", alone, given)
		}
		if summary := run.Summary(); summary.Tools != 2 || summary.Read != 1 || summary.Judged != 1 || (summary.Targets["openai"] == nil) != alone {
			t.Errorf("alone %t: the summary is %+v", alone, summary)
		}
	}
}

// TestTool: a tool that was judged elsewhere counts once, however many targets it has.
func TestTool(t *testing.T) {
	t.Parallel()
	var run Run
	answered := &verdict.Tool{Sides: verdict.Sides{Raw: &verdict.Answer{Verdict: provider.Accepted}}}
	pass, unlearnt, broken := verdict.Result{Target: "a", Status: verdict.Pass, Kind: answered}, verdict.Result{Target: "b", Status: verdict.Inconclusive, Kind: &verdict.Tool{}}, verdict.Result{Target: "b", Status: verdict.Error, Kind: &verdict.Tool{}}
	for _, results := range [][]verdict.Result{{pass, pass}, {pass, unlearnt}, {pass, broken}, nil} {
		if err := run.Tool(results); err != nil {
			t.Fatal(err)
		}
	}
	if summary := run.Summary(); summary.Tools != 4 || summary.Read != 3 || summary.Judged != 2 || summary.Of("a").Passed != 4 {
		t.Errorf("the summary is %+v", summary)
	}
}
