package harness_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"toolproof/harness/advice"
	"toolproof/harness/fix"
	"toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/lab/corpus"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// advised returns a fixer that makes the edits of rules of advice; nil means the usual ones.
func advised(t *testing.T, rules ...*advice.Rule) *fix.Fixer {
	t.Helper()
	if rules == nil {
		rules = advice.Usual()
	}
	wanted := &run.Advice{Rules: rules}
	return &fix.Fixer{Targets: targetsNamed(t, "mcp"), Unsafe: true, Advise: func(ctx context.Context, tools []toolfile.Tool) []verdict.Result {
		return wanted.Tools(ctx, tools, "tools")
	}}
}

// TestAdvisedEdits holds what each edit of advice writes, which calls the schema takes before and after it, before it alone and
// after it alone, and that this is the loss that the edit states.
func TestAdvisedEdits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule, about, given, want string
		kept, lost, gained       []string // arguments
	}{
		{
			"list_in_string", "a bracket", `"properties":{"a":{"type":"string","minLength":1,"description":"Flights (comma-separated, max 15).","default":"x,y"}}`,
			`"properties":{"a":{"type":"array","items":{"type":"string"},"description":"Flights (max 15).","default":["x","y"]}}`,
			[]string{`{}`},
			[]string{`{"a":"x,y"}`},
			[]string{`{"a":["x","y"]}`, `{"a":[]}`},
		},
		{
			"list_in_string", "a list in the text", `"properties":{"a":{"type":"string","description":"Comma-separated list of fields (e.g. 'x,y')."}}`,
			`"properties":{"a":{"type":"array","description":"List of fields (e.g. [\"x\",\"y\"]).","items":{"type":"string"}}}`,
			[]string{`{}`},
			[]string{`{"a":"x"}`},
			[]string{`{"a":["x"]}`},
		},
		{
			"list_in_string", "an adjective, and examples", `"properties":{"a":{"type":"string","description":"Comma-separated label names","examples":["x,y","z"]}}`,
			`"properties":{"a":{"type":"array","description":"Label names","examples":[["x","y"],["z"]],"items":{"type":"string"}}}`,
			nil,
			[]string{`{"a":"x"}`},
			[]string{`{"a":["x"]}`},
		},
		{"list_in_string", "commas that the text says more of", `"properties":{"a":{"type":"string","description":"Comma-separated ids. No comma at the end."}}`, ``, nil, nil, nil},
		{"list_in_string", "numbers", `"properties":{"a":{"type":"string","description":"Dashes as comma-separated numbers"}}`, ``, nil, nil, nil},
		{"list_in_string", "a pattern", `"properties":{"a":{"type":"string","pattern":"x","description":"Comma-separated ids."}}`, ``, nil, nil, nil},
		{
			"number_in_string", "a count", `"properties":{"limit":{"type":"string","description":"How many.","default":"10"}}`,
			`"properties":{"limit":{"type":"integer","description":"How many.","default":10}}`,
			[]string{`{}`},
			[]string{`{"limit":"3"}`, `{"limit":"three"}`},
			[]string{`{"limit":3}`},
		},
		{
			"number_in_string", "no count", `"properties":{"min_size":{"type":"string","description":"At least.","default":"0.5"}}`,
			`"properties":{"min_size":{"type":"number","description":"At least.","default":0.5}}`,
			nil,
			[]string{`{"min_size":"1"}`},
			[]string{`{"min_size":1.5}`},
		},
		{"number_in_string", "a text of strings", `"properties":{"page":{"type":"string","description":"An integer as string."}}`, ``, nil, nil, nil},
		{
			"sentinel_value", "a number", `"properties":{"n":{"type":"integer","description":"How many lines. Use -1 for the whole file."}}`,
			`"properties":{"n":{"anyOf":[{"type":"integer","description":"How many lines. Use -1 for the whole file."},{"type":"integer","minimum":-1,"maximum":-1,"description":"the whole file"}]}}`,
			[]string{`{"n":-1}`, `{"n":7}`, `{"n":-2}`},
			nil, nil,
		},
		{
			"sentinel_value", "a number beyond the limit", `"properties":{"n":{"type":"integer","minimum":1,"description":"How many lines. Use -1 for the whole file."}}`,
			`"properties":{"n":{"anyOf":[{"type":"integer","minimum":1,"description":"How many lines. Use -1 for the whole file."},{"type":"integer","minimum":-1,"maximum":-1,"description":"the whole file"}]}}`,
			[]string{`{"n":7}`},
			nil,
			[]string{`{"n":-1}`},
		},
		{
			"sentinel_value", "a text", `"properties":{"s":{"type":"string","description":"A session (or \"all\" to close all sessions)"}}`,
			`"properties":{"s":{"anyOf":[{"type":"string","description":"A session (or \"all\" to close all sessions)"},{"type":"string","enum":["all"],"description":"close all sessions"}]}}`,
			[]string{`{"s":"all"}`, `{"s":"17"}`},
			nil, nil,
		},
		{
			"contradiction", "null", `"properties":{"s":{"type":"string","maxLength":9,"description":"A name. Pass null to clear it."}}`,
			`"properties":{"s":{"anyOf":[{"type":"string","maxLength":9,"description":"A name. Pass null to clear it."},{"type":"null"}]}}`,
			[]string{`{"s":"x"}`},
			nil,
			[]string{`{"s":null}`},
		},
		{
			"contradiction", "a spelling", `"properties":{"s":{"type":"string","enum":["ASC","DESC"],"description":"Either 'asc' or 'desc'."}}`,
			`"properties":{"s":{"type":"string","enum":["ASC","DESC"],"description":"Either 'ASC' or 'DESC'."}}`,
			[]string{`{"s":"ASC"}`},
			nil, nil,
		},
		{"contradiction", "a limit", `"properties":{"n":{"type":"integer","maximum":9,"description":"At most 5."}}`, ``, nil, nil, nil},
		{
			"required_with_default", "one of two", `"properties":{"a":{"type":"string"},"b":{"type":"string","default":"x"}},"required":["a","b"]`,
			`"properties":{"a":{"type":"string"},"b":{"type":"string","default":"x"}},"required":["a"]`,
			[]string{`{"a":"1","b":"2"}`},
			nil,
			[]string{`{"a":"1"}`},
		},
		{
			"required_with_default", "all, and in an object", `"properties":{"b":{"default":"x"},"o":{"properties":{"c":{"default":1}},"required":["c"]}},"required":["b"]`,
			`"properties":{"b":{"default":"x"},"o":{"properties":{"c":{"default":1}}}}`,
			[]string{`{"b":"2"}`},
			nil,
			[]string{`{}`, `{"b":"2","o":{}}`},
		},
		{
			"nothing_required", "none", `"properties":{"file_id":{"type":"string"}}`, `"properties":{"file_id":{"type":"string"}},"required":["file_id"]`,
			[]string{`{"file_id":"1"}`},
			[]string{`{}`},
			nil,
		},
		{
			"deprecated_part", "two, one of which is needed", `"properties":{"a":{"type":"integer","description":"Deprecated: use c."},"b":{"type":"integer","deprecated":true},"c":{"type":"string","description":"With b."}}`,
			`"properties":{"b":{"type":"integer","deprecated":true},"c":{"type":"string","description":"With b."}}`,
			[]string{`{"a":1}`},
			nil,
			[]string{`{"a":"x"}`},
		},
		{
			"deprecated_part", "a closed object", `"properties":{"a":{"type":"integer","deprecated":true},"c":{"deprecated":true}},"additionalProperties":false`,
			`"properties":{},"additionalProperties":false`,
			[]string{`{}`},
			[]string{`{"a":1}`, `{"c":1}`},
			nil,
		},
		{"deprecated_part", "a required one", `"properties":{"a":{"type":"integer","deprecated":true}},"required":["a"]`, ``, nil, nil, nil},
		{
			"heavy_tool", "definitions", `"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"},"B":{"description":"` + strings.Repeat("word ", 200) + `"}}`,
			`"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}`,
			[]string{`{"a":"x"}`},
			nil, nil,
		},
		{
			"values_in_prose", "items", `"properties":{"a":{"type":"array","description":"One of 'x' or 'y'.","items":{"type":"string"}}}`,
			`"properties":{"a":{"type":"array","description":"One of 'x' or 'y'.","items":{"type":"string","enum":["x","y"]}}}`,
			[]string{`{"a":["x"]}`},
			[]string{`{"a":["z"]}`},
			nil,
		},
		{
			"bounds_in_prose", "limits", `"properties":{"n":{"type":"integer","description":"How many (1-100)."}}`,
			`"properties":{"n":{"type":"integer","description":"How many (1-100).","minimum":1,"maximum":100}}`,
			[]string{`{"n":1}`, `{"n":100}`},
			[]string{`{"n":0}`, `{"n":101}`},
			nil,
		},
		{
			"bounds_in_prose", "a value with a meaning of its own", `"properties":{"n":{"type":"integer","description":"How many (1-100). Use -1 for all."}}`,
			`"properties":{"n":{"type":"integer","description":"How many (1-100). Use -1 for all.","maximum":100}}`,
			[]string{`{"n":-1}`, `{"n":100}`},
			[]string{`{"n":101}`},
			nil,
		},
		{
			"default_in_prose", "a default", `"properties":{"n":{"type":"integer","description":"How many, default 10."}}`,
			`"properties":{"n":{"type":"integer","description":"How many, default 10.","default":10}}`,
			[]string{`{}`, `{"n":1}`},
			nil, nil,
		},
		{"default_in_prose", "null for an object", `"properties":{"o":{"type":"object","properties":{"a":{"type":"string"}},"description":"What to set. If omitted, defaults to ` + "`null`" + `."}}`, ``, nil, nil, nil},
		{"default_in_prose", "a value that enum lacks", `"properties":{"s":{"enum":["asc","desc"],"type":"string","description":"The order, default: rising"}}`, ``, nil, nil, nil},
		{
			"required_of_mode", "two that exclude one another", `"properties":{"o":{"properties":{"a_id":{"type":"string","description":"Mutually exclusive with b_id."},"b_id":{"type":"string"}}}}`,
			`"properties":{"o":{"properties":{"a_id":{"type":"string","description":"Mutually exclusive with b_id."},"b_id":{"type":"string"}},"not":{"required":["a_id","b_id"]}}}`,
			[]string{`{"o":{}}`, `{"o":{"a_id":"1"}}`},
			[]string{`{"o":{"a_id":"1","b_id":"2"}}`},
			nil,
		},
		{
			"required_of_mode", "two of which one is needed", `"properties":{"o":{"properties":{"a_id":{"type":"string","description":"Either this or b_id is required, not both."},"b_id":{"type":"string"}}}}`,
			`"properties":{"o":{"properties":{"a_id":{"type":"string","description":"Either this or b_id is required, not both."},"b_id":{"type":"string"}},"oneOf":[{"required":["a_id"]},{"required":["b_id"]}]}}`,
			[]string{`{"o":{"a_id":"1"}}`},
			[]string{`{"o":{}}`, `{"o":{"a_id":"1","b_id":"2"}}`},
			nil,
		},
	} {
		t.Run(test.rule+"/"+test.about, func(t *testing.T) {
			t.Parallel()
			name := "run"
			if test.rule == "nothing_required" {
				name = "delete_file"
			}
			begin, end := `{"name":"`+name+`","description":"Do it.","inputSchema":{"type":"object",`, `}}`
			document, err := advised(t, advice.Named(test.rule)).Document(t.Context(), []byte(begin+test.given+end))
			if err != nil {
				t.Fatal(err)
			}
			want := begin + test.want + end
			if test.want == "" {
				want = begin + test.given + end
			}
			if got := string(document.After); got != want {
				t.Fatalf("got  %s\nwant %s", got, want)
			}
			tool := document.Tools[0]
			stated := rewrite.Exact
			for _, edit := range tool.Edits {
				stated |= edit.Loss
				if (edit.Loss == rewrite.Exact) != (edit.Loses == "") {
					t.Errorf("the edit of %s %s, and its words are %q", edit.From, edit.Loss, edit.Loses)
				}
			}
			said := rewrite.Exact
			for _, calls := range []struct {
				arguments []string
				was, is   bool
				loss      rewrite.Loss
			}{{test.kept, true, true, rewrite.Exact}, {test.lost, true, false, rewrite.Narrows}, {test.gained, false, true, rewrite.Widens}} {
				for _, arguments := range calls.arguments {
					said |= calls.loss
					if was, is := accepts(t, tool.Parameters, arguments), accepts(t, tool.After.Parameters, arguments); was != calls.was || is != calls.is {
						t.Errorf("%s: accepted before %t and after %t, expected %t and %t", arguments, was, is, calls.was, calls.is)
					}
				}
			}
			if stated != said {
				t.Errorf("the edits state %s, and the calls show %s", stated, said)
			}
		})
	}
}

// TestAdvisedEditsOfList: advice sees all tools of a document, as advise does, and an edit that follows it is not offered again.
func TestAdvisedEditsOfList(t *testing.T) {
	t.Parallel()
	const list, closes = `{"tools":[{"name":"list_projects","description":"List the projects of the account."},{"name":"close_project","description":"Close a project for good.","inputSchema":` +
		`{"type":"object","required":["project_id"],"properties":{"project_id":{"type":"string","description":`, `}}}}]}`
	for given, want := range map[string]string{`"The number of the project."`: `"The number of the project. From list_projects."`, `"The number of the project"`: `"The number of the project, from list_projects"`} {
		document, err := advised(t, advice.Named("unknown_identifier")).Document(t.Context(), []byte(list+given+closes))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(document.After); got != list+want+closes {
			t.Errorf("got  %s\nwant %s", got, list+want+closes)
		}
	}
}

// TestAdvisedEditsOfCorpus makes all edits of all rules on real tools: the schema loses no more than they state, they can be written,
// none is offered again, and no text contradicts a schema that it did not contradict after the other edits.
func TestAdvisedEditsOfCorpus(t *testing.T) {
	t.Parallel()
	interval := 11
	if *whole {
		interval = 1
	}
	tools, err := corpus.Tools(interval)
	if err != nil {
		corpus.Missing(t, err)
	}
	fixer, plain := advised(t, advice.Rules...), &fix.Fixer{Targets: targetsNamed(t, "mcp"), Unsafe: true}
	var mutex sync.Mutex
	made := map[string]int{}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, tool := range tools {
		work.Go(func() error {
			text := formsOfText[i%len(formsOfText)](schema.NewObject(schema.Member{Key: "name", Value: schema.NewString(tool.Name)},
				schema.Member{Key: "description", Value: tool.Description}, schema.Member{Key: "inputSchema", Value: tool.Parameters}))
			document, err := fixer.Document(t.Context(), text)
			if err != nil {
				t.Errorf("%s: %v", tool.Name, err)
				return t.Context().Err()
			}
			unadvised, err := plain.Document(t.Context(), text)
			if err != nil {
				t.Errorf("%s: %v", tool.Name, err)
				return t.Context().Err()
			}
			for i, fixed := range document.Tools {
				stated := rewrite.Exact
				for _, edit := range fixed.Edits {
					stated |= edit.Loss
				}
				if needs := lost(fixed.Parameters, fixed.After.Parameters) &^ stated; needs != rewrite.Exact || fixed.Problem != nil {
					t.Errorf("%s: it %s, and %s was stated (%v): %s", fixed.Name, needs, stated, fixed.Problem, fixed.After.Parameters)
				}
				before, after := contradictions(t, unadvised.Tools[i].After), contradictions(t, fixed.After)
				for _, finding := range after {
					if !slices.ContainsFunc(before, func(other advice.Finding) bool { return other.Message == finding.Message }) {
						t.Errorf("%s: after the edits %s", fixed.Name, finding.Message)
					}
				}
				mutex.Lock()
				for _, edit := range fixed.Edits {
					made[edit.Rule]++
				}
				mutex.Unlock()
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tools: %v", len(tools), made)
	if len(made) == 0 {
		t.Error("no edit was made")
	}
}

// contradictions returns what the rule of contradictions finds in a tool.
func contradictions(t *testing.T, tool toolfile.Tool) []advice.Finding {
	t.Helper()
	found, err := advice.Of(t.Context(), []schema.Tool{tool.Tool}, advice.Options{Rules: []*advice.Rule{advice.Named("contradiction")}})
	if err != nil {
		t.Error(err)
		return nil
	}
	return found[0]
}

// accepts reports whether a schema takes arguments.
func accepts(t *testing.T, parameters *schema.Node, arguments string) bool {
	t.Helper()
	compiled, err := instance.Compile(parameters)
	if err != nil {
		t.Fatal(err)
	}
	value, err := schema.Parse([]byte(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Accepts(value)
}
