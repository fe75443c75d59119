package conversation

import (
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// TestUndeclared checks which choice of a request names a function that it does not declare.
func TestUndeclared(t *testing.T) {
	t.Parallel()
	const declarations = `"tools":[{"functionDeclarations":[{"name":"f"}]}]`
	for _, test := range []struct {
		api        provider.API
		body, want string
	}{
		{provider.ChatCompletions, `{"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"function","function":{"name":"g"}}}`, "g"},
		{provider.ChatCompletions, `{"tools":[{"type":"custom","custom":{"name":"f"}}],"tool_choice":{"type":"custom","custom":{"name":"g"}}}`, ""},
		{provider.ChatCompletions, `{"tool_choice":{"type":"function","function":{"name":"g"}}}`, ""},
		{provider.ChatCompletions, `{"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"required"}`, ""},
		{provider.Responses, `{"tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f"}]}],"tool_choice":{"type":"function","name":"f"}}`, ""},
		{provider.Responses, `{"tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"allowed_tools","tools":[{"type":"function","name":"f"},{"type":"function","name":"g"}]}}`, "g"},
		{provider.Responses, `{"tools":[{"type":"mcp","server_label":"s"}],"tool_choice":{"type":"mcp","server_label":"s","name":"g"}}`, ""},
		{provider.Messages, `{"tools":[{"name":"f"}],"tool_choice":{"type":"tool","name":"g"}}`, "g"},
		{provider.Messages, `{"tools":[{"name":"f"}],"tool_choice":{"type":"tool","name":"g"},"mcp_servers":[{"name":"s"}]}`, ""},
		{provider.Messages, `{"tools":[{"name":"f"}],"tool_choice":{"type":"any"}}`, ""},
		{provider.GenerateContent, `{` + declarations + `,"toolConfig":{"functionCallingConfig":{"allowedFunctionNames":["f","g"]}}}`, "g"},
		{provider.GenerateContent, `{` + declarations + `,"tool_config":{"function_calling_config":{"allowed_function_names":["f"]}}}`, ""},
		{provider.GenerateContent, `{"tools":{"function_declarations":{"name":"f"}},"toolConfig":{"functionCallingConfig":{"allowedFunctionNames":"f"}}}`, ""},
	} {
		body, err := schema.Parse([]byte(test.body))
		if err != nil {
			t.Fatal(err)
		}
		request := &Request{API: test.api, Service: "unknown", Body: body, Day: "2026-11-21"}
		got, node := undeclared(request)
		if got != test.want || (node != nil) != (test.want != "") {
			t.Errorf("%s: %q at %v, want %q", test.body, got, node, test.want)
		}
		if said := Unknown(request); (len(said) == 1) != (test.want != "") {
			t.Errorf("%s: unknown is %q", test.body, said)
		}
	}
}
