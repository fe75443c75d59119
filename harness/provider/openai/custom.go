package openai

import (
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// customRules judge the custom tools of a request, which take free text. They look at the grammar that
// the text is to follow.
var customRules = []*provider.Rule{customMember, grammarSyntax, grammarLookaround, grammarUnknown}

// guide is where OpenAI says which grammars it takes.
const guide = "OpenAI's guide to function calling, context-free grammars, as quoted on 2025-11: https://developers.openai.com/api/docs/guides/function-calling"

// custom is the stage that visits each custom tool in the body of a request. The Location leads to
// it. The Subject is its grammar.
var custom = &provider.Stage{
	Name: "custom tools",
	All:  true,
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		for i, tool := range elements(visitor.Body(request).Get("tools")) {
			if tool.Get("type").Is("custom") {
				place := "tools[" + strconv.Itoa(i) + "]"
				visitor.Visit(&provider.Pass{Request: request, Declaration: -1, Node: tool, Location: []byte(place), Subject: grammarOf(visitor.Dialect, tool, place)})
			}
		}
	},
}

// grammar is the grammar of a custom tool: an object with syntax and definition.
type grammar struct {
	node  *schema.Node // nil if the tool takes any text
	place string       // in the request
}

// grammarOf returns the grammar of a custom tool. Chat Completions has it one level deeper than
// Responses, as it has the whole tool.
func grammarOf(dialect *provider.Dialect, tool *schema.Node, place string) grammar {
	path := []string{"format"}
	if dialect.API == provider.ChatCompletions {
		path = []string{"custom", "format"}
	}
	for _, name := range path {
		tool, place = tool.Get(name), place+"."+name
	}
	switch {
	case !tool.Get("type").Is("grammar"):
		return grammar{}
	case dialect.API == provider.ChatCompletions:
		return grammar{tool.First("grammar"), place + ".grammar"}
	default:
		return grammar{tool, place}
	}
}

// definition returns the text of the grammar.
func (g grammar) definition() string { return g.node.GetString("definition") }

// patterns returns the regular expressions of the grammar: all of it, or those between slashes in
// Lark's syntax.
func (g grammar) patterns() []string {
	if g.node.Get("syntax").Is("regex") {
		return []string{g.definition()}
	}
	var patterns []string
	for _, found := range larkPattern.FindAllStringSubmatch(g.definition(), -1) {
		if found[1] != "" {
			patterns = append(patterns, found[1])
		}
	}
	return patterns
}

// larkPattern matches a string, a comment, or a pattern, which alone is captured.
var larkPattern = lazy.Compile(`"(?:[^"\\\n]|\\.)*"|//[^\n]*|/((?:[^/\\\n]|\\.)+)/`)

// customMember reports a custom tool in the form of the other API.
var customMember = &provider.Rule{
	Name:   "custom_member",
	Effect: provider.Rejects,
	Stage:  custom,
	Doc: `a custom tool has a name on Responses, and the member custom on Chat Completions

Each API refuses the form of the other.`,
	Source: "https://github.com/langchain-ai/langchainjs/pull/9202 (Responses, 2025-10-15); https://github.com/BerriAI/litellm/pull/34029 (Chat Completions, gpt-5.6)",
	Check: func(p *provider.Pass) {
		name := "name"
		if p.Dialect().API == provider.ChatCompletions {
			name = "custom"
		}
		if !p.Node.Has(name) {
			reportMissing(p, string(p.Location)+"."+name)
		}
	},
}

// grammarSyntax reports a grammar without its syntax or its definition.
var grammarSyntax = &provider.Rule{
	Name:   "grammar_syntax",
	Effect: provider.Rejects,
	Stage:  custom,
	Doc: `a grammar has a definition, and the syntax lark or regex

The reference of the API requires both. No answer is public; the words are those about other members.`,
	Source: "OpenAI's API reference, CustomToolInputFormat, as npm's openai 5.12.0 of 2025-08-07 has it",
	Check: func(p *provider.Pass) {
		g := p.Subject.(grammar) //nolint:forcetypeassert // the stage's own type
		if g.node == nil {
			return
		}
		named := g.node.Get("syntax")
		switch {
		case named == nil:
			reportMissing(p, g.place+".syntax")
		case !named.Is("lark") && !named.Is("regex"):
			p.Report(provider.Finding{Message: "Invalid value: '" + named.Text + "'. Supported values are: 'lark' and 'regex'.", Location: g.place + ".syntax", Code: "invalid_value"})
		case !g.node.Has("definition"):
			reportMissing(p, g.place+".definition")
		}
	},
}

// grammarLookaround reports look-ahead and look-behind in a grammar.
var grammarLookaround = &provider.Rule{
	Name:   "grammar_lookaround",
	Effect: provider.Rejects,
	Stage:  custom,
	Doc: `a pattern of a grammar has no look-ahead and no look-behind

Patterns are those of Rust's crate regex, which has neither. No answer is public; the words are this
model's own.`,
	Source: guide,
	Check: func(p *provider.Pass) {
		g := p.Subject.(grammar) //nolint:forcetypeassert // the stage's own type
		if place := g.place + ".definition"; slices.ContainsFunc(g.patterns(), schema.HasLookaround) {
			p.Report(provider.Finding{Message: "Invalid '" + place + "': lookarounds are not supported.", Location: place, Code: "invalid_value"})
		}
	},
}

// grammarUnknown reports what else the guide says not to be supported.
var grammarUnknown = &provider.Rule{
	Name:   "grammar_unknown",
	Effect: provider.Unknown,
	Stage:  custom,
	Doc: `whether a grammar is refused for what the guide does not support is not known

That is a lazy quantifier, a pattern on several lines or one that Rust's crate regex may not read, and of
Lark priorities, templates, %declare, and imports from elsewhere than common. No answer to one of them
is public.`,
	Source: guide,
	Check: func(p *provider.Pass) {
		g := p.Subject.(grammar) //nolint:forcetypeassert // the stage's own type
		unknown := ""
		for _, pattern := range g.patterns() {
			tree, err := syntax.Parse(pattern, syntax.Perl)
			switch {
			case err != nil:
				unknown = "a pattern that Rust's crate regex may not read"
			case isLazy(tree):
				unknown = "a lazy quantifier"
			case strings.Contains(pattern, "\n"):
				unknown = "a pattern on several lines"
			}
		}
		if g.node.Get("syntax").Is("lark") {
			for _, found := range larkStatement.FindAllStringSubmatch(g.definition(), -1) {
				if !strings.HasPrefix(found[1], "common") {
					unknown = "'" + strings.TrimSpace(found[0]) + "'"
				}
			}
		}
		if unknown != "" {
			place := g.place + ".definition"
			p.Report(provider.Finding{Message: "it is unknown whether " + p.Dialect().Name + " takes " + unknown + " in " + place, Location: place})
		}
	},
}

// larkStatement matches the head of a rule with a priority or of a template, a %declare, and an import,
// whose source it captures.
var larkStatement = lazy.Compile(`(?m)^[ \t]*(?:[?!]*\w+(?:\.-?\d+|\{[\w, ]+\})[ \t]*:|%declare\b.*|%import[ \t]+([\w.]+).*)`)

// isLazy reports whether a regular expression has a lazy quantifier.
func isLazy(tree *syntax.Regexp) bool {
	switch tree.Op { //nolint:exhaustive // the others do not repeat
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		if tree.Flags&syntax.NonGreedy != 0 {
			return true
		}
	}
	return slices.ContainsFunc(tree.Sub, isLazy)
}

func reportMissing(p *provider.Pass, place string) {
	p.Report(provider.Finding{Message: "Missing required parameter: '" + place + "'.", Location: place, Code: "missing_required_parameter"})
}
