package advice

import (
	"testing"
)

// TestTokens compares the estimates with counts of the tokenizer o200k_base: exactly for
// single parts, approximately for whole tools.
func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                           0,
		"The description of a tool.": 6,
		`{"name":"get_weather","description":"The weather of a city."}`: 15,
		"12345678":    3,
		"   ":         1,
		"anyOf":       2,
		"getUserByID": 4,
	} {
		if got := Tokens(text); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
	const counted, near = 19, 1
	text := `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`
	if got := Tokens(text); got < counted-near || got > counted+near {
		t.Errorf("%s: %d tokens, want about %d", text, got, counted)
	}
}
