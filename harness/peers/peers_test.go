package peers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"toolproof/harness/peers"
	"toolproof/normalizers"
	"toolproof/schema"
)

// stand is a normalizer that returns the same parameters for every tool.
type stand struct {
	made   string // parameters; "" for an error
	strict bool
	why    string // reason for falling back
	err    error
}

func (stand) Name() string { return "stand" }

func (s stand) Normalize(_ context.Context, tool schema.Tool) (normalizers.Result, error) {
	if s.made == "" {
		return normalizers.Result{}, s.err
	}
	parameters, err := schema.Parse([]byte(s.made))
	tool.Parameters = parameters
	return normalizers.Result{Tool: tool, Strict: s.strict, Fallback: s.why, Unreported: true}, err
}

// TestJudge judges normalizers that each do one thing to a tool.
func TestJudge(t *testing.T) {
	t.Parallel()
	const given = `{"type":"object","properties":{"n":{"type":"integer","minimum":1},"s":{"type":"string"}},"required":["n"]}`
	for name, test := range map[string]struct {
		surface string
		does    stand
		outcome peers.Outcome
	}{
		"nothing is changed":           {"gemini/parameters", stand{made: given}, peers.Kept},
		"in the provider's own words":  {"gemini/parameters", stand{made: `{"type":"OBJECT","properties":{"n":{"type":"INTEGER","minimum":1},"s":{"type":"STRING"}},"required":["n"]}`}, peers.Kept},
		"a bound goes":                 {"gemini/parameters", stand{made: `{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},"required":["n"]}`}, peers.Silent},
		"a bound is said":              {"gemini/parameters", stand{made: `{"type":"object","properties":{"n":{"type":"integer","description":"at least 1"},"s":{"type":"string"}},"required":["n"]}`}, peers.Said},
		"a bound is said elsewhere":    {"gemini/parameters", stand{made: `{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string","description":"at least 1"}},"required":["n"]}`}, peers.Silent},
		"a property is required":       {"openai/chat", stand{made: `{"type":"object","properties":{"n":{"type":"integer","minimum":1},"s":{"type":"string"}},"required":["n","s"]}`}, peers.Silent},
		"null stands for no property":  {"openai/chat-strict", stand{made: `{"type":"object","properties":{"n":{"type":"integer","minimum":1},"s":{"type":["string","null"]}},"required":["n","s"],"additionalProperties":false}`, strict: true}, peers.Kept},
		"an object is closed":          {"openai/chat", stand{made: given[:len(given)-1] + `,"additionalProperties":false}`}, peers.Kept},
		"strict, and not made for it":  {"openai/chat-strict", stand{made: given, strict: true}, peers.Refused},
		"falls back":                   {"openai/chat-strict", stand{made: given}, peers.Kept},
		"falls back where nothing can": {"openai/response_format", stand{made: given, why: "a map"}, peers.Declined},
		"an unknown field":             {"gemini/parameters", stand{made: `{"type":"object","properties":{"n":{"const":1}}}`}, peers.Refused},
		"refuses the tool":             {"gemini/parameters", stand{err: fmt.Errorf("%w: not today", normalizers.ErrUnsupported)}, peers.Declined},
		"fails":                        {"gemini/parameters", stand{err: errors.New("no such member")}, peers.Crashed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parameters, err := schema.Parse([]byte(given))
			if err != nil {
				t.Fatal(err)
			}
			surface, err := peers.SurfaceNamed(test.surface)
			if err != nil {
				t.Fatal(err)
			}
			judged, err := peers.Judge(t.Context(), test.does, surface, &peers.Case{ID: name, Tool: schema.Tool{Name: "f", Parameters: parameters}})
			if err != nil {
				t.Fatal(err)
			}
			if judged.Outcome != test.outcome {
				t.Errorf("it is %s (%s), and should be %s", judged.Outcome, judged.Text, test.outcome)
			}
		})
	}
}

// TestJudgeOurs judges a normalizer of this project, which reports its losses.
func TestJudgeOurs(t *testing.T) {
	t.Parallel()
	parameters, err := schema.Parse([]byte(`{"type":"object","properties":{"n":{"type":"array","items":{"type":"string"},"uniqueItems":true}},"required":["n"]}`))
	if err != nil {
		t.Fatal(err)
	}
	surface, err := peers.SurfaceNamed("gemini/parameters")
	if err != nil {
		t.Fatal(err)
	}
	judged, err := peers.Judge(t.Context(), normalizers.Gemini, surface, &peers.Case{ID: "f", Tool: schema.Tool{Name: "f", Parameters: parameters}})
	if err != nil || judged.Outcome != peers.Said {
		t.Errorf("it is %s (%s), %v", judged.Outcome, judged.Text, err)
	}
}
