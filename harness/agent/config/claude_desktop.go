package clientconfig

// claudeDesktop has programs alone, and no variables.
//
// Source: https://modelcontextprotocol.io/docs/develop/connect-local-servers, read
// 2026-11-22. The folder on Linux is that of the builds which exist there.
var claudeDesktop = &Client{
	Name: "claude-desktop", Title: "Claude Desktop",
	Files:   []string{"${CONFIG}/Claude/claude_desktop_config.json"},
	servers: []string{"mcpServers"},
	form:    usual,
}
