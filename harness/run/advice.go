package run

import (
	"context"
	"slices"
	"strings"

	"toolproof/harness/advice"
	"toolproof/harness/judge"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Advice gives advice on tools: what models get wrong in them although every surface accepts
// them.
type Advice struct {
	Rules    []*advice.Rule
	Language string
	// Fails makes a tool fail that has advice.
	Fails bool
	// Asks says also what the surfaces of the targets drop, and what the tools cost there.
	Asks bool
	// Alone keeps the verdicts of the targets from the sink and the counts.
	Alone bool

	// dropped is what the surfaces do not hand to the model, by the number of the tool in its
	// document.
	dropped map[int][]advice.Dropped
	// forms is about how many tokens the normalized declarations have, by target.
	forms map[string]int
}

// isAdviceAlone reports whether the verdicts of the targets are wanted by nobody but the advice.
func (r *Run) isAdviceAlone() bool { return r.Advice != nil && r.Advice.Alone }

// Forms returns about how many tokens the normalized declarations have together, by target; nil
// where Asks is not set.
func (a *Advice) Forms() map[string]int { return a.forms }

// note keeps what a target makes of a tool: its tokens, and what its surface drops.
func (a *Advice) note(number int, tool toolfile.Tool, result verdict.Result, target judge.Target) {
	if !a.Asks {
		return
	}
	sides := result.Sides()
	if sides.Normalized != nil {
		if a.forms == nil {
			a.forms = map[string]int{}
		}
		declared := target.Surface(sides.Normalized.Strict).Declare(schema.ToolOf(sides.Normalized.Tool))
		a.forms[result.Target] += advice.Tokens(string(declared.JSON()))
	}
	if sides.Raw != nil && len(sides.Raw.Ignored) > 0 {
		a.noteDropped(number, tool.Unfolded(), sides)
	}
}

// noteDropped keeps what a surface does not hand to the model. What the surface does not
// enforce is another matter: the model sees it.
func (a *Advice) noteDropped(number int, tool toolfile.Tool, sides *verdict.Sides) {
	for _, finding := range sides.Raw.Ignored {
		at, isParameter := tool.Within(finding.At)
		if !isParameter || !strings.Contains(finding.Message, "is dropped") {
			continue
		}
		tokens := at.Tokens()
		dropped := advice.Dropped{Keyword: tokens[len(tokens)-1]}
		for _, token := range tokens[:len(tokens)-1] {
			dropped.At = dropped.At.Child(token)
		}
		a.drop(number, dropped, finding.On(sides.RawDialect))
	}
}

// drop adds a surface to those that drop a keyword of a tool.
func (a *Advice) drop(number int, dropped advice.Dropped, surface string) {
	known := a.dropped[number]
	at := slices.IndexFunc(known, func(other advice.Dropped) bool { return other.At == dropped.At && other.Keyword == dropped.Keyword })
	if at < 0 {
		if a.dropped == nil {
			a.dropped = map[int][]advice.Dropped{}
		}
		at, known = len(known), append(known, dropped)
	}
	if !slices.Contains(known[at].Surfaces, surface) {
		known[at].Surfaces = append(known[at].Surfaces, surface)
	}
	a.dropped[number] = known
}

// advise gives advice on the tools of a document. Those of a request are one list.
func (r *Run) advise(ctx context.Context, requests [][]toolfile.Tool, source string) error {
	first := make([]int, len(requests)) // the number of the first tool of a request in the document
	for i := 1; i < len(requests); i++ {
		first[i] = first[i-1] + len(requests[i-1])
	}
	isLarge := func(i int) bool {
		size := 0
		for _, tool := range requests[i] {
			size += tool.Size()
		}
		return size > large
	}
	advised := func(i int) []verdict.Result { return r.Advice.on(ctx, requests[i], first[i], source) }
	for i, results := range inOrder(ctx, len(requests), isLarge, advised) {
		if ctx.Err() != nil {
			break
		}
		for j, result := range results {
			isRead := requests[i][j].Err == nil
			if !isRead && !r.isAdviceAlone() {
				continue // the targets say it
			}
			if err := r.amend(result); err != nil {
				return err
			}
			if r.isAdviceAlone() {
				r.tool(isRead, isRead)
			}
		}
	}
	r.Advice.dropped = nil
	return ctx.Err()
}

// on returns the advice on the tools of a list, a result for each. The number is that of the
// first tool in its document. There are no results where the context ends.
func (a *Advice) on(ctx context.Context, given []toolfile.Tool, number int, source string) []verdict.Result {
	results := make([]verdict.Result, len(given))
	var tools []toolfile.Tool
	var list []schema.Tool
	var at []int // of a tool of the list among the given ones
	for i, tool := range given {
		tool = tool.Unfolded()
		results[i] = verdict.Result{
			ID: tool.ID, Tool: tool.Name, Source: source, Line: tool.Line, Target: verdict.AdviceTarget, Status: verdict.Pass, Kind: &verdict.Advice{},
		}
		if tool.Err != nil {
			results[i].Status, results[i].Error = verdict.Error, tool.Err.Error()
			continue
		}
		tools, list, at = append(tools, tool), append(list, tool.Tool), append(at, i)
	}
	options := advice.Options{Rules: a.Rules, Language: a.Language}
	if a.Asks {
		options.Dropped = func(i int) []advice.Dropped { return a.dropped[number+at[i]] }
	}
	found, err := advice.Of(ctx, list, options)
	if err != nil {
		return nil
	}
	for i, tool := range tools {
		result := &results[at[i]]
		given := result.Advice()
		given.Tokens, given.Findings = advice.TokensOf(list[i]), adviceOf(tool, found[i])
		if a.Fails && len(given.Findings) > 0 {
			result.Status = verdict.Fail
		}
	}
	return results
}

// adviceOf turns advice on a tool into the findings of a result.
func adviceOf(tool toolfile.Tool, found []advice.Finding) []verdict.Finding {
	findings := make([]verdict.Finding, len(found))
	for i, one := range found {
		finding := verdict.Finding{Rule: one.Rule.Name, Severity: verdict.AdviceTarget, Message: one.Message, At: tool.Pointer(one.At)}
		position := one.Position
		if node := tool.Declaration.Find(finding.At); node != nil && (one.At == "" || position.Line == 0) {
			position = node.Position
		}
		if tool.Line > 0 { // else there is no file
			finding.Line, finding.Column = int(position.Line), int(position.Column)
		}
		findings[i] = finding
	}
	return findings
}
