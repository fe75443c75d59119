package judge

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Target is a surface together with the normalizer that makes tools for it.
type Target struct {
	// Normalizer is nil for a surface whose tools are only judged as given.
	Normalizer normalizers.Normalizer
	Dialect    *provider.Dialect
	// Also are further surfaces that take the same tool. The tool is accepted only if all of them
	// accept it.
	Also []*provider.Dialect
	// Fallback is the surface for tools that the normalizer does not make strict; nil if there is
	// none.
	Fallback *provider.Dialect
	// Doc says what an alternate target does differently; empty for the main target of a dialect.
	Doc string
}

// Name returns the name of the target, such as gemini. For a surface without a normalizer that is
// the name of the dialect.
func (t Target) Name() string {
	if t.Normalizer == nil {
		return t.Dialect.Name
	}
	return t.Normalizer.Name()
}

// Is reports whether two targets have the same name.
func (t Target) Is(other Target) bool { return t.Name() == other.Name() }

// shown returns a tool as results show it. For a surface that publishes lists of tools it has every
// published member.
func (t Target) shown(tool schema.Tool) *schema.Node {
	if t.Dialect.API == provider.ToolsList {
		tool.Members = nil
		return tool.Whole()
	}
	node := tool.Node()
	read, _ := t.Dialect.Reads(tool)
	node.Members = append(node.Members, read...)
	return node
}

// notRead is the rule of a member that a client does not send to a surface.
var notRead = &provider.Rule{Name: "member_not_read", Effect: provider.Ignores, Doc: "the surface does not have the member, which is left out"}

// leftOut returns the members of a tool that the surface does not read.
func (t Target) leftOut(tool schema.Tool) []provider.Finding {
	var findings []provider.Finding
	_, others := t.Dialect.Reads(tool)
	for _, member := range others {
		findings = append(findings, provider.Finding{
			Rule: notRead, Message: t.Dialect.Name + " has no " + member.Key + ", which is left out",
			At: schema.Pointer("").Child(member.Key), Node: member.Value, Position: member.Position,
		})
	}
	return findings
}

// Surface returns the surface of a normalized tool: the fallback if the tool is not strict and the
// target has one.
func (t Target) Surface(strict bool) *provider.Dialect {
	if t.Fallback != nil && !strict {
		return t.Fallback
	}
	return t.Dialect
}

// cannotSay reports whether the tool can only be sent as a function that is not strict, although
// the target has no surface for such functions.
func (t Target) cannotSay(normalized normalizers.Result) bool {
	return normalized.Fallback != "" && t.Fallback == nil
}

// IsFor reports whether the surface takes what a declaration declares: a tool, or the schema of an
// answer.
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

// Format returns those members of a request body that carry a normalized response schema, without
// the members that every request has.
func (t Target) Format(normalized *verdict.Normalized) *schema.Node {
	declaration := t.Dialect.Declaration(schema.ToolOf(normalized.Tool))
	root := t.Dialect.SchemaOf(declaration)
	members := schema.NewObject()
	for _, member := range t.Dialect.Envelope([]*schema.Node{declaration}).Members {
		if holds(member.Value, root) {
			members.Members = append(members.Members, member)
		}
	}
	return members
}

// holds reports whether a value is the node or contains it.
func holds(value, node *schema.Node) bool {
	return value == node ||
		slices.ContainsFunc(value.Members, func(member schema.Member) bool { return holds(member.Value, node) }) ||
		slices.ContainsFunc(value.Elements, func(element *schema.Node) bool { return holds(element, node) })
}

// Wire returns the entry for a normalized tool in the list of tools of a request.
func (t Target) Wire(normalized *verdict.Normalized) *schema.Node {
	dialect := t.Surface(normalized.Strict)
	declaration := dialect.Declaration(schema.ToolOf(normalized.Tool))
	if entries := dialect.Request([]*schema.Node{declaration}).Body.Get("tools"); entries != nil && !entries.Elements[0].Has("functionDeclarations") {
		return entries.Elements[0]
	}
	return declaration
}
