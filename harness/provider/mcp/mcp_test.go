package mcp_test

import (
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/mcp"
	"toolproof/schema"
)

// TestReleases checks what each release of the SDK began to refuse, according to its
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
		{object + `"outputSchema":{"type":"object","properties":{"a":{"type":"any"}}}}`, "2025-11-02", "2025-11-03", "output_schema_keyword"},
		{object + `"outputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}}`, "2025-11-02", "2025-11-03", "output_schema_reference"},
		{`{"name":"f","inputSchema":{"type":"object","properties":{"a":true}}}`, "2025-11-12", "2025-11-13", "input_schema_parts"},
		{object + `"outputSchema":{"type":"object","properties":{"a":true}}}`, "2025-11-12", "2025-11-13", "output_schema_parts"},
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
