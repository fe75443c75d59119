package client

// Source: https://docs.windsurf.com/windsurf/cascade/mcp, read 2026-11-22.
var windsurf = &Row{
	Name: "windsurf", Title: "Windsurf",
	Introduces: []string{"windsurf-client", "Windsurf"},
	NotRun:     "It is an editor, and sends its requests to its maker alone.",
	Configuration: &Configuration{
		Files:     []string{"${HOME}/.codeium/windsurf/mcp_config.json", "${HOME}/.codeium/mcp_config.json"},
		Servers:   []string{"mcpServers"},
		Variables: EditorVariables,
		Entry:     Entry{Address: []string{"serverUrl", "url"}},
	},
	NotBuiltIn: "Its requests do not reach the emulator.",
	Limit: &Limit{
		Tools: 50, Says: "the number of tools that a user can have access to from the MCP servers at one time is limited to 50",
		Source: "https://github.com/Zhwt/go-mcp-mysql/issues/3", Date: "2025-04-16",
	},
}
