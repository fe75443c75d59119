package client

// vscode keeps servers and inputs in a file of their own, and kept them in its settings
// before 2025-06. It asks the user for inputs; a command that reads the file knows those
// that have a default.
//
// Source: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration of
// 2026-05-20; https://code.visualstudio.com/docs/reference/variables-reference.
var vscode = &Row{
	Name: "vscode", Title: "VS Code",
	Introduces: []string{"Visual Studio Code", "Visual-Studio-Code"},
	NotRun:     "It is an editor: nothing starts it without a window and asks it one question.",
	Configuration: &Configuration{
		Files: []string{
			"${CONFIG}/Code/User/settings.json", "${CONFIG}/Code/User/mcp.json",
			".vscode/settings.json", ".vscode/mcp.json",
		},
		Servers:   []string{"servers", "mcp/servers"},
		Variables: EditorVariables,
	},
	BuiltIn: &BuiltIn{Commands: []string{"run_in_terminal"}},
	Limit: &Limit{
		Tools: 128, Refuses: true, Says: "You may not include more than 128 tools in your request.",
		Source: "https://github.com/microsoft/vscode-copilot-release/issues/13065", Date: "2025-07-24",
	},
}
