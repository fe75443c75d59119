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

// longest is the length in characters of a description that every surface accepts.
const longest = 1024

// long is the length in characters of a description that hardly anybody reads to the end.
const long = 800

// heavy is the number of tokens from which a tool is reported.
const heavy = 1500

// heavyTool finds tools that take up much of a model's context.
var heavyTool = &Rule{
	Name: "heavy_tool",
	Doc: `a tool costs many tokens in each request

Every request contains all tools. The message names the heaviest parts of the tool, long texts about its parameters, or
definitions that nothing refers to. The count
is an estimate for o200k_base, a vocabulary of OpenAI; Google and Anthropic publish none. On
1,922 tools of servers that it was not tuned on, the mean error is 2 %, one tool in twenty is
off by more than 6 %, and the sum is off by 1 %. Azure's OpenAI service refused descriptions of more
than 1,024 characters when OpenAI took more.`,
	Source: Source{
		"Anthropic counted 55,000 tokens for 58 tools of five servers before a conversation begins.",
		"https://www.anthropic.com/engineering/advanced-tool-use", "2025-11-24",
	},
	Bad: `[{"name": "run", "description": "Run a program and return its output.", "parameters": {"type": "object", "properties": {"program": {"type": "string", "description": "` +
		strings.Repeat("A name from the list of programs. ", 250) + `"}}}}]`,
	Good: `[{"name": "run", "description": "Run a program and return its output.", "parameters": {"type": "object", "properties": {"program": {"type": "string", "description": "A name that list_programs has."}}}}]`,
	check: func(p *pass, tool *declaration) {
		p.unused(tool, "$defs")
		p.unused(tool, "definitions")
		if count := utf8.RuneCountInString(tool.text); count > long {
			at, node := tool.descriptionOf()
			p.report(at, node, fmt.Sprintf("the description of %s has %d characters, and some surfaces take %d: say the most important, and move details to the parameters", tool.Name, count, longest))
			if count <= longest {
				p.note(len(p.found) - 1)
			}
			return
		}
		p.longTexts(tool)
		declared := tool.Node()
		if declared.MostBytes() < 2*heavy { // a token of JSON has more than two bytes
			return
		}
		text := declared.JSON()
		if len(text) < 2*heavy {
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
		if own := len(tool.own()); 5*sum < 2*tokens && own > manyParams { // no part has the weight
			p.report(at, node, what+fmt.Sprintf("it has %d parameters, so split it, or leave out those that models do not need", own))
			return
		}
		p.report(at, node, what+"shorten "+list(heaviest))
	},
}

// longTexts notes texts about parameters that hardly anybody reads to the end, but for those with an example in JSON.
func (p *pass) longTexts(tool *declaration) {
	const long = 400 // characters
	var found []*parameter
	for _, param := range tool.params {
		if len(param.text) > long && !hasAny(param.text, "{\"", "{ ", "{\n") && utf8.RuneCountInString(param.text) > long {
			found = append(found, param)
		}
	}
	before := len(p.found)
	p.reportAll(found, "has a text of more than 400 characters: say the most important in a sentence or two, and list values in the schema", "have texts of more than 400 characters: say the most important in a sentence or two, and list values in the schema")
	p.note(before)
}

// unused reports definitions of a tool that no reference leads to.
func (p *pass) unused(tool *declaration, keyword string) {
	const few = 100 // tokens that nobody minds
	definitions := tool.Parameters.Get(keyword)
	if definitions == nil || definitions.Kind != schema.Object {
		return
	}
	own := slices.DeleteFunc(slices.Clone(tool.Parameters.Members), func(member schema.Member) bool { return member.Key == keyword })
	used := map[string]bool{}
	isClear := true // no reference leads elsewhere
	next := []*schema.Node{schema.NewObject(own...)}
	for len(next) > 0 {
		node := next[0]
		next = next[1:]
		node.Each(func(below *schema.Node) bool {
			reference := below.GetString("$ref")
			name, isOurs := strings.CutPrefix(reference, "#/"+keyword+"/")
			name, _, _ = strings.Cut(name, "/")
			isClear = isClear && !below.Has("$dynamicRef") && (reference == "" || strings.HasPrefix(reference, "#/"))
			if isOurs && !used[name] {
				used[name] = true
				if definition := tool.Parameters.Find(schema.Pointer("/" + keyword + "/" + name)); definition != nil {
					next = append(next, definition)
				}
			}
			return true
		})
	}
	var names []string
	tokens := 0
	for _, member := range definitions.Members {
		if isClear && !used[member.Key] {
			names = append(names, member.Key)
			tokens += Tokens(string(member.Value.JSON()))
		}
	}
	if tokens >= few {
		before := len(p.found)
		p.report(schema.Pointer("/parameters").Child(keyword), definitions, fmt.Sprintf("nothing refers to %s, and about %d tokens in each request have no use: leave out what %s does not need", list(names), tokens, tool.Name))
		if len(p.found) > before {
			p.found[before].Edits = []Edit{withoutUnused(definitions, keyword, used)}
		}
	}
}

// withoutUnused returns the edit that leaves out the definitions that are not used.
func withoutUnused(definitions *schema.Node, keyword string, used map[string]bool) Edit {
	isUsed := func(member schema.Member) bool { return used[member.Key] }
	if !slices.ContainsFunc(definitions.Members, isUsed) {
		return Edit{At: "/parameters", Before: []schema.Member{{Key: keyword, Value: definitions}}}
	}
	return Edit{At: schema.Pointer("/parameters").Child(keyword), Before: slices.DeleteFunc(slices.Clone(definitions.Members), isUsed)}
}

// manyParams is the number of parameters above which a tool can be split.
const manyParams = 10

// part is a part of a tool with its estimated number of tokens.
type part struct {
	name   string
	tokens int
}

// partsOf returns the heaviest parts of a tool, in order of weight.
func partsOf(tool *declaration) []part {
	const few = 3
	parts := []part{{"description", Tokens(tool.text)}}
	for _, param := range tool.own() {
		parts = append(parts, part{param.name, Tokens(string(param.schema.JSON())) + referred(tool, param.schema)})
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.tokens, a.tokens) })
	return parts[:min(few, len(parts))]
}

// referred estimates the tokens of the definitions that a schema refers to, each counted
// once.
func referred(tool *declaration, node *schema.Node) int {
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

// partOf returns the size in bytes of the first part of a text, and estimates its tokens.
// A part is a word with the space or sign before it, up to three digits, or a run of
// spaces or signs. The limits are those of words in real tools, which lab/referees/tokens
// measures.
func partOf(text string) (size, tokens int) {
	const (
		digitsOfToken  = 3
		longestWord    = 11 // of one token, in letters
		longestAfter   = 5  // the same, behind a sign
		lettersOfMore  = 4  // of each further token
		capitalsOfOne  = 3  // letters of a token of capitals
		longestSigns   = 3
		opens          = "\":" // with the sign behind it, one token
		signsOfToken   = 2
		othersOfTokens = 3 // letters of other scripts, of two tokens
	)
	first, width := utf8.DecodeRuneInString(text)
	next, _ := utf8.DecodeRuneInString(text[width:])
	isSign := func(letter rune) bool {
		return !unicode.IsLetter(letter) && !unicode.IsNumber(letter) && !unicode.IsSpace(letter)
	}
	switch {
	case unicode.IsNumber(first):
		for count := 0; count < digitsOfToken && size < len(text); count++ {
			digit, width := utf8.DecodeRuneInString(text[size:])
			if !unicode.IsNumber(digit) {
				break
			}
			size += width
		}
		return size, 1
	case unicode.IsLetter(first), unicode.IsLetter(next) && first != '\n' && first != '\r':
		before := 0
		if !unicode.IsLetter(first) {
			before = width
		}
		capitals, letters, others, end := wordOf(text[before:])
		switch {
		case others > 0:
			tokens = (2*letters + othersOfTokens - 1) / othersOfTokens
		case capitals > 1:
			tokens = (letters + capitalsOfOne - 1) / capitalsOfOne
		case before > 0 && first != ' ' && letters > longestAfter:
			tokens = 2 + max(0, letters-longestWord)/lettersOfMore
		default:
			tokens = 1 + (max(0, letters-longestWord)+lettersOfMore-1)/lettersOfMore
		}
		return before + end, tokens
	case unicode.IsSpace(first) && !(first == ' ' && isSign(next)):
		return len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace)), 1
	default:
		rest := strings.TrimLeftFunc(text[width:], isSign)
		size = len(text) - len(rest)
		signs := utf8.RuneCountInString(strings.TrimPrefix(text[:size], opens))
		if signs > longestSigns {
			return size, signs / signsOfToken
		}
		return size, 1
	}
}
