package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
	"toolproof/schema"
)

// refusingKeyword returns a rule that refuses a keyword wherever it stands, in the words of a
// format with the number of the declaration, its name and the keyword.
func refusingKeyword(dialect *provider.Dialect, keyword, format string) *provider.Rule {
	stage := &provider.Stage{
		Name: "hidden", PerDeclaration: true,
		Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
			root := dialect.SchemaOf(request.Declarations[declaration])
			root.Each(func(subschema *schema.Node) bool {
				visitor.Visit(&provider.Pass{Request: request, Declaration: declaration, Node: subschema})
				return !visitor.Done()
			})
		},
	}
	return &provider.Rule{Name: "hidden", Doc: "A hidden rule.", Effect: provider.Rejects, Stage: stage, Check: func(pass *provider.Pass) {
		if pass.Node.Has(keyword) {
			pass.Reportf(format, pass.Declaration, pass.Request.Declarations[pass.Declaration].GetString("name"), keyword)
		}
	}}
}

// hidden is a change of a surface that nobody tells the models of.
type hidden struct {
	surface string
	// rule is left out, or says other words where they are set.
	rule, words string
	// keyword is refused in a format of words.
	keyword, format string
}

// finds is the name under which the change is found.
func (h hidden) finds() string {
	if h.rule != "" {
		return h.surface + "/" + h.rule
	}
	return h.surface + "/" + map[string]string{"maxLength": "max_length", "minItems": "min_items", "uniqueItems": "unique_items"}[h.keyword] + "_refused"
}

// change makes the change.
func (h hidden) change(dialect *provider.Dialect) *provider.Dialect {
	changed := *dialect
	changed.Rules = slices.Clone(dialect.Rules)
	switch i := slices.IndexFunc(dialect.Rules, func(rule *provider.Rule) bool { return rule.Name == h.rule }); {
	case h.keyword != "":
		changed.Rules = append(changed.Rules, refusingKeyword(dialect, h.keyword, h.format))
	case h.words == "":
		changed.Rules = slices.Delete(changed.Rules, i, i+1)
	default:
		rule, stage := *changed.Rules[i], *changed.Rules[i].Stage
		compose := stage.Compose
		if compose == nil {
			compose = func(findings []provider.Finding) string { return findings[0].Message }
		}
		stage.Compose = func(findings []provider.Finding) string {
			return strings.ReplaceAll(compose(findings), "not permitted", h.words)
		}
		rule.Stage, changed.Rules[i] = &stage, &rule
	}
	return &changed
}

// TestExplore hides ten changes on three surfaces of the emulator: explore finds exactly
// these, and says how many requests it took.
func TestExplore(t *testing.T) {
	for _, name := range []string{"GEMINI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"} {
		t.Setenv(name, canary)
	}
	changes := []hidden{
		{surface: "gemini/parameters", rule: "enum_only_string"},
		{surface: "gemini/parameters", rule: "items_missing"},
		{surface: "gemini/parameters", rule: "name"},
		{surface: "gemini/parameters", keyword: "maxLength", format: "* GenerateContentRequest.tools[0].function_declarations[%d].parameters: %[3]s is not supported by %[2]s\n"},
		{surface: "openai/chat-strict", rule: "format"},
		{surface: "openai/chat-strict", rule: "array_items"},
		{surface: "openai/chat-strict", rule: "length_not_permitted", words: "not supported"},
		{surface: "openai/chat-strict", keyword: "minItems", format: "Invalid schema for function '%[2]s': In context=(), '%[3]s' is not allowed."},
		{surface: "anthropic/tools", rule: "property_keys"},
		{surface: "anthropic/tools", keyword: "uniqueItems", format: "tools.%d.custom.input_schema: %[3]s is not supported"},
	}
	server := httptest.NewServer(emulator.New(emulator.Options{Change: func(dialect *provider.Dialect) *provider.Dialect {
		for _, one := range changes {
			if one.surface == dialect.Name {
				dialect = one.change(dialect)
			}
		}
		return dialect
	}}))
	defer server.Close()
	compiled := clitest.CompileSchema(t, "../../docs/schema/explore.schema.json")
	var found []string
	requests := 0
	for _, of := range []struct{ provider, target string }{{"gemini", "gemini"}, {"openai", "openai-strict"}, {"anthropic", "anthropic"}} {
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"explore", "--provider", of.provider, "--target", of.target, "--base-url", server.URL, "--json", "--max-requests", "250"}, nil, &out, &errs)
		if code != cli.CodeFails {
			t.Fatalf("%s ended with code %d: %s%s", of.provider, code, &out, &errs)
		}
		for line := range strings.Lines(out.String()) {
			var read struct {
				Surface  string `json:"surface"`
				Rule     string `json:"rule"`
				Requests int    `json:"requests"`
				Emulated bool   `json:"emulated"`
			}
			if err := json.Unmarshal([]byte(line), &read); err != nil {
				t.Fatal(err)
			}
			clitest.Validate(t, compiled, []byte(line), of.target)
			if read.Rule != "" {
				found = append(found, read.Surface+"/"+read.Rule)
				continue
			}
			if requests += read.Requests; read.Requests > 250 || !read.Emulated {
				t.Errorf("the counts are %s", line)
			}
		}
	}
	var missed, wrong []string
	for _, one := range changes {
		if !slices.Contains(found, one.finds()) {
			missed = append(missed, one.finds())
		}
	}
	for _, name := range found {
		if !slices.ContainsFunc(changes, func(one hidden) bool { return one.finds() == name }) {
			wrong = append(wrong, name)
		}
	}
	t.Logf("%d of %d hidden changes are found, %d others, in %d requests", len(changes)-len(missed), len(changes), len(wrong), requests)
	if len(missed)+len(wrong) > 0 {
		t.Errorf("missed %v, found besides %v", missed, wrong)
	}
}
