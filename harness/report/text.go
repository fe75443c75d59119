package report

import "toolproof/harness/verdict"

// newText returns a sink of results of all kinds as text.
func newText(options Options) Sink { //nolint:ireturn // Check.Sink decides which one it is
	return Check{Options: options, Places: 1, Sources: true}.Sink()
}

// Live writes the results of a live run as text.
type Live struct{ terminal *Terminal }

// NewLive returns a sink of the results of a live run.
func NewLive(options Options) *Live {
	return &Live{&Terminal{Out: options.Out, Color: options.Color}}
}

// Result writes one result.
func (l *Live) Result(result verdict.Result) error {
	l.terminal.Live(result)
	return l.terminal.Err()
}

// Summary writes the counts.
func (l *Live) Summary(summary *Summary) error {
	l.terminal.LiveSummary(summary)
	return l.terminal.Err()
}

// Located writes the places of a pasted refusal as text.
type Located struct{ terminal *Terminal }

// NewLocated returns a sink for the results of judge.Judge.Refused.
func NewLocated(options Options) *Located {
	return &Located{&Terminal{Out: options.Out, Color: options.Color, Width: options.Width, Baseline: options.Baseline}}
}

// Result writes one result.
func (l *Located) Result(result verdict.Result) error {
	l.terminal.Located(result)
	return l.terminal.Err()
}

// Summary writes nothing: places are not counted.
func (l *Located) Summary(*Summary) error { return l.terminal.Err() }
