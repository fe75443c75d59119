package rewrite

import (
	"fmt"

	"toolproof/internal/steps"
)

// What a tool may cost where the options do not say it. A tool of the corpus takes some
// hundred steps for each of its values. A tool of half a million values, the most that
// can be read, needs seconds.
const (
	defaultSteps  = 10_000_000
	stepsPerValue = 100
	// stepsPerCopy is what a copied value costs: its memory takes longer than a look at
	// it. No tool may so fill more than some hundred megabytes.
	stepsPerCopy = 32
	// stepsPerPass is what a pass below another costs, which is kept to name the place.
	stepsPerPass = 8
	// changesPerValue is how many changes a value of the tool as given may have at no cost.
	// What is more comes of what grows: each costs stepsPerChange, for it is kept until it
	// is reported.
	changesPerValue = 4
	stepsPerChange  = 48
	// bytesPerStep is how many bytes of text are written or compared in a step.
	bytesPerStep = 4
	// maxLevels is how deep values of a tool may lie in each other. No file has so many,
	// and a tree that leads back into itself has no end.
	maxLevels = 10_000
)

// BudgetError says that a tool takes more work than it may.
type BudgetError struct {
	Tool   string // its name as given
	Target string
	Steps  int // that were allowed
}

// Error names the tool, the target and the budget, and says what to do.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the tool %q takes more than %d steps for %s\n"+
		"its schema grows where references or unions are resolved: make it refer less, or raise Options.MaxSteps", e.Tool, e.Steps, e.Target)
}

// TooDeepError says that the values of a tool lie too deep in each other.
type TooDeepError struct {
	Tool   string
	Levels int // that were allowed
}

// Error names the tool and the limit.
func (e *TooDeepError) Error() string {
	return fmt.Sprintf("the schema of the tool %q has more than %d levels, or holds itself\nmake it flat, or refer to what repeats", e.Tool, e.Levels)
}

// Recover makes an error of the end of a Work's steps or context: a *BudgetError, a
// *TooDeepError, or that of the context. The function that makes a Work defers it;
// other panics go on.
var Recover = steps.Recover

// Charge takes steps off the budget of the work. A rule charges one step for each
// member, element or value that it reads outside its schema, where their number is not
// bounded. It does not return when the budget or the context has ended.
func (p *Pass) Charge(count int) { p.work.Charge(count) }

// ChargeText takes the steps off the budget that a text of so many bytes costs.
func (p *Pass) ChargeText(bytes int) { p.work.Charge(bytes / bytesPerStep) }
