package normalizers_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"toolproof/normalizers"
	"toolproof/normalizers/internal/engine"
	"toolproof/schema"
)

// TestNormalizeAll: names that become one differ again, and a tool without a result
// does not keep the others from theirs.
func TestNormalizeAll(t *testing.T) {
	t.Parallel()
	never := &engine.Rule{Name: "never", Tool: func(p *engine.Pass) {
		if p.Schema.GetString("name") == "no" {
			p.Unrepresentablef("never")
		}
	}}
	pipeline := normalizers.Alone(normalizers.OpenAI, never)
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

// TestFit: the strict tools of a request stay within its limits, the first ones first, and
// each of the others says why it is not strict.
func TestFit(t *testing.T) {
	t.Parallel()
	var tools []schema.Tool
	add := func(optional, unions int) {
		properties := schema.NewObject()
		var required []string
		for i := range max(optional, unions) {
			value := `{"type": "string"}`
			if i < unions {
				value = `{"type": ["string", "null"]}`
			}
			name := "p" + strconv.Itoa(i)
			properties.Set(name, parse(t, value))
			if i >= optional {
				required = append(required, name)
			}
		}
		parameters := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "properties", Value: properties})
		if required != nil {
			parameters.Set("required", schema.NewStrings(required...))
		}
		tools = append(tools, schema.Tool{Name: "t" + strconv.Itoa(len(tools)), Parameters: parameters})
	}
	add(20, 0)
	add(5, 0) // would make 25 optional
	add(4, 0) // still fits
	add(0, 15)
	add(0, 2) // would make 17 unions
	add(0, 1) // still fits
	for range 20 {
		add(0, 0)
	}
	results, err := normalizers.AnthropicStrict.NormalizeAll(t.Context(), tools...)
	if err != nil {
		t.Fatal(err)
	}
	const most = 20
	strict := 0
	for i, result := range results {
		want := ""
		switch {
		case i == 1:
			want = "the request would have 25 optional properties of strict tools, where 24 are allowed"
		case i == 4:
			want = "the request would have 17 unions in strict tools, where 16 are allowed"
		case strict == most:
			want = "the request would have 21 strict tools, where 20 are allowed"
		default:
			strict++
		}
		if result.Fallback != want || result.Strict != (want == "") {
			t.Errorf("%s is strict: %t, %q; want %q", result.Tool.Name, result.Strict, result.Fallback, want)
		}
	}
	if strict != most {
		t.Errorf("%d tools are strict", strict)
	}
}
