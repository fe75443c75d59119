package normalizers_test

import (
	"context"
	"errors"
	"testing"

	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// TestNormalizeAll: names that become one differ again, and a tool without a result
// does not keep the others from theirs.
func TestNormalizeAll(t *testing.T) {
	t.Parallel()
	never := &rewrite.Rule{Name: "never", Tool: func(p *rewrite.Pass) {
		if p.Schema.GetString("name") == "no" {
			p.Unrepresentablef("never")
		}
	}}
	pipeline := *normalizers.OpenAI
	pipeline.Rules = append([]*rewrite.Rule{never}, pipeline.Rules...)
	named := func(name string) schema.Tool { return schema.Tool{Name: name} }
	results, err := pipeline.NormalizeAll(t.Context(), named("a/b"), named("no"), named("a_b"))
	var failed normalizers.RequestError
	if !errors.As(err, &failed) || len(failed) != 1 || failed[1] == nil {
		t.Fatalf("the error is %v", err)
	}
	if len(results) != 3 || results[0].Tool.Name != "a_b_c14cddc0" || results[1].Tool.Name != "" || results[2].Tool.Name != "a_b" {
		t.Errorf("the results are %+v", results)
	}
	if len(results[0].Changes) != 1 || results[0].Changes[0].After.Node().GetString("name") != "a_b_c14cddc0" || !results[0].Changes[0].Restored {
		t.Errorf("the changes of the first are %+v", results[0].Changes)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := normalizers.OpenAI.NormalizeAll(ctx, named("a")); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
