package advice

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longest is the length in characters of a description that every surface accepts.
const longest = 1024

// longDescription finds descriptions longer than a surface accepts.
var longDescription = &Rule{
	Name: "long_description",
	Doc: `a description is longer than a surface takes

Azure's OpenAI service refused descriptions of more than 1,024 characters when OpenAI took
more. Put what matters first, and move the rest to the parameters or to an answer.`,
	Source: Source{"Azure: string too long, expected a string with maximum length 1024. docs/providers.md has the limits by day.", "", "2026-10-01"},
	Bad:    `[{"name": "run", "description": "` + strings.Repeat("Run a program and wait. ", 50) + `", "parameters": {"type": "object", "properties": {}}}]`,
	Good:   `[{"name": "run", "description": "Run a program and wait.", "parameters": {"type": "object", "properties": {}}}]`,
	check: func(p *pass, tool *declaration) {
		if count := utf8.RuneCountInString(tool.text); count > longest {
			at, node := tool.descriptionOf()
			p.report(at, node, fmt.Sprintf("the description of %s has %d characters, and some surfaces take %d: move details to the parameters", tool.Name, count, longest))
		}
	},
}
