package harness_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/lab/corpus"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
	"toolproof/schema/instance"
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
// baseline. A short test takes one row of five, and leaves the baseline aside.
func TestSuiteMeans(t *testing.T) {
	t.Parallel()
	if testing.Short() && os.Getenv("UPDATE") != "" {
		t.Fatal("the baseline is of all rows: update it without -short")
	}
	rows := corpus.Lines(t, "json_schema_test_suite.jsonl.gz")
	known := map[string]map[string]kept{}
	text, err := os.ReadFile(baseline)
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	if err != nil && os.Getenv("UPDATE") == "" {
		t.Fatal(err)
	}
	targets := slices.Concat(harness.Targets, harness.Alternates)
	found := map[string]map[string]kept{}
	for _, target := range targets {
		found[target.Name()] = map[string]kept{}
	}
	for i, row := range rows {
		if !inShare(i, 5) {
			continue
		}
		for _, form := range formsOf(row.Get("schema")) {
			asked := newSuiteForm(row, form)
			for _, target := range targets {
				counts := found[target.Name()]
				counts[row.GetString("draft")] = asked.means(t, target, counts[row.GetString("draft")])
			}
		}
	}
	for _, target := range targets {
		for draft, count := range found[target.Name()] {
			t.Logf("%s, %s: %d of %d instances keep their answer", target.Name(), draft, count.Same, count.Of)
			if before := known[target.Name()][draft]; count != before && os.Getenv("UPDATE") == "" && !testing.Short() {
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

// suiteForm is one form of a schema of the suite, with the instances whose answer the
// validator and the suite agree on: the validator leaves formats and dialects of patterns
// aside.
type suiteForm struct {
	id        string
	form      *schema.Node
	isUnread  bool // it names what is not to be fetched
	instances []*schema.Node
	valid     []bool
	// answers has what each normalized schema, by its text, says to the instances, because
	// most targets make the same of it.
	answers map[string]suiteAnswer
}

type suiteAnswer struct {
	accepts []bool
	err     error // it is no JSON Schema
}

func newSuiteForm(row, form *schema.Node) *suiteForm {
	asked := &suiteForm{id: row.GetString("id"), form: form, answers: map[string]suiteAnswer{}}
	before, err := instance.Compile(form)
	if asked.isUnread = err != nil; asked.isUnread {
		return asked
	}
	for _, test := range row.Get("tests").Elements {
		instance, valid := test.Get("data"), test.Get("valid").IsTrue()
		if form != row.Get("schema") {
			instance = schema.NewObject(schema.Member{Key: "v", Value: instance})
		}
		if instance.Kind == schema.Object && before.Accepts(instance) == valid {
			asked.instances, asked.valid = append(asked.instances, instance), append(asked.valid, valid)
		}
	}
	return asked
}

// answer returns what a normalized schema says to the instances.
func (s *suiteForm) answer(normalized *schema.Node) suiteAnswer {
	text := normalized.String()
	answer, isKnown := s.answers[text]
	if isKnown {
		return answer
	}
	compiled, err := instance.Compile(normalized)
	answer.err = err
	if err == nil {
		for _, instance := range s.instances {
			answer.accepts = append(answer.accepts, compiled.Accepts(instance))
		}
	}
	s.answers[text] = answer
	return answer
}

// means holds what a target makes of the form against the instances.
func (s *suiteForm) means(t *testing.T, target judge.Target, count kept) kept {
	t.Helper()
	result, err := target.Normalizer.Normalize(t.Context(), schema.Tool{Name: "f", Parameters: s.form})
	if err != nil {
		t.Errorf("%s: %s: %v", target.Name(), s.id, err)
		return count
	}
	if s.isUnread {
		return count
	}
	loss := rewrite.Exact
	for _, change := range result.Changes {
		loss |= change.Loss
	}
	answer := s.answer(result.Tool.Parameters)
	if answer.err != nil {
		t.Errorf("%s: %s: no JSON Schema any more: %v\n%s\n%s", target.Name(), s.id, answer.err, s.form, result.Tool.Parameters)
		return count
	}
	for i, instance := range s.instances {
		valid, accepts := s.valid[i], answer.accepts[i]
		count.Of++
		switch {
		case valid == accepts:
			count.Same++
		case valid && loss&rewrite.Narrows == 0:
			t.Errorf("%s: %s: %s is refused, and the loss is %s\n%s\n%s", target.Name(), s.id, instance, loss, s.form, result.Tool.Parameters)
		case !valid && loss&rewrite.Widens == 0:
			t.Errorf("%s: %s: %s is accepted, and the loss is %s\n%s\n%s", target.Name(), s.id, instance, loss, s.form, result.Tool.Parameters)
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
