package client

var qwenCode = &Row{
	Name: "qwen-code", Title: "Qwen Code",
	Run: &Run{
		Program: "qwen", Package: "@qwen-code/qwen-code", Version: "0.24.4", Measured: "2026-11-22",
		Surfaces: []Surface{chat, messages, gemini},
		Prefix:   "mcp__SERVER__",
		Names:    Names{Keeps: "_-", For: "_", Longest: 63, Hashes: true, Order: ByNameAsWords},
		Own:      Own{Tools: 21, Tokens: 10_500},
		Treatments: []Treatment{
			{On: []string{"chat"}, StripsEmpty: true}, // convertLlmToolsToOpenAI of its package, read 2026-11-24
			{On: []string{"gemini"}},
			{On: []string{"messages"}, NeedsDescription: true},
		},
		HasSearch: true,
		Quirks:    []string{"As it is installed, it sends only the names of a server's tools, and the model has to search for them. The run turns the search off."},
		Setup: func(place Place) Setup {
			auth := map[string]struct{ kind, variable, base string }{
				"chat":     {"openai", "OPENAI", place.URL + "/v1"},
				"messages": {"anthropic", "ANTHROPIC", place.URL},
				"gemini":   {"gemini", "GEMINI", place.URL},
			}[place.Surface.Name]
			return Setup{
				Files: map[string]Object{".qwen/settings.json": {
					"security":   Object{"auth": Object{"selectedType": auth.kind}},
					"general":    Object{"enableAutoUpdate": false, "disableAutoUpdate": true},
					"privacy":    Object{"usageStatisticsEnabled": false},
					"tools":      Object{"toolSearch": Object{"enabled": place.Search}},
					"mcpServers": place.servers(),
				}},
				Env: []string{
					auth.variable + "_API_KEY=" + Key, auth.variable + "_BASE_URL=" + auth.base, auth.variable + "_MODEL=" + place.Surface.Model,
					"GOOGLE_GEMINI_BASE_URL=" + place.URL,
				},
				Args: []string{"--auth-type", auth.kind, "-m", place.Surface.Model, "-p", Prompt},
			}
		},
	},
	NotRead: "No command looks for its file. With --config it is read as that of another client.",
	// Qwen Code is made of Gemini CLI.
	BuiltIn: &BuiltIn{
		Commands: geminiTools.Commands,
		Others: append([]string{
			"cron_create", "cron_delete", "cron_list", "enter_worktree", "exit_worktree", "get_goal", "list_agents", "loop_wakeup", "read_mcp_resource",
			"record_artifact", "report_findings", "send_message", "task_stop", "update_goal", "zoom_image",
		}, geminiTools.Others...),
	},
}
