package harness_test

import (
	"slices"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/semantics"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// TestSuiteMeans normalizes the official JSON Schema test suite and holds each
// declared loss against the instances, whose answers are known: as parameters where
// the instance is an object, and as the schema of a property.
func TestSuiteMeans(t *testing.T) {
	t.Parallel()
	rows := corpusLines(t, "json_schema_test_suite.jsonl.gz")
	for _, target := range slices.Concat(harness.Targets, harness.Alternates) {
		t.Run(target.Name(), func(t *testing.T) {
			t.Parallel()
			same, all := 0, 0
			for _, row := range rows {
				given := row.Get("schema")
				forms := []*schema.Node{given}
				if !mentions(given, "$ref", "$dynamicRef", "$id", "id", "$anchor", "$recursiveRef") {
					inside := given.Clone()
					inside.Delete("$schema")
					forms = append(forms, schema.NewObject(
						schema.Member{Key: "type", Value: schema.NewString("object")},
						schema.Member{Key: "properties", Value: schema.NewObject(schema.Member{Key: "v", Value: inside})},
						schema.Member{Key: "required", Value: schema.NewStrings("v")},
					))
				}
				for i, form := range forms {
					result, err := target.Normalizer.Normalize(t.Context(), schema.Tool{Name: "f", Parameters: form})
					if err != nil {
						t.Errorf("%s: %v", row.GetString("id"), err)
						continue
					}
					loss := rewrite.Exact
					for _, change := range result.Changes {
						loss |= change.Loss
					}
					before, err := semantics.Compile(form)
					if err != nil {
						continue // it names what is not to be fetched
					}
					compiled, err := semantics.Compile(result.Tool.Parameters)
					if err != nil {
						t.Errorf("%s: no JSON Schema any more: %v\n%s\n%s", row.GetString("id"), err, form, result.Tool.Parameters)
						continue
					}
					for _, test := range row.Get("tests").Elements {
						instance := test.Get("data")
						if i > 0 {
							instance = schema.NewObject(schema.Member{Key: "v", Value: instance})
						}
						valid, accepts := test.Get("valid").IsTrue(), compiled.Accepts(instance)
						// The validator leaves formats and dialects of patterns aside.
						if instance.Kind != schema.Object || before.Accepts(instance) != valid {
							continue
						}
						all++
						switch {
						case valid == accepts:
							same++
						case valid && loss&rewrite.Narrows == 0:
							t.Errorf("%s: %s is refused, and the loss is %s\n%s\n%s", row.GetString("id"), instance, loss, form, result.Tool.Parameters)
						case !valid && loss&rewrite.Widens == 0:
							t.Errorf("%s: %s is accepted, and the loss is %s\n%s\n%s", row.GetString("id"), instance, loss, form, result.Tool.Parameters)
						}
					}
				}
			}
			t.Logf("%d of %d instances keep their answer", same, all)
		})
	}
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
