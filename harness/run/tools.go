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

// member is a tool of a request, with what each target says to the request.
type member struct {
	toolfile.Tool

	source   string
	index    int              // in the request
	together []judge.Together // by target; nil for a tool that is sent alone
	memory   *judge.Memory
}

// isLarge reports whether no other tool is judged beside this one.
func (m *member) isLarge() bool { return m.Size() > large }

// tools judges the tools of the requests of a document, and then hands on what each request is
// refused for that is the fault of none of its tools alone.
func (r *Run) tools(ctx context.Context, requests [][]toolfile.Tool, source string) error {
	var all []member
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
			requests[i] = nil // its tools are in all, and each can be freed once it is judged
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

// together judges tools in one request for each target, and returns them as its members.
func (r *Run) together(ctx context.Context, tools []toolfile.Tool, source string) ([]member, error) {
	size := 0
	for _, tool := range tools {
		size += tool.Size()
	}
	of := r.Judge
	if size <= large { // the memory of a large request would be large, too
		of.Memory = &judge.Memory{}
	}
	var together []judge.Together
	if len(tools) > 1 {
		together = make([]judge.Together, len(r.Targets))
		judged := func(i int) outcome[judge.Together] {
			return guard(func() (judge.Together, error) { return of.Request(ctx, tools, r.Targets[i]) })
		}
		for i, one := range inOrder(ctx, len(r.Targets), r.isAlone, judged) {
			if one.err != nil {
				return nil, one.err
			}
			together[i] = one.value
		}
	}
	all := make([]member, len(tools))
	for i, tool := range tools {
		all[i] = member{Tool: tool, source: source, index: i, together: together, memory: of.Memory}
		if of.Memory == nil && !all[i].isLarge() {
			all[i].memory = &judge.Memory{} // of its own, which ends with it
		}
	}
	return all, nil
}

// outcome is a value, or the error that took its place.
type outcome[T any] struct {
	value T
	err   error
}

// guard returns what judge returns, and turns a panic into an error.
func guard[T any](judge func() (T, error)) (got outcome[T]) {
	defer func() {
		if caught := recover(); caught != nil {
			got.err = fmt.Errorf("panic: %v", caught)
		}
	}()
	got.value, got.err = judge()
	return got
}

// isAlone reports whether one thing is judged at a time.
func (r *Run) isAlone(int) bool { return r.Alone }

// part is a tool that is judged for the targets from one index to another.
type part struct{ tool, from, to int }

// parts returns what one core judges in one go. For a small tool that is all targets, because
// handing over the results of single targets would cost as much as judging some of them.
func (r *Run) parts(tools []member) []part {
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
func (r *Run) each(ctx context.Context, tools []member) error {
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
			tools[part.tool] = member{} // it can be freed before the last one is judged
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

// judged returns the results of a tool for the targets of a part. It returns fewer where the
// results are large, and none for an empty part.
func (r *Run) judged(ctx context.Context, tool member, part part) []verdict.Result {
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

// judged returns what the target with index i says to the tool in its request. If the judge
// panics, the result of this tool and target is an error.
func (m *member) judged(ctx context.Context, of judge.Judge, target judge.Target, i int) verdict.Result {
	var together judge.Together
	if m.together != nil {
		together = m.together[i]
	}
	subject := judge.Subject{Tool: m.Tool, Source: m.source, Shared: together.Shared[m.index]}
	one := guard(func() (verdict.Result, error) {
		result := of.Tool(ctx, subject, target)
		together.Amend(&result, m.index, of.Raw)
		return result, nil
	})
	if one.err != nil {
		return verdict.Result{
			ID: m.ID, Tool: m.Name, Source: m.source, Line: m.Line, Target: target.Name(), Dialect: target.Dialect.Name,
			Status: verdict.Error, Error: one.err.Error(), Kind: &verdict.Tool{},
		}
	}
	if m.Line == 0 {
		withoutLines(&one.value)
	}
	return one.value
}

// withoutLines removes the lines from the findings about a tool that is in no file.
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

// hand notes for the advice what a target says to the tool with this number in its document, and
// amends the result unless advice is all that is wanted.
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

// amend applies the steps to a result, and counts it.
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
