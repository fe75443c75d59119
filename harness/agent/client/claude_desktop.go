package client

// claudeDesktop only starts programs, and knows no variables.
//
// Source: https://modelcontextprotocol.io/docs/develop/connect-local-servers, read
// 2026-11-22. The folder on Linux is that of the unofficial builds for it.
var claudeDesktop = &Row{
	Name: "claude-desktop", Title: "Claude Desktop",
	Introduces: []string{"claude-ai"},
	NotRun:     "It has windows, and sends its requests to its maker alone.",
	Configuration: &Configuration{
		Files:   []string{"${CONFIG}/Claude/claude_desktop_config.json"},
		Servers: []string{"mcpServers"},
	},
	NotBuiltIn: "Its requests do not reach the emulator.",
}
