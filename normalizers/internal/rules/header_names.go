package rules

import (
	"slices"
	"strings"

	"toolproof/internal/lazy"
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// headerName is the keyword that names a header, and headerToken matches the names that HTTP has.
const headerName = "x-mcp-header"

var headerToken = lazy.Compile("^[!#$%&'*+\\-.^_`|~0-9A-Za-z]+$")

// HeaderNames serves servers of the Model Context Protocol.
var HeaderNames = &engine.Rule{
	Name: "header_names",
	Doc: `an x-mcp-header that the protocol does not allow is left out

A client of version 2026-07-28 leaves out a tool over streamable HTTP if an x-mcp-header is
empty, no token of HTTP, there twice, beside another type than string, integer or boolean,
or not in a property to which only properties lead. The annotation has no effect on
arguments. Source:
https://modelcontextprotocol.io/specification/2026-07-28/server/tools.`,
	Before: `{"properties": {"a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "number", "x-mcp-header": "B"}, "c": {"type": "string", "x-mcp-header": "a"}}}`,
	After:  `{"properties": {"a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "number"}, "c": {"type": "string"}}}`,
	Loss:   rewrite.Exact,
	Root:   true,
	Rewrite: func(p *engine.Pass) {
		var named []*schema.Node
		p.Schema.Each(func(node *schema.Node) bool {
			if node.Kind == schema.Object && node.Has(headerName) {
				named = append(named, node)
			}
			return true
		})
		if len(named) == 0 {
			return
		}
		reachable, seen := map[*schema.Node]bool{}, map[string]bool{}
		reach(p.Schema, reachable)
		for _, node := range named {
			name := strings.ToLower(node.GetString(headerName))
			isKept := reachable[node] && headerToken.MatchString(name) && !seen[name] &&
				slices.Contains([]string{"string", "integer", "boolean"}, node.GetString("type"))
			if seen[name] = seen[name] || isKept; !isKept {
				p.Below(node, "").Remove(headerName, rewrite.Exact)
			}
		}
	},
}

// reach adds the schemas of properties, and of properties in them, to a set.
func reach(node *schema.Node, reachable map[*schema.Node]bool) {
	properties := node.Get("properties")
	if properties == nil || properties.Kind != schema.Object {
		return
	}
	for _, member := range properties.Members {
		reachable[member.Value] = true
		reach(member.Value, reachable)
	}
}
