package provider_test

import (
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

func TestParsePasted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, message, param string }{
		"a message":         {" no such field \n", "no such field", ""},
		"a body":            {`{"error": {"message": "no", "param": "tools[0]", "code": null}}`, "no", "tools[0]"},
		"a number for code": {`{"error": {"code": 400, "message": "a\nb", "status": "INVALID_ARGUMENT"}}`, "a\nb", ""},
		"a list of a body":  {`[{"error": {"message": "no"}}]`, "no", ""},
		"in a text":         {`HTTP 400 {x}: {"error": {"message": "no"}} (request 3)`, "no", ""},
		"a body in a body":  {`{"error": {"message": "{\"type\": \"error\", \"error\": {\"message\": \"no\"}}"}}`, "no", ""},
		"without error":     {`{"message": "no"}`, "no", ""},
		"an error as text":  {`{"code": "x", "error": "no"}`, `{"code": "x", "error": "no"}`, ""},
		"of Python":         {`400 - {'error': {'message': "it's", 'param': 'tools[1]'}}`, "it's", "tools[1]"},
		"escaped":           {`{'error': {'message': 'In (\'a\',)\nb'}}`, "In ('a',)\nb", ""},
		"nothing":           {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := provider.ParsePasted(test.text)
			if got.Verdict != provider.Rejected || got.Message != test.message || got.Param != test.param {
				t.Errorf("got %q and %q", got.Message, got.Param)
			}
		})
	}
}

func TestDeclarationNamed(t *testing.T) {
	t.Parallel()
	var declarations []*schema.Node
	for _, text := range []string{`{"name": "read"}`, `{"type": "function", "function": {"name": "can_read"}}`, `{"name": ""}`, `{}`} {
		node, err := schema.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		declarations = append(declarations, node)
	}
	for name, index := range map[string]int{"read": 0, "can_read": 1, "mcp__read": 0, "mcp_can_read": 1, "spread": provider.Nowhere, "write": provider.Nowhere} {
		if got := provider.DeclarationNamed(declarations, name); got != index {
			t.Errorf("%s: got %d, expected %d", name, got, index)
		}
	}
}
