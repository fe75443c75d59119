package client

// Source: https://cursor.com/docs/context/mcp, read 2026-11-22.
var cursor = &Row{
	Name: "cursor", Title: "Cursor",
	Introduces: []string{"cursor-vscode"},
	NotRun:     "It is an editor: nothing starts it without a window and asks it one question.",
	Configuration: &Configuration{
		Files:     []string{"${HOME}/.cursor/mcp.json", ".cursor/mcp.json"},
		Servers:   []string{"mcpServers"},
		Variables: EditorVariables,
	},
	BuiltIn: &BuiltIn{Commands: []string{"run_terminal_cmd"}},
	Limit: &Limit{
		Tools: 80, Says: "warns of more tools than 80 of all servers, and of more than 40 before",
		Source: "https://github.com/Snowflake-Labs/mcp/issues/77", Date: "2025-09-02",
	},
}
