package engine

import "toolproof/internal/steps"

// What a tool may cost unless the options say otherwise. A tool of the corpus takes some hundred
// steps for each of its values. A tool of half a million values, the most that can be read, takes
// seconds.
const (
	defaultSteps  = 10_000_000
	stepsPerValue = 100
	// stepsPerCopy is what a copied value costs, because its memory takes longer than a look at
	// it. This keeps a tool from filling more than some hundred megabytes.
	stepsPerCopy = 32
	// stepsPerPass is what a pass below another costs, which is kept to name its place.
	stepsPerPass = 8
	// changesPerValue is how many changes are free for each value of the given tool. More changes
	// come from a schema that grows: each costs stepsPerChange, because it is kept until it is
	// reported.
	changesPerValue = 4
	stepsPerChange  = 48
	// bytesPerStep is how many bytes of text a step writes or compares.
	bytesPerStep = 4
	// maxLevels is how deep the values of a tool may nest. No file nests so deep, and a tree that
	// leads back into itself has no end.
	maxLevels = 10_000
)

// Recover turns the panic of a Work whose steps or context have ended into an error: a
// *rewrite.BudgetError, a *rewrite.TooDeepError, or that of the context. The function that
// makes a Work defers it. Other panics go on.
var Recover = steps.Recover

// Charge takes steps off the budget of the work. A rule charges one step for each member, element
// or value that it reads outside its schema, unless their number is bounded. Charge panics, as New
// says, when the budget or the context has ended.
func (p *Pass) Charge(count int) { p.work.Charge(count) }

// ChargeText takes off the budget the steps that a text of the given number of bytes costs.
func (p *Pass) ChargeText(bytes int) { p.work.Charge(bytes / bytesPerStep) }
