package calibrate

import (
	"encoding/json"
	"testing"
)

func TestMessageOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"no"`: "no", `{"message":"no"}`: "no", `{"error":{"message":"no"}}`: "no", `{"type":"error","error":{"type":"x","message":"no"}}`: "no", `null`: "", ``: "", `[]`: "",
	} {
		if got := (&Row{ResponseError: json.RawMessage(text)}).messageOf(); got != want {
			t.Errorf("the message of %s is %q, want %q", text, got, want)
		}
	}
}

func TestFalls(t *testing.T) {
	t.Parallel()
	before := Summary{Dialects: []Agreement{
		{Dialect: "a/b", Accepted: Agreed{10, 9}, Refused: Agreed{4, 4}, Messages: Exact{2, 2}, Disagreements: []Disagreement{{ID: "old"}}},
		{Dialect: "a/c", Accepted: Agreed{1, 1}},
	}}
	if falls := before.Falls(before); falls != nil {
		t.Errorf("the same is worse: %q", falls)
	}
	more := Summary{Dialects: []Agreement{
		{Dialect: "a/b", Accepted: Agreed{20, 19}, Refused: Agreed{4, 4}, Messages: Exact{3, 3}, Disagreements: []Disagreement{{ID: "new"}}},
		{Dialect: "a/c", Accepted: Agreed{1, 1}},
	}}
	if falls := more.Falls(before); falls != nil {
		t.Errorf("more of the same is worse: %q", falls)
	}
	fewer := Summary{Dialects: []Agreement{{Dialect: "a/b", Accepted: Agreed{10, 9}, Refused: Agreed{4, 3}, Messages: Exact{3, 2}, Disagreements: []Disagreement{{ID: "old"}, {ID: "new"}}}}}
	want := []string{
		"a/b: refused 3 of 4, was 4 of 4", "a/b: messages 2 of 3, was 2 of 2", "a/b: new disagreement: new", "a/c: was asked before and is not any longer",
	}
	falls := fewer.Falls(before)
	if len(falls) != len(want) {
		t.Fatalf("falls are %q, want %q", falls, want)
	}
	for i := range want {
		if falls[i] != want[i] {
			t.Errorf("fall %d is %q, want %q", i, falls[i], want[i])
		}
	}
}
