package report

import (
	"bytes"
	"io"

	"toolproof/harness/verdict"
)

// Check describes the text of a check of tools.
type Check struct {
	Options

	// Targets are the names of the targets.
	Targets []string
	// Verbose shows every finding and every tool. Without it, findings are grouped by rule.
	Verbose bool
	// Diff adds a diff of each tool that was changed.
	Diff bool
	// Quiet leaves out results that do not fail.
	Quiet bool
	// Places is the number of places that are shown for each rule if findings are grouped.
	Places int
	// Judgements returns the number of targets that judge a tool, or the schema of an answer; nil
	// means all Targets.
	Judgements func(*verdict.Tool) int
	// Again returns the command that shows more; nil leaves that line out.
	Again func(*Summary) string
}

// Sink returns the sink that writes the text: findings grouped by rule, an overview of each tool if
// there are several targets, or every result.
func (c Check) Sink() ServerSink { //nolint:ireturn // which one it is only this function knows
	out := &holder{out: c.Out}
	terminal := &Terminal{Out: out, Color: c.Color, Diff: c.Diff, Quiet: c.Quiet, Unseen: c.Verbose, Baseline: c.Baseline}
	results := eachResult{c, out, terminal}
	switch {
	case !c.Verbose && !c.Diff:
		return &byRule{results, &Groups{Options: c.Options, Places: c.Places}}
	case len(c.Targets) > 1 && !c.Diff:
		return &overview{eachResult: results}
	default:
		return &results
	}
}

// eachResult writes every result of a check. It leaves out a source without tools, which the caller
// reports once instead of for every target.
type eachResult struct {
	check    Check
	out      *holder
	terminal *Terminal
}

// Result writes one result.
func (e *eachResult) Result(result verdict.Result) error {
	if _, isSource := result.Kind.(verdict.Source); isSource {
		return nil
	}
	e.terminal.Result(result)
	return e.terminal.Err()
}

// Summary writes the counts.
func (e *eachResult) Summary(summary *Summary) error {
	if summary.Tools > 0 {
		e.terminal.CheckSummary(summary, e.check.AsGiven)
	}
	if summary.Tools > 0 && e.check.Again != nil {
		e.terminal.printf("again: %s\n", e.check.Again(summary))
	}
	return e.terminal.Err()
}

// BeginServers begins to hold the text back until the table of servers is written.
func (e *eachResult) BeginServers() { e.out.isHolding = true }

// EndServers writes the table of servers, and then the text that was held back.
func (e *eachResult) EndServers(servers *Servers) error {
	e.out.isHolding = false
	e.terminal.servers(servers, e.check.Targets, e.check.AsGiven)
	if e.terminal.err == nil {
		_, e.terminal.err = e.out.held.WriteTo(e.out.out)
	}
	return e.terminal.Err()
}

// byRule collects the findings of a check, and writes them grouped by rule at the end. It writes a
// result without a verdict immediately.
type byRule struct {
	eachResult

	groups *Groups
}

// Result takes one result.
func (b *byRule) Result(result verdict.Result) error {
	if result.Status == verdict.Error || result.Status == verdict.Inconclusive {
		return b.eachResult.Result(result)
	}
	b.groups.Add(result)
	return nil
}

// Summary writes the findings and the counts.
func (b *byRule) Summary(summary *Summary) error {
	if summary.Tools > 0 {
		b.terminal.Groups(b.groups)
	}
	return b.eachResult.Summary(summary)
}

// overview writes the results of a check that fail. After the last result of a tool it writes what
// each target makes of the tool.
type overview struct {
	eachResult

	outcomes []Outcome // of the current tool, so far
}

// Result writes one result.
func (o *overview) Result(result verdict.Result) error {
	if result.Status > verdict.KnownFailure || result.Advice() != nil {
		if err := o.eachResult.Result(result); err != nil {
			return err
		}
	}
	tool, isTool := result.Kind.(*verdict.Tool)
	if !isTool {
		return nil
	}
	o.outcomes = append(o.outcomes, OutcomeOf(result, o.check.AsGiven))
	all := len(o.check.Targets)
	if o.check.Judgements != nil {
		all = o.check.Judgements(tool)
	}
	if len(o.outcomes) == all {
		o.terminal.Outcomes(result.Source, result.Line, result.Tool, o.outcomes)
		o.outcomes = o.outcomes[:0]
	}
	return o.terminal.Err()
}

// holder passes text on to another writer, or holds it back.
type holder struct {
	out       io.Writer
	isHolding bool
	held      bytes.Buffer
}

// Write implements io.Writer.
func (h *holder) Write(text []byte) (int, error) {
	if h.isHolding {
		return h.held.Write(text) //nolint:wrapcheck // it never fails
	}
	return h.out.Write(text) //nolint:wrapcheck // it stands in for the writer
}
