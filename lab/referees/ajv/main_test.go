package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"toolproof/schema"
)

func parse(t *testing.T, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// TestHear compares equal answers, different answers and known differences.
func TestHear(t *testing.T) {
	t.Parallel()
	no := errors.New("no schema")
	for _, test := range []struct {
		name, schema         string
		accepted             []bool
		err                  error
		given                answer
		disagreements, known int
	}{
		{"alike", `{}`, []bool{true, false}, nil, answer{Answers: []any{true, false}}, 0, 0},
		{"not alike", `{}`, []bool{true, false}, nil, answer{Answers: []any{false, true}}, 2, 0},
		{"neither reads it", `{}`, nil, no, answer{Error: "no schema"}, 0, 0},
		{"ajv alone reads it", `{}`, nil, no, answer{}, 1, 0},
		{"the harness alone reads it", `{}`, []bool{true}, nil, answer{Error: "no schema"}, 1, 0},
		{"a pattern of Go", `{"pattern":"(?i)a"}`, []bool{true}, nil, answer{Error: "Invalid regular expression: /(?i)a/u: Invalid group"}, 0, 1},
		{"words are no answer", `{}`, []bool{false}, nil, answer{Answers: []any{"out of memory"}}, 1, 0},
		{"a loop", `{"$ref":"#"}`, []bool{false}, nil, answer{Answers: []any{"Maximum call stack size exceeded"}}, 0, 1},
		{"a dynamic reference", `{"items":{"$dynamicRef":"#a"}}`, []bool{false}, nil, answer{Answers: []any{true}}, 0, 1},
		{"a property of that name", `{"properties":{"$dynamicRef":{}}}`, []bool{false}, nil, answer{Answers: []any{true}}, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			asked := question{about: "x", schema: parse(t, test.schema), accepted: test.accepted, err: test.err}
			for range test.accepted {
				asked.instances = append(asked.instances, &schema.Node{})
			}
			var out bytes.Buffer
			r := &referee{out: &out, met: map[string]int{}}
			r.hear(asked, test.given)
			known := 0
			for _, count := range r.met {
				known += count
			}
			if r.disagreements != test.disagreements || known != test.known || strings.Count(out.String(), "x: ") != test.disagreements {
				t.Errorf("%d disagreements and %d known differences, want %d and %d\n%s", r.disagreements, known, test.disagreements, test.known, out.String())
			}
		})
	}
}

// TestFinish checks that runs which judged nothing are errors.
func TestFinish(t *testing.T) {
	t.Parallel()
	met := map[string]int{}
	for _, known := range differences {
		met[known.name] = 1
	}
	if err := (&referee{out: io.Discard, met: met, instances: 1}).finish(); err != nil {
		t.Error(err)
	}
	if (&referee{out: io.Discard, met: met}).finish() == nil {
		t.Error("a run that judged nothing is no error")
	}
	delete(met, differences[0].name)
	if (&referee{out: io.Discard, met: met, instances: 1}).finish() == nil {
		t.Error("a known difference that is not met is no error")
	}
}

// TestListen checks that answers that end too early, or are too few, leave no caller waiting.
func TestListen(t *testing.T) {
	t.Parallel()
	asked := question{schema: schema.NewObject(), instances: []*schema.Node{{}, {}}}
	for name, out := range map[string]string{"too early": `{"answers":[tr`, "too few": `{"answers":[true]}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := &judge{kill: func() {}, pending: make(chan question)}
			heard := ""
			done := make(chan error, 1)
			go func() {
				done <- j.listen(strings.NewReader(out), func(_ question, given answer) { heard = given.Error })
			}()
			j.pending <- asked
			close(j.pending)
			if err := <-done; err == nil && heard == "" {
				t.Error("there is no error")
			}
		})
	}
}

// TestRecorder checks that each instance is recorded once, with its verdict.
func TestRecorder(t *testing.T) {
	t.Parallel()
	asked := &recorder{}
	for range 2 {
		validator, err := asked.compile(parse(t, `{"type": "STRING"}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, instance := range []*schema.Node{schema.NewString("a"), schema.NewInt(1)} {
			validator.Accepts(instance)
		}
	}
	if _, err := asked.compile(parse(t, `{"type": 5}`)); err == nil {
		t.Error("what is no schema is compiled")
	}
	if len(asked.order) != 2 || len(asked.order[0].instances) != 2 || !asked.order[0].accepted[0] || asked.order[0].accepted[1] || asked.order[1].err == nil {
		t.Errorf("got %+v", asked.order)
	}
}

func TestIsOfDoubles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"a": [1, 0.1, 1e2, -5, 1.50, "9007199254740993"]}`: true,
		`9007199254740993`: false, `[1e400]`: false, `{"a": 0.1000000000000000055}`: false,
	} {
		if got := isOfDoubles(parse(t, text)); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
