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
	// Diff adds a diff of each tool that was changed.
	Diff bool
	// Quiet leaves out results that do not fail.
	Quiet bool
	// Places is the number of places that are shown for each rule if findings are grouped.
	Places int
	// Judgements returns the number of targets that judge a tool, or the schema of an answer; nil
	// means all Targets.
	Judgements func(*verdict.Tool) int
	// Next returns the command to run next, and its flag that this run does not have. A nil Next, and an
	// empty command, leave that line out.
	Next func(Outlook) (command, flag string)
	// Sources writes also what could not be read. Without it the caller says that once.
	Sources bool
}

// Outlook is what decides the command to run next.
type Outlook struct {
	Target string // the one that refuses the most
	Fails  bool   // it refuses something
	Mends  bool   // an edit that is shown is safe
}

// Sink returns the sink that writes the text: findings grouped by rule, an overview of each tool if
// there are several targets, or every result.
func (c Check) Sink() ServerSink { //nolint:ireturn // which one it is only this function knows
	out := &holder{out: c.Out}
	terminal := &Terminal{Out: out, Color: c.Color, Width: c.Width, Diff: c.Diff, Quiet: c.Quiet, Unseen: c.Verbose, Baseline: c.Baseline}
	results := eachResult{check: c, out: out, terminal: terminal, groups: &Groups{Options: c.Options, Places: c.Places}}
	switch {
	case !c.Verbose && !c.Diff || c.OfFixtures:
		return &byRule{results}
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
	groups   *Groups
}

// Result writes one result.
func (e *eachResult) Result(result verdict.Result) error {
	if _, isSource := result.Kind.(verdict.Source); isSource && !e.check.Sources {
		return nil
	}
	e.add(result)
	e.terminal.Result(result)
	return e.terminal.Err()
}

// add counts a result, and groups its findings.
func (e *eachResult) add(result verdict.Result) {
	_, isTool := result.Kind.(*verdict.Tool)
	isExplained := result.Fixture() != nil || result.Status == verdict.Inconclusive || isTool && result.Status >= verdict.Fail && result.Error != ""
	switch {
	case result.IsRecording(): // the summary counts it
	case isExplained:
		e.groups.AddOutcome(result)
	default:
		e.groups.Add(result)
	}
}

// Summary writes the verdict and what it rests on.
func (e *eachResult) Summary(summary *Summary) error {
	if summary.Tools+summary.Conversations > 0 {
		e.terminal.CheckSummary(e.groups, summary)
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

// byRule collects the findings of a check, and writes them grouped by rule at the end, below the verdict.
// It writes immediately what could not be read.
type byRule struct{ eachResult }

// Result takes one result.
func (b *byRule) Result(result verdict.Result) error {
	_, isSource := result.Kind.(verdict.Source)
	switch {
	case isSource && !b.check.Sources:
		return nil
	case isSource, result.Status == verdict.Error && result.Fixture() == nil && !b.check.OfFixtures:
		b.terminal.Result(result)
		return b.terminal.Err()
	}
	b.add(result)
	return nil
}

// Summary writes the verdict and the findings.
func (b *byRule) Summary(summary *Summary) error {
	switch {
	case b.groups.isOfFixtures, b.check.OfFixtures:
		b.terminal.FixtureSummary(b.groups, summary, b.check.Dialects, b.check.Verbose)
	case summary.Tools > 0 || summary.Advice != nil || len(b.groups.tallies) > 0:
		b.terminal.Screen(b.groups, summary)
	}
	if b.check.Next != nil && (len(b.groups.tallies) > 0 || summary.Advice != nil) {
		outlook := b.groups.outlook()
		outlook.Mends = b.terminal.mends
		if command, flag := b.check.Next(outlook); command != "" {
			b.terminal.next(command, flag)
		}
	}
	return b.terminal.Err()
}

// overview writes the results of a check that fail. After the last result of a tool it writes what
// each target makes of the tool.
type overview struct {
	eachResult

	tool     toolKey
	outcomes []Outcome // of the current tool, so far
}

// Result writes one result.
func (o *overview) Result(result verdict.Result) error {
	if _, isSource := result.Kind.(verdict.Source); isSource && !o.check.Sources {
		return nil
	}
	o.add(result)
	if result.Status > verdict.KnownFailure || result.Advice() != nil {
		o.terminal.Result(result)
	}
	tool, isTool := result.Kind.(*verdict.Tool)
	if !isTool {
		return nil
	}
	if key := (toolKey{result.Source, result.ID, result.Tool, result.Line}); key != o.tool {
		o.end()
		o.tool = key
	}
	o.outcomes = append(o.outcomes, OutcomeOf(result, o.check.AsGiven))
	all := len(o.check.Targets)
	if o.check.Judgements != nil {
		all = o.check.Judgements(tool)
	}
	if len(o.outcomes) == all {
		o.end()
	}
	return o.terminal.Err()
}

// end writes the outcomes of a tool that fewer targets may have judged than there are.
func (o *overview) end() {
	if len(o.outcomes) > 0 {
		o.terminal.Outcomes(o.tool.source, o.tool.line, o.tool.name, o.outcomes)
	}
	o.outcomes = o.outcomes[:0]
}

// Summary writes the last outcomes, and then the summary.
func (o *overview) Summary(summary *Summary) error {
	o.end()
	return o.eachResult.Summary(summary)
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
