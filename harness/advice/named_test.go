package advice

import "testing"

// TestNames: what the name and the texts of a tool promise is compared with its schema and with the other tools.
func TestNames(t *testing.T) {
	t.Parallel()
	of4 := func(tool string) string {
		return `[{"name": "car_list", "description": "List cars."}, {"name": "car_get", "description": "Read a car."}, {"name": "car_sell", "description": "Sell a car."}, ` + tool + `]`
	}
	for _, test := range []struct {
		rule          *Rule
		found, others string // lists of tools
	}{
		{contradiction, `[{"name": "run_task", "description": "Retrieve what to do in a task.", "parameters": {"type": "object"}}]`, `[{"name": "run_task", "description": "Retrieve a task and run it.", "parameters": {"type": "object"}}]`},
		{contradiction, `[{"name": "list_tasks", "description": "Generate a plan.", "parameters": {"type": "object"}}]`, `[{"name": "list_tasks", "description": "Generate a list.", "parameters": {"type": "object"}}]`},
		{contradiction, of4(`{"name": "car_wash", "description": "Wash a car. Use list_cars first."}`), of4(`{"name": "car_wash", "description": "Wash a car. Use car_list first."}`)},
		{contradiction, of4(`{"name": "car_wash", "description": "Wash a car. Ask via car.get before."}`), of4(`{"name": "car_wash", "description": "Wash a car. Ask car.org before."}`)},
		{contradiction, of4(`{"name": "car_wash", "description": "Wash a car. Use the GET_CAR_COLOR tool first."}`), of4(`{"name": "car_wash", "description": "Wash a car. Use GET_OUT mode first."}`)},
		{contradiction, `[{"name": "get_task", "description": "Read a task. getTask is quick.", "parameters": {"type": "object"}}]`, `[{"name": "get_task", "description": "Read a task, as /getTask does.", "parameters": {"type": "object"}}]`},
		{
			contradiction, `[{"name": "rooms", "description": "Rooms, ordered by one of: 'cheapest' or 'largest'.", "parameters": {"type": "object", "properties": {"order": {"type": "string", "enum": ["price", "size"]}}}}]`,
			`[{"name": "rooms", "description": "Rooms, ordered by one of: 'price' or 'size'.", "parameters": {"type": "object", "properties": {"order": {"type": "string", "enum": ["price", "size"]}}}}]`,
		},
		{
			contradiction, `[{"name": "rooms", "description": "Rooms by view (SEA, YARD, STREET).", "parameters": {"type": "object", "properties": {"view": {"type": "string", "enum": ["SEA", "YARD", "STREET", "HILL"]}}}}]`,
			`[{"name": "rooms", "description": "Every room of a view (SEA, YARD, STREET).", "parameters": {"type": "object", "properties": {"view": {"type": "string", "enum": ["SEA", "YARD", "STREET", "HILL"]}}}}]`,
		},
		{
			contradiction, `[{"name": "create_bill", "description": "Write a bill.", "parameters": {"type": "object", "properties": {"draft": {"type": "boolean", "description": "Show a preview without saving (default: true)."}}}}]`,
			`[{"name": "create_bill", "description": "Write a bill, as a draft unless told otherwise.", "parameters": {"type": "object", "properties": {"draft": {"type": "boolean", "description": "Show a preview without saving (default: true)."}}}}]`,
		},
		{
			nothingRequired, `[{"name": "select_page", "description": "Go to a page.", "parameters": {"type": "object", "properties": {"index": {"type": "integer"}, "url": {"type": "string"}}}}]`,
			`[{"name": "select_page", "description": "Go to a page, or without arguments to the first.", "parameters": {"type": "object", "properties": {"index": {"type": "integer"}, "url": {"type": "string"}}}}]`,
		},
		{
			nothingRequired, `[{"name": "update_note", "description": "Change a note.", "parameters": {"type": "object", "required": ["note_id"], "properties": {"note_id": {"type": "string"}, "title": {"type": "string"}, "text": {"type": "string"}}}}]`,
			`[{"name": "update_note", "description": "Change a note; needs at least one field.", "parameters": {"type": "object", "required": ["note_id"], "properties": {"note_id": {"type": "string"}, "title": {"type": "string"}, "text": {"type": "string"}}}}]`,
		},
		{
			requiredOfMode, `[{"name": "system", "description": "Look after the system.", "parameters": {"type": "object", "required": ["action"], "properties": {"action": {"type": "string", "enum": ["check", "set_up"]}, "projectId": {"type": "string"}}}}]`,
			`[{"name": "system", "description": "Look after the system.", "parameters": {"type": "object", "required": ["action"], "properties": {"action": {"type": "string", "enum": ["check", "set_up"]}, "projectId": {"type": "string", "description": "Which one."}}}}]`,
		},
		{
			requiredOfMode, `[{"name": "search_cars", "description": "Search cars.", "parameters": {"type": "object", "properties": {"sort": {"type": "string"}, "order": {"type": "string"}}}}]`,
			`[{"name": "list_cars", "description": "List cars.", "parameters": {"type": "object", "properties": {"sort": {"type": "string"}, "order": {"type": "string"}}}}]`,
		},
		{
			requiredOfMode, `[{"name": "get_task", "description": "Read a task by URL or ID.", "parameters": {"type": "object", "properties": {"task_id": {"type": "string"}, "task_url": {"type": "string"}}}}]`,
			`[{"name": "get_task", "description": "Read a task with its URL and ID.", "parameters": {"type": "object", "properties": {"task_id": {"type": "string"}, "task_url": {"type": "string"}}}}]`,
		},
		{
			contradiction, `[{"name": "report", "description": "Say it.", "parameters": {"type": "object", "required": ["title"], "properties": {"title": {"type": "string", "description": "Ignored, kept for old callers."}}}}]`,
			`[{"name": "report", "description": "Say it.", "parameters": {"type": "object", "properties": {"title": {"type": "string", "description": "Ignored, kept for old callers."}}}}]`,
		},
		{
			nothingRequired, `[{"name": "merge_request", "description": "Merge a request. Checks may block it or fail.", "parameters": {"type": "object", "required": ["project_id"], "properties": {"project_id": {"type": "string"}, "request_iid": {"type": "string", "description": "Which one."}}}}]`,
			`[{"name": "merge_request", "description": "Merge a request, by number or branch.", "parameters": {"type": "object", "required": ["project_id"], "properties": {"project_id": {"type": "string"}, "request_iid": {"type": "string", "description": "Which one."}}}}]`,
		},
	} {
		if found := of(t, tools(t, test.found), Options{Rules: []*Rule{test.rule}}); len(found) != 1 {
			t.Errorf("%s: %d findings in %s", test.rule.Name, len(found), test.found)
		}
		if found := of(t, tools(t, test.others), Options{Rules: []*Rule{test.rule}}); len(found) != 0 {
			t.Errorf("%s finds something in %s: %s", test.rule.Name, test.others, found[0].Message)
		}
	}
}
