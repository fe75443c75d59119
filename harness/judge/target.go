package judge

import (
	"toolproof/harness/provider"
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

// Wire returns the entry for a normalized tool in the list of tools of a request.
func (t Target) Wire(normalized *verdict.Normalized) *schema.Node {
	dialect := t.Surface(normalized.Strict)
	declaration := dialect.Declare(schema.ToolOf(normalized.Tool))
	if entries := dialect.Request([]*schema.Node{declaration}).Body.Get("tools"); entries != nil && !entries.Elements[0].Has("functionDeclarations") {
		return entries.Elements[0]
	}
	return declaration
}
