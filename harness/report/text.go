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
	t.ofFixtures = t.ofFixtures || result.Fixture != ""
	isOneSided := (result.Raw == nil) != (result.Normalized == nil)
	switch {
	case isOneSided && !result.IsRequest() && !t.run.OfFixtures && (result.Fixture == "" || result.Error == ""):
		t.terminal.Live(result) // one side alone was asked about
	case result.Fixture != "":
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
