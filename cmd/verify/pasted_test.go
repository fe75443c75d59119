package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
)

// TestPastedLines checks that the result lines of a pasted error are what is
// published: of a tool that a target serves, of one that none does, and of one that
// could not be read.
func TestPastedLines(t *testing.T) {
	t.Parallel()
	compiled := clitest.CompileSchema(t, "../../docs/schema/result.schema.json")
	tools := filepath.Join(t.TempDir(), "tools.json")
	const text = `[{"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"type": "array"}, "b": {"$ref": "#/$defs/none"}}}}, {"name": "g", "inputSchema": 3, "inputSchema": 4}]`
	if err := os.WriteFile(tools, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		message string
		code    int
	}{
		"served":      {"Invalid schema for function 'f': In context=('properties', 'a'), array schema missing items.", cli.CodeConforms},
		"not served":  {"reference to undefined schema at properties.b", cli.CodeConforms},
		"a relative":  {"Unable to submit request because `f` functionDeclaration `parameters.a` schema didn't specify the schema type field.", cli.CodeConforms},
		"a gateway":   {`{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"invalid JSON schema for tool f, tools[0].function.parameters: /properties/a: words\"}}"}}}`, cli.CodeConforms},
		"a client":    {`Error code: 400 - {'error': {'message': "Invalid schema for function 'f': In context=('properties', 'a'), array schema missing items."}}`, cli.CodeConforms},
		"no position": {"tools.1.custom.input_schema: JSON schema is invalid.", cli.CodeBroken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _ := clitest.Output(t, run, test.message, test.code, "check", "--json", "--error", "-", tools)
			lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			if len(lines) != 2 {
				t.Fatalf("got %d lines: %s", len(lines), out)
			}
			for _, line := range lines {
				clitest.Validate(t, compiled, []byte(line), "result line")
			}
			clitest.Output(t, run, test.message, test.code, "check", "--error", "-", tools)
		})
	}
}

// TestPlaceless checks what is said of words that are known and name no place: of one
// tool they are placed, of several not.
func TestPlaceless(t *testing.T) {
	t.Parallel()
	const message = "litellm.BadRequestError: GeminiException - A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth."
	folder := t.TempDir()
	const tool = `{"name": "f", "inputSchema": {"type": "object"}}`
	for name, test := range map[string]struct {
		tools string
		code  int
		want  string
	}{
		"one":     {tool, cli.CodeConforms, "gemini/responseSchema"},
		"several": {"[" + tool + "," + strings.Replace(tool, `"f"`, `"g"`, 1) + "]", cli.CodeBroken, "understood as gemini/responseSchema"},
	} {
		file := filepath.Join(folder, name+".json")
		if err := os.WriteFile(file, []byte(test.tools), 0o600); err != nil {
			t.Fatal(err)
		}
		out, complaint := clitest.Output(t, run, message, test.code, "check", "--error", "-", file)
		if !strings.Contains(out+complaint, test.want) {
			t.Errorf("%s: %s%s", name, out, complaint)
		}
	}
}
