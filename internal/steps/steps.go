// Package steps bounds the work done on a schema. It counts steps instead of measuring time, so
// that work on the same schema ends the same way on any machine, and checks a context about once
// a millisecond.
package steps

import "context"

// interval is the number of steps between checks of the context: about a millisecond.
const interval = 20_000

// Counter counts the steps of one piece of work. When the steps are spent or the context ends,
// the work panics, and Recover turns the panic into an error, as package text/template does, so
// that recursive functions need no error results. The zero Counter has no limit.
type Counter struct {
	ctx         context.Context //nolint:containedctx // a Counter is for one call
	limit, left int
	next        int // value of left at which the context is checked again
	spent       error
	more        func() int // returns the number of further steps; nil for none
}

// Start allows limit steps. When they are spent, the work ends with the error spent.
func (c *Counter) Start(ctx context.Context, limit int, spent error) {
	*c = Counter{ctx: ctx, limit: limit, left: limit, next: max(0, limit-interval), spent: spent}
}

// Extend allows further steps to work that has started. It calls more only when the other steps
// are spent, because most work does not need further ones.
func (c *Counter) Extend(more func() int) { c.more = more }

// Bound is like Start for work without a context.
func (c *Counter) Bound(limit int, spent error) {
	*c = Counter{limit: limit, left: limit, spent: spent}
}

// Charge takes steps, of which callers charge one for each member, element or value that they
// visit. It does not return if too few are left or the context has ended.
func (c *Counter) Charge(steps int) {
	c.left -= steps
	if c.left < c.next {
		c.look()
	}
}

// look checks the context and the steps left. It is not part of Charge so that Charge can be
// inlined.
func (c *Counter) look() {
	if c.spent == nil { // not started
		c.left = 0
		return
	}
	if c.ctx != nil {
		if err := c.ctx.Err(); err != nil {
			Leave(err)
		}
	}
	if c.left < 0 && c.more != nil {
		more := c.more()
		c.limit, c.left, c.more = c.limit+more, c.left+more, nil
	}
	if c.left < 0 {
		Leave(c.spent)
	}
	c.next = max(0, c.left-interval)
}

// Taken returns the number of steps taken.
func (c *Counter) Taken() int { return c.limit - c.left }

// stop is the value of the panic.
type stop struct{ err error }

// Leave ends the work with an error, which Recover passes to the function that started it.
func Leave(err error) { panic(stop{err}) }

// Recover sets the error with which the work ended: the context's, or the one passed to Start
// or Leave. The function that starts a Counter defers it. Other panics go on.
func Recover(err *error) {
	switch caught := recover().(type) {
	case nil:
	case stop:
		*err = caught.err
	default:
		panic(caught)
	}
}
