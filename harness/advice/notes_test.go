package advice

import "testing"

// TestNotes: what most models get right all the same is a note, and what they get wrong is advice.
func TestNotes(t *testing.T) {
	t.Parallel()
	const text = `{"type": "string", "description": "Any text."}`
	for _, test := range []struct {
		rule         *Rule
		note, advice string // lists of tools
	}{
		{
			tellsModel, `[{"name": "sail", "description": "Set a sail. NEVER two."}]`,
			"",
		},
		{
			tellsModel, `[{"name": "sail", "description": "Set a sail. Make sure that the wind is right."}]`,
			"",
		},
		{
			noDescription, `[{"name": "delete_ship", "description": "Scrap one.", "parameters": {"properties": {"ship_id": {"type": "string"}}}}]`,
			`[{"name": "delete_ship", "description": "Scrap one.", "parameters": {"properties": {"dock_id": {"type": "string"}}}}]`,
		},
		{
			noDescription, `[{"name": "sum", "description": "The sum of two.", "parameters": {"properties": {"a": {"type": "number"}, "b": {"type": "number"}}}}]`,
			`[{"name": "sum", "description": "The sum of two.", "parameters": {"properties": {"left": {"type": "number"}}}}]`,
		},
		{
			openObject, `[{"name": "send", "description": "Send it.", "parameters": {"properties": {"body": {"type": "object", "description": "What to send."}}}}]`,
			`[{"name": "send", "description": "Send it.", "parameters": {"properties": {"letter": {"type": "object", "description": "What to send."}}}}]`,
		},
		{
			vagueResult, `[{"name": "inspect_ship", "description": "Inspect a ship."}]`,
			`[{"name": "draw_route_chart", "description": "Draw a chart of a route."}]`,
		},
		{
			vagueResult, `[{"name": "take_screenshot", "description": "Take a picture of the screen."}]`,
			`[{"name": "deploy_site", "description": "Deploys a site."}]`,
		},
		{
			sideEffect, `[{"name": "delete_comment", "description": "Delete a comment."}]`,
			`[{"name": "delete_project", "description": "Delete a project."}]`,
		},
		{
			sideEffect, `[{"name": "uninstall_app", "description": "Uninstall an app."}]`,
			`[{"name": "delete_comments", "description": "Delete comments.", "parameters": {"required": ["ids"], "properties": {"ids": {"type": "array", "items": ` + text + `}}}}]`,
		},
		{
			sideEffect, `[{"name": "drop_table", "description": "Drop a table after a confirmation."}]`,
			`[{"name": "drop_table", "description": "Drop a table."}]`,
		},
		{
			sideEffect, `[{"name": "delete_filter", "description": "Delete a filter."}]`,
			"",
		},
		{
			sideEffect, `[{"name": "export_map", "description": "Export a map.", "parameters": {"properties": {"output_dir": ` + text + `}}}]`,
			`[{"name": "export_map", "description": "Export a map.", "parameters": {"properties": {"output_dir": ` + text + `, "filename": ` + text + `}}}]`,
		},
		{
			sideEffect, `[{"name": "labels", "description": "List or delete labels.", "parameters": {"required": ["action"], "properties": {"action": {"type": "string", "enum": ["list", "delete"]}}}}]`,
			`[{"name": "kill_job", "description": "Kill a job."}]`,
		},
		{
			repeatsName, `[{"name": "get_room", "description": "Get a room."}]`,
			`[{"name": "ventilate_room", "description": "Ventilate a room."}]`,
		},
		{
			repeatsName, `[{"name": "f", "description": "Do it.", "parameters": {"properties": {"room_id": {"type": "string", "description": "The room ID."}}}}]`,
			`[{"name": "f", "description": "Do it.", "parameters": {"properties": {"room_code": {"type": "string", "description": "The room code."}}}}]`,
		},
		{
			httpWords, `[{"name": "f", "description": "Do it. This endpoint is slow."}]`,
			`[{"name": "f", "description": "Do it, by GET /rooms."}]`,
		},
		{
			httpWords, `[{"name": "f", "description": "Do it.", "parameters": {"properties": {"path": {"type": "object"}, "query": {"type": "object"}}}}]`,
			`[{"name": "f", "description": "Do it.", "parameters": {"properties": {"room": {"type": "string", "description": "A query string parameter."}}}}]`,
		},
		{
			secretParameter, `[{"name": "create_user", "description": "Do it.", "parameters": {"properties": {"password": ` + text + `}}}]`,
			`[{"name": "query", "description": "Do it.", "parameters": {"properties": {"password": ` + text + `}}}]`,
		},
		{
			secretParameter, `[{"name": "query", "description": "Do it.", "parameters": {"properties": {"api_key": {"type": "string", "description": "Overrides the env var."}}}}]`,
			`[{"name": "set_token", "description": "Do it.", "parameters": {"properties": {"token": ` + text + `}}}]`,
		},
		{
			manyParameters, `[{"name": "paint", "description": "Do it.", "parameters": {"properties": {` + colors(16) + `}}}]`,
			`[{"name": "paint", "description": "Do it.", "parameters": {"properties": {` + colors(21) + `}}}]`,
		},
		{
			unknownIdentifier, `[{"name": "list_engines", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"required": ["engine_id"], "properties": {"engine_id": {"type": "string", "description": "The one to stop"}}}}]`,
			`[{"name": "add", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"properties": {"engine_id": {"type": "string", "description": "The one to stop"}}}}]`,
		},
		{
			unknownIdentifier, `[{"name": "add", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"required": ["engine_id"], "properties": {"engine_id": {"type": "string", "description": "The one to stop, such as e1"}}}}]`,
			`[{"name": "add", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"required": ["engine_id"], "properties": {"engine_id": {"type": "string", "description": "The one to stop"}}}}]`,
		},
		{
			unknownIdentifier, `[{"name": "add", "description": "All."}, {"name": "engines", "description": "Do it.", "parameters": {"properties": {"action": {"enum": ["list", "stop"]}, "engine_id": {"type": "string", "description": "The one to stop"}}}}]`,
			`[{"name": "add", "description": "All."}, {"name": "engines", "description": "Do it.", "parameters": {"properties": {"action": {"enum": ["start", "stop"]}, "engine_id": {"type": "string", "description": "The one to stop"}}}}]`,
		},
		{
			unknownIdentifier, `[{"name": "add", "description": "All."}, {"name": "engines", "description": "Do it.", "parameters": {"properties": {"action": {"oneOf": [{"properties": {"type": {"const": "list-engines"}}}]}, "engine_id": {"type": "string", "description": "The one to stop"}}}}]`,
			"",
		},
		{
			noDefault, `[{"name": "dive", "description": "Do it.", "parameters": {"properties": {"connectionString": {"type": "string"}}}}]`,
			"",
		},
		{
			noDefault, `[{"name": "list_ships", "description": "Do it.", "parameters": {"properties": {"limit": {"type": "integer"}, "cursor": ` + text + `}}}]`,
			`[{"name": "list_ships", "description": "Do it.", "parameters": {"properties": {"limit": {"type": "integer"}}}}]`,
		},
		{
			noDefault, `[{"name": "describe_ship", "description": "Do it.", "parameters": {"properties": {"details_level": {"type": "string", "enum": ["name", "full"]}}}}]`,
			`[{"name": "describe_ship", "description": "Do it.", "parameters": {"properties": {"approach": {"type": "string", "enum": ["list", "table"]}}}}]`,
		},
		{
			noMaximum, `[{"name": "list_ships", "description": "Do it.", "parameters": {"properties": {"limit": {"type": "integer", "description": "How many (default: 9)."}}}}]`,
			`[{"name": "list_ships", "description": "Do it.", "parameters": {"properties": {"limit": {"type": "integer", "default": 9}}}}]`,
		},
		{
			noPages, `[{"name": "f", "description": "Do it.", "parameters": {"properties": {"line": {"type": "integer", "description": "Where."}}}}]`,
			`[{"name": "f", "description": "Do it.", "parameters": {"properties": {"column": {"type": "integer", "description": "Where."}}}}]`,
		},
	} {
		for list, isNote := range map[string]bool{test.note: true, test.advice: false} {
			if list == "" {
				continue
			}
			found := of(t, tools(t, list), Options{Rules: []*Rule{test.rule}})
			if len(found) != 1 || found[0].IsNote != isNote {
				t.Errorf("%s: %v, and not one finding that is a note: %t, in %s", test.rule.Name, found, isNote, list)
			}
		}
	}
}
