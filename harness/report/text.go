package report

import "toolproof/harness/verdict"

// everyResult writes every result for a person.
type everyResult struct {
	run        Run
	terminal   *Terminal
	ofFixtures bool
}

func newText(run Run) *everyResult {
	return &everyResult{run: run, terminal: &Terminal{Out: run.Out, Color: run.Color, Baseline: run.Baseline}, ofFixtures: run.OfFixtures}
}

// Result writes one result.
func (t *everyResult) Result(result verdict.Result) error {
	isOfFixture := result.Fixture() != nil
	t.ofFixtures = t.ofFixtures || isOfFixture
	sides := result.Sides()
	isOneSided := (sides.Raw == nil) != (sides.Normalized == nil)
	switch {
	case isOneSided && !t.run.OfFixtures && (!isOfFixture || result.Error == ""):
		t.terminal.Live(result) // one side alone was asked about
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
		t.terminal.FixtureSummary(summary, t.run.Dialects)
	} else {
		t.terminal.CheckSummary(summary, t.run.AsGiven)
	}
	return t.terminal.Err()
}
