package live

import (
	"context"
	"errors"
	"fmt"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// ErrControl means that a control has another verdict than the known one, so that the
// answers beside it prove nothing.
var ErrControl = errors.New("a control misbehaved")

// ControlName is the name of the declarations that are sent as controls.
const ControlName = "toolproof_control"

// controls are a declaration that must be accepted and one that must be refused.
type controls struct{ good, bad provider.Request }

// controlsOf returns the controls of a surface.
func controlsOf(dialect *provider.Dialect) controls {
	control := func(parameters string) provider.Request {
		root, err := schema.Parse([]byte(parameters))
		if err != nil {
			panic(err) // a literal
		}
		return dialect.Encode([]schema.Tool{{Name: ControlName, Description: schema.NewString("A control."), Parameters: root}})
	}
	const text = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]`
	chosen := controls{good: control(text + `}`), bad: control(dialect.Control)}
	if dialect.Strict {
		chosen.good = control(text + `,"additionalProperties":false}`)
	}
	return chosen
}

// check asks about both controls. A server of the user's own need not refuse anything.
func (c *Client) check(ctx context.Context, controls controls) error {
	answer, err := c.askWithin(ctx, controls.good, 0)
	switch {
	case err != nil:
		return fmt.Errorf("asking about the control that must be accepted: %w", err)
	case answer.Response.Verdict != provider.Accepted:
		return fmt.Errorf("%w: what must be accepted was refused: %s", ErrControl, answer.Response.Message)
	case c.service.Loose:
		return nil
	}
	answer, err = c.askWithin(ctx, controls.bad, 0)
	switch {
	case err != nil:
		return fmt.Errorf("asking about the control that must be refused: %w", err)
	case answer.Response.Verdict != provider.Rejected:
		return fmt.Errorf("%w: what must be refused was accepted", ErrControl)
	}
	return nil
}
