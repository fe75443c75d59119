package normalizers_test

import (
	"encoding/json"
	"slices"
	"testing"

	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// TestPlacesOfCopies has a schema that was copied, and one that a target has made: From leads
// into what was given, not into what that was made of.
func TestPlacesOfCopies(t *testing.T) {
	t.Parallel()
	parsed, err := schema.Parse([]byte(`{"type": "object", "properties": {"a": {"type": "string", "minLength": 1, "const": "b"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	repaired, err := normalizers.Repair(t.Context(), schema.Tool{Name: "f", Parameters: parsed})
	if err != nil {
		t.Fatal(err)
	}
	for _, parameters := range []*schema.Node{parsed.Clone(), repaired.Tool.Parameters} {
		result, err := normalizers.Gemini.Normalize(t.Context(), schema.Tool{Name: "f", Parameters: parameters})
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range result.Changes {
			if change.Rule == "const_to_enum" && change.From != "/parameters/properties/a" {
				t.Errorf("%s is from %q", change.Rule, change.From)
			}
		}
		if len(result.Changes) == 0 {
			t.Error("no changes")
		}
	}
}

// TestChangesAreJSON writes changes as a caller would who logs them. One of them adds a
// member, so that there was nothing before.
func TestChangesAreJSON(t *testing.T) {
	t.Parallel()
	result, err := normalizers.GeminiResponse.Normalize(t.Context(), schema.Tool{Name: "f", Parameters: schema.NewObject()})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(result.Changes, func(change rewrite.Change) bool { return change.Before.IsZero() }) {
		t.Fatal("no change adds anything")
	}
	text, err := json.Marshal(result.Changes) //nolint:musttag // its names are those of the fields
	if err != nil {
		t.Fatal(err)
	}
	var read []rewrite.Change
	err = json.Unmarshal(text, &read) //nolint:musttag // likewise
	if err != nil || len(read) != len(result.Changes) {
		t.Errorf("%d changes are read of %s: %v", len(read), text, err)
	}
}
