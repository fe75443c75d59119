package run

import (
	"context"
	"fmt"

	"toolproof/harness/judge"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
)

const (
	// large is the size of a tool, in values, above which no other is judged beside it. It bounds
	// how many results are held together, too, because a small tool can make large ones.
	large = 20_000
	// small is the size of a tool, in values, up to which its results for all targets are held
	// together.
	small = toolfile.MostFolded
)

// asked is a tool to judge, and what is said to all tools of its request.
type asked struct {
	toolfile.Tool

	source   string
	index    int              // in the request
	together []judge.Together // by target; nil for a tool that is sent alone
	memory   *judge.Memory
}

// isLarge reports whether no other tool is judged beside this one.
func (a *asked) isLarge() bool { return a.Size() > large }

// tools judges the tools of the requests of a document, and then what each request exceeds.
func (r *Run) tools(ctx context.Context, requests [][]toolfile.Tool, source string) error {
	var all []asked
	var several [][]judge.Together
	for i, request := range requests {
		tools, err := r.together(ctx, request, source)
		if err != nil {
			return err
		}
		all = append(all, tools...)
		if len(tools) > 1 {
			several = append(several, tools[0].together)
		}
		if r.Advice == nil {
			requests[i] = nil // what is judged is let go
		}
	}
	if err := r.each(ctx, all); err != nil || r.isAdviceAlone() {
		return err
	}
	for _, together := range several {
		for i, target := range r.Targets {
			result, isRefused := together[i].Result(source, target, r.Judge.Raw)
			if !isRefused {
				continue
			}
			if err := r.amend(result); err != nil {
				return err
			}
		}
	}
	return nil
}

// together judges tools in one request for each target, and returns them.
func (r *Run) together(ctx context.Context, tools []toolfile.Tool, source string) ([]asked, error) {
	size := 0
	for _, tool := range tools {
		size += tool.Size()
	}
	of := r.Judge
	if size <= large { // what is made of a large request is large, too
		of.Memory = &judge.Memory{}
	}
	var together []judge.Together
	if len(tools) > 1 {
		together = make([]judge.Together, len(r.Targets))
		judged := func(i int) guarded[judge.Together] {
			return guard(func() (judge.Together, error) { return of.Request(ctx, tools, r.Targets[i]) })
		}
		for i, one := range inOrder(ctx, len(r.Targets), r.isAlone, judged) {
			if one.err != nil {
				return nil, one.err
			}
			together[i] = one.made
		}
	}
	all := make([]asked, len(tools))
	for i, tool := range tools {
		all[i] = asked{Tool: tool, source: source, index: i, together: together, memory: of.Memory}
		if of.Memory == nil && !all[i].isLarge() {
			all[i].memory = &judge.Memory{} // of its own, which ends with it
		}
	}
	return all, nil
}

// guarded is what was made, or why nothing was.
type guarded[T any] struct {
	made T
	err  error
}

// guard makes something, and turns a panic into an error.
func guard[T any](judged func() (T, error)) (made guarded[T]) {
	defer func() {
		if caught := recover(); caught != nil {
			made.err = fmt.Errorf("panic: %v", caught)
		}
	}()
	made.made, made.err = judged()
	return made
}

// isAlone reports whether nothing is judged beside anything else.
func (r *Run) isAlone(int) bool { return r.Alone }

// part is a tool that is judged for the targets from one index to another.
type part struct{ tool, from, to int }

// parts returns what one core judges in one go. For a small tool these are all targets: to
// hand over and to order the results of single targets would cost as much as some of them.
func (r *Run) parts(tools []asked) []part {
	var parts []part
	for i, tool := range tools {
		if tool.Size() <= small {
			parts = append(parts, part{i, 0, len(r.Targets)})
			continue
		}
		for target := range r.Targets {
			parts = append(parts, part{i, target, target + 1})
		}
	}
	return parts
}

// each judges each tool for each target.
func (r *Run) each(ctx context.Context, tools []asked) error {
	parts := r.parts(tools)
	judged := func(i int) []verdict.Result { return r.judged(ctx, tools[parts[i].tool], parts[i]) }
	isAlone := func(i int) bool { return r.Alone || tools[parts[i].tool].isLarge() }
	isJudged := true // whether the tool has a verdict for each target so far
	count := 0
	for i, results := range inOrder(ctx, len(parts), isAlone, judged) {
		if ctx.Err() != nil {
			break
		}
		part := parts[i]
		tool := tools[part.tool]
		isJudged = isJudged || part.from == 0
		for len(results) > 0 {
			for j, result := range results {
				target := r.Targets[part.from+j]
				isJudged = isJudged && hasVerdict(result, target)
				if err := r.hand(part.tool, tool.Tool, result, target); err != nil {
					return err
				}
			}
			part.from += len(results)
			results = r.judged(ctx, tool, part)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if part.to == len(r.Targets) {
			if !r.isAdviceAlone() { // else the advice counts it
				r.tool(tool.Err == nil, isJudged)
			}
			tools[part.tool] = asked{} // it is not held until the last one is judged
		}
		count = i + 1
	}
	if count < len(parts) {
		return ctx.Err()
	}
	return nil
}

// hasVerdict reports whether a target gave a verdict on a tool, and on the normalized tool
// where there is one.
func hasVerdict(result verdict.Result, target judge.Target) bool {
	sides := result.Sides()
	return sides.Normalized != nil || sides.Raw != nil && (target.Normalizer == nil || sides.AsGiven != "")
}

// judged returns the results of a tool for the targets of a part, as many as are held together,
// and none where the part is done.
func (r *Run) judged(ctx context.Context, tool asked, part part) []verdict.Result {
	of := r.Judge
	of.Memory, tool.Tool = tool.memory, tool.Unfolded()
	results := make([]verdict.Result, 0, part.to-part.from)
	size := 0
	for i := part.from; i < part.to && size <= large; i++ {
		result := tool.judged(ctx, of, r.Targets[i], i)
		results = append(results, result)
		if made := result.Sides().Normalized; made != nil {
			size += made.Tool.Size() + len(made.Changes)
		}
	}
	return results
}

// judged returns what a target, by its index, says to the tool in its request. A panic of the
// judge is an error of this tool and target.
func (a *asked) judged(ctx context.Context, of judge.Judge, target judge.Target, i int) verdict.Result {
	var together judge.Together
	if a.together != nil {
		together = a.together[i]
	}
	subject := judge.Subject{Tool: a.Tool, Source: a.source, Shared: together.Shared[a.index]}
	one := guard(func() (verdict.Result, error) {
		result := of.Tool(ctx, subject, target)
		together.Amend(&result, a.index, of.Raw)
		return result, nil
	})
	if one.err != nil {
		return verdict.Result{
			ID: a.ID, Tool: a.Name, Source: a.source, Line: a.Line, Target: target.Name(), Dialect: target.Dialect.Name,
			Status: verdict.Error, Error: one.err.Error(), Kind: &verdict.Tool{},
		}
	}
	if a.Line == 0 {
		withoutLines(&one.made)
	}
	return one.made
}

// withoutLines takes the lines out of the findings about a tool that is in no file.
func withoutLines(result *verdict.Result) {
	sides := result.Sides()
	answers := []*verdict.Answer{sides.Raw}
	if sides.Normalized != nil {
		answers = append(answers, &sides.Normalized.Answer)
	}
	for _, answer := range answers {
		if answer == nil {
			continue
		}
		for _, findings := range [][]verdict.Finding{answer.Findings, answer.Ignored} {
			for i := range findings {
				findings[i].Line, findings[i].Column = 0, 0
			}
		}
	}
}

// hand notes for the advice what a target says to a tool, by its number in the document, and
// hands the result on where it is wanted.
func (r *Run) hand(number int, tool toolfile.Tool, result verdict.Result, target judge.Target) error {
	if r.Advice != nil {
		r.Advice.note(number, tool, result, target)
	}
	if r.isAdviceAlone() {
		r.step()
		return nil
	}
	return r.amend(result)
}

// amend takes a result through the steps, and counts it.
func (r *Run) amend(result verdict.Result) error {
	for _, step := range r.Steps {
		step(&result)
	}
	if err := r.Count(result); err != nil {
		return err
	}
	if result.Request() == nil {
		r.step()
	}
	return nil
}
