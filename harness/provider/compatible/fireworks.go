package compatible

import (
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/python"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// fireworksChat is the functions of Fireworks. The target portable asks it although no acceptance
// is recorded: of the 12,041 tools of the corpus it refuses none that the others accept, so that it
// takes nothing from the tools that portable makes.
var fireworksChat = func() *provider.Dialect {
	row := chat("fireworks/chat", "functions of Fireworks' chat completions", "/inference/v1/chat/completions", []string{"*fireworks*"},
		envelope{wrapped: true, kind: "invalid_request_error", about: lazy.Compile(`^JSON Schema not supported`)},
		spoken(`JSON Schema not supported: could not understand the instance[^\n]*`), notUnderstood)
	row.Relative, row.RelativeDay = "llamacpp", "2026-08-04"                                // when it gave a keyword to a schema that restricts nothing
	row.Canonical = func(message string) string { return strings.TrimSuffix(message, ".") } // some reports leave the full stop out
	return row
}()

// notUnderstood reports a schema that does not restrict its values.
var notUnderstood = &provider.Rule{
	Name:   "not_understood",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `a schema has a keyword that says something of its values

An empty schema, or one with only annotations, unknown keywords, items and required, is refused.
The message quotes it as Python prints it, with members sorted by name. How uncommon keywords of
JSON Schema are judged is not known, and neither is which models this depends on: it was seen of
Kimi K2.5 and K2.6.`,
	Source: "https://github.com/docker/mcp-gateway/pull/234 (2025-11-12), where Ollama's cloud passed the words on; " +
		"https://github.com/code-yeongyu/oh-my-openagent/issues/2961 (2026-03-30, items alone); " +
		"https://github.com/earendil-works/pi/issues/5352 (2026-06-03, required alone); " +
		"two public source files of 2026 without a stable address; docs/providers.md#fireworks",
	Check: func(p *provider.Pass) {
		if p.Node.Kind == schema.Object && !slices.ContainsFunc(p.Node.Members, saysSomething) {
			p.Charge(p.Node.Size())
			p.Reportf("JSON Schema not supported: could not understand the instance `%s`.", python.Value(sorted(p.Node)))
		}
	},
}

// saysSomething reports whether a keyword is one of JSON Schema other than an annotation, and
// other than those that were refused alone.
func saysSomething(member schema.Member) bool {
	return member.Key != "items" && member.Key != "required" && schema.ClassOf(member.Key) != schema.Unknown && !schema.IsAnnotation(member.Key) && !schema.IsMeta(member.Key)
}

// sorted returns a copy of a value whose objects have their members sorted by name.
func sorted(node *schema.Node) *schema.Node {
	clone := node.Clone()
	var sort func(node *schema.Node)
	sort = func(node *schema.Node) {
		slices.SortFunc(node.Members, func(a, b schema.Member) int { return strings.Compare(a.Key, b.Key) })
		for _, member := range node.Members {
			sort(member.Value)
		}
		for _, element := range node.Elements {
			sort(element)
		}
	}
	sort(clone)
	return clone
}
