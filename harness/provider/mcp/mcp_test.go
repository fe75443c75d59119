package mcp_test

import (
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/mcp"
	"toolproof/schema"
)

// TestReleases checks what each release of the SDK 1.x began to refuse, according to its
// dist/esm/types.js and client/index.js: the day before, it is accepted.
func TestReleases(t *testing.T) {
	t.Parallel()
	const object = `{"name":"f","inputSchema":{"type":"object"},`
	for _, test := range []struct {
		tool          string
		before, since provider.Date
		rule          string
	}{
		{`{"name":"f","inputSchema":{"type":"object","required":"a"}}`, "2025-05-22", "2025-05-23", "input_schema_parts"},
		{object + `"outputSchema":{"type":"string"}}`, "2025-05-22", "2025-05-23", "output_schema_type"},
		{object + `"outputSchema":[]}`, "2025-05-22", "2025-05-23", "output_schema_object"},
		{object + `"outputSchema":{"type":"object","required":"a"}}`, "2025-05-22", "2025-05-23", "output_schema_parts"},
		{object + `"title":1}`, "2025-06-19", "2025-06-20", "title_type"},
		{object + `"_meta":1}`, "2025-06-19", "2025-06-20", "meta_type"},
		{object + `"icons":1}`, "2025-09-10", "2025-09-11", "icons_type"},
		{object + `"icons":[{"src":"a","sizes":"1x1"}]}`, "2025-10-01", "2025-10-02", "icons_type"},
		{object + `"outputSchema":{"type":"object","properties":{"a":{"type":"any"}}}}`, "2025-11-02", "2025-11-03", "output_schema_keyword"},
		{object + `"outputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}}`, "2025-11-02", "2025-11-03", "output_schema_reference"},
		{`{"name":"f","inputSchema":{"type":"object","properties":{"a":true}}}`, "2025-11-12", "2025-11-13", "input_schema_parts"},
		{object + `"outputSchema":{"type":"object","properties":{"a":true}}}`, "2025-11-12", "2025-11-13", "output_schema_parts"},
		{object + `"outputSchema":{"type":"object","properties":{"a":{"pattern":"("}}}}`, "2025-11-02", "2025-11-03", "output_schema_pattern"},
		{object + `"outputSchema":{"type":"object","additionalProperties":{}}}`, "2025-11-12", "2025-11-13", "output_schema_parts"},
		{object + `"execution":1}`, "2025-12-01", "2025-12-02", "execution_type"},
		{object + `"icons":[{"src":"a","theme":"blue"}]}`, "2025-12-14", "2025-12-15", "icons_type"},
	} {
		declaration, err := schema.Parse([]byte(test.tool))
		if err != nil {
			t.Fatal(err)
		}
		for day, want := range map[provider.Date]string{test.before: "", test.since: test.rule} {
			response, err := (&provider.Model{Dialect: mcp.InputSchema, AsOf: day}).Send(t.Context(), mcp.InputSchema.Request([]*schema.Node{declaration}))
			if err != nil {
				t.Fatal(err)
			}
			var rules []string
			for _, finding := range response.Findings {
				rules = append(rules, finding.Rule.Name)
			}
			if got := strings.Join(rules, " "); got != want {
				t.Errorf("%s on %s: %q, want %q", test.tool, day, got, want)
			}
		}
	}
}

// TestReleases2 checks what the clients 2.x refuse, release by release, as lab/referees/mcp-clients asks them.
func TestReleases2(t *testing.T) {
	t.Parallel()
	const (
		draft7 = `{"name":"f","inputSchema":{"type":"object"},"outputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}}`
		tuple  = `{"name":"f","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"a":{"items":[{}]}}}}`
		number = `{"name":"f","inputSchema":{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}}`
		list   = `{"name":"f","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}`
		titled = `{"name":"f","title":1,"inputSchema":{"type":"object","properties":{"a":true}}}`
	)
	for _, test := range []struct {
		dialect *provider.Dialect
		tool    string
		day     provider.Date
		words   string // how they begin; empty if the client takes the tool
	}{
		{mcp.Client2, draft7, "2026-06-25", ""},
		{mcp.Client2, draft7, "2026-06-30", `Tool 'f' has an invalid outputSchema: JSON Schema declares an unsupported dialect ("$schema": "http://json-schema.org/draft-07/schema#").`},
		{mcp.Client2, draft7, "2026-07-27", `Tool 'f' has an invalid outputSchema: `},
		{mcp.Client2, draft7, "2026-07-28", ""},
		{mcp.Stateless, draft7, "2026-07-21", `Tool 'f' has an invalid outputSchema: `},
		{mcp.Stateless, draft7, "2026-07-28", ""},
		{mcp.Client2, tuple, "2026-06-25", ""},
		{mcp.Client2, tuple, "2026-10-23", `Tool 'f' has an invalid outputSchema: items value must be ["object","boolean"]`},
		{mcp.StreamableHTTP, number, "2026-10-22", ""},
		{mcp.StreamableHTTP, number, "2026-10-23", `[mcp-sdk] excluding tool 'f' from tools/list: `},
		{mcp.Client2, list, "2026-10-23", "Invalid result for tools/list: [\n  {\n    \"code\": \"invalid_value\""},
		{mcp.Stateless, list, "2026-10-23", ""},
		{mcp.Client2, titled, "2026-06-24", "[\n  {\n    \"expected\": \"string\""},
		{mcp.Client2, titled, "2026-06-25", "Invalid result for tools/list: tools.0.title: Invalid input: expected string, received number"},
		{mcp.Client2, titled, "2026-06-30", "Invalid result for tools/list: [\n  {\n    \"expected\": \"string\""},
	} {
		declaration, err := schema.Parse([]byte(test.tool))
		if err != nil {
			t.Fatal(err)
		}
		response, err := (&provider.Model{Dialect: test.dialect, AsOf: test.day}).Send(t.Context(), test.dialect.Request([]*schema.Node{declaration}))
		if err != nil {
			t.Fatal(err)
		}
		if isTaken := response.Message == ""; isTaken != (test.words == "") || !strings.HasPrefix(response.Message, test.words) {
			t.Errorf("%s on %s: %s: %q, want %q", test.dialect.Name, test.day, test.tool, response.Message, test.words)
		}
		if response.Message == "" {
			continue
		}
		read, err := test.dialect.Classify(response.Status, test.dialect.Render(response))
		if err != nil || read.Message != response.Message {
			t.Errorf("%s: Classify reads %q as %q, %v", test.dialect.Name, response.Message, read.Message, err)
		}
	}
}
