// Package run judges the tools of documents, counts the results and hands them to a sink. A
// document is a file, the output of a program, or the list of a server; a sink writes one format
// of package report. Tools are judged on all cores, and results reach the sink in the order of
// documents, tools and targets.
package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolproof/harness/judge"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Run judges tools for targets. The zero value has no targets and no sink: it counts the results
// that Count and Tool are given.
type Run struct {
	// Targets judge tools, and Responses judge the schemas of answers. If Responses is empty, such
	// schemas are skipped.
	Targets, Responses []judge.Target
	// Conversing returns the targets for which a request is judged as a whole; nil judges no
	// requests.
	Conversing func(Conversation) []judge.Target
	// Judge judges the tools. The Run sets its Memory.
	Judge judge.Judge
	// Advice gives advice on the tools; nil means no advice.
	Advice *Advice
	// Steps change each result, in order, before it is counted; for example, the ignores of a
	// project turn a failure into a known one. They are not applied to results of kind
	// verdict.Source, nor to results that are passed to Count or Tool.
	Steps []func(*verdict.Result)
	// Sink receives the results; nil discards them. An error of the sink ends the run.
	Sink report.Sink
	// Whole judges the tools of all servers together; nil does not.
	Whole *Whole
	// Progress shows how far the run is; nil shows nothing.
	Progress Progress
	// Warn is called with each problem of a document, after the sink received the results of the
	// document's tools and before it receives those of the problem. It may be nil.
	Warn func(Document, error)
	// Alone judges one tool at a time, for a normalizer that is a single process.
	Alone bool

	summary *report.Summary
}

// Whole judges the tools of all servers together.
type Whole struct {
	// List returns what Judge has to know of the tools of the server at an index.
	List func(server int, tools []toolfile.Tool) report.List
	// Judge judges the lists of the servers that answered. If it is nil, they become part of the summary, for
	// a judgement of all parts of a run together.
	Judge func(context.Context, []report.List) ([]report.Agent, error)
}

// Progress shows how far a run is.
type Progress interface {
	// Begin starts counting towards a total number of judgements.
	Begin(total int)
	// Step counts one judgement.
	Step()
	// Say shows a line in place of the count.
	Say(line string)
	// Clear removes what is displayed.
	Clear()
}

// Summary returns the counts so far. The caller may add to them before calling End.
func (r *Run) Summary() *report.Summary {
	if r.summary == nil {
		r.summary = report.NewSummary()
	}
	return r.summary
}

// End hands the summary to the sink.
func (r *Run) End() error {
	r.Summary().Finish()
	if r.Sink == nil {
		return nil
	}
	return r.Sink.Summary(r.Summary())
}

// Count counts a result that was judged elsewhere and hands it to the sink.
func (r *Run) Count(result verdict.Result) error {
	r.Summary().Add(result)
	if r.Sink == nil {
		return nil
	}
	return r.Sink.Result(result)
}

// Tool counts a tool that was judged elsewhere, and each of its results. The tool counts as read if
// no result is an error, and as judged if each result has an answer.
func (r *Run) Tool(results []verdict.Result) error {
	isRead, isJudged := true, true
	for _, result := range results {
		sides := result.Sides()
		isRead = isRead && result.Status != verdict.Error
		isJudged = isJudged && (sides.Raw != nil || sides.Normalized != nil)
		if err := r.Count(result); err != nil {
			return err
		}
	}
	r.tool(isRead, isJudged)
	return nil
}

// tool counts a tool in the summary.
func (r *Run) tool(isRead, isJudged bool) {
	summary := r.Summary()
	summary.Tools++
	if isRead {
		summary.Read++
	}
	if isJudged {
		summary.Judged++
	}
}

// Documents judges the tools of documents. It sets Tools to nil in each element of the slice, so
// that the memory of a document can be freed once it is judged.
func (r *Run) Documents(ctx context.Context, documents []Document) error {
	total := 0
	for _, document := range documents {
		for _, tool := range document.Tools {
			total += r.judgements(document, tool)
		}
	}
	r.begin(total)
	defer r.clear()
	for i, document := range documents {
		documents[i].Tools = nil
		if err := r.document(ctx, document); err != nil {
			return err
		}
	}
	return nil
}

// judgements returns the number of results that a tool will have.
func (r *Run) judgements(document Document, tool toolfile.Tool) int {
	switch {
	case document.Meant != nil:
		return len(document.Meant(tool))
	case tool.IsResponse:
		return len(r.Responses)
	case r.Advice == nil:
		return len(r.Targets)
	default:
		return len(r.Targets) + 1
	}
}

// document judges the tools of one document, and reports its problems.
func (r *Run) document(ctx context.Context, document Document) error {
	requests, responses := toolfile.Split(document.Requests())
	document.Tools = nil
	if err := r.judge(ctx, document, requests, responses); err != nil {
		return err
	}
	if r.Advice != nil {
		if err := r.advise(ctx, requests, document.Source); err != nil {
			return err
		}
	}
	if err := r.passed(ctx, document); err != nil {
		return err
	}
	if err := r.conversations(ctx, document); err != nil {
		return err
	}
	for _, problem := range document.Problems() {
		r.warn(document, problem)
		line := 0
		if syntax, ok := errors.AsType[*schema.SyntaxError](problem); ok {
			line = int(syntax.Position.Line)
		}
		if err := r.source(document.Source, line, verdict.Error, problem.Error()); err != nil {
			return err
		}
	}
	return nil
}

// judge judges the tools and the response schemas of a document.
func (r *Run) judge(ctx context.Context, document Document, requests, responses [][]toolfile.Tool) error {
	if document.Meant != nil {
		return r.meant(ctx, document, slices.Concat(requests, responses))
	}
	if len(r.Targets) > 0 {
		if err := r.tools(ctx, requests, document.Source); err != nil {
			return err
		}
	}
	if len(r.Responses) == 0 {
		return nil
	}
	r.Summary() // create it, so that the copy shares it
	judging := *r
	judging.Targets, judging.Advice = r.Responses, nil
	return judging.tools(ctx, responses, document.Source)
}

// meant judges the tools of each request for the targets that the request means.
func (r *Run) meant(ctx context.Context, document Document, requests [][]toolfile.Tool) error {
	r.Summary() // create it, so that the copies share it
	for len(requests) > 0 {
		judging := *r
		judging.Targets, judging.Advice = document.Meant(requests[0][0]), nil
		same := 1
		for same < len(requests) && slices.EqualFunc(document.Meant(requests[same][0]), judging.Targets, judge.Target.Is) {
			same++
		}
		if err := judging.tools(ctx, requests[:same], document.Source); err != nil {
			return err
		}
		requests = requests[same:]
	}
	return nil
}

// passed counts the entries of a document that declare no schema, and reports the custom tools among
// them that a surface with rules about these does not take.
func (r *Run) passed(ctx context.Context, document Document) error {
	for _, entry := range document.Passed {
		r.Summary().Pass(entry.Kind)
		for _, target := range r.Targets {
			if entry.Kind != "custom" {
				break
			}
			status, why := r.Judge.Custom(ctx, entry, target)
			if status == verdict.Pass || status == verdict.NotApplicable {
				continue
			}
			about := fmt.Errorf("a custom tool for %s: %s", target.Name(), status)
			r.warn(document, &schema.SyntaxError{Position: entry.Entry.Position, Err: about, Detail: why})
			result := verdict.Result{
				Source: document.Source, Line: int(entry.Entry.Position.Line), Target: target.Name(), Dialect: target.Dialect.Name,
				Status: status, Error: "a custom tool: " + why, Kind: verdict.Source{},
			}
			if err := r.Count(result); err != nil {
				return err
			}
		}
	}
	return nil
}

// warn tells of a problem of a document.
func (r *Run) warn(document Document, problem error) {
	r.clear()
	if r.Warn != nil {
		r.Warn(document, problem)
	}
}

// source counts a source that gave no tools. A result for each target says why, or a single result
// if only advice is wanted.
func (r *Run) source(name string, line int, status verdict.Status, why string) error {
	result := verdict.Result{Source: name, Line: line, Status: status, Error: why, Kind: verdict.Source{}}
	if r.isAdviceAlone() {
		result.Target = verdict.AdviceTarget
		return r.Count(result)
	}
	for _, target := range r.Targets {
		result.Target, result.Dialect = target.Name(), target.Dialect.Name
		if err := r.Count(result); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) begin(total int) {
	if r.Progress != nil {
		r.Progress.Begin(total)
	}
}

func (r *Run) step() {
	if r.Progress != nil {
		r.Progress.Step()
	}
}

func (r *Run) clear() {
	if r.Progress != nil {
		r.Progress.Clear()
	}
}
