package clientconfig

// cursor has the variables of VS Code: ${env:NAME}, ${userHome}, ${workspaceFolder},
// ${workspaceFolderBasename} and ${pathSeparator}.
//
// Source: https://cursor.com/docs/context/mcp, read 2026-11-22.
var cursor = &Client{
	Name: "cursor", Title: "Cursor",
	Files:     []string{"${HOME}/.cursor/mcp.json", ".cursor/mcp.json"},
	servers:   []string{"mcpServers"},
	variables: editorVariables,
	form:      usual,
}
