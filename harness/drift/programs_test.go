package drift_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/drift"
)

// TestPrograms compares two measurements: one program is newer and loses a tool, one is newer
// and behaves the same, one is unchanged, one is gone and one is new.
func TestPrograms(t *testing.T) {
	t.Parallel()
	cell := func(program, version, subject, value string) drift.Cell {
		return drift.Cell{Program: program, Version: version, Place: "chat", Subject: subject, Value: value}
	}
	before := []drift.Cell{
		cell("newer", "1", "b", "kept"), cell("newer", "1", "a", "kept"), cell("newer", "1", "old", "kept"),
		cell("quiet", "1", "a", "kept"), cell("same", "1", "a", "kept"), cell("gone", "1", "a", "kept"),
	}
	after := []drift.Cell{
		cell("newer", "2", "a", "missing"), cell("newer", "2", "b", "kept"), cell("newer", "2", "fresh", "widens"),
		cell("quiet", "2", "a", "kept"), cell("same", "1", "a", "kept"), cell("added", "3", "a", "kept"),
	}
	want := []drift.Program{
		{Name: "added", To: "3", Cells: []drift.CellFlip{{Place: "chat", Subject: "a", After: "kept"}}},
		{Name: "gone", From: "1", Cells: []drift.CellFlip{{Place: "chat", Subject: "a", Before: "kept"}}},
		{Name: "newer", From: "1", To: "2", Cells: []drift.CellFlip{
			{Place: "chat", Subject: "a", Before: "kept", After: "missing"},
			{Place: "chat", Subject: "old", Before: "kept"},
			{Place: "chat", Subject: "fresh", After: "widens"},
		}},
		{Name: "quiet", From: "1", To: "2"},
	}
	if difference := cmp.Diff(want, drift.Programs(before, after)); difference != "" {
		t.Error(difference)
	}
	if found := drift.Programs(before, before); len(found) > 0 {
		t.Errorf("nothing changed, and it finds %+v", found)
	}
}
