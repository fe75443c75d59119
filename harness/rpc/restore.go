package rpc

import (
	"context"
	"encoding/json"
	"errors"

	"toolproof/normalizers/calls"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// restoring are the parameters of restore.
type restoring struct {
	// Set is that of the result of normalize. A set that the service has forgotten is an error with the
	// code unknown_set: normalize gives it again.
	Set  string `json:"set"`
	Name string `json:"name"`
	// Arguments are those of the model's call: a JSON value, or its text.
	Arguments json.RawMessage `json:"arguments"`
	// Mend also takes JSON text in place of a value, and null in place of an absent property, where the
	// given tool refuses what came and accepts what it becomes.
	Mend bool `json:"mend"`
}

// restored is the result of restore.
type restored struct {
	// Name is that of the given tool, and Arguments are those of its call.
	Name      string       `json:"name"`
	Arguments *schema.Node `json:"arguments"`
	// Valid reports whether the given tool accepts the arguments, as far as they were checked.
	Valid bool `json:"valid"`
	// Problems says why it does not accept them, and Message the same as a text for the model.
	Problems []problem `json:"problems,omitempty"`
	Message  string    `json:"message,omitempty"`
	// Unchecked says why the arguments, or a part of them, were not validated.
	Unchecked string `json:"unchecked,omitempty"`
}

// problem is a reason why a tool does not accept arguments.
type problem struct {
	At      schema.Pointer `json:"at"`
	Message string         `json:"message"`
}

// restore returns the call of a given tool for a call of the model.
func (s *Service) restore(_ context.Context, asked restoring) (restored, error) {
	declared := s.sets.find(asked.Set)
	if declared == nil {
		return restored{}, failed(UnknownSet, "no set of tools is called %q: normalize the tools again", asked.Set)
	}
	text, err := textOf(asked.Arguments)
	if err != nil {
		return restored{}, failed(BadRequest, "reading arguments: %v", err)
	}
	undo := declared.Restore
	if asked.Mend {
		undo = declared.Mend
	}
	call, err := undo(asked.Name, text)
	refused, isRefused := errors.AsType[*calls.ArgumentsError](err)
	unknown, isUnknown := errors.AsType[*calls.UnknownToolError](err)
	_, isNoJSON := errors.AsType[*schema.SyntaxError](err)
	made := restored{Name: call.Tool.Name, Arguments: call.Arguments, Valid: err == nil, Unchecked: call.Unchecked}
	switch {
	case isUnknown:
		return restored{}, failed(BadRequest, "%v", unknown)
	case isNoJSON:
		return restored{}, failed(BadRequest, "%v", err)
	case isRefused:
		made.Message = refused.Error()
		for _, one := range refused.Problems {
			made.Problems = append(made.Problems, problem{one.At, one.Message})
		}
	case errors.Is(err, instance.ErrTooManySteps):
		made.Message = err.Error()
	case err != nil:
		return restored{}, err
	}
	return made, nil
}
