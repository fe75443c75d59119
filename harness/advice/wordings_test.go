package advice

import (
	"strings"
	"testing"
)

// TestWordings: rules read classes of wordings, and find nothing in what only looks like one.
func TestWordings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule          *Rule
		found, others string // properties of two tools
	}{
		{openObject, `"a": {"type": "array", "description": "Steps.", "items": {"type": "object"}}`, `"a": {"type": "array", "description": "Steps.", "items": {"type": "string"}}`},
		{openObject, `"a": {"anyOf": [{"type": "object"}, {"type": "string"}]}`, `"a": {"anyOf": [{"type": "object", "properties": {"b": {"type": "string"}}}, {"type": "string"}]}`},
		{openObject, `"a": {"description": "What to set."}`, `"value": {"description": "What to set."}`},
		{openObject, `"a": {"type": "object", "description": "Fields to change (optional)."}`, `"a": {"type": "object", "description": "Fields, e.g. name."}`},
		{contradiction, `"r": {"type": "string", "description": "If omitted, all are returned."}`, `"r": {"type": "string", "description": "If not provided, ask the user."}`},
		{contradiction, `"a": {"type": "string", "description": "A name. Pass ` + "`null`" + ` to clear it."}`, `"a": {"type": ["string", "null"], "description": "A name. Pass null to clear it."}`},
		{httpWords, `"a": {"type": "string", "description": "Values are listed via the form-fields endpoint."}`, `"a": {"type": "string", "description": "The endpoint of the line."}`},
		{
			noPages, `"l": {"type": "array", "items": {"type": "object", "properties": {"line": {"type": "integer", "description": "Where to comment."}}}}`,
			`"start_line": {"type": "integer", "description": "First line, from 1."}, "end_line": {"type": "integer", "description": "The last one."}`,
		},
		{noPages, `"start_cursor": {"type": "string", "description": "For pages."}`, `"start_cursor": {"type": "string", "description": "next_cursor of the previous answer."}`},
		{noUnit, `"growth_rate": {"type": "number"}`, `"rate": {"type": "number"}`},
		{noUnit, `"width": {"type": "number", "description": "Of the chart."}`, `"width": {"type": "number", "description": "Of the chart in points."}`},
		{noUnit, `"expiration_time": {"type": "number"}`, `"start_time": {"type": "number"}`},
		{noFormat, `"currency": {"type": "string", "description": "Of the price."}`, `"currency": {"type": "string", "description": "An ISO code."}`},
		{noFormat, `"start": {"type": "string", "description": "As YYYY-MM-DD HH:MM."}`, `"start": {"type": "string", "description": "In UTC, as YYYY-MM-DD HH:MM."}`},
		{formatInProse, `"callback_url": {"type": "string", "description": "An HTTPS URL."}`, `"callback": {"type": "string", "description": "An HTTPS URL."}`},
		{requiredOfMode, `"kind": {"type": "string", "enum": ["all", "one"]}, "b": {"type": "string", "description": "The name (kind=one)."}`, `"kind": {"type": "string", "enum": ["all", "one"]}, "b": {"type": "string", "description": "The name of one kind."}`},
		{requiredOfMode, `"m": {"type": "string", "enum": ["list", "get"]}, "b": {"type": "string", "description": "Required for list, get."}`, `"m": {"type": "string", "enum": ["list", "get"]}, "b": {"type": "string", "description": "Required for get together."}`},
		{requiredOfMode, `"b": {"type": "string", "description": "What happened; required when creating a defect."}`, `"b": {"type": "string", "description": "What happened when creating a defect."}`},
		{requiredOfMode, `"path": {"type": "string"}, "b": {"type": "string", "description": "An address (alternative to path)."}`, `"path": {"type": "string"}, "b": {"type": "string", "description": "An alternative way to paths."}`},
		{unlistedValues, `"status": {"type": "string", "description": "Filter by status (e.g. \"open\", \"paid\")."}`, `"status": {"type": "string", "description": "One of 'open' or 'paid'."}`},
		{unlistedValues, `"state": {"type": "string", "description": "The new state."}`, `"city": {"type": "string"}, "state": {"type": "string", "description": "Of the address."}`},
	} {
		count := func(properties string) int {
			return len(of(t, tools(t, `[{"name": "f", "description": "Do it.", "parameters": {"type": "object", "required": ["r"], "properties": {`+properties+`}}}]`), Options{Rules: []*Rule{test.rule}}))
		}
		if count(test.found) != 1 {
			t.Errorf("%s: %d findings in %s", test.rule.Name, count(test.found), test.found)
		}
		if count(test.others) != 0 {
			t.Errorf("%s finds something in %s", test.rule.Name, test.others)
		}
	}
}

// TestMakesNothing: a tool that writes something requires what it writes.
func TestMakesNothing(t *testing.T) {
	t.Parallel()
	const text = `{"type": "string", "description": "Text."}`
	for list, want := range map[string]int{
		`[{"name": "send_message", "description": "Send it.", "parameters": {"type": "object", "properties": {"to": ` + text + `, "body": ` + text + `}}}]`:                                                             1,
		`[{"name": "send_message", "description": "Send it, by default to all.", "parameters": {"type": "object", "properties": {"to": ` + text + `, "body": ` + text + `}}}]`:                                          0,
		`[{"name": "get_message", "description": "Get it.", "parameters": {"type": "object", "properties": {"to": ` + text + `, "body": ` + text + `}}}]`:                                                               0,
		`[{"name": "create_monitor", "description": "Make it.", "parameters": {"type": "object", "required": ["team"], "properties": {"team": ` + text + `, "monitor": {"type": "object", "required": ["name"]}}}}]`:    1,
		`[{"name": "create_monitor", "description": "Make it.", "parameters": {"type": "object", "required": ["monitor"], "properties": {"team": ` + text + `, "monitor": {"type": "object", "required": ["name"]}}}}]`: 0,
	} {
		if found := of(t, tools(t, list), Options{Rules: []*Rule{nothingRequired}}); len(found) != want {
			t.Errorf("%d findings, expected %d, in %s", len(found), want, list)
		}
	}
}

// TestSources: an identifier comes from a tool whose name has the words between the verb and the noun,
// or from nowhere that is known.
func TestSources(t *testing.T) {
	t.Parallel()
	const id = `"parameters": {"type": "object", "required": ["hook_id"], "properties": {"hook_id": {"type": "string", "description": "The ID of the hook to ping"}}}`
	for list, want := range map[string]string{
		`[{"name": "list_repository_hooks", "description": "All."}, {"name": "ping_repository_hook", "description": "Ping it.", ` + id + `}]`:                                                                                       `hook_id does not say where it comes from: add "from list_repository_hooks"`,
		`[{"name": "list_team_hooks", "description": "All."}, {"name": "ping_repository_hook", "description": "Ping it.", ` + id + `}]`:                                                                                             "",
		`[{"name": "listHooksV1", "description": "All."}, {"name": "ping_repository_hook", "description": "Ping it.", ` + id + `}]`:                                                                                                 `hook_id does not say where it comes from: add "from listHooksV1"`,
		`[{"name": "list_indexes", "description": "All."}, {"name": "describe_it", "description": "Describe it.", "parameters": {"type": "object", "required": ["index_name"], "properties": {"index_name": {"type": "string"}}}}]`: `index_name does not say where it comes from: add "from list_indexes"`,
		`[{"name": "list_indexes", "description": "All."}, {"name": "create_it", "description": "Make it.", "parameters": {"type": "object", "required": ["index_name"], "properties": {"index_name": {"type": "string"}}}}]`:       "",
		`[{"name": "ping_repository_hook", "description": "Ping it.", ` + id + `}]`:                                                                                                                                                 "",
		`[{"name": "add", "description": "Add it."}, {"name": "ping_repository_hook", "description": "Ping it.", ` + id + `}]`:                                                                                                      "hook_id does not say where it comes from, and no tool seems to find it: say where to look, with an example",
	} {
		var messages []string
		for _, finding := range of(t, tools(t, list), Options{Rules: []*Rule{unknownIdentifier}}) {
			messages = append(messages, finding.Message)
		}
		if got := strings.Join(messages, "\n"); got != want {
			t.Errorf("found %q, expected %q, in %s", got, want, list)
		}
	}
}
