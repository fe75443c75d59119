package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// tellsModel finds descriptions that say how a model is to behave.
var tellsModel = &Rule{
	Name: "tells_model",
	Doc: `a description tells the model how to behave

A description says what a tool does and when it helps. What a model asks its user, which of several servers it prefers and what
it remembers is no matter of a tool. Orders in capitals, such as MUST and NEVER, make newer models call a tool too often, so Anthropic
asks to dial them back (https://platform.claude.com/docs/en/build-with-claude/prompt-engineering/claude-prompting-best-practices).
State a need in the schema, and the rest in plain words.`,
	Source: Source{
		"Review criteria of Claude's directory: describe what the tool does, and do not tell Claude how to behave; quoted by https://github.com/metrifi/plugins/blob/main/docs/submission-checklist.md.",
		"https://claude.com/docs/connectors/building/review-criteria", "2026-07-23",
	},
	Bad:  `[{"name": "get_space", "description": "Read a space. You MUST call this first.", "parameters": {"type": "object", "required": ["space_id"], "properties": {"space_id": {"type": "string", "description": "A number such as 4711. If it is unclear, ask the user."}}}}]`,
	Good: `[{"name": "get_space", "description": "Read a space, whose language all other tools take.", "parameters": {"type": "object", "required": ["space_id"], "properties": {"space_id": {"type": "string", "description": "A number such as 4711."}}}}]`,
	check: func(p *pass, tool *declaration) {
		before := len(p.found)
		texts(tool, func(at schema.Pointer, node *schema.Node, whose string, read *prose.Text) {
			order := orderIn(read)
			switch {
			case order == "", whose != tool.Name && strings.Contains(whose, "confirm"): // an argument that says whether the user agrees
			case len(p.found) == before:
				p.report(at, node, "the description of "+whose+" tells the model how to behave, with "+quoted(order)+": say in plain words what the tool does, and leave out the rest")
			default:
				p.found[before].Also = append(p.found[before].Also, at)
			}
		})
	},
}

// orderIn returns the first sentence of a text that orders a model to do something, or "".
func orderIn(read *prose.Text) string {
	isLoud := hasAny(read.Raw, loud...) || hasAny(read.Raw, stressed...) || hasAny(read.Raw, "NOT", "ONLY", "REQUIRED:")
	if !isLoud && !read.Has(behaviors...) {
		return ""
	}
	for _, sentence := range read.Sentences {
		if isLoud && isShouted(sentence) || sentence.Has(behaviors...) {
			return read.Raw[sentence[0].At:sentence[len(sentence)-1].End]
		}
	}
	return ""
}

// loud are words in capitals with which texts give orders, and stressed those that stress one or a fact, with words of orders.
var (
	loud      = []string{"MUST", "ALWAYS", "NEVER", "MANDATORY"}
	stressed  = []string{"CRITICAL", "IMPORTANT"}
	directing = prose.Phrases("must", "always", "never", "should", "do not", "don ' t", "use", "call", "ensure", "make sure", "you")
)

// isShouted reports whether a sentence gives an order in capitals. NOT and ONLY do so behind a verb, and are signs of a
// language or parts of a name elsewhere.
func isShouted(sentence prose.Sentence) bool {
	isOfUse := false
	for i, token := range sentence {
		if token.Kind != prose.Word {
			continue
		}
		switch {
		case slices.Contains(loud, token.Text),
			slices.Contains(stressed, token.Text) && sentence.Has(directing...),
			token.Text == "REQUIRED" && i+1 < len(sentence) && sentence[i+1].Text == ":" && sentence.Has(directing...),
			token.Text == "ONLY" && isOfUse,
			token.Text == "NOT" && i > 0 && (slices.Contains([]string{"must", "should"}, sentence[i-1].Lower) || sentence[i-1].Lower == "do" && (i == 1 || sentence[i-2].Kind == prose.Sign || sentence[i-2].Lower == "you")):
			return true
		}
		isOfUse = isOfUse || slices.Contains([]string{"use", "used", "call", "called", "you", "must"}, token.Lower)
	}
	return false
}

// behaviors are phrases about what a model is to do besides calling the tool.
var behaviors = prose.Phrases(
	"ask the user", "ask for this id", "ask for it", "confirm with the user", "check with the user", "tell the user", "inform the user", "links to the user",
	"requested by the user", "explicitly requested by", "user has explicitly", "user approval",
	"primary tool", "preferred tool", "best tool", "most powerful", "prefer this tool", "always prefer", "always use this", "always call this", "default to using", "before answering", "mcp instead",
	"do not cache", "git remote url", "your response", "your answer",
)
