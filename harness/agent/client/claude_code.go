package client

import (
	"path/filepath"
	"strconv"
)

// claudeCode keeps the servers of the user and of each project in one file, and those that
// a project shares in another.
//
// Source: https://code.claude.com/docs/en/mcp, read 2026-11-22.
var claudeCode = &Row{
	Name: "claude-code", Title: "Claude Code",
	Introduces: []string{"claude-code"},
	Run: &Run{
		Program: "claude", Package: "@anthropic-ai/claude-code", Version: "2.1.330", Measured: "2026-11-23",
		Surfaces: []Surface{messages},
		Prefix:   "mcp__SERVER__",
		Names:    Names{Keeps: "_-", For: "_", Equal: SendsFirst, Order: ByNameAsWords},
		Own:      Own{Tools: 25, Tokens: 20_000},
		Reserved: []string{
			"claude-in-chrome", "Claude in Chrome", "Claude Browser", "Claude Preview", "claude-device", "claude_ai", "computer-use", "ide",
			"remote-devices", "workspace",
		},
		Treatments: []Treatment{{On: []string{"messages"}}},
		HasSearch:  true,
		Quirks: []string{
			"It is no free software.",
			"As it is installed, it sends only the names of a server's tools, and the model has to search for them. The run turns the search off.",
			"On a busy machine it asked once, of six measurements, before the server was ready. It sent none of its tools, and said nothing.",
		},
		Setup: func(place Place) Setup {
			return Setup{
				Files: map[string]Object{"mcp.json": {"mcpServers": place.servers()}},
				Env: []string{
					"ENABLE_TOOL_SEARCH=" + strconv.FormatBool(place.Search),
					"ANTHROPIC_BASE_URL=" + place.URL, "ANTHROPIC_API_KEY=" + Key, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
				},
				Args: []string{
					"-p", Prompt, "--model", place.Surface.Model,
					"--mcp-config", filepath.Join(place.Home, "mcp.json"), "--strict-mcp-config", "--max-turns", "1",
				},
			}
		},
	},
	Configuration: &Configuration{
		Files:     []string{"${CLAUDE_CONFIG_DIR}/.claude.json", ".mcp.json"},
		Servers:   []string{"mcpServers", "projects/~/mcpServers"},
		Variables: ShellVariables,
	},
	BuiltIn: &BuiltIn{
		Commands: []string{"Bash"},
		Others: []string{
			"Edit", "Write", "Read", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "Task", "Agent", "TodoWrite", "BashOutput",
			"KillShell", "KillBash", "ExitPlanMode", "EnterPlanMode", "SlashCommand", "Skill", "AskUserQuestion", "TaskOutput", "TaskStop", "ToolSearch",
			"ListMcpResourcesTool", "ReadMcpResourceTool",
			"CronCreate", "CronDelete", "CronList", "EnterWorktree", "ExitWorktree", "ListAgents", "Monitor", "ReportFindings", "ScheduleWakeup", "SendMessage",
			"TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "Workflow",
		},
	},
}
