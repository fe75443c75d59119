// Package run judges documents, counts the results and hands them to a sink. A document comes
// from files, programs, servers or a project, and a sink writes one format of package report.
// Results come in the order of the documents, tools and targets, whichever core judged them.
package run

import (
	"context"
	"errors"

	"toolproof/harness/judge"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Run judges tools for targets. The zero value has no targets, counts what it is given, and
// drops it.
type Run struct {
	// Targets judge tools, and Responses the schemas of answers among them; without Responses
	// these are passed over.
	Targets, Responses []judge.Target
	// Judge judges the tools. Run sets its Memory.
	Judge judge.Judge
	// Advice gives advice on the tools; nil means none.
	Advice *Advice
	// Steps change a result before it is counted, in their order: what a project ignores and
	// what a baseline knows is no failure any more. They see neither a verdict.Source nor a
	// result that Count takes.
	Steps []func(*verdict.Result)
	// Sink takes the results; nil drops them. An error of the sink ends the run.
	Sink report.Sink
	// Progress is told how far the run is; nil means nobody.
	Progress Progress
	// Warn is told each problem of a document, after the results of its tools and before those
	// of the problem; nil means nobody.
	Warn func(Document, error)
	// Alone judges one thing at a time, as a normalizer needs that is a single process.
	Alone bool

	summary *report.Summary
}

// Progress shows how far a run is.
type Progress interface {
	// Begin says how many judgements there will be from now on.
	Begin(total int)
	// Step says that one judgement is done.
	Step()
	// Say shows a line until something else happens.
	Say(line string)
	// Clear takes away what is shown.
	Clear()
}

// Summary returns the counts so far. Who runs may add to them before End.
func (r *Run) Summary() *report.Summary {
	if r.summary == nil {
		r.summary = report.NewSummary()
	}
	return r.summary
}

// End hands the summary to the sink.
func (r *Run) End() error {
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

// Tool counts a tool that was judged elsewhere, and each of its results. The tool was read
// where no result is an error, and judged where each has an answer.
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

// tool counts a tool.
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

// Documents judges the tools of documents. It lets go of each document once it is judged, and
// so takes the tools out of the slice.
func (r *Run) Documents(ctx context.Context, documents []Document) error {
	total := 0
	for _, document := range documents {
		for _, tool := range document.Tools {
			total += r.judgements(tool)
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

// judgements returns how many results a tool has.
func (r *Run) judgements(tool toolfile.Tool) int {
	switch {
	case tool.IsResponse:
		return len(r.Responses)
	case r.Advice == nil:
		return len(r.Targets)
	default:
		return len(r.Targets) + 1
	}
}

// document judges the tools of one document, and says what in it could not be read.
func (r *Run) document(ctx context.Context, document Document) error {
	requests, responses := toolfile.Split(document.Requests())
	document.Tools = nil
	if len(r.Targets) > 0 {
		if err := r.tools(ctx, requests, document.Source); err != nil {
			return err
		}
	}
	if len(r.Responses) > 0 {
		r.Summary() // which both share
		of := *r
		of.Targets, of.Advice = r.Responses, nil
		if err := of.tools(ctx, responses, document.Source); err != nil {
			return err
		}
	}
	if r.Advice != nil {
		if err := r.advise(ctx, requests, document.Source); err != nil {
			return err
		}
	}
	for _, problem := range document.Problems() {
		r.clear()
		if r.Warn != nil {
			r.Warn(document, problem)
		}
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

// source counts what is wrong with a source, which costs each target a verdict; advice alone
// has none but its own.
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
