package report

import "toolproof/harness/verdict"

// everyResult writes results of all kinds as text.
type everyResult struct {
	options    Options
	terminal   *Terminal
	ofFixtures bool
}

func newText(options Options) *everyResult {
	return &everyResult{options: options, terminal: &Terminal{Out: options.Out, Color: options.Color, Baseline: options.Baseline}, ofFixtures: options.OfFixtures}
}

// Result writes one result. A recording is only counted by the summary.
func (t *everyResult) Result(result verdict.Result) error {
	if result.IsRecording() {
		return nil
	}
	isOfFixture := result.Fixture() != nil
	t.ofFixtures = t.ofFixtures || isOfFixture
	sides := result.Sides()
	isOneSided := (sides.Raw == nil) != (sides.Normalized == nil) && sides.AsGiven == ""
	switch {
	case isOneSided && !t.options.OfFixtures && (!isOfFixture || result.Error == ""):
		t.terminal.Live(result) // only one side was judged
	case isOfFixture:
		t.terminal.Fixture(result)
	default:
		t.terminal.Result(result)
	}
	return t.terminal.Err()
}

// Summary writes the counts.
func (t *everyResult) Summary(summary *Summary) error {
	if t.ofFixtures {
		t.terminal.FixtureSummary(summary, t.options.Dialects)
	} else {
		t.terminal.CheckSummary(summary, t.options.AsGiven)
	}
	return t.terminal.Err()
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
	return &Located{&Terminal{Out: options.Out, Color: options.Color, Baseline: options.Baseline}}
}

// Result writes one result.
func (l *Located) Result(result verdict.Result) error {
	l.terminal.Located(result)
	return l.terminal.Err()
}

// Summary writes nothing: places are not counted.
func (l *Located) Summary(*Summary) error { return l.terminal.Err() }
