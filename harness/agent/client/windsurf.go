package client

// Source: https://docs.windsurf.com/windsurf/cascade/mcp, read 2026-11-22. The limit was 50 on 2025-04-16:
// "adding this instance would exceed max allowed tools" (https://github.com/Zhwt/go-mcp-mysql/issues/3). On
// 2026-06-16 https://www.desplega.ai/blog/deep-dive-windsurf-mcp-workflows quotes 100 from the page.
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
		Tools: 100, LeavesOut: true, Says: "Cascade has a limit of 100 total tools that it has access to at any given time",
		Source: "https://docs.windsurf.com/windsurf/cascade/mcp", Date: "2026-06-16",
	},
}
