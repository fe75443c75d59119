package harness_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/semantics"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// kept counts the instances of the suite whose answer a normalized schema keeps.
type kept struct {
	Same int `json:"same"`
	Of   int `json:"of"`
}

// baseline has what is kept, by target and draft; it may only rise.
const baseline = "../docs/meaning.json"

// TestSuiteMeans normalizes the official JSON Schema test suite and holds each
// declared loss against the instances, whose answers are known: as parameters where
// the instance is an object, and as the schema of a property. UPDATE=1 writes the
// baseline.
func TestSuiteMeans(t *testing.T) {
	t.Parallel()
	rows := corpusLines(t, "json_schema_test_suite.jsonl.gz")
	known := map[string]map[string]kept{}
	text, err := os.ReadFile(baseline)
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	if err != nil && os.Getenv("UPDATE") == "" {
		t.Fatal(err)
	}
	found := map[string]map[string]kept{}
	for _, target := range slices.Concat(harness.Targets, harness.Alternates) {
		counts := map[string]kept{}
		for _, row := range rows {
			draft := row.GetString("draft")
			count := counts[draft]
			for _, form := range formsOf(row.Get("schema")) {
				count = meansAsSuite(t, target, row, form, count)
			}
			counts[draft] = count
		}
		found[target.Name()] = counts
		for draft, count := range counts {
			t.Logf("%s, %s: %d of %d instances keep their answer", target.Name(), draft, count.Same, count.Of)
			if before := known[target.Name()][draft]; count != before && os.Getenv("UPDATE") == "" {
				t.Errorf("%s, %s: %d of %d instances keep their answer, and the baseline has %d of %d: write a better one with UPDATE=1",
					target.Name(), draft, count.Same, count.Of, before.Same, before.Of)
			}
		}
	}
	if os.Getenv("UPDATE") == "" {
		return
	}
	text, err = json.MarshalIndent(found, "", "  ")
	if err == nil {
		err = os.WriteFile(baseline, append(text, '\n'), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// formsOf returns the schema as parameters, and as that of the property v.
func formsOf(given *schema.Node) []*schema.Node {
	forms := []*schema.Node{given}
	if mentions(given, "$ref", "$dynamicRef", "$id", "id", "$anchor", "$recursiveRef") {
		return forms
	}
	inside := given.Clone()
	inside.Delete("$schema")
	return append(forms, schema.NewObject(
		schema.Member{Key: "type", Value: schema.NewString("object")},
		schema.Member{Key: "properties", Value: schema.NewObject(schema.Member{Key: "v", Value: inside})},
		schema.Member{Key: "required", Value: schema.NewStrings("v")},
	))
}

// meansAsSuite holds one form of a schema of the suite against its instances.
func meansAsSuite(t *testing.T, target harness.Target, row, form *schema.Node, count kept) kept {
	t.Helper()
	result, err := target.Normalizer.Normalize(t.Context(), schema.Tool{Name: "f", Parameters: form})
	if err != nil {
		t.Errorf("%s: %s: %v", target.Name(), row.GetString("id"), err)
		return count
	}
	loss := rewrite.Exact
	for _, change := range result.Changes {
		loss |= change.Loss
	}
	before, err := semantics.Compile(form)
	if err != nil {
		return count // it names what is not to be fetched
	}
	after, err := semantics.Compile(result.Tool.Parameters)
	if err != nil {
		t.Errorf("%s: %s: no JSON Schema any more: %v\n%s\n%s", target.Name(), row.GetString("id"), err, form, result.Tool.Parameters)
		return count
	}
	for _, test := range row.Get("tests").Elements {
		instance := test.Get("data")
		if form != row.Get("schema") {
			instance = schema.NewObject(schema.Member{Key: "v", Value: instance})
		}
		valid, accepts := test.Get("valid").IsTrue(), after.Accepts(instance)
		// The validator leaves formats and dialects of patterns aside.
		if instance.Kind != schema.Object || before.Accepts(instance) != valid {
			continue
		}
		count.Of++
		switch {
		case valid == accepts:
			count.Same++
		case valid && loss&rewrite.Narrows == 0:
			t.Errorf("%s: %s: %s is refused, and the loss is %s\n%s\n%s", target.Name(), row.GetString("id"), instance, loss, form, result.Tool.Parameters)
		case !valid && loss&rewrite.Widens == 0:
			t.Errorf("%s: %s: %s is accepted, and the loss is %s\n%s\n%s", target.Name(), row.GetString("id"), instance, loss, form, result.Tool.Parameters)
		}
	}
	return count
}

// mentions reports whether one of the names occurs as a member anywhere.
func mentions(node *schema.Node, names ...string) bool {
	text := node.String()
	for _, name := range names {
		if strings.Contains(text, `"`+name+`":`) {
			return true
		}
	}
	return false
}
