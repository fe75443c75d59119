package mcp_test

import (
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/mcp"
	"toolproof/schema"
)

// TestForms checks what each release of a client began to read in a form, and where the refusal stands.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		property string
		day      provider.Date
		want     string // rule and place
	}{
		{`{"type":"object"}`, "2025-06-19", ""},
		{`{"type":"object"}`, "2025-06-20", "form_type /parameters/properties/p/type"},
		{`null`, "2025-06-20", "form_type /parameters/properties/p"},
		{`{"type":["string","null"]}`, "2026-11-28", "form_type /parameters/properties/p/type"},
		{`{"type":"array","items":{"type":"string","enum":["a"]}}`, "2025-11-12", "form_type /parameters/properties/p/type"},
		{`{"type":"array","items":{"type":"string","enum":["a"]}}`, "2025-11-13", ""},
		{`{"type":"string","default":1}`, "2025-11-12", ""},
		{`{"type":"string","default":1}`, "2025-11-13", "form_default /parameters/properties/p/default"},
		{`{"type":"boolean","default":1}`, "2025-11-12", "form_default /parameters/properties/p/default"},
		{`{"type":"string","format":"uuid","oneOf":[{"const":"a","title":"A"}]}`, "2025-11-12", "form_format /parameters/properties/p/format"},
		{`{"type":"string","format":"uuid","oneOf":[{"const":"a","title":"A"}]}`, "2025-11-13", ""},
		{`{"type":"string","minLength":-1}`, "2025-08-21", ""},
		{`{"type":"string","minLength":-1}`, "2025-08-22", "go_form_bounds /parameters/properties/p"},
		{`{"type":"string","oneOf":[{"const":"a"}]}`, "2026-02-26", ""},
		{`{"type":"string","oneOf":[{"const":"a"}]}`, "2026-02-27", "go_form_titles /parameters/properties/p"},
		{`{"type":"string","minLength":2.0}`, "2026-11-28", ""},
	} {
		form, err := schema.Parse([]byte(`{"message":"m","requestedSchema":{"type":"object","properties":{"p":` + test.property + `}}}`))
		if err != nil {
			t.Fatal(err)
		}
		response, err := (&provider.Model{Dialect: mcp.Elicitation, AsOf: test.day}).Send(t.Context(), mcp.Elicitation.Request([]*schema.Node{form}))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, finding := range response.Findings {
			found = append(found, finding.Rule.Name+" "+string(finding.At))
			places := mcp.Elicitation.Locate(response, []*schema.Node{form})
			if len(places) != 1 || places[0].At != finding.At {
				t.Errorf("%s: %q is located at %v", test.property, finding.Message, places)
			}
		}
		if got := strings.Join(found, "; "); got != test.want {
			t.Errorf("%s on %s: %q, want %q", test.property, test.day, got, test.want)
		}
	}
}

// TestIssues: the words of a client of the TypeScript SDK, which nest issues, lead to the property.
func TestIssues(t *testing.T) {
	t.Parallel()
	form, err := schema.Parse([]byte(`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	const words = `MCP error -32602: Invalid elicitation request: [{"code":"invalid_union","errors":[[{"code":"invalid_union","errors":[],"path":["requestedSchema","properties","b"],"message":"Invalid input"}]],"path":["params"],"message":"Invalid input"}]`
	places := mcp.Elicitation.Locate(provider.Response{Message: words}, []*schema.Node{form})
	if len(places) != 1 || places[0].At != "/parameters/properties/b" {
		t.Errorf("located at %v", places)
	}
}

// TestSince: tools in sampling/createMessage are read since the SDK 1.23.0.
func TestSince(t *testing.T) {
	t.Parallel()
	tool, err := schema.Parse([]byte(`{"name":"f","inputSchema":{"type":"string"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for day, want := range map[provider.Date]provider.Verdict{"2025-11-25": provider.Accepted, "2025-11-26": provider.Rejected} {
		response, err := (&provider.Model{Dialect: mcp.Sampling, AsOf: day}).Send(t.Context(), mcp.Sampling.Request([]*schema.Node{tool}))
		if err != nil || response.Verdict != want {
			t.Errorf("on %s: %s, %v", day, response.Verdict, err)
		}
		if want == provider.Rejected && !strings.Contains(response.Message, "\"params\",\n      \"tools\",\n      0") {
			t.Errorf("the words are %s", response.Message)
		}
	}
}
