package client

import (
	"testing"

	"toolproof/schema"
)

// TestHabits undoes each habit where the client has it, and nowhere else.
func TestHabits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		habit       Habit
		given, sent string
		want        string // empty if the change is not there
	}{
		{adds("w", "W."), `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{},"w":{}}}`, `{"type":"object","properties":{"a":{}}}`},
		{adds("w", "W."), `{"type":"object"}`, `{"type":"object","properties":{"w":{}}}`, `{"type":"object"}`},
		{adds("w", "W."), `{"type":"object","properties":{"w":{}}}`, `{"type":"object","properties":{"w":{}}}`, ""},
		{closes, `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{}}}`},
		{closes, `{"type":"object"}`, `{"type":"object","additionalProperties":false}`, ""}, // it takes any arguments
		{closes, `{"type":"object","properties":{},"additionalProperties":{}}`, `{"type":"object","properties":{},"additionalProperties":false}`, ""},
	} {
		given, _ := schema.Parse([]byte(test.given))
		sent, _ := schema.Parse([]byte(test.sent))
		if done := test.habit.Do(schema.Tool{Parameters: given}); test.want != "" {
			if undone, isThere := test.habit.Undo(schema.Tool{Parameters: given}, done); !isThere || undone.Parameters.String() != test.given || given.String() != test.given {
				t.Errorf("%s: %s became %s, and that %s", test.habit.Doc, test.given, done.Parameters, undone.Parameters)
			}
		}
		got, isThere := test.habit.Undo(schema.Tool{Parameters: given}, schema.Tool{Parameters: sent})
		if isThere != (test.want != "") || isThere && got.Parameters.String() != test.want || sent.String() != test.sent {
			t.Errorf("%s: %s of %s: %s, %t", test.habit.Doc, test.sent, test.given, got.Parameters, isThere)
		}
	}
}
