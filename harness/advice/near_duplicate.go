package advice

import (
	"slices"
	"strings"
)

// nearDuplicate finds tools of one list that a model cannot distinguish.
var nearDuplicate = &Rule{
	Name: "near_duplicate",
	Doc: `two tools of a list read alike

Two names may differ only in signs such as _ and -, and two descriptions may have the same
words. A model then has no reason to choose one or the other.`,
	Source: Source{
		"Anthropic: too many tools, or tools that overlap, distract agents; each tool has a purpose of its own.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad: `[{"name": "get_user", "description": "Read name, mail and groups of an account.", "parameters": {"type": "object", "properties": {}}},
 {"name": "fetch_account", "description": "Read name, mail and groups of an account.", "parameters": {"type": "object", "properties": {}}}]`,
	Good: `[{"name": "get_user", "description": "Read name, mail and groups of an account.", "parameters": {"type": "object", "properties": {}}},
 {"name": "fetch_account", "description": "Read the invoices and payments of an account.", "parameters": {"type": "object", "properties": {}}}]`,
	check: func(p *pass, tool *declaration) {
		at, node := tool.descriptionOf()
		for _, twin := range p.twins[tool.index] {
			p.report(at, node, tool.Name+" reads like "+p.tools[twin].Name+": say in both when to use which, or keep one")
		}
	},
}

// twinsOf returns the earlier tools that read like a tool of the list, by its index.
func twinsOf(tools []*declaration) map[int][]int {
	twins := map[int][]int{}
	const fewest = 4 // words of a description that two tools do not share by chance
	byName, byText := map[string]int{}, map[string]int{}
	for i, tool := range tools {
		note := func(seen map[string]int, key string) {
			other, isKnown := seen[key]
			if !isKnown {
				seen[key] = i
			} else if tools[other].Name != tool.Name && !slices.Contains(twins[i], other) {
				twins[i] = append(twins[i], other)
			}
		}
		if len(tool.named) > 0 {
			note(byName, strings.Join(tool.named, " "))
		}
		if said := strings.Fields(strings.TrimRight(tool.lower, " .\n")); len(said) >= fewest {
			note(byText, strings.Join(said, " "))
		}
	}
	return twins
}
