package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/construct"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
)

// constructs are those of seenOf.
var constructs construct.Table

// seenOf returns a result whose normalized tool has constructs that recordings show, and
// others.
func seenOf(t *testing.T, shown, missing string) verdict.Result {
	t.Helper()
	result := refused(t)
	seen := &verdict.Seen{Surface: "gemini/parameters"}
	for keyword := range strings.FieldsSeq(shown) {
		seen.Found = append(seen.Found, constructs.Add(construct.Construct{Keyword: keyword, Position: "items"}))
	}
	for keyword := range strings.FieldsSeq(missing) {
		one := constructs.Add(construct.Construct{Keyword: keyword, Position: "items"})
		seen.Found, seen.Missing, seen.Unseen = append(seen.Found, one), append(seen.Missing, one), append(seen.Unseen, one.String())
	}
	seen.Constructs = len(seen.Found)
	seen.Accepted = seen.Constructs - len(seen.Missing)
	result.Sides().Normalized.Seen = seen
	return result
}

// TestSeen counts each construct of several tools once, and writes what encoding/json does.
func TestSeen(t *testing.T) {
	t.Parallel()
	summary := report.NewSummary()
	summary.Add(seenOf(t, "type enum", "const"))
	summary.Add(seenOf(t, "type title", "const pattern"))
	summary.Finish()
	text := terminal(func(terminal *report.Terminal) { terminal.Unseen = true }, func(terminal *report.Terminal) { terminal.CheckSummary(&report.Groups{}, summary) })
	const line = "\ngemini/parameters: predicted; 3 of 5 constructs seen accepted, 57 % of their uses; not const without a type in items, pattern without a type in items\n"
	if !strings.Contains(text, line) {
		t.Errorf("the summary is\n%s", text)
	}
	joined := report.NewSummary()
	for _, other := range []*report.Summary{summary, report.NewSummary()} {
		joined.Join(other)
	}
	if diff := cmp.Diff(summary.Seen, joined.Seen); diff != "" {
		t.Errorf("joined (-want +got):\n%s", diff)
	}

	result := seenOf(t, "type", "const")
	var out bytes.Buffer
	if err := report.NewJSON(&out).Result(result); err != nil {
		t.Fatal(err)
	}
	var got, want any
	plain, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if json.Unmarshal(out.Bytes(), &got) != nil || json.Unmarshal(plain, &want) != nil || !cmp.Equal(want, got) {
		t.Errorf("a result is written as\n%sand encoding/json writes\n%s", out.String(), plain)
	}
}
