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
		{adds("w"), `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{},"w":{}}}`, `{"type":"object","properties":{"a":{}}}`},
		{adds("w"), `{"type":"object"}`, `{"type":"object","properties":{"w":{}}}`, `{"type":"object"}`},
		{adds("w"), `{"type":"object","properties":{"w":{}}}`, `{"type":"object","properties":{"w":{}}}`, ""},
		{closes, `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{}}}`},
		{closes, `{"type":"object"}`, `{"type":"object","additionalProperties":false}`, ""}, // it takes any arguments
		{closes, `{"type":"object","properties":{},"additionalProperties":{}}`, `{"type":"object","properties":{},"additionalProperties":false}`, ""},
	} {
		given, _ := schema.Parse([]byte(test.given))
		sent, _ := schema.Parse([]byte(test.sent))
		got, isThere := test.habit.Undo(schema.Tool{Parameters: given}, schema.Tool{Parameters: sent})
		if isThere != (test.want != "") || isThere && got.Parameters.String() != test.want || sent.String() != test.sent {
			t.Errorf("%s: %s of %s: %s, %t", test.habit.Doc, test.sent, test.given, got.Parameters, isThere)
		}
	}
}
