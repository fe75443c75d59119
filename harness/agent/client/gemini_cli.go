package client

// geminiCLI writes an address of streamable HTTP as httpUrl and one of SSE as url, unless a
// type says otherwise. It allows and excludes servers by name.
//
// Source: https://geminicli.com/docs/tools/mcp-server and
// https://geminicli.com/docs/cli/configuration, read 2026-11-22.
var geminiCLI = &Row{
	Name: "gemini-cli", Title: "Gemini CLI",
	Introduces: []string{"gemini-cli-mcp-client"},
	Run: &Run{
		Program: "gemini", Package: "@google/gemini-cli", Version: "0.61.0", Measured: "2026-11-22",
		Surfaces:   []Surface{gemini},
		Prefix:     "mcp_SERVER_",
		Names:      Names{Keeps: "_-.:", For: "_", Longest: 63, CutsMiddle: true, Servers: "_-.:", Order: ByServer},
		Own:        Own{Tools: 8, Tokens: 1500},
		Treatments: []Treatment{{On: []string{"gemini"}}},
		Habits: []Habit{adds("wait_for_previous", "Set to true to wait for all previously requested tools in this turn to complete before starting. "+
			"Set to false (or omit) to run in parallel. Use true when this tool depends on the output of previous tools.")},
		Quirks: []string{
			"With a prompt on the command line it sends no tool of a server that is not trusted, and says nothing. The run trusts the server.",
		},
		Setup: func(place Place) Setup {
			server := place.entry()
			server["trust"] = true
			return Setup{
				Files: map[string]Object{".gemini/settings.json": {
					"security":   Object{"auth": Object{"selectedType": "gemini-api-key"}},
					"general":    Object{"enableAutoUpdate": false},
					"privacy":    Object{"usageStatisticsEnabled": false},
					"mcpServers": Object{place.Server: server},
				}},
				Env:  []string{"GEMINI_API_KEY=" + Key, "GOOGLE_GEMINI_BASE_URL=" + place.URL, "GEMINI_CLI_TRUST_WORKSPACE=true"},
				Args: []string{"-m", place.Surface.Model, "-p", Prompt},
			}
		},
	},
	Configuration: &Configuration{
		Files:     []string{"${HOME}/.gemini/settings.json", ".gemini/settings.json"},
		Servers:   []string{"mcpServers"},
		Variables: DollarVariables,
		Entry:     Entry{Address: []string{"httpUrl"}, Events: "url"},
		Lists:     "mcp",
	},
	BuiltIn: geminiTools,
}

// geminiTools are the tools of Gemini CLI.
var geminiTools = &BuiltIn{
	Commands: []string{"run_shell_command"},
	Others: []string{
		"write_file", "replace", "edit", "read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search", "web_fetch",
		"google_web_search", "save_memory", "write_todos", "todo_write", "task", "skill", "activate_skill", "exit_plan_mode", "enter_plan_mode", "ask_user",
		"agent", "complete_task", "get_internal_docs", "delegate_to_agent", "codebase_investigator",
		"invoke_agent", "update_topic",
	},
}
