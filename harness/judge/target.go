package judge

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Target is a surface with the normalizer that makes tools for it.
type Target struct {
	// Normalizer is nil for a surface whose tools are judged as they are given.
	Normalizer normalizers.Normalizer
	Dialect    *provider.Dialect
	// Also are further surfaces that take the same tool: it is accepted where all of
	// them accept it.
	Also []*provider.Dialect
	// Fallback is the surface for a tool that the normalizer sends as one that is not
	// strict; nil where there is none.
	Fallback *provider.Dialect
	// Doc says what an alternate does; empty for a target, which is for its dialect.
	Doc string
}

// Name returns the name of the target, such as gemini; of a surface without a
// normalizer, that of the dialect.
func (t Target) Name() string {
	if t.Normalizer == nil {
		return t.Dialect.Name
	}
	return t.Normalizer.Name()
}

// shown returns a tool as results show it: where it is published, with all that is
// published.
func (t Target) shown(tool schema.Tool) *schema.Node {
	if t.Dialect.API == provider.ToolsList {
		return tool.Whole()
	}
	return tool.Node()
}

// Surface returns the surface of a normalized tool: the fallback, where there is one
// and the tool is not strict.
func (t Target) Surface(strict bool) *provider.Dialect {
	if t.Fallback != nil && !strict {
		return t.Fallback
	}
	return t.Dialect
}

// cannotSay reports whether the normalizer found that only a function which is not strict can
// say the tool, where the target has no surface for one.
func (t Target) cannotSay(normalized normalizers.Result) bool {
	return normalized.Fallback != "" && t.Fallback == nil
}

// IsFor reports whether the surface takes what a declaration declares: the schema of an answer, or
// a tool.
func (t Target) IsFor(declared toolfile.Tool) bool {
	return declared.IsResponse == (t.Dialect.Subject == provider.Answer)
}

// Divide returns the targets for tools, and those for the schemas of answers.
func Divide(targets []Target) (ofTools, ofResponses []Target) {
	for _, target := range targets {
		if target.Dialect.Subject == provider.Answer {
			ofResponses = append(ofResponses, target)
		} else {
			ofTools = append(ofTools, target)
		}
	}
	return ofTools, ofResponses
}

// Format returns the members of a request that have a normalized response schema: its body
// without what every request has.
func (t Target) Format(normalized *verdict.Normalized) *schema.Node {
	declaration := t.Dialect.Declare(schema.ToolOf(normalized.Tool))
	root := t.Dialect.SchemaOf(declaration)
	members := schema.NewObject()
	for _, member := range t.Dialect.Envelope([]*schema.Node{declaration}).Members {
		if holds(member.Value, root) {
			members.Members = append(members.Members, member)
		}
	}
	return members
}

// holds reports whether a value has a node inside, or is the node.
func holds(value, node *schema.Node) bool {
	return value == node ||
		slices.ContainsFunc(value.Members, func(member schema.Member) bool { return holds(member.Value, node) }) ||
		slices.ContainsFunc(value.Elements, func(element *schema.Node) bool { return holds(element, node) })
}

// Wire returns the entry for a normalized tool in the list of tools of a request.
func (t Target) Wire(normalized *verdict.Normalized) *schema.Node {
	dialect := t.Surface(normalized.Strict)
	declaration := dialect.Declare(schema.ToolOf(normalized.Tool))
	if entries := dialect.Request([]*schema.Node{declaration}).Body.Get("tools"); entries != nil && !entries.Elements[0].Has("functionDeclarations") {
		return entries.Elements[0]
	}
	return declaration
}
