package provider

import (
	"context"
	"fmt"

	"toolproof/internal/steps"
	"toolproof/schema"
)

// What a request may cost a model: steps in all, and more for what is large. A request of
// half a million values has a few seconds of work within them.
const (
	maxSteps      = 10_000_000
	stepsPerValue = 100
	// bytesPerStep is how many bytes of a finding are written in a step, so that findings
	// that all tell a name of a megabyte do not fill the memory.
	bytesPerStep = 8
)

// BudgetError says that a request takes a model more work than allowed. Nothing is
// known of the answer then.
type BudgetError struct {
	Dialect string
	Tool    string // the name of the first declaration
	Steps   int    // that were allowed
}

// Error names the surface, the tool and the budget, and says what to do.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the model of %s takes more than %d steps for the tool %q\nmake its schema smaller, or its names shorter", e.Dialect, e.Steps, e.Tool)
}

// newCounter allows what the request may cost.
func newCounter(ctx context.Context, request Request) *steps.Counter {
	b := &budget{spent: BudgetError{Dialect: request.Dialect, Steps: maxSteps}, declarations: request.Declarations}
	b.Start(ctx, maxSteps, &b.spent)
	b.Extend(b.more)
	return &b.Counter
}

// budget is what the judgement of some declarations may cost.
type budget struct {
	steps.Counter

	spent        BudgetError
	declarations []*schema.Node
}

// more returns what large declarations may cost beyond maxSteps.
func (b *budget) more() int {
	more := 0
	for _, declaration := range b.declarations {
		more += stepsPerValue * declaration.Size()
	}
	if len(b.declarations) > 0 {
		b.spent.Tool = NameOf(b.declarations[0])
	}
	b.spent.Steps += more
	return more
}

// Charge takes steps off the budget of the request, for a Walk that reads members,
// elements or values without a visit. It does not return when there are none left.
func (v *Visitor) Charge(count int) { v.counter.Charge(count) }

// Charge is Charge of the visitor, for a rule that looks at more than its place.
func (p *Pass) Charge(count int) { p.visitor.Charge(count) }

// ChargeText takes off what it costs to write a text of so many bytes, such as a pointer.
func (v *Visitor) ChargeText(bytes int) { v.Charge(1 + bytes/bytesPerStep) }

// ChargeText is ChargeText of the visitor.
func (p *Pass) ChargeText(bytes int) { p.visitor.ChargeText(bytes) }

// Each is Each of a node of the request at the expense of what it may cost.
func (p *Pass) Each(node *schema.Node, visit func(subschema *schema.Node) bool) {
	node.Each(func(subschema *schema.Node) bool {
		p.Charge(1 + len(subschema.Members))
		return visit(subschema)
	})
}

// membersOf returns how many members there are to look at.
func membersOf(node *schema.Node) int {
	if node == nil {
		return 0
	}
	return len(node.Members)
}
