// Package steps bounds the work that is done on a schema. It counts steps and not time,
// so that the same schema ends the same way on any machine. It checks a context so
// often that work ends within milliseconds of it.
package steps

import "context"

// between is how many steps are taken between looks at the context: about a millisecond.
const between = 20_000

// Counter counts the steps of one piece of work. Work that passes its end, or that of
// its context, panics, and Recover catches the panic, as in package text/template. So
// recursive rules need no code for it. The zero Counter has no end.
type Counter struct {
	ctx         context.Context //nolint:containedctx // a Counter is for one call
	limit, left int
	next        int // how many are left when the context is looked at again
	spent       error
	more        func() int // how many further steps there are; nil for none
}

// Start allows so many steps. When they are spent, the work ends with the error.
func (c *Counter) Start(ctx context.Context, limit int, spent error) {
	*c = Counter{ctx: ctx, limit: limit, left: limit, next: max(0, limit-between), spent: spent}
}

// Extend allows further steps to work that is started. Their number is asked for when
// the others are spent: to count what most work does not need would cost it.
func (c *Counter) Extend(more func() int) { c.more = more }

// Bound is Start of work without a context.
func (c *Counter) Bound(limit int, spent error) {
	*c = Counter{limit: limit, left: limit, spent: spent}
}

// Charge takes steps: one for each member, element or value that is looked at. It does
// not return when there are none left, or the context has ended.
func (c *Counter) Charge(steps int) {
	c.left -= steps
	if c.left < c.next {
		c.look()
	}
}

// look is no part of Charge, so that Charge is inlined.
func (c *Counter) look() {
	if c.spent == nil { // it was not started
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
	c.next = max(0, c.left-between)
}

// Taken returns how many steps were taken.
func (c *Counter) Taken() int { return c.limit - c.left }

// stop is the panic that leaves the work.
type stop struct{ err error }

// Leave ends the work with an error, which Recover returns to the function that began it.
func Leave(err error) { panic(stop{err}) }

// Recover makes an error of the end of the work: that of the context, or the one given
// to Start or Leave. The function that starts a Counter defers it; other panics go on.
func Recover(err *error) {
	switch caught := recover().(type) {
	case nil:
	case stop:
		*err = caught.err
	default:
		panic(caught)
	}
}
