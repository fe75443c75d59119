package client

import (
	"slices"
	"testing"

	"toolproof/schema"
)

// TestCompareAsWords sorts names as localeCompare of Node 24 did on 2026-11-28.
func TestCompareAsWords(t *testing.T) {
	t.Parallel()
	want := []string{"a_b", "a-b", "a.b", "a/b", "a1", "ab", "aB", "Ab", "abc", "b"}
	got := slices.SortedFunc(slices.Values([]string{"b", "abc", "a1", "aB", "a/b", "Ab", "a.b", "ab", "a-b", "a_b"}), CompareAsWords)
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestTreated takes keywords out of a tool and not out of its properties, and leaves the tool as it was.
func TestTreated(t *testing.T) {
	t.Parallel()
	const given = `{"type":"object","title":"T","properties":{"title":{"type":"string","title":"T","minLength":1,"description":"D."}}}`
	parameters, err := schema.Parse([]byte(given))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		run  *Run
		want string
	}{
		{&Run{Treatments: []Treatment{{On: []string{"chat"}, Strips: []string{"title", "minLength"}}}}, `{"type":"object","properties":{"title":{"type":"string","description":"D."}}}`},
		{&Run{Treatments: []Treatment{{On: []string{"chat"}, StripsAtRoot: []string{"title"}}}}, `{"type":"object","properties":{"title":{"type":"string","title":"T","minLength":1,"description":"D."}}}`},
		{&Run{Treatments: []Treatment{{On: []string{"chat"}, Strips: []string{"minLength"}, Describes: true}}}, `{"type":"object","title":"T","properties":{"title":{"type":"string","title":"T","description":"D. {minLength: 1}"}}}`},
		{&Run{Treatments: []Treatment{{On: []string{"gemini"}, Strips: []string{"title"}}}}, given},
	} {
		if got := test.run.Treated("chat", schema.Tool{Parameters: parameters}).Parameters.String(); got != test.want || parameters.String() != given {
			t.Errorf("%s, not %s", got, test.want)
		}
	}
}

// TestTakesServer says which servers a client leaves out.
func TestTakesServer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		run  *Run
		name string
		want bool
	}{
		{claudeCode.Run, "ide", false},
		{claudeCode.Run, "my ide", true},
		{codex.Run, "my ide", false},
		{codex.Run, "my.ide/2", true},
		{geminiCLI.Run, "my/ide", false},
		{geminiCLI.Run, "über", false},
		{geminiCLI.Run, "my.ide", true},
	} {
		if got := test.run.TakesServer(test.name); got != test.want {
			t.Errorf("%s takes %q: %t", test.run.Program, test.name, got)
		}
	}
}
