package verdict_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	accepted := provider.Response{Verdict: provider.Accepted, Evidence: provider.Predicted}
	ignoring := accepted
	ignoring.Ignored = []provider.Finding{{At: "/b"}, {At: "/a"}}
	twice := accepted // several surfaces ignore one place
	twice.Ignored = []provider.Finding{{At: "/b"}, {At: "/a", Surface: "ollama/chat"}, {At: "/b", Surface: "ollama/chat"}}
	places := func(places ...schema.Pointer) fixture.Side { return fixture.Side{Verdict: "accepted", Ignored: places} }
	refused := provider.Response{Verdict: provider.Rejected, Evidence: provider.Reported, Message: "no such field\n"}
	for name, test := range map[string]struct {
		expected fixture.Side
		response provider.Response
		err      error
		required provider.Grade
		status   verdict.Status
		text     string
	}{
		"ignored by two surfaces":     {places("/a", "/b"), twice, nil, provider.NoEvidence, verdict.Pass, ""},
		"accepted as expected":        {fixture.Side{Verdict: "accepted"}, accepted, nil, provider.NoEvidence, verdict.Pass, ""},
		"refused as expected":         {fixture.Side{Verdict: "rejected", Message: "no such field"}, refused, nil, provider.NoEvidence, verdict.Pass, ""},
		"refused in part of words":    {fixture.Side{Verdict: "rejected", MessageHas: "such"}, refused, nil, provider.NoEvidence, verdict.Pass, ""},
		"accepted and not refused":    {fixture.Side{Verdict: "rejected"}, accepted, nil, provider.NoEvidence, verdict.Fail, "expected rejected, got accepted"},
		"refused and not accepted":    {fixture.Side{Verdict: "accepted"}, refused, nil, provider.NoEvidence, verdict.Fail, "expected accepted, got rejected: no such field"},
		"other words":                 {fixture.Side{Verdict: "rejected", Message: "no field"}, refused, nil, provider.NoEvidence, verdict.Fail, "expected the message"},
		"other part of words":         {fixture.Side{Verdict: "rejected", MessageHas: "enum"}, refused, nil, provider.NoEvidence, verdict.Fail, "expected a message with"},
		"an error teaches nothing":    {fixture.Side{Verdict: "accepted"}, accepted, errors.New("no route"), provider.NoEvidence, verdict.Inconclusive, "no verdict: no route"},
		"too weak a grade":            {fixture.Side{Verdict: "accepted"}, accepted, nil, provider.Recorded, verdict.Inconclusive, "the answer is only predicted, and recorded is required"},
		"what is ignored":             {places("/a", "/b"), ignoring, nil, provider.NoEvidence, verdict.Pass, ""},
		"what is ignored unexpected":  {places("/a"), ignoring, nil, provider.NoEvidence, verdict.Fail, `expected ["/a"] to be ignored, got ["/a" "/b"]`},
		"something is not ignored":    {places("/a"), accepted, nil, provider.NoEvidence, verdict.Fail, `expected ["/a"] to be ignored, got []`},
		"nothing is to be ignored":    {places([]schema.Pointer{}...), ignoring, nil, provider.NoEvidence, verdict.Fail, `expected [] to be ignored`},
		"nobody asks what is ignored": {fixture.Side{Verdict: "accepted"}, ignoring, nil, provider.NoEvidence, verdict.Pass, ""},
		"a grade that is good enough": {fixture.Side{Verdict: "rejected", MessageHas: "such"}, refused, nil, provider.Reported, verdict.Pass, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, text := verdict.JudgeRequired(new(provider.Dialect), test.expected, test.response, test.err, test.required)
			if status != test.status || !strings.HasPrefix(text, test.text) || test.text == "" && text != "" {
				t.Errorf("got %s %q, expected %s %q", status, text, test.status, test.text)
			}
		})
	}
}

func TestAgree(t *testing.T) {
	t.Parallel()
	words := provider.Response{Verdict: provider.Rejected, Message: "all of the words"}
	part := provider.Response{Verdict: provider.Rejected, Message: "of the"}
	if status, _ := verdict.Agree(new(provider.Dialect), words, part, true); status != verdict.Pass {
		t.Errorf("a model that says a known fragment does not agree: %s", status)
	}
	if status, _ := verdict.Agree(new(provider.Dialect), words, part, false); status != verdict.Fail {
		t.Errorf("a model that says more than the whole message agrees: %s", status)
	}
	if status, _ := verdict.Agree(new(provider.Dialect), provider.Response{Verdict: provider.Accepted}, words, false); status != verdict.Fail {
		t.Errorf("a model that accepts what was refused agrees: %s", status)
	}
}

// TestWorst holds the order on which the exit code rests: nothing that is not a
// pass may look like one.
func TestWorst(t *testing.T) {
	t.Parallel()
	order := []verdict.Status{verdict.NotApplicable, verdict.Pass, verdict.KnownFailure, verdict.Inconclusive, verdict.Fail, verdict.Error}
	for i, better := range order {
		for _, worse := range order[i:] {
			if max(better, worse) != worse || max(worse, better) != worse {
				t.Errorf("%s is not worse than %s", worse, better)
			}
		}
	}
}

// TestChanges leaves out what is too large to show, and nothing else.
func TestChanges(t *testing.T) {
	t.Parallel()
	large := schema.NewArray()
	for range verdict.MaxShown {
		large.Elements = append(large.Elements, schema.NewInt(1))
	}
	changes := verdict.Changes([]rewrite.Change{
		{Rule: "a", At: "/parameters/x", From: "/parameters/y", Loss: rewrite.Both, Restored: true, Before: rewrite.PartOf(schema.NewInt(1)), After: rewrite.PartOf(schema.NewInt(2))},
		{Rule: "b", Before: rewrite.PartOf(large), After: rewrite.PartOf(large)},
	})
	got, err := json.Marshal(changes)
	if err != nil {
		t.Fatal(err)
	}
	const expected = `[{"rule":"a","from":"/parameters/y","at":"/parameters/x","loss":"both","restored":true,"before":1,"after":2},` +
		`{"rule":"b","from":"","at":"","loss":"exact","restored":false}]`
	if string(got) != expected {
		t.Errorf("got      %s\nexpected %s", got, expected)
	}
	var back []verdict.Change
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(back); err != nil || string(again) != expected {
		t.Errorf("read back %s: %v", again, err)
	}
}
