package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolproof/schema"
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

// heavy is how many tokens of a tool are worth a word.
const heavy = 2000

// HeavyTool finds tools that cost much of the context of a model.
var HeavyTool = &Rule{
	Name: "heavy_tool",
	Doc: `a tool costs many tokens in each request

Each request has all tools. The heaviest parts of the tool are named. The count is an
estimate: docs/advice.md says how far it is from a tokenizer.`,
	Source: Source{
		"Anthropic counted 55,000 tokens for 58 tools of five servers before a conversation begins.",
		"https://www.anthropic.com/engineering/advanced-tool-use", "2025-11-24",
	},
	Bad: `[{"name": "run", "description": "Run a program.", "parameters": {"type": "object", "properties": {"program": {"type": "string", "description": "` +
		strings.Repeat("A name from the list of programs. ", 250) + `"}}}}]`,
	Good: `[{"name": "run", "description": "Run a program.", "parameters": {"type": "object", "properties": {"program": {"type": "string", "description": "A name that list_programs has."}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		text := tool.Node().JSON()
		if len(text) < heavy { // no token has less than a byte
			return
		}
		tokens := Tokens(string(text))
		if tokens < heavy {
			return
		}
		var heaviest []string
		sum := 0
		for _, part := range partsOf(tool) {
			heaviest = append(heaviest, fmt.Sprintf("%s %d", part.name, part.tokens))
			sum += part.tokens
		}
		at, node := tool.descriptionOf()
		what := fmt.Sprintf("%s costs about %d tokens in each request: ", tool.Name, tokens)
		if own := len(tool.Own()); 5*sum < 2*tokens && own > manyParams { // no part has the weight
			p.Report(at, node, what+fmt.Sprintf("it has %d parameters, so split it, or leave out those that models do not need", own))
			return
		}
		p.Report(at, node, what+"shorten "+list(heaviest))
	},
}

// manyParams is from how many parameters on a tool can be split.
const manyParams = 10

// part is a part of a tool, with about how many tokens it has.
type part struct {
	name   string
	tokens int
}

// partsOf returns the heaviest parts of a tool, the heaviest first.
func partsOf(tool *Tool) []part {
	const few = 3
	parts := []part{{"description", Tokens(tool.Text)}}
	for _, param := range tool.Own() {
		parts = append(parts, part{param.Name, Tokens(string(param.Schema.JSON())) + referred(tool, param.Schema)})
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.tokens, a.tokens) })
	return parts[:min(few, len(parts))]
}

// referred returns about how many tokens the definitions have that a schema leads to, each
// once.
func referred(tool *Tool, node *schema.Node) int {
	tokens := 0
	seen := map[string]bool{}
	next := []*schema.Node{node}
	for len(next) > 0 {
		node, next = next[0], next[1:]
		node.Each(func(below *schema.Node) bool {
			pointer, isLocal := strings.CutPrefix(below.GetString("$ref"), "#")
			isDefinition := strings.HasPrefix(pointer, "/$defs/") || strings.HasPrefix(pointer, "/definitions/")
			if !isLocal || !isDefinition || seen[pointer] {
				return true
			}
			seen[pointer] = true
			if definition := tool.Parameters.Find(schema.Pointer(pointer)); definition != nil {
				tokens += Tokens(string(definition.JSON()))
				next = append(next, definition)
			}
			return true
		})
	}
	return tokens
}

// TokensOf returns about how many tokens the declaration of a tool has.
func TokensOf(tool schema.Tool) int { return Tokens(string(tool.Node().JSON())) }

// Tokens returns about how many tokens of OpenAI's o200k_base a text has. It counts what
// such a vocabulary splits at: words with the space before them, numbers of three digits, and
// signs. Long words are several tokens. Other providers do not publish theirs.
func Tokens(text string) int {
	const (
		lettersOfToken = 8 // of a word in Latin letters
		digitsOfToken  = 3
		signsOfToken   = 2
		othersOfToken  = 2 // letters of other scripts
	)
	tokens, run, kind, last := 0, 0, 0, ' '
	end := func() {
		switch kind {
		case 1:
			tokens += (run + lettersOfToken - 1) / lettersOfToken
		case 2:
			tokens += (run + digitsOfToken - 1) / digitsOfToken
		case 3:
			tokens += (run + signsOfToken - 1) / signsOfToken
		case 4:
			tokens += (run + othersOfToken - 1) / othersOfToken
		}
		run = 0
	}
	for _, letter := range text {
		next := 3
		switch {
		case letter == ' ':
			next = 0
		case letter < 0x250 && unicode.IsLetter(letter):
			next = 1
		case unicode.IsDigit(letter):
			next = 2
		case letter >= 0x250 && unicode.IsLetter(letter):
			next = 4
		}
		if next != kind || next == 1 && unicode.IsUpper(letter) && unicode.IsLower(last) {
			end()
			kind = next
		}
		run++
		last = letter
	}
	end()
	return tokens
}
