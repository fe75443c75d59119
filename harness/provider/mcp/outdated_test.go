package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"toolproof/harness/provider/mcp"
	"toolproof/schema"
)

// TestOutdated says which releases of clients refuse a tool that the newest take.
func TestOutdated(t *testing.T) {
	t.Parallel()
	tool := func(name, text string) schema.Tool {
		node, err := schema.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		members := schema.NewObject(schema.Member{Key: "outputSchema", Value: node})
		return schema.Tool{Name: name, Parameters: schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")}), Further: members}
	}
	draft7 := `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`
	for _, test := range []struct {
		tools []schema.Tool
		want  []string // how the sentences begin
	}{
		{[]schema.Tool{tool("f", draft7), tool("g", draft7)}, []string{
			"clients of 2.0.0-beta.1 to 2.0.0-beta.5 refuse f and 1 more, which 2.0.0 takes (mcp/client-2, mcp/2026-07-28): Tool 'f' has an invalid outputSchema: JSON Schema declares",
		}},
		{[]schema.Tool{tool("f", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{}}}`)}, []string{
			"clients of 1.22.0 refuse f, which 1.23.0 takes (mcp/inputSchema): can't resolve reference #/$defs/a from id #",
		}},
		{[]schema.Tool{tool("f", `{"type":"object"}`)}, nil},
		{[]schema.Tool{tool("f", `{"type":"array"}`)}, nil}, // the newest client 1.x refuses it, and no 2.x of 2026-07-28 ever did
	} {
		got, err := mcp.Outdated(t.Context(), test.tools)
		if err != nil || !slices.EqualFunc(got, test.want, strings.HasPrefix) {
			t.Errorf("%q, %v; want %q", got, err, test.want)
		}
	}
}
