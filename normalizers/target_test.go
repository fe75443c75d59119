package normalizers_test

import (
	"testing"

	"toolproof/normalizers"
	"toolproof/schema"
)

// TestResultKnowsItsTarget: a result has the name of the pipeline that was asked, also where that falls
// back to one that is not strict.
func TestResultKnowsItsTarget(t *testing.T) {
	t.Parallel()
	tool, err := schema.NewTool("f", "", `{"type": "object", "properties": {"tags": {"type": "object", "additionalProperties": {"type": "string"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, pipeline := range normalizers.All {
		results, err := pipeline.NormalizeAll(t.Context(), tool, tool)
		if err != nil {
			t.Fatal(err)
		}
		for _, result := range results {
			if result.Target != pipeline.Name() {
				t.Errorf("a result of %s is for %q", pipeline.Name(), result.Target)
			}
		}
	}
}
