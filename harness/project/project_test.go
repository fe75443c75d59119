package project_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolproof/harness/project"
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// names are a few, for the tests.
var names = project.Names{
	Targets: []string{"all", "gemini", "openai", "openai-strict"},
	Rules:   []string{"unknown_name", "too_long", "gemini/parameters/unknown_name"},
	Months:  []string{"2026-11", "2026-12"},
}

// good and bad are files. A bad one comes with the place of its mistake.
var (
	good = []string{
		`{"sources": ["tools.json"]}`,
		`{"$schema": "x", "sources": ["a", "**/*.json", {"command": ["a", ""]}, {"server": ["a"]}, {"config": ".mcp.json"}]}`,
		`{"sources": ["a"], "targets": ["all", "open*", "gemini"], "normalized": true, "baseline": "b.jsonl", "minTools": 100000}`,
		`{"sources": ["a"], "minTools": 1, "ignore": [], "severity": {}}`,
		`{"sources": ["a"], "ignore": [{"tool": "[", "rule": "too_long", "target": "openai*", "at": "/a~1b/~0", "reason": "x", "until": "2028-02-29"}]}`,
		`{"sources": ["a"], "severity": {"unknown_name": "warning", "gemini/parameters/unknown_name": "error"}}`,
		`{"sources": ["a"], "requirements": "2026-12"}`,
	}
	bad = map[string]string{
		`[]`:                              "",
		`null`:                            "",
		`{}`:                              "",
		`{"sources": {}}`:                 "/sources",
		`{"sources": []}`:                 "/sources",
		`{"sources": [""]}`:               "/sources/0",
		`{"sources": [{}]}`:               "/sources/0",
		`{"sources": [null]}`:             "/sources/0",
		`{"sources": [{"files": "a"}]}`:   "/sources/0/files",
		`{"sources": [{"command": "a"}]}`: "/sources/0/command",
		`{"sources": [{"command": []}]}`:  "/sources/0/command",
		`{"sources": [{"server": [1]}]}`:  "/sources/0/server/0",
		`{"sources": [{"config": ""}]}`:   "/sources/0/config",
		`{"sources": [{"config": "a", "server": ["b"]}]}`:                                                        "/sources/0",
		`{"sources": ["a"], "source": "a"}`:                                                                      "/source",
		`{"sources": ["a"], "targets": []}`:                                                                      "/targets",
		`{"sources": ["a"], "targets": "gemini"}`:                                                                "/targets",
		`{"sources": ["a"], "targets": ["gemini,openai"]}`:                                                       "/targets/0",
		`{"sources": ["a"], "normalized": "true"}`:                                                               "/normalized",
		`{"sources": ["a"], "baseline": ""}`:                                                                     "/baseline",
		`{"sources": ["a"], "minTools": 0}`:                                                                      "/minTools",
		`{"sources": ["a"], "minTools": 1.5}`:                                                                    "/minTools",
		`{"sources": ["a"], "minTools": 100001}`:                                                                 "/minTools",
		`{"sources": ["a"], "minTools": "1"}`:                                                                    "/minTools",
		`{"sources": ["a"], "requirements": "2026-10"}`:                                                          "/requirements",
		`{"sources": ["a"], "requirements": 2026}`:                                                               "/requirements",
		`{"sources": ["a"], "ignore": {}}`:                                                                       "/ignore",
		`{"sources": ["a"], "severity": {"no_rule": "warning"}}`:                                                 "/severity/no_rule",
		`{"sources": ["a"], "severity": {"too_long": "off"}}`:                                                    "/severity/too_long",
		`{"sources": ["a"], "ignore": [{"rule": "too_long", "reason": "x", "until": "2027-01-31"}]}`:             "/ignore/0",
		`{"sources": ["a"], "ignore": [{"tool": "a", "reason": "x", "until": "2027-01-31"}]}`:                    "/ignore/0",
		`{"sources": ["a"], "ignore": [{"tool": "a", "rule": "too_long", "until": "2027-01-31"}]}`:               "/ignore/0",
		`{"sources": ["a"], "ignore": [{"tool": "a", "rule": "too_long", "reason": "x"}]}`:                       "/ignore/0",
		`{"sources": ["a"], "ignore": [{"tool": "", "rule": "too_long", "reason": "x", "until": "2027-01-31"}]}`: "/ignore/0/tool",
		`{"sources": ["a"], "ignore": [{"tool": "` + strings.Repeat("a", 201) + `", "rule": "too_long", "reason": "x", "until": "2027-01-31"}]}`: "/ignore/0/tool",
		`{"sources": ["a"], "ignore": [{"tool": "a", "rule": "*", "reason": "x", "until": "2027-01-31"}]}`:                                       "/ignore/0/rule",
		`{"sources": ["a"], "ignore": [{"tool": "a", "rule": "too_long", "reason": " ", "until": "2027-01-31"}]}`:                                "/ignore/0/reason",
		`{"sources": ["a"], "ignore": [{"tool": "a", "rule": "too_long", "reason": "x", "until": "2027-02-29"}]}`:                                "/ignore/0/until",
		`{"sources": ["a"], "ignore": [{"tool": "a", "rule": "too_long", "reason": "x", "until": "2027"}]}`:                                      "/ignore/0/until",
		`{"sources": ["a"], "ignore": [{"tool": "a", "rule": "too_long", "reason": "x", "until": "2027-01-31", "at": "a"}]}`:                     "/ignore/0/at",
		`{"sources": ["a"], "ignore": [{"tool": "a", "rule": "too_long", "reason": "x", "until": "2027-01-31", "target": ""}]}`:                  "/ignore/0/target",
		`{"sources": ["a"], "ignore": [{"tool": "a", "rule": "too_long", "reason": "x", "until": "2027-01-31", "expires": ""}]}`:                 "/ignore/0/expires",
	}
	// further are files that the schema accepts and Read refuses.
	further = map[string]string{
		`{"sources": ["a"], "targets": ["gemini", "azure*"]}`:                                                                         "/targets/1",
		`{"sources": ["a"], "ignore": [{"tool": "a", "rule": "too_long", "reason": "x", "until": "2027-01-31", "target": "azure*"}]}`: "/ignore/0/target",
		`{"sources": ["a"], "minTools": 1e1}`:                                                                                         "/minTools",
		`{"sources": ["a"], "minTools": 10.00000}`:                                                                                    "/minTools",
	}
)

func read(text string) (*project.File, error) {
	return project.Read(strings.NewReader(text), "toolproof.json", names)
}

// TestSchema compares Read with the schema: they accept the same files, and a mistake names its
// place.
func TestSchema(t *testing.T) {
	t.Parallel()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("mem:///s", names.Schema().Value()); err != nil {
		t.Fatal(err)
	}
	compiled := compiler.MustCompile("mem:///s")
	takes := func(text string) bool {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return compiled.Validate(value) == nil
	}
	for _, text := range good {
		if _, err := read(text); err != nil || !takes(text) {
			t.Errorf("%s: the reader says %v, the schema takes it: %t", text, err, takes(text))
		}
	}
	refused := func(text, at string) {
		_, err := read(text)
		mistakes, ok := errors.AsType[project.MistakesError](err)
		if !ok || string(mistakes[0].At) != at || !mistakes[0].Position.IsKnown() {
			t.Errorf("%s: the reader says %v, want a mistake at %q", text, err, at)
		}
	}
	for text, at := range bad {
		if takes(text) {
			t.Errorf("%s: the schema takes it", text)
		}
		refused(text, at)
	}
	for text, at := range further {
		if !takes(text) {
			t.Errorf("%s: the schema refuses it", text)
		}
		refused(text, at)
	}
}

// TestRead checks that everything in a file is read.
func TestRead(t *testing.T) {
	t.Parallel()
	file, err := project.Read(strings.NewReader(`{
  "sources": ["a", {"command": ["b", "c"]}, {"server": ["d"]},
              {"config": "e"}],
  "targets": ["gemini"], "normalized": true, "baseline": "f", "minTools": 3,
  "ignore": [{"tool": "g", "rule": "too_long", "target": "openai", "at": "/h", "reason": "i", "until": "2027-01-31"}],
  "severity": {"unknown_name": "warning"}
}`), "../toolproof.json", names)
	if err != nil {
		t.Fatal(err)
	}
	source := file.Sources
	if len(source) != 4 || source[0].Files != "a" || source[1].Command[1] != "c" || source[2].Server[0] != "d" || source[3].Config != "e" || file.Place(source[3]) != "../toolproof.json:3: /sources/3" {
		t.Errorf("the sources are %+v", source)
	}
	if file.Targets[0] != "gemini" || !file.Normalized || file.Baseline != "f" || file.MinTools != 3 || file.Severity["unknown_name"] != "warning" {
		t.Errorf("the file is %+v", file)
	}
	ignore := *file.Ignores[0]
	if ignore.Tool != "g" || ignore.Rule != "too_long" || ignore.Target != "openai" || ignore.In != "/h" || ignore.Reason != "i" || ignore.Until != "2027-01-31" || ignore.At != "/ignore/0" || ignore.Line != 5 {
		t.Errorf("the ignore is %+v", ignore)
	}
	for name, want := range map[string]string{"a": "../a", "-": "./-", "/a": "/a", "../b/**": "../../b/**"} {
		if got := file.From(name); got != want {
			t.Errorf("%s is %s from here, want %s", name, got, want)
		}
	}
}

// TestHostile checks that Read ends with an error for hostile files.
func TestHostile(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(`{"x": 1},`, 10_000)
	for what, text := range map[string]string{
		"large":     `{"sources": ["` + strings.Repeat("a", 2<<20) + `"]}`,
		"deep":      strings.Repeat("[", 100_000),
		"nested":    `{"sources": ` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`,
		"a bomb":    `{"sources": ["a"], "minTools": 1e999999999}`,
		"precise":   `{"sources": ["a"], "minTools": 1` + strings.Repeat("0", 100_000) + `}`,
		"a number":  `{"sources": [1e999999999]}`,
		"mistakes":  `{"sources": [` + many + `""]}`,
		"twice":     `{"sources": ["a"], "sources": ["a"]}`,
		"not UTF-8": "{\"sources\": [\"\xff\"]}",
		"empty":     "",
	} {
		_, err := read(text)
		if err == nil {
			t.Errorf("%s: there is no error", what)
		} else if lines := strings.Count(err.Error(), "\n") + 1; lines > 20 || len(err.Error()) > 1<<16 {
			t.Errorf("%s: the error has %d lines and %d bytes", what, lines, len(err.Error()))
		}
	}
	var bomb bytes.Buffer
	writer := gzip.NewWriter(&bomb)
	_, err := io.CopyN(writer, spaces{}, 64<<20)
	if err := errors.Join(err, writer.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := project.Read(&bomb, "toolproof.json", names); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a bomb of gzip is read: %v", err)
	}
}

// spaces is an endless reader of spaces.
type spaces struct{}

func (spaces) Read(buffer []byte) (int, error) {
	for i := range buffer {
		buffer[i] = ' '
	}
	return len(buffer), nil
}

// refused is the result of a tool with one finding of each rule.
func refused(rules ...string) verdict.Result {
	answer := &verdict.Answer{Verdict: provider.Rejected}
	for _, rule := range rules {
		answer.Findings = append(answer.Findings, verdict.Finding{Rule: rule, At: "/parameters/properties/a"})
	}
	return verdict.Result{Tool: "get/it", Target: "gemini", Status: verdict.Fail, Kind: &verdict.Tool{Sides: verdict.Sides{Raw: answer, RawDialect: "gemini/parameters"}}}
}

// TestApply checks which findings an ignore is about: each of its members has to fit.
func TestApply(t *testing.T) {
	t.Parallel()
	fits := project.Ignore{Tool: "get*", Rule: "unknown_name", Reason: "x", Until: "2027-01-31"}
	with := func(change func(*project.Ignore)) project.Ignore {
		changed := fits
		change(&changed)
		return changed
	}
	for what, test := range map[string]struct {
		ignore project.Ignore
		today  provider.Date
		excuse bool
	}{
		"fits":                  {fits, "2027-01-31", true},
		"its day is over":       {fits, "2027-02-01", false},
		"the name":              {with(func(i *project.Ignore) { i.Tool = "get/it" }), "2027-01-31", true},
		"another name":          {with(func(i *project.Ignore) { i.Tool = "get" }), "2027-01-31", false},
		"no pattern":            {with(func(i *project.Ignore) { i.Tool = "[" }), "2027-01-31", false},
		"the dialect":           {with(func(i *project.Ignore) { i.Rule = "gemini/parameters/unknown_name" }), "2027-01-31", true},
		"another rule":          {with(func(i *project.Ignore) { i.Rule = "too_long" }), "2027-01-31", false},
		"another dialect":       {with(func(i *project.Ignore) { i.Rule = "vertex/parameters/unknown_name" }), "2027-01-31", false},
		"the target":            {with(func(i *project.Ignore) { i.Target = "gem*" }), "2027-01-31", true},
		"all targets":           {with(func(i *project.Ignore) { i.Target = "all" }), "2027-01-31", true},
		"another target":        {with(func(i *project.Ignore) { i.Target = "openai" }), "2027-01-31", false},
		"the place":             {with(func(i *project.Ignore) { i.In = "/parameters/properties/a" }), "2027-01-31", true},
		"above the place":       {with(func(i *project.Ignore) { i.In = "/parameters" }), "2027-01-31", true},
		"below the place":       {with(func(i *project.Ignore) { i.In = "/parameters/properties/a/b" }), "2027-01-31", false},
		"a place of like names": {with(func(i *project.Ignore) { i.In = "/parameters/prop" }), "2027-01-31", false},
	} {
		result := refused("unknown_name")
		file := project.File{Ignores: []*project.Ignore{&test.ignore}}
		file.Apply(&result, true, test.today)
		if got := result.Status == verdict.KnownFailure; got != test.excuse || (result.Sides().Raw.Findings[0].Waived != nil) != test.excuse {
			t.Errorf("%s: it is excused: %t", what, got)
		}
		if isAbout := test.excuse || what == "its day is over"; test.ignore.IsUsed() != isAbout {
			t.Errorf("%s: it is used: %t", what, test.ignore.IsUsed())
		}
	}
}

// TestApplyHidesNothing checks that other findings still fail and results without a verdict do
// not change.
func TestApplyHidesNothing(t *testing.T) {
	t.Parallel()
	file := project.File{
		Ignores:  []*project.Ignore{{Tool: "*", Rule: "unknown_name", Reason: "x", Until: "9999-12-31"}},
		Severity: map[string]string{"too_long": "warning", "other": "warning", "gemini/parameters/other": "error"},
	}
	for _, test := range []struct {
		rules []string
		want  verdict.Status
	}{
		{[]string{"unknown_name", "too_long"}, verdict.KnownFailure},
		{[]string{"unknown_name", "too_long", "third"}, verdict.Fail},
		{[]string{"other"}, verdict.Fail},
		{[]string{""}, verdict.Fail},
		{nil, verdict.Fail},
	} {
		result := refused(test.rules...)
		file.Apply(&result, true, "2027-01-31")
		if result.Status != test.want {
			t.Errorf("%q: %v, want %v", test.rules, result.Status, test.want)
		}
	}
	for _, status := range []verdict.Status{verdict.Pass, verdict.Inconclusive, verdict.Error, verdict.NotApplicable} {
		result := refused("unknown_name")
		result.Status = status
		file.Apply(&result, true, "2027-01-31")
		if result.Status != status || result.Sides().Raw.Findings[0].Waived != nil {
			t.Errorf("%v becomes %v", status, result.Status)
		}
	}
	normalized := refused("unknown_name")
	normalized.Sides().Normalized = &verdict.Normalized{Answer: verdict.Answer{Verdict: provider.Rejected, Findings: []verdict.Finding{{Rule: "third"}}}}
	if file.Apply(&normalized, false, "2027-01-31"); normalized.Status != verdict.Fail {
		t.Error("what excuses the tool as given excuses the normalized one")
	}
}

// FuzzRead checks that a file is either read or refused with an error.
func FuzzRead(f *testing.F) {
	for _, text := range good {
		f.Add(text)
	}
	for text := range bad {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := read(text)
		if (file == nil) == (err == nil) {
			t.Errorf("%s: %v, %v", text, file, err)
		}
		if file != nil && schema.Pointer("/sources").Element(len(file.Sources)-1) != file.Sources[len(file.Sources)-1].At {
			t.Errorf("%s: the last source is at %s", text, file.Sources[len(file.Sources)-1].At)
		}
	})
}

// TestApplyToIgnored checks that an entry about keywords that a surface ignores is used,
// whether or not the check fails for them.
func TestApplyToIgnored(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status, want verdict.Status
		rule         string
	}{
		{verdict.Pass, verdict.Pass, "dropped"},
		{verdict.Fail, verdict.KnownFailure, "dropped"},
		{verdict.Fail, verdict.KnownFailure, "engine/chat/dropped"}, // one of the surfaces of the target
		{verdict.Pass, verdict.Pass, "engine/chat/dropped"},
		{verdict.Fail, verdict.Fail, "gemini/parameters/dropped"},
	} {
		ignore := &project.Ignore{Tool: "*", Rule: test.rule, Reason: "x", Until: "9999-12-31"}
		file := project.File{Ignores: []*project.Ignore{ignore}, Severity: map[string]string{"dropped": "error"}}
		result := verdict.Result{Tool: "f", Target: "portable", Status: test.status, Kind: &verdict.Tool{Sides: verdict.Sides{
			RawDialect: "gemini/parameters",
			Raw:        &verdict.Answer{Verdict: provider.Accepted, Ignored: []verdict.Finding{{Rule: "dropped", Surface: "engine/chat", At: "/parameters"}}},
		}}}
		file.Apply(&result, true, "2026-01-01")
		isExcused := test.rule != "gemini/parameters/dropped"
		if result.Status != test.want || ignore.IsUsed() != isExcused || result.Sides().Raw.Ignored[0].IsExcused() != isExcused {
			t.Errorf("%s, %s: it is %s, used %t", test.status, test.rule, result.Status, ignore.IsUsed())
		}
	}
	file := project.File{Severity: map[string]string{"dropped": "warning"}}
	accepted := &verdict.Answer{Verdict: provider.Accepted, Ignored: []verdict.Finding{{Rule: "dropped"}}}
	passes := verdict.Result{Status: verdict.Pass, Kind: &verdict.Tool{Sides: verdict.Sides{Raw: accepted}}}
	if file.Apply(&passes, true, "2026-01-01"); passes.Sides().Raw.Ignored[0].Level != "" {
		t.Error("a note of a tool that passes becomes a warning")
	}
}
