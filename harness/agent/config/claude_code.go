package clientconfig

// claudeCode has the servers of the user and of each project in one file, and those that
// a project shares in another. It expands ${NAME} and ${NAME:-otherwise} in the command,
// its arguments, the environment, the address and the headers.
//
// Source: https://code.claude.com/docs/en/mcp, read 2026-11-22.
var claudeCode = &Client{
	Name: "claude-code", Title: "Claude Code",
	Files:     []string{"${CLAUDE_CONFIG_DIR}/.claude.json", ".mcp.json"},
	servers:   []string{"mcpServers", "projects/~/mcpServers"}, // ~ is the folder of the project
	variables: shellVariables,
	form:      usual,
}
