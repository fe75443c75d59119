package engine

import "toolproof/internal/steps"

const (
	// A tool may take defaultSteps, and stepsPerValue for each of its values, unless the options
	// say otherwise. Typical tools take some hundred steps for each value; a tool of half a
	// million values, the most that can be parsed, takes seconds.
	defaultSteps  = 10_000_000
	stepsPerValue = 100
	// stepsPerCopy is the cost of copying a value, so that a tool cannot fill more than some
	// hundred megabytes.
	stepsPerCopy = 32
	// stepsPerPass is the cost of a pass below another, which is kept to locate its changes.
	stepsPerPass = 8
	// changesPerValue is the number of changes that are free for each value of the given tool.
	// Any further change comes from a schema that grows, and costs stepsPerChange because it is
	// kept until the report.
	changesPerValue = 4
	stepsPerChange  = 48
	// bytesPerStep is the number of bytes of text that are written or compared in one step.
	bytesPerStep = 4
	// A tool may copy a byte of text for each step that it may take, and besides so many times its
	// own texts, which the rules copy only to look at them.
	freeCopies = 4
	// maxLevels bounds how deep the values of a tool nest. No file nests so deep, but a tree that
	// contains itself does.
	maxLevels = 10_000
)

// Recover sets the error with which a Work ended: a *rewrite.BudgetError, a *rewrite.TooDeepError,
// or the error of the context. The function that calls New defers it. Other panics go on.
var Recover = steps.Recover

// Charge takes steps off the budget of the work. A rule charges one step for each member, element
// or value that it reads outside its schema, unless their number is bounded. Charge does not return
// if the budget or the context has ended.
func (p *Pass) Charge(count int) { p.work.Charge(count) }

// ChargeText takes off the budget the steps for a text of the given number of bytes.
func (p *Pass) ChargeText(bytes int) { p.work.Charge(bytes / bytesPerStep) }
