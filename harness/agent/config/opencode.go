package clientconfig

// opencode has the program and its arguments in one list. Version 2 has the servers one
// member deeper. {env:NAME} is a variable of the environment.
//
// Source: https://opencode.ai/v1/docs/mcp-servers/, https://opencode.ai/v2/docs/mcp-servers
// and https://opencode.ai/docs/config/, read 2026-11-22.
var opencode = &Client{
	Name: "opencode", Title: "opencode",
	Files: []string{
		"${XDG}/opencode/opencode.json", "${XDG}/opencode/opencode.jsonc",
		"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc",
	},
	servers:   []string{"mcp", "mcp/servers"},
	variables: braceVariables,
	form:      form{env: "environment", address: []string{"url"}, headers: "headers"},
}
