package engine

import "toolproof/internal/steps"

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

// Recover turns the panic of a Work whose steps or context have ended into an error: a
// *rewrite.BudgetError, a *rewrite.TooDeepError, or that of the context. The function that
// makes a Work defers it. Other panics go on.
var Recover = steps.Recover

// Charge takes steps off the budget of the work. A rule charges one step for each
// member, element or value that it reads outside its schema, where their number is not
// bounded. It does not return when the budget or the context has ended.
func (p *Pass) Charge(count int) { p.work.Charge(count) }

// ChargeText takes the steps off the budget that a text of so many bytes costs.
func (p *Pass) ChargeText(bytes int) { p.work.Charge(bytes / bytesPerStep) }
