package provider

import (
	"context"
	"fmt"

	"toolproof/internal/steps"
	"toolproof/schema"
)

// The steps that a Model may spend on a request are a fixed number, or more for a large
// request. A request of half a million values may take a few seconds.
const (
	maxSteps      = 10_000_000
	stepsPerValue = 100
	// bytesPerStep is how many bytes of text one step pays for. It keeps findings that each
	// quote a name of a megabyte from filling the memory.
	bytesPerStep = 8
)

// BudgetError says that judging a request takes a Model more steps than it may spend. The
// provider's answer is then unknown.
type BudgetError struct {
	Dialect string
	tool    string // the name of the first declaration
	steps   int    // the budget
}

// Error names the surface, the tool and the budget, and suggests what to do.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the model of %s takes more than %d steps for the tool %q\nmake its schema smaller, or its names shorter", e.Dialect, e.steps, e.tool)
}

// newCounter returns a counter with the budget of a request.
func newCounter(ctx context.Context, request Request) *steps.Counter {
	b := &budget{spent: BudgetError{Dialect: request.Dialect, steps: maxSteps}, declarations: request.Declarations}
	b.Start(ctx, maxSteps, &b.spent)
	b.Extend(b.more)
	return &b.Counter
}

// budget is a counter of steps that grows with the size of the declarations.
type budget struct {
	steps.Counter

	spent        BudgetError
	declarations []*schema.Node
}

// more returns the number of steps that large declarations may take beyond maxSteps.
func (b *budget) more() int {
	more := 0
	for _, declaration := range b.declarations {
		more += stepsPerValue * declaration.Size()
	}
	if len(b.declarations) > 0 {
		b.spent.tool = NameOf(b.declarations[0])
	}
	b.spent.steps += more
	return more
}

// Charge takes steps off the budget of the request, for work that Visit does not charge for. If
// the budget is spent, it panics, and Send returns a *BudgetError.
func (v *Visitor) Charge(count int) { v.counter.Charge(count) }

// Charge is Visitor.Charge, for a rule that reads more than the members of its place.
func (p *Pass) Charge(count int) { p.visitor.Charge(count) }

// ChargeText charges for writing a text, such as a pointer, of a number of bytes.
func (v *Visitor) ChargeText(bytes int) { v.Charge(1 + bytes/bytesPerStep) }

// ChargeText is Visitor.ChargeText.
func (p *Pass) ChargeText(bytes int) { p.visitor.ChargeText(bytes) }

// Each is schema.Node.Each, charged to the budget of the request.
func (p *Pass) Each(node *schema.Node, visit func(subschema *schema.Node) bool) {
	node.Each(func(subschema *schema.Node) bool {
		p.Charge(1 + len(subschema.Members))
		return visit(subschema)
	})
}

// membersOf returns the number of members of a node, which may be nil.
func membersOf(node *schema.Node) int {
	if node == nil {
		return 0
	}
	return len(node.Members)
}
