package clientconfig

// windsurf calls an address serverUrl or url.
//
// Source: https://docs.windsurf.com/windsurf/cascade/mcp, read 2026-11-22.
var windsurf = &Client{
	Name: "windsurf", Title: "Windsurf",
	Files:     []string{"${HOME}/.codeium/windsurf/mcp_config.json", "${HOME}/.codeium/mcp_config.json"},
	servers:   []string{"mcpServers"},
	variables: editorVariables,
	form:      form{env: "env", address: []string{"serverUrl", "url"}, headers: "headers"},
}
