package run

import (
	"context"
	"fmt"
	"sync"

	"toolproof/harness/judge"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
)

const (
	// large is the size in values above which a tool is judged while no other tool is. It also
	// bounds the results that are held in memory, because a small tool can have large results.
	large = 20_000
	// small is the size in values up to which the results of a tool for all targets are held in
	// memory at once.
	small = toolfile.MostFolded
)

// member is a tool of a request, with what each target says to the request.
type member struct {
	toolfile.Tool

	source   string
	index    int              // in the request
	together []judge.Together // by target; nil for the only tool of a request
	memory   *judge.Memory
	cures    func() *judge.Cures
}

// isLarge reports whether the tool has to be judged while no other tool is.
func (m *member) isLarge() bool { return m.Size() > large }

// tools judges the tools of a document's requests. After that it hands on why a request is refused
// although each of its tools alone is accepted.
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
			requests[i] = nil // all has its tools, and each can be freed once it is judged
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

// together judges the tools as one request for each target, and returns them as members of that
// request.
func (r *Run) together(ctx context.Context, tools []toolfile.Tool, source string) ([]member, error) {
	size := 0
	for _, tool := range tools {
		size += tool.Size()
	}
	judging := r.Judge
	if size <= large { // the memory of a large request would be large, too
		judging.Memory = &judge.Memory{}
	}
	var together []judge.Together
	if len(tools) > 1 {
		together = make([]judge.Together, len(r.Targets))
		judged := func(i int) outcome[judge.Together] {
			return guard(func() (judge.Together, error) { return judging.Request(ctx, tools, r.Targets[i]) })
		}
		isAlone := func(int) bool { return r.Alone || size > large }
		for i, outcome := range inOrder(ctx, len(r.Targets), isAlone, judged) {
			if outcome.err != nil {
				return nil, outcome.err
			}
			together[i] = outcome.value
		}
	}
	all := make([]member, len(tools))
	for i, tool := range tools {
		all[i] = member{Tool: tool, source: source, index: i, together: together, memory: judging.Memory}
		if judging.Memory == nil && !all[i].isLarge() {
			all[i].memory = &judge.Memory{} // one of its own, which is freed with the tool
		}
		all[i].cures = sync.OnceValue(func() *judge.Cures { return r.Judge.Cures(ctx, tool.Unfolded(), r.Targets) })
	}
	return all, nil
}

// outcome is a value, or the error that came instead.
type outcome[T any] struct {
	value T
	err   error
}

// guard returns what judge returns, and turns a panic into an error.
func guard[T any](judge func() (T, error)) (result outcome[T]) {
	defer func() {
		if caught := recover(); caught != nil {
			result.err = fmt.Errorf("panic: %v", caught)
		}
	}()
	result.value, result.err = judge()
	return result
}

// part is a tool together with the range of targets for which it is judged in one go.
type part struct{ tool, from, to int }

// parts divides tools into what one core judges in one go. That is all targets for a small tool,
// because handing over results target by target would cost as much as judging some of them.
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
	isJudged := true // every target so far gave a verdict on the tool
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
			if !r.isAdviceAlone() { // otherwise the advice counts it
				r.tool(tool.Err == nil, isJudged)
			}
			tools[part.tool] = member{} // free it before the last tool is judged
		}
		count = i + 1
	}
	if count < len(parts) {
		return ctx.Err()
	}
	return nil
}

// hasVerdict reports whether a target gave a verdict on a tool and, if there is a normalized tool,
// on that one.
func hasVerdict(result verdict.Result, target judge.Target) bool {
	sides := result.Sides()
	return sides.Normalized != nil || sides.Raw != nil && (target.Normalizer == nil || sides.AsGiven != "")
}

// judged returns the results of a tool for the targets of a part. It stops early if the results
// become large, and returns nothing for an empty part.
func (r *Run) judged(ctx context.Context, tool member, part part) []verdict.Result {
	judging := r.Judge
	judging.Memory, tool.Tool = tool.memory, tool.Unfolded()
	results := make([]verdict.Result, 0, part.to-part.from)
	size := 0
	for i := part.from; i < part.to && size <= large; i++ {
		result := tool.judged(ctx, judging, r.Targets[i], i)
		results = append(results, result)
		if normalized := result.Sides().Normalized; normalized != nil {
			size += normalized.Tool.Size() + len(normalized.Changes)
		}
	}
	return results
}

// judged returns the result of the tool in its request for the target with index i. If the judge
// panics, the result is an error.
func (m *member) judged(ctx context.Context, judging judge.Judge, target judge.Target, i int) verdict.Result {
	var together judge.Together
	if m.together != nil {
		together = m.together[i]
	}
	subject := judge.Subject{Tool: m.Tool, Source: m.source, Shared: together.Shared[m.index]}
	if judging.Raw && m.Err == nil {
		subject.Cures = m.cures()
	}
	outcome := guard(func() (verdict.Result, error) {
		result := judging.Tool(ctx, subject, target)
		together.Amend(&result, m.index, judging.Raw)
		return result, nil
	})
	if outcome.err != nil {
		return verdict.Result{
			ID: m.ID, Tool: m.Name, Source: m.source, Line: m.Line, Target: target.Name(), Dialect: target.Dialect.Name,
			Status: verdict.Error, Error: outcome.err.Error(), Kind: &verdict.Tool{},
		}
	}
	if m.Line == 0 {
		withoutLines(&outcome.value)
	}
	return outcome.value
}

// withoutLines removes the line numbers from the findings about a tool that is not from a file.
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

// hand records for the advice what a target says to a tool, and passes the result on unless only
// advice is wanted. number is the position of the tool in its document.
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
