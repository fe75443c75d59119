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
State a need in the schema, and the rest in plain words. Praise, and a list of what to do before and after a call, cost tokens in
each request. Where to find an argument, and for what another tool is the better one, are worth saying.`,
	Source: Source{
		"Review criteria of Claude's directory: describe what the tool does, and do not tell Claude how to behave; quoted by https://github.com/metrifi/plugins/blob/main/docs/submission-checklist.md.",
		"https://claude.com/docs/connectors/building/review-criteria", "2026-07-23",
	},
	Bad:    `[{"name": "get_space", "description": "Read a space. You MUST call this first.", "parameters": {"type": "object", "required": ["space_id"], "properties": {"space_id": {"type": "string", "description": "A number such as 4711. If it is unclear, ask the user."}}}}]`,
	Good:   `[{"name": "get_space", "description": "Read a space, whose language all other tools take.", "parameters": {"type": "object", "required": ["space_id"], "properties": {"space_id": {"type": "string", "description": "A number such as 4711."}}}}]`,
	IsNote: true,
	check: func(p *pass, tool *declaration) {
		before := len(p.found)
		texts(tool, func(at schema.Pointer, node *schema.Node, whose string, read *prose.Text) {
			order, heard := orderIn(read)
			switch {
			case order == "", whose != tool.Name && strings.Contains(whose, "confirm"): // an argument that says whether the user agrees
			case len(p.found) == before:
				p.report(at, node, "the description of "+whose+" "+heard.does+", with "+quoted(order)+": "+heard.answer)
			default:
				p.found[before].Also = append(p.found[before].Also, at)
			}
		})
	},
}

// tone is a way to tell a model how to behave, and what to write instead.
type tone struct{ does, answer string }

// loudness is the tone of capitals, and tones are those with phrases of their own.
var (
	loudness = tone{"gives orders in capitals, which models follow too eagerly", "say it in plain letters, and leave out what the schema says"}
	tones    = []struct {
		tone
		phrases []prose.Phrase
	}{
		{tone{"says what to ask the user", "say what is meant and where it is found; a model asks for what it lacks"}, prose.Phrases("ask the user", "ask for this id", "ask for it", "confirm with the user", "check with the user")},
		{tone{"says how to answer the user", "say what the tool returns"}, prose.Phrases("tell the user", "links to the user", "your response", "before answering", "do not cache", "when relaying", "strictly follow")},
		{tone{"advertises it", "say what it does, and what other tools do not"}, prose.Phrases("primary tool", "preferred tool", "more powerful", "powerful tool", "essential for", "essential first", "essential when", "perfect for", "start here", "cutting-edge", "state-of-the-art", "seamlessly", "effortlessly")},
		{tone{"puts it before others", "say for what it is the better one"}, prose.Phrases("prefer this tool", "always prefer", "always use this", "always call this", "default to using", "mcp instead", "use this tool first")},
		{tone{"speaks to the model", "say what the tool does and needs, and for what another one is there"}, prose.Phrases("make sure", "be sure to", "remember to", "only use this", "call this first", "call me", "must call", "must never", "only use when", "use this only", "use only when", "if you are unsure", "if you don ' t", "security warning")},
		{tone{"is a guide for work with several tools", "say what this one does"}, prose.Phrases("next steps :", "common mistakes :", "alternatives :")},
	}
)

// orderIn returns the first sentence of a text that tells a model how to behave, and in which tone it does; "" if there is none.
func orderIn(read *prose.Text) (string, tone) {
	for _, kind := range tones {
		if !read.Has(kind.phrases...) {
			continue
		}
		for _, sentence := range read.Sentences {
			if sentence.Has(kind.phrases...) {
				return read.Raw[sentence[0].At:sentence[len(sentence)-1].End], kind.tone
			}
		}
	}
	if hasAny(read.Raw, loud...) || hasAny(read.Raw, stressed...) || hasAny(read.Raw, "NOT", "ONLY", "REQUIRED:") {
		for _, sentence := range read.Sentences {
			if isShouted(sentence) {
				return read.Raw[sentence[0].At:sentence[len(sentence)-1].End], loudness
			}
		}
	}
	return "", tone{}
}

// loud are words in capitals with which texts give orders, and stressed those that stress one or a fact, with words of orders.
var (
	loud      = []string{"MUST", "ALWAYS", "NEVER", "MANDATORY", "ANYTIME"}
	stressed  = []string{"CRITICAL", "IMPORTANT", "FIRST", "BEFORE"}
	directing = prose.Phrases("must", "should", "use", "call", "you")
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
			slices.Contains(stressed, token.Text) && (sentence.Has(directing...) || i+1 < len(sentence) && sentence[i+1].Text == ":"),
			token.Text == "REQUIRED" && i+1 < len(sentence) && sentence[i+1].Text == ":" && sentence.Has(directing...),
			token.Text == "ONLY" && isOfUse,
			token.Text == "NOT" && i > 0 && (slices.Contains([]string{"must", "should"}, sentence[i-1].Lower) || sentence[i-1].Lower == "do" && (i == 1 || sentence[i-2].Kind == prose.Sign || sentence[i-2].Lower == "you")):
			return true
		}
		isOfUse = isOfUse || slices.Contains([]string{"use", "used", "call", "called", "you", "must"}, token.Lower)
	}
	return false
}
