package clientconfig

// vscode has servers and inputs in a file of their own, and had them in the settings
// before 2025-06. It asks the user for inputs; here they are known where they have a
// default.
//
// Source: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration of
// 2026-05-20; https://code.visualstudio.com/docs/reference/variables-reference.
var vscode = &Client{
	Name: "vscode", Title: "VS Code",
	Files: []string{
		"${CONFIG}/Code/User/settings.json", "${CONFIG}/Code/User/mcp.json",
		".vscode/settings.json", ".vscode/mcp.json",
	},
	servers:   []string{"servers", "mcp/servers"},
	variables: editorVariables,
	form:      usual,
}
