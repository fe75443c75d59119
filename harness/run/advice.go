package run

import (
	"context"
	"slices"
	"strings"

	"toolproof/harness/advice"
	"toolproof/harness/judge"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Advice finds what models get wrong in tools although every surface accepts them.
type Advice struct {
	Rules    []*advice.Rule
	Language string
	// Fails makes a tool with advice fail.
	Fails bool
	// Asks extends the advice by what the surfaces of the targets drop, and by the tokens that the
	// normalized tools cost.
	Asks bool
	// Alone runs the targets only for the sake of the advice: their verdicts are neither counted
	// nor handed to the sink.
	Alone bool

	// dropped are the keywords that surfaces do not pass on to the model, by the number of the
	// tool in its document.
	dropped map[int][]advice.Dropped
	// forms is the estimated number of tokens of the normalized declarations, by target.
	forms map[string]int
}

// isAdviceAlone reports whether only the advice is wanted, and not the verdicts of the targets.
func (r *Run) isAdviceAlone() bool { return r.Advice != nil && r.Advice.Alone }

// Forms returns the estimated number of tokens of all normalized declarations, by target; nil
// unless Asks is set.
func (a *Advice) Forms() map[string]int { return a.forms }

// note records what a target makes of a tool: its tokens, and what its surface drops.
func (a *Advice) note(number int, tool toolfile.Tool, result verdict.Result, target judge.Target) {
	if !a.Asks {
		return
	}
	sides := result.Sides()
	if sides.Normalized != nil {
		if a.forms == nil {
			a.forms = map[string]int{}
		}
		declared := target.Surface(sides.Normalized.Strict).Declaration(schema.ToolOf(sides.Normalized.Tool))
		a.forms[result.Target] += advice.Tokens(string(declared.JSON()))
	}
	if sides.Raw != nil && len(sides.Raw.Ignored) > 0 {
		a.noteDropped(number, tool.Unfolded(), sides)
	}
}

// noteDropped records what a surface does not pass on to the model. What the surface merely does
// not enforce is left out, because the model sees it.
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

// drop adds a surface to the surfaces that drop a keyword of a tool.
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

// advise gives advice on the tools of a document. The tools of a request are compared with one
// another.
func (r *Run) advise(ctx context.Context, requests [][]toolfile.Tool, source string) error {
	first := make([]int, len(requests)) // number of the first tool of each request in the document
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
				continue // the results of the targets report the error
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

// Tools returns a result with advice on each tool of a document; that of the schema of an answer has none. It returns nil if the
// context ends.
func (a *Advice) Tools(ctx context.Context, tools []toolfile.Tool, source string) []verdict.Result {
	results := make([]verdict.Result, 0, len(tools))
	for _, request := range toolfile.Requests(tools) {
		advised := make([]verdict.Result, len(request))
		if !request[0].IsResponse {
			advised = a.on(ctx, request, len(results), source)
		}
		if results = append(results, advised...); ctx.Err() != nil {
			return nil
		}
	}
	return results
}

// on returns a result with advice for each tool of a list. number is the position of the first tool
// in its document. It returns nil if the context ends.
func (a *Advice) on(ctx context.Context, request []toolfile.Tool, number int, source string) []verdict.Result {
	results := make([]verdict.Result, len(request))
	var tools []toolfile.Tool
	var list []schema.Tool
	var at []int // indices of the tools of list in request
	for i, tool := range request {
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
		kind := result.Advice()
		kind.Tokens, kind.Findings = advice.TokensOf(list[i]), adviceOf(tool, found[i])
		if a.Fails && kind.Open() > 0 {
			result.Status = verdict.Fail
		}
	}
	return results
}

// adviceOf converts advice on a tool into findings of a result.
func adviceOf(tool toolfile.Tool, found []advice.Finding) []verdict.Finding {
	findings := make([]verdict.Finding, len(found))
	for i, piece := range found {
		finding := verdict.Finding{Rule: piece.Rule.Name, Severity: verdict.AdviceTarget, Message: piece.Message, At: tool.Pointer(piece.At), IsGrave: piece.Rule.IsGrave}
		for _, at := range piece.Also {
			finding.Also = append(finding.Also, tool.Pointer(at))
		}
		if piece.IsNote {
			finding.Severity = verdict.Note
		}
		for _, edit := range piece.Edits {
			finding.Answers = append(finding.Answers, answerOf(piece.Rule, tool.Pointer(edit.At), edit))
		}
		position := piece.Position
		if node := tool.Declaration.Find(finding.At); node != nil && (piece.At == "" || position.Line == 0) {
			position = node.Position
		}
		if tool.Line > 0 { // otherwise there is no file
			finding.Line, finding.Column = int(position.Line), int(position.Column)
		}
		findings[i] = finding
	}
	return findings
}

// answerOf returns an edit of a piece of advice as one of a source. Nobody judged it.
func answerOf(rule *advice.Rule, at schema.Pointer, edit advice.Edit) verdict.Change {
	change := verdict.Change{Rule: rule.Name, From: at, At: at, Before: rewrite.PartOfMembers(edit.Before), After: rewrite.PartOfMembers(edit.After), Loses: edit.Loses}
	if edit.Widens {
		change.Loss |= rewrite.Widens
	}
	if edit.Narrows {
		change.Loss |= rewrite.Narrows
	}
	return change
}
