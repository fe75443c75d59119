package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/schema"
)

func TestValue(t *testing.T) {
	t.Parallel()
	got := parse(t, `{"a": [1.0, "x", true, false, null], "b": {}, "c": []}`).Value()
	want := map[string]any{"a": []any{json.Number("1.0"), "x", true, false, nil}, "b": map[string]any{}, "c": []any{}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var none *schema.Node
	if none.Value() != nil {
		t.Error("no node has a value")
	}
}

func TestDescriptionText(t *testing.T) {
	t.Parallel()
	if text, err := (schema.Tool{}).DescriptionText(); text != "" || err != nil {
		t.Errorf("got %q, %v of none", text, err)
	}
	if text, err := (schema.Tool{Description: schema.NewString("d")}).DescriptionText(); text != "d" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	if _, err := (schema.Tool{Description: parse(t, `{"en": "d"}`)}).DescriptionText(); err == nil || err.Error() != `/description: a description is a string, and this is {"en":"d"}` {
		t.Errorf("got the error %v", err)
	}
}
