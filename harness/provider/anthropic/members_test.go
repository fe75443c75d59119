package anthropic

import (
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// TestMembers checks members of tools beside name, description and schema.
func TestMembers(t *testing.T) {
	t.Parallel()
	const (
		tool = `{"name":"f","input_schema":{"type":"object"}`
		both = "Tool 'f' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching."
	)
	for _, test := range []struct {
		name, tools string
		day         provider.Date
		want        string
	}{
		{"unknown", `[` + tool + `,"parameters":{}}]`, today, "tools.0.custom.parameters: Extra inputs are not permitted"},
		{"known", `[` + tool + `,"type":"custom","strict":false,"allowed_callers":["direct"],"input_examples":[{}],"eager_input_streaming":true}]`, today, ""},
		{"not yet known", `[` + tool + `,"input_examples":[{}]}]`, "2025-11-15", "tools.0.custom.input_examples: Extra inputs are not permitted"},
		{"deferred and cached", `[` + tool + `,"defer_loading":true,"cache_control":{"type":"ephemeral"}}]`, today, both},
		{"cached", `[` + tool + `,"defer_loading":false,"cache_control":{"type":"ephemeral"}}]`, today, ""},
		{"deferred", `[` + tool + `,"defer_loading":true}]`, today, ""},
	} {
		tools, err := schema.Parse([]byte(test.tools))
		if err != nil {
			t.Fatal(err)
		}
		response, err := (&provider.Model{Dialect: Tools, AsOf: test.day}).Send(t.Context(), Tools.Request(tools.Elements))
		if err != nil || response.Message != test.want {
			t.Errorf("%s: %q, %v; want %q", test.name, response.Message, err, test.want)
		}
		if response.Verdict == provider.Rejected && test.day == today {
			if read, err := Tools.Classify(response.Status, Tools.Render(response)); err != nil || read.Message != test.want {
				t.Errorf("%s: Classify reads %q, %v", test.name, read.Message, err)
			}
		}
	}
	if _, err := Tools.Classify(400, []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"tools.0.custom.strict: Extra inputs are not permitted"}}`)); err == nil {
		t.Error("the refusal of a known member says something about the declaration")
	}
}

// TestMembersAlone judges a tool without its request, which says nothing of the other tools.
func TestMembersAlone(t *testing.T) {
	t.Parallel()
	members := schema.NewObject(schema.Member{Key: "defer_loading", Value: schema.NewBool(true)})
	request := Tools.Declared([]schema.Tool{{Name: "f", Parameters: provider.Object("type", schema.NewString("object")), Members: members}})
	response, err := (&provider.Model{Dialect: Tools, AsOf: today}).Send(t.Context(), request)
	if err != nil || response.Verdict != provider.Accepted || !request.Declarations[0].Get("defer_loading").IsTrue() {
		t.Errorf("%s: %q, %v", request.Declarations[0], response.Message, err)
	}
}
