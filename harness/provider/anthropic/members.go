package anthropic

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// memberExtra reports a member that tools do not have.
var memberExtra = &provider.Rule{
	Name:   "member_extra",
	Effect: provider.Rejects,
	Stage:  declaration,
	Doc: `a tool has no unknown members

Before advanced tool use, which came on 2025-11-24, input_examples was refused so; the model says the
same of defer_loading and allowed_callers, which came with it. Of the refusals of these since, which
are about a header, a model or another host, nothing is modelled.`,
	Evidence: []string{
		"anthropic/tools/2b84589b33a1",
		// Near misses.
		"anthropic/tools/58e451941d2d",
	},
	Check: func(p *provider.Pass) {
		for _, member := range p.Node.Members {
			if !isMember(member.Key) || slices.Contains(advanced, member.Key) && p.Subject.(provider.Date) < advancedSince { //nolint:forcetypeassert // the stage's own type
				report(p, "."+member.Key, member.Value, string(schema.Pointer("").Child(member.Key)), "Extra inputs are not permitted")
				return
			}
		}
	},
}

// advanced are the members of advanced tool use, and advancedSince is the first day with it:
// https://www.anthropic.com/engineering/advanced-tool-use.
var advanced = []string{"input_examples", "defer_loading", "allowed_callers"}

const advancedSince = "2025-11-24"

// isMember reports whether a tool has a member of the name.
func isMember(name string) bool {
	switch name {
	case "name", "description", "input_schema", "type", "strict":
		return true
	default:
		return slices.Contains(toolMembers, name)
	}
}

// deferredAndCached reports a tool with both defer_loading and cache_control.
var deferredAndCached = &provider.Rule{
	Name:   "deferred_and_cached",
	Effect: provider.Rejects,
	Stage:  declaration,
	Since:  "2026-03-05",
	Doc:    `a tool with defer_loading has no cache_control`,
	Evidence: []string{
		"anthropic/tools/012d73032a47",
		// Near misses.
		"anthropic/tools/0124c06ee9c2",
	},
	Check: func(p *provider.Pass) {
		cached := p.Node.Get("cache_control")
		if p.Node.Get("defer_loading").IsTrue() && cached != nil && cached.Kind != schema.Null {
			p.Node, p.At = cached, []byte("/cache_control")
			p.Report(provider.Finding{Message: "Tool '" + p.Request.Declarations[p.Declaration].GetString("name") +
				"' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching."})
		}
	},
}
