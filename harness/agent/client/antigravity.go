package client

// antigravity refuses to add a server with which it would have too many tools.
//
// Source: https://github.com/jgravelle/jcodemunch-mcp/issues/297 of 2026-05-14 about version 1.23.2, and
// https://github.com/enuno/unifi-mcp-server/issues/69 of 2026-05-01. The limit was 100 before: "adding this
// instance with 118 enabled tools would exceed max limit of 100" (https://github.com/msrbuilds/elementor-mcp/issues/37
// of 2026-05-01).
var antigravity = &Row{
	Name: "antigravity", Title: "Antigravity",
	NotRun:     "It is an editor: nothing starts it without a window and asks it one question.",
	NotRead:    "No command looks for its file. With --config it is read as that of another client.",
	NotBuiltIn: "Its requests do not reach the emulator.",
	Limit: &Limit{
		Tools: 50, LeavesOut: true, Says: "a limit of 50 MCP tools, summed over all enabled MCP servers",
		Source: "https://github.com/enuno/unifi-mcp-server/issues/69", Date: "2026-05-01",
	},
}
