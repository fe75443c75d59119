package advice

import (
	"slices"
	"strings"
	"testing"
)

// edit is the edit tool of docs/seeds.md#seed-002-log-009: its schema, and as much of its
// text as the log quotes.
const edit = `[{"name": "propose_and_review", "description": "Edit a file with human review. Returns COMMITTED or REVIEW response.\n\nQUICK REFERENCE\nEDIT FILE:    propose_and_review(path=\"file.py\", match_text=\"old\", new_string=\"new\")\nNEW FILE:     propose_and_review(path=\"new.py\", match_text=\"\", new_string=\"content\")\nBATCH EDIT:   propose_and_review(path=\"file.py\", edits=[...])\n\nSPECIAL VALUES FOR match_text\n\"\"               = Create new file (file must not exist)\n\"OVERWRITE_FILE\" = Replace entire file content", "parameters": {"type": "object", "properties": {
  "path": {"type": "string", "description": "Path of the file to edit, relative to the project root."},
  "match_text": {"type": "string", "description": "The literal text to find, which must be unique in the file."},
  "new_string": {"type": "string", "description": "The text that replaces match_text."},
  "edits": {"type": "array", "description": "Batch multiple DIFFERENT edits. WHEN TO USE: Renaming something + updating its references in same file.", "items": {"type": "object", "properties": {
    "match_text": {"type": "string", "description": "The literal text to find."}, "new_string": {"type": "string", "description": "The text that replaces it."}}, "required": ["match_text", "new_string"]}},
  "expected_replacements": {"type": "integer", "description": "How many times match_text should appear. Default 1 = must be unique, so that the edit is safe."},
  "bypass_match_text_limit": {"type": "boolean", "description": "Lift the limit of 2,000 characters of match_text."},
  "session_path": {"type": "string", "description": "ONLY for continuing after 'REVIEW' response. When user modifies your proposal, pass session_path here and set match_text to the USER's edited text."}
}, "required": ["path"]}}]`

// readFiles is the other tool of the same section.
const readFiles = `[{"name": "read_files", "description": "Read the contents of multiple files simultaneously.", "parameters": {"type": "object", "properties": {
  "files": {"type": "array", "description": "A list of file read requests.", "items": {"type": "object", "properties": {
    "path": {"type": "string", "description": "Path of the file, relative to the project root."},
    "start_line": {"type": "integer", "description": "The first line to read."}, "end_line": {"type": "integer", "description": "The last line to read."},
    "head": {"type": "integer", "description": "Read so many lines from the start."}, "tail": {"type": "integer", "description": "Read so many lines from the end."},
    "read_to_next_pattern": {"type": "string", "description": "Read from start_line to the next line that matches this regular expression."}}, "required": ["path"]}},
  "large_file_passthrough": {"type": "boolean", "description": "Set True to read large JSON/YAML files."}
}, "required": ["files"]}}]`

// repair makes the changes that LOG-011 to LOG-013 report.
var repair = strings.NewReplacer(
	`\"OVERWRITE_FILE\" = Replace entire file content`,
	`\"OVERWRITE_FILE\" = Replace entire file content\n\"APPEND_TO_FILE\" = Append new_string to end (file must exist)\n\nMODES (Mutually Exclusive)\n1. SINGLE EDIT: path + match_text + new_string\n2. BATCH EDIT: path + edits (match_text/new_string ignored)\n3. NEW FILE: path + match_text=\"\" + new_string\n4. OVERWRITE: path + match_text=\"OVERWRITE_FILE\" + new_string\n5. APPEND: path + match_text=\"APPEND_TO_FILE\" + new_string`,
	`WHEN TO USE: Renaming something + updating its references in same file.`, `WHEN TO USE: ANY time you make 2+ changes to the same file.`,
	`Read the contents of multiple files simultaneously.`,
	`Read the contents of multiple files simultaneously. Ways (pick one for each file): head, tail, or start_line with end_line or read_to_next_pattern.`,
)

// TestSeed: the tools of the seed have its gaps 1 to 4, but not 5 and 6, and the repaired
// ones have none: two flags without a default, and a long text, are notes.
func TestSeed(t *testing.T) {
	t.Parallel()
	rulesOf := func(text string) []string {
		var names []string
		for _, finding := range of(t, tools(t, text), Options{}) {
			t.Log(finding.Message)
			name := finding.Rule.Name
			if finding.IsNote {
				name += " (a note)"
			}
			names = append(names, name)
		}
		return names
	}
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"edit", edit, []string{"unlisted_modes", "required_of_mode", "missing_way", "batch_not_first", "no_default (a note)"}},
		{"read_files", readFiles, []string{"unlisted_modes", "no_default (a note)"}},
		{"edit, repaired", repair.Replace(edit), []string{"heavy_tool (a note)", "no_default (a note)"}},
		{"read_files, repaired", repair.Replace(readFiles), []string{"no_default (a note)"}},
	} {
		if got := rulesOf(test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, expected %v", test.name, got, test.want)
		}
	}
}
