package protocol

import (
	"fmt"
	"strings"

	"toolproof/schema"
)

// listed are the lists that a server may have, with the capability that they belong to.
var listed = []struct{ step, member, capability string }{
	{listTools, "tools", "tools"},
	{listPrompts, "prompts", "prompts"},
	{listResources, "resources", "resources"},
	{listTemplates, "resourceTemplates", "resources"},
}

// listChecks are about what a server lists.
var listChecks = []*Check{
	declaresCheck("tools"), declaresCheck("prompts"), declaresCheck("resources"),
	{
		Name: "lists", Level: States, Since: "2024-11-05", Page: "server/tools#listing-tools",
		Says: "To discover available tools, clients send a tools/list request. (The pages of prompts and resources say the same of theirs.)",
		judge: func(t *transcript) sight {
			seen := unseen
			for _, list := range listed {
				if e := t.of(list.step); !t.declares(list.capability, "") || e == nil || e.isLast {
					continue
				}
				entries := t.result(list.step).Get(list.member)
				switch code := t.answer(list.step).Get("error").Get("code"); {
				case code != nil && (list.step == listTemplates || code.String() != "-32601"):
					// a server need not have templates, and another error says nothing of what it supports
				case entries == nil || entries.Kind != schema.Array:
					return broken("it declares " + list.capability + ", and answers to " + list.step + " with " + shortly(t.answer(list.step)))
				default:
					seen = kept
				}
			}
			return seen
		},
	},
	{
		Name: "cursor", Level: States, Since: "2024-11-05", Page: "server/utilities/pagination#response-format",
		Says: "The cursor is an opaque string token, representing a position in the result set.",
		judge: func(t *transcript) sight {
			seen, pages := unseen, 1
			for _, e := range t.exchanges {
				if e.step != listTools && !strings.HasPrefix(e.step, "tools/list, page") || len(e.answers) == 0 {
					continue
				}
				cursor := e.answers[0].Get("result").Get("nextCursor")
				switch {
				case cursor == nil:
					continue
				case cursor.Kind == schema.Null:
					return broken("nextCursor is null: clients that expect a string refuse the list")
				case cursor.Kind != schema.String:
					return broken("nextCursor is " + shortly(cursor))
				case pages == 20:
					return broken(fmt.Sprintf("its list of tools has more than %d pages", pages))
				}
				seen = kept
				pages++
			}
			return seen
		},
	},
	{
		Name: "bad_cursor", Level: Should, Since: "2024-11-05", Page: "server/utilities/pagination#error-handling",
		Says:  "Invalid cursors SHOULD result in an error with code -32602 (Invalid params).",
		judge: refuses(badCursor, "-32602"),
	},
	{
		Name: "same_order", Level: Should, Since: Stateless, Page: "server/tools#capabilities",
		Says: "Servers SHOULD return tools in a deterministic order (i.e., the same ordering across requests when the underlying set of tools has not changed).",
		judge: func(t *transcript) sight {
			first, second := names(t.result(listTools)), names(t.result(listToolsAgain))
			switch {
			case len(first) < 2 || len(second) != len(first):
				return unseen
			case strings.Join(first, "\n") != strings.Join(second, "\n"):
				return broken("it lists the tools in another order when it is asked again")
			}
			return kept
		},
	},
}

// declaresCheck returns the check that a server that has something declares it.
func declaresCheck(capability string) *Check {
	return &Check{
		Name: "declares_" + capability, Level: Must, Since: "2024-11-05", Page: "server/" + capability + "#capabilities",
		Says: "Servers that support " + capability + " MUST declare the " + capability + " capability.",
		judge: func(t *transcript) sight {
			if t.declared() == nil {
				return unseen
			}
			for _, list := range listed {
				entries := t.result(list.step).Get(list.member)
				if list.capability == capability && entries != nil && len(entries.Elements) > 0 && !t.declares(capability, "") {
					return broken(fmt.Sprintf("it answers to %s with %d entries, and does not declare %s", list.step, len(entries.Elements), capability))
				}
			}
			if t.declares(capability, "") {
				return kept
			}
			return unseen
		},
	}
}

// names returns the names of the tools in a result.
func names(result *schema.Node) []string {
	var found []string
	if tools := result.Get("tools"); tools != nil {
		for _, tool := range tools.Elements {
			if tool.Kind == schema.Object {
				found = append(found, tool.GetString("name"))
			}
		}
	}
	return found
}
