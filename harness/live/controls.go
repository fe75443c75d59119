package live

import (
	"context"
	"errors"
	"fmt"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// ErrControl means that a control did not get its known verdict, so that the answers
// around it prove nothing.
var ErrControl = errors.New("a control misbehaved")

// ControlName is the name of the functions that are sent as controls.
const ControlName = "toolproof_control"

// controls are a request that must be accepted and one that must be refused.
type controls struct{ good, bad provider.Request }

// controlsOf returns the controls for a surface.
func controlsOf(dialect *provider.Dialect) controls {
	const text = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]`
	chosen := controls{good: control(dialect, text+`}`), bad: control(dialect, dialect.Control)}
	if dialect.Strict {
		chosen.good = control(dialect, text+`,"additionalProperties":false}`)
	}
	return chosen
}

// control makes a control from the parameters of a tool.
func control(dialect *provider.Dialect, parameters string) provider.Request {
	root, err := schema.Parse([]byte(parameters))
	if err != nil {
		panic(err) // the text is a constant
	}
	return dialect.Encode([]schema.Tool{{Name: ControlName, Description: schema.NewString("A control."), Parameters: root}})
}

// otherControls are arguments that most surfaces refuse, each for another reason.
var otherControls = []string{`{"type":"no type"}`, `{"type":"object","properties":[]}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`}

// otherBad returns a control that must be refused for another reason than the usual one.
// A provider that has begun to accept the usual one must still refuse this; a server that
// accepts anything accepts both.
func (c *Client) otherBad(ctx context.Context, usual provider.Request) (other provider.Request, ok bool) {
	model := provider.Model{Dialect: c.dialect}
	reason := func(request provider.Request) *provider.Rule {
		answer, err := model.Send(ctx, request)
		if err != nil || len(answer.Findings) == 0 {
			return nil
		}
		return answer.Findings[0].Rule
	}
	for _, parameters := range otherControls {
		other = control(c.dialect, parameters)
		if rule := reason(other); rule != nil && rule != reason(usual) {
			return other, true
		}
	}
	return provider.Request{}, false
}

// check asks about both controls. A user's own server need not refuse any.
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
	if err == nil && answer.Response.Verdict != provider.Rejected {
		if other, ok := c.otherBad(ctx, controls.bad); ok {
			answer, err = c.askWithin(ctx, other, 0)
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("asking about the control that must be refused: %w", err)
	case answer.Response.Verdict != provider.Rejected:
		return fmt.Errorf("%w: what must be refused was accepted", ErrControl)
	}
	return nil
}
