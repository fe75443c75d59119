package rewrite_test

import (
	"fmt"
	"testing"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

func TestChangeString(t *testing.T) {
	t.Parallel()
	part := func(key, value string) rewrite.Part {
		return rewrite.PartOfMembers([]schema.Member{{Key: key, Value: schema.NewString(value)}})
	}
	for want, change := range map[string]rewrite.Change{
		`const_to_enum at /parameters: {"const":"a"} becomes {"format":"b"} (exact)`: {
			Rule: "const_to_enum", From: "/parameters", Before: part("const", "a"), After: part("format", "b"),
		},
		`drop_meta at /parameters: {"$schema":"a"} is left out (widens)`: {Rule: "drop_meta", From: "/parameters", Before: part("$schema", "a"), Loss: rewrite.Widens},
		`fill_type at /parameters: {"type":"a"} is added (narrows, after Restore exact)`: {
			Rule: "fill_type", From: "/parameters", After: part("type", "a"), Loss: rewrite.Narrows, Restored: true,
		},
		`unique_names at /name (exact)`: {Rule: "unique_names", From: "/name"},
	} {
		if got := fmt.Sprint(change); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
