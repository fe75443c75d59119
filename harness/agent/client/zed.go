package client

// zed keeps the servers in its settings. The entry of a server that an extension starts has
// no command.
//
// Source: https://zed.dev/docs/ai/mcp, read 2026-11-22.
var zed = &Row{
	Name: "zed", Title: "Zed",
	Introduces: []string{"Zed"},
	NotRun:     "It is an editor: nothing starts it without a window and asks it one question.",
	Configuration: &Configuration{
		Files:         []string{"${XDG}/zed/settings.json", "${CONFIG}/Zed/settings.json", ".zed/settings.json"},
		Servers:       []string{"context_servers"},
		HasExtensions: true,
	},
	BuiltIn: &BuiltIn{Commands: []string{"terminal"}},
}
