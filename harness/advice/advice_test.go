package advice

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/schema"
)

// tools parses a list of tools.
func tools(t *testing.T, text string) []schema.Tool {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	read := make([]schema.Tool, len(node.Elements))
	for i, element := range node.Elements {
		read[i] = schema.ToolOf(element)
	}
	return read
}

// of returns the findings of rules for tools.
func of(t *testing.T, listed []schema.Tool, options Options) []Finding {
	t.Helper()
	found, err := Of(context.Background(), listed, options)
	if err != nil {
		t.Fatal(err)
	}
	var all []Finding
	for _, findings := range found {
		all = append(all, findings...)
	}
	return all
}

// TestExamples runs each rule on its bad example, where it finds something, and all usual
// rules on its good one, where they find nothing.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, rule := range Rules {
		if rule == droppedConstraint { // needs a surface
			continue
		}
		if found := of(t, tools(t, rule.Bad), Options{Rules: []*Rule{rule}}); len(found) == 0 {
			t.Errorf("%s finds nothing in its bad example", rule.Name)
		}
		for _, finding := range of(t, tools(t, rule.Good), Options{Rules: append(Usual(), rule)}) {
			t.Errorf("the good example of %s: %s says %s", rule.Name, finding.Rule.Name, finding.Message)
		}
	}
}

// TestEdits: what has one mechanical answer has it as members to add to a schema.
func TestEdits(t *testing.T) {
	t.Parallel()
	const text = `[{"name": "f", "description": "Do it.", "parameters": {"type": "object", "properties": {"o": {"type": "object", "properties": {
		"a": {"type": "array", "description": "One of 'x' or 'y'.", "items": {"type": "string"}}, "b": {"type": "integer", "description": "Between 1 and 9 (default: 3)."},
		"c": {"type": "string", "description": "The day (YYYY-MM-DD)."}, "d_id": {"type": "string", "description": "Either this or e_id is required, not both."}, "e_id": {"type": "string", "description": "From list_e."}}}}}}]`
	const object = "/parameters/properties/o"
	want := []string{
		object + ` {"oneOf":[{"required":["d_id"]},{"required":["e_id"]}]}`, object + `/properties/a/items {"enum":["x","y"]}`, object + `/properties/b {"minimum":1,"maximum":9}`,
		object + `/properties/c {"format":"date"}`, object + `/properties/b {"default":3}`,
	}
	var got []string
	for _, finding := range of(t, tools(t, text), Options{Rules: []*Rule{requiredOfMode, valuesInProse, boundsInProse, formatInProse, defaultInProse}}) {
		for _, edit := range finding.Edits {
			got = append(got, string(edit.At)+" "+schema.NewObject(edit.After...).String())
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEditsOfRequired: what a tool needs is added to required, and ways of
// which one is needed become anyOf below the root.
func TestEditsOfRequired(t *testing.T) {
	t.Parallel()
	const text = `{"type": "string", "description": "Text."}`
	for list, want := range map[string]string{
		`[{"name": "delete_file", "description": "Delete it.", "parameters": {"properties": {"file_id": ` + text + `}}}]`:                                                             `/parameters {"required":["file_id"]}`,
		`[{"name": "delete_file", "description": "Delete it.", "parameters": {"required": [], "properties": {"file_id": ` + text + `}}}]`:                                             `/parameters {"required":["file_id"]}`,
		`[{"name": "f", "description": "Either a_id or b_id.", "parameters": {"properties": {"o": {"type": "object", "properties": {"a_id": ` + text + `, "b_id": ` + text + `}}}}}]`: `/parameters/properties/o {"anyOf":[{"required":["a_id"]},{"required":["b_id"]}]}`,
		`[{"name": "f", "description": "Either a_id or b_id.", "parameters": {"properties": {"a_id": ` + text + `, "b_id": ` + text + `}}}]`:                                          "",
	} {
		found := of(t, tools(t, list), Options{Rules: []*Rule{nothingRequired, requiredOfMode}})
		if len(found) != 1 {
			t.Errorf("%d findings in %s", len(found), list)
			continue
		}
		var got []string
		for _, edit := range found[0].Edits {
			got = append(got, string(edit.At)+" "+schema.NewObject(edit.After...).String())
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s: the edits are %q, expected %q", list, got, want)
		}
	}
}

// TestEditsOfDefaults: a default that does harm is left out.
func TestEditsOfDefaults(t *testing.T) {
	t.Parallel()
	found := of(t, tools(t, harmfulDefault.Bad), Options{Rules: []*Rule{harmfulDefault}})
	if len(found) != 1 || len(found[0].Edits) != 1 {
		t.Fatalf("found %+v", found)
	}
	edit := found[0].Edits[0]
	if got := string(edit.At) + schema.NewObject(edit.Before...).String(); got != `/parameters/properties/private{"default":false}` || len(edit.After) > 0 {
		t.Errorf("the edit takes out %s and writes %v", got, edit.After)
	}
}

// TestPlaces: a finding about several parameters has all their places.
func TestPlaces(t *testing.T) {
	t.Parallel()
	found := of(t, tools(t, `[{"name": "f", "description": "Do it.", "parameters": {"type": "object", "properties": {"q": {"type": "string"}, "o": {"type": "object", "description": "What.", "properties": {"way": {"type": "string"}}},
		"l": {"type": "array", "description": "Which.", "items": {"type": "object", "properties": {"s": {"type": "string"}}}}}}}]`), Options{Rules: []*Rule{noDescription}})
	if len(found) != 1 || found[0].At != "/parameters/properties/q" || !strings.HasPrefix(found[0].Message, "q, o.way and l[].s have no description") ||
		!slices.Equal(found[0].Also, []schema.Pointer{"/parameters/properties/o/properties/way", "/parameters/properties/l/items/properties/s"}) {
		t.Errorf("found %+v", found)
	}
}

// TestDocumentation checks what a rule says about itself.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	for _, rule := range Rules {
		title, text, ok := strings.Cut(rule.Doc, "\n\n")
		if !ok || title == "" || text == "" || strings.HasSuffix(title, ".") {
			t.Errorf("%s: the documentation needs a title, a blank line and text", rule.Name)
		}
		if rule.Source.Text == "" || rule.Source.Date == "" || rule.Source.URL == "" && !strings.Contains(rule.Source.Text, "docs/") {
			t.Errorf("%s: no source with its day", rule.Name)
		}
	}
}

// TestDroppedConstraint: a keyword that a surface drops is reported unless the text says
// the same.
func TestDroppedConstraint(t *testing.T) {
	t.Parallel()
	listed := tools(t, `[{"name": "f", "parameters": {"type": "object", "properties": {
		"a": {"type": "integer", "maximum": 10, "description": "How many."}, "b": {"type": "integer", "maximum": 20, "description": "How many, at most 20."}}}}]`)
	options := Options{Rules: []*Rule{droppedConstraint}, Dropped: func(int) []Dropped {
		return []Dropped{
			{At: "/parameters/properties/a", Keyword: "maximum", Surfaces: []string{"s/t"}},
			{At: "/parameters/properties/b", Keyword: "maximum", Surfaces: []string{"s/t"}},
		}
	}}
	found := of(t, listed, options)
	if len(found) != 1 || found[0].At != "/parameters/properties/a/maximum" || !strings.Contains(found[0].Message, "s/t drops maximum") {
		t.Errorf("found %v", found)
	}
}

// TestCancelled: an ended context ends the search.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Of(ctx, tools(t, `[{"name": "f"}]`), Options{}); err == nil {
		t.Error("no error")
	}
}

// TestFileOfRule: the file of each rule has its name.
func TestFileOfRule(t *testing.T) {
	t.Parallel()
	for _, rule := range Rules {
		text, err := os.ReadFile(rule.Name + ".go")
		if err != nil {
			t.Errorf("%s: %v", rule.Name, err)
		} else if strings.Count(string(text), "= &Rule{") != 1 {
			t.Errorf("%s.go has not one rule", rule.Name)
		}
	}
}

// TestEditsAreJSON: an edit writes only numbers that JSON has, without the commas of a text.
func TestEditsAreJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"How long it is valid, default: 36,000.": `{"default":36000}`,
		"How many, default: inf.":                "",
		"How many, default: Infinity.":           "",
		"How many, default: 007.":                "",
		"How many, default 10.":                  `{"default":10}`,
	} {
		parameters, err := schema.Parse(fmt.Appendf(nil, `{"type":"object","properties":{"n":{"type":"integer","description":%q}}}`, text))
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, finding := range foundIn(t, []schema.Tool{{Name: "wait", Description: schema.NewString("Waits."), Parameters: parameters}}, []*Rule{defaultInProse})[0] {
			for _, edit := range finding.Edits {
				got.WriteString(schema.NewObject(edit.After...).String())
			}
		}
		if got.String() != want {
			t.Errorf("%s: the edit is %q, not %q", text, got.String(), want)
		}
	}
}
