package advice

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longest is how many characters of a description every surface takes.
const longest = 1024

// LongDescription finds descriptions beyond what a surface takes.
var LongDescription = &Rule{
	Name: "long_description",
	Doc: `a description is longer than a surface takes

Azure's OpenAI service refused descriptions of more than 1,024 characters when OpenAI took
more. What matters comes first, and the rest goes to the parameters or to an answer.`,
	Source: Source{"Azure: string too long, expected a string with maximum length 1024. docs/providers.md has the limits by day.", "", "2026-10-01"},
	Bad:    `[{"name": "run", "description": "` + strings.Repeat("Run a program and wait. ", 50) + `", "parameters": {"type": "object", "properties": {}}}]`,
	Good:   `[{"name": "run", "description": "Run a program and wait.", "parameters": {"type": "object", "properties": {}}}]`,
	Check: func(p *Pass, tool *Tool) {
		if count := utf8.RuneCountInString(tool.Text); count > longest {
			at, node := tool.descriptionOf()
			p.Report(at, node, fmt.Sprintf("the description of %s has %d characters, and some surfaces take %d: move details to the parameters", tool.Name, count, longest))
		}
	},
}
