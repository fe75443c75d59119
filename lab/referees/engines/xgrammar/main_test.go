package main

import (
	"io"
	"strings"
	"testing"

	"toolproof/schema"
)

// compared compares the model with answers to two schemas.
func compared(t *testing.T, answers string) error {
	t.Helper()
	held := comparison{given: []*schema.Node{schema.NewObject(), schema.NewBool(false)}, out: io.Discard}
	heard, err := listen(strings.NewReader(answers), len(held.given), func(i int, said answer) error { return held.one(t.Context(), i, said) })
	if err != nil {
		return err
	}
	if heard != len(held.given) {
		t.Fatalf("heard %d answers", heard)
	}
	return held.result()
}

// TestResult: what the engine did not judge is no agreement.
func TestResult(t *testing.T) {
	t.Parallel()
	const taken, refused = `{"id":"0","verdict":"accepted"}` + "\n", `{"id":"1","verdict":"rejected"}` + "\n"
	for answers, want := range map[string]string{
		taken + refused:                          "",
		taken + `{"id":"1","verdict":"crashes"}`: "",
		`{"id":"0","verdict":"crashes"}` + "\n" + `{"id":"1","verdict":"crashes"}`: "judged none of 2 schemas",
		taken + `{"id":"1","verdict":"accepted"}`:                                  errDiffer.Error(),
		taken + refused + `{"id":"2","verdict":"accepted"}`:                        "answer 2 is to question 2 of 2",
		refused: "answer 0 is to question 1 of 2",
		"{":     "reading the referee",
	} {
		err := compared(t, answers)
		if got := err == nil; got != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", answers, err, want)
		}
	}
}
