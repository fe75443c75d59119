package history_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolproof/harness/history"
	"toolproof/internal/seeded"
)

// TestMain draws the same cases in every run.
func TestMain(m *testing.M) { os.Exit(seeded.Run(m)) }

func record(version, place string, facts map[string]string) history.Record {
	return history.Record{Format: history.Format, Kind: "sdk", Subject: "s", Version: version, Date: "2026-11-28", Environment: "node 20", Place: place, Facts: facts}
}

// TestShortened: whatever the records, the lines that are written for them are read as they were.
func TestShortened(t *testing.T) {
	t.Parallel()
	word, value, place := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}), rapid.SampledFrom([]string{"kept", "lost"}), rapid.SampledFrom([]string{"p", "q"})
	rapid.Check(t, func(t *rapid.T) {
		var records []history.Record
		var text strings.Builder
		for range rapid.IntRange(1, 8).Draw(t, "records") {
			facts := rapid.MapOfN(word, value, 1, 6).Draw(t, "facts")
			if rapid.IntRange(0, 4).Draw(t, "unmeasured") == 0 {
				facts = nil
			}
			next := record(rapid.SampledFrom([]string{"1.0.0", "1.0.1", "2.0.0"}).Draw(t, "version"), place.Draw(t, "place"), facts)
			if facts == nil {
				next.Unmeasured = "it does not start"
			}
			line, err := json.Marshal(history.Shorten(next, records))
			if err != nil {
				t.Fatal(err)
			}
			text.Write(append(line, '\n'))
			records = append(records, next)
		}
		read, err := history.Read(fstest.MapFS{"sdk.jsonl": {Data: []byte(text.String())}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(records, read); diff != "" {
			t.Error(diff)
		}
	})
}

// TestShorten: a version that is like another one takes a short line.
func TestShorten(t *testing.T) {
	t.Parallel()
	base := record("1.0.0", "p", map[string]string{"a": "kept", "b": "kept", "c": "kept", "d": "kept"})
	same := record("1.1.0", "p", map[string]string{"a": "kept", "b": "lost", "c": "kept", "e": "kept"})
	short := history.Shorten(same, []history.Record{base, record("1.0.1", "other", same.Facts)})
	if want := map[string]string{"b": "lost", "d": "", "e": "kept"}; short.Like != "" || len(short.Facts) != len(same.Facts) {
		t.Errorf("refers to %q with %v, and three of four facts differ: %v", short.Like, short.Facts, want)
	}
	same.Facts["d"], same.Facts["e"] = "kept", "kept"
	short = history.Shorten(same, []history.Record{base})
	if diff := cmp.Diff(map[string]string{"b": "lost", "e": "kept"}, short.Facts); short.Like != "1.0.0" || diff != "" {
		t.Errorf("refers to %q: %s", short.Like, diff)
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	const line = `{"version":1,"kind":"sdk","subject":"s","subject_version":"1.0.0","facts":{"a":"b"}}` + "\n"
	for text, want := range map[string]string{
		line + "{":      "line 2 of sdk.jsonl",
		`{"version":2}`: "version 2 is not known",
		line + strings.Replace(line, `"facts"`, `"like":"0.9.0","facts"`, 1): "no line before it has version 0.9.0",
	} {
		if _, err := history.Read(fstest.MapFS{"sdk.jsonl": {Data: []byte(text)}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
	}
}

// TestSteps: a version that was not measured is passed over, the last of two measurements counts, and a fact that is
// gone is a change.
func TestSteps(t *testing.T) {
	t.Parallel()
	unmeasured := record("1.1.0", "p", nil)
	unmeasured.Unmeasured = "it does not start"
	records := []history.Record{
		record("1.10.0", "p", map[string]string{"a": "kept"}),
		record("1.0.0", "p", map[string]string{"a": "crashed", "b": "kept"}),
		record("1.0.0", "p", map[string]string{"a": "lost", "b": "kept"}),
		unmeasured,
		record("1.10.0", "q", map[string]string{"a": "lost"}),
	}
	subjects := history.Subjects(records)
	if len(subjects) != 1 || len(subjects[0].Versions) != 3 {
		t.Fatalf("groups as %v", subjects)
	}
	steps := subjects[0].Steps()
	if len(steps) != 1 || steps[0].From.Name != "1.0.0" || steps[0].To.Name != "1.10.0" {
		t.Fatalf("finds the steps %v", steps)
	}
	if diff := cmp.Diff([]history.Change{{"a", "lost", "kept"}, {"b", "kept", ""}}, steps[0].Changes); diff != "" {
		t.Error(diff)
	}
	spans := subjects[0].Spans("p", "a")
	if len(spans) != 2 || spans[0].Value != "lost" || spans[1].Value != "kept" || spans[1].First.Name != "1.10.0" {
		t.Errorf("finds the spans %v", spans)
	}
	if facts, newest := subjects[0].Facts("p"); len(facts) != 1 || newest.Name != "1.10.0" {
		t.Errorf("the newest facts are %v of %s", facts, newest.Name)
	}
	if spans := subjects[0].Spans("p", "unknown"); spans != nil {
		t.Errorf("an unknown fact has the spans %v", spans)
	}
}
