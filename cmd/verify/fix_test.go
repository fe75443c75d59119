package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"toolproof/cmd/internal/cli"
)

// TestSARIFFixes applies the fixes of a log as an editor does: together they make the file that --fix
// writes.
func TestSARIFFixes(t *testing.T) {
	t.Parallel()
	const tools = "{\n  \"name\": \"f\", \"inputSchema\": {\n    \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n" +
		"    \"type\": \"object\", \"properties\": {\"a𝄞\": {\"type\": \"string\"}, \"ä\": {\"const\": \"x\", \"type\": \"string\"}}\n  }\n}\n"
	name := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(name, []byte(tools), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(flags ...string) []byte {
		var out, errs bytes.Buffer
		if code := run(t.Context(), append([]string{"check", "--no-config", "--target", "gemini"}, append(flags, name)...), nil, &out, &errs); code == cli.CodeBroken {
			t.Fatal(errs.String())
		}
		return out.Bytes()
	}
	type place struct{ StartLine, StartColumn, EndLine, EndColumn int }
	var log struct {
		Runs []struct {
			Results []struct {
				Fixes []struct {
					ArtifactChanges []struct {
						Replacements []struct {
							DeletedRegion   place
							InsertedContent struct{ Text string }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(check("--format", "sarif"), &log); err != nil { //nolint:musttag // its names are those of the log
		t.Fatal(err)
	}
	lines := strings.SplitAfter(tools, "\n")
	offset := func(line, column int) int {
		units := utf16.Encode([]rune(lines[line-1]))
		return len(strings.Join(lines[:line-1], "")) + len(string(utf16.Decode(units[:column-1])))
	}
	text := tools
	results := log.Runs[0].Results
	for _, result := range slices.Backward(results) { // from the end, so that places before stay
		for _, fix := range result.Fixes {
			for _, part := range fix.ArtifactChanges[0].Replacements {
				at := part.DeletedRegion
				text = text[:offset(at.StartLine, at.StartColumn)] + part.InsertedContent.Text + text[offset(at.EndLine, at.EndColumn):]
			}
		}
	}
	check("--fix")
	if fixed, err := os.ReadFile(name); err != nil || string(fixed) != text || text == tools {
		t.Errorf("the log makes\n%s\nand --fix\n%s", text, fixed)
	}
}
