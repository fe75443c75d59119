package main

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/lab/playground"
	"toolproof/normalizers"
)

// pastedTools are tools as people paste them: a list that is sent together, tools that stand
// alone, YAML, a list with equal names, and what cannot be read.
var pastedTools = map[string]string{
	"a list": `{"tools": [
  {"name": "create", "inputSchema": {"type": "object", "properties": {"kind": {"const": "x"}, "at": {"type": ["string", "null"]}}, "required": ["kind"]}},
  {"name": "delete", "inputSchema": {"type": "object", "properties": {"ids": {"type": "array", "items": {"$ref": "#/$defs/id"}}}, "$defs": {"id": {"type": "integer", "exclusiveMinimum": 0}}}},
  {"name": "create", "inputSchema": {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}}
]}`,
	"alone":     `{"id": "1", "name": "a b", "schema": {"type": "array"}}` + "\n" + `{"id": "2", "name": "c", "schema": {"type": "object", "properties": {"x": {"not": {}}}}}`,
	"YAML":      "name: f\nparameters:\n  type: object\n  properties:\n    a: {const: 1}\n",
	"a schema":  `{"type": "object", "properties": {"a": {"prefixItems": [{"type": "string"}]}}}`,
	"behind":    `[{"name": "f", "parameters": {"type": "object"}}]]`,
	"cut short": `[{"name": "f", "parameters": {"type": "object"}}, {"name": `,
}

// resultLines runs a command and returns its result lines, without the summary.
func resultLines(t *testing.T, input string, words ...string) []any {
	t.Helper()
	var out, errs bytes.Buffer
	run(context.Background(), words, strings.NewReader(input), &out, &errs)
	var lines []any
	for line := range strings.Lines(out.String()) {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v: %s%s", err, line, &errs)
		}
		if one["summary"] == nil {
			lines = append(lines, any(one))
		}
	}
	return lines
}

// TestPlaygroundAgrees: the page where tools are pasted says what the command line says.
func TestPlaygroundAgrees(t *testing.T) {
	t.Parallel()
	store, err := cli.RecordingsAsked()
	if err != nil {
		t.Fatal(err)
	}
	engine := playground.New(store)
	ask := func(asked playground.Question) (answer struct {
		Lines    []any                `json:"lines"`
		Wire     string               `json:"wire"`
		Failure  string               `json:"failure"`
		Problems []playground.Problem `json:"problems"`
	},
	) {
		question, err := json.Marshal(asked)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(engine.Answer(t.Context(), string(question))), &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	for name, tools := range pastedTools {
		got := ask(playground.Question{Do: "check", Tools: tools})
		want := resultLines(t, tools, "check", "--no-config", "--json", "--target", "all", "-")
		if name == "behind" { // what cannot be read is no result on the page
			want = want[:len(got.Lines)]
			if len(got.Problems) == 0 {
				t.Errorf("%s: nothing is said of it", name)
			}
		}
		if len(want) == 0 || !reflect.DeepEqual(got.Lines, want) {
			t.Errorf("%s: the lines are\n%v\nand verify check has\n%v", name, got.Lines, want)
		}
		for _, target := range []normalizers.Normalizer{normalizers.Gemini, normalizers.OpenAIStrict, normalizers.Portable} {
			var out, errs bytes.Buffer
			run(context.Background(), []string{"normalize", "--target", target.Name(), "-"}, strings.NewReader(tools), &out, &errs)
			if got := ask(playground.Question{Do: "normalize", Tools: tools, Targets: []string{target.Name()}}); got.Wire != out.String() || got.Failure != "" {
				t.Errorf("%s: for %s it writes\n%s%s\nand verify normalize\n%s%s", name, target.Name(), got.Wire, got.Failure, &out, &errs)
			}
		}
	}
}
