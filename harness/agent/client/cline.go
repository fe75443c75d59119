package client

var cline = &Row{
	Name: "cline", Title: "Cline",
	Introduces: []string{"Cline"},
	Run: &Run{
		Program: "cline", Package: "cline", Version: "3.0.65", Measured: "2026-11-22",
		Surfaces: []Surface{chat, responses, messages, gemini},
		Prefix:   "SERVER__",
		Names:    Names{Keeps: "_-", For: "_", Longest: 64, Hashes: true, Order: AsListed},
		Own:      Own{Tools: 24, Tokens: 3000},
		Treatments: []Treatment{
			{On: []string{"chat", "responses", "messages"}},
			{On: []string{"gemini"}, SendsNone: true},
		},
		Quirks: []string{"It leaves a process behind, which ends with the run. On macOS and Windows that process stays."},
		Setup: func(place Place) Setup {
			provider := map[string]struct{ id, base string }{
				"chat":      {"openai-compatible", place.URL + "/v1"},
				"responses": {"openai-native", place.URL + "/v1"},
				"messages":  {"anthropic", place.URL + "/v1"},
				"gemini":    {"gemini", place.URL},
			}[place.Surface.Name]
			settings := Object{"provider": provider.id, "apiKey": Key, "model": place.Surface.Model, "baseUrl": provider.base}
			return Setup{
				Files: map[string]Object{
					".cline/data/settings/providers.json": {
						"version": 1, "lastUsedProvider": provider.id, "modes": Object{},
						"providers": Object{provider.id: Object{"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}},
					},
					".cline/data/settings/cline_mcp_settings.json": {"mcpServers": place.servers()},
				},
				Env:  []string{"CLINE_SESSION_BACKEND_MODE=local"},
				Args: []string{"-P", provider.id, "-m", place.Surface.Model, "--auto-approve", "false", "--plan", Prompt},
			}
		},
		Earlier: []Earlier{{Before: "3.0.0", Setup: clineBefore3, InPrompt: []string{"chat"}}},
	},
	NotRead: "No command looks for its file. With --config it is read as that of another client.",
	BuiltIn: &BuiltIn{
		Commands: []string{"execute_command", "run_commands"},
		Others: []string{
			"write_to_file", "replace_in_file", "read_files", "search_files", "list_files", "list_code_definition_names", "browser_action", "use_mcp_tool",
			"access_mcp_resource", "ask_followup_question", "attempt_completion", "new_task", "plan_mode_respond", "editor", "search_codebase", "fetch_web_content",
			"ask_question", "spawn_agent", "team_attach_outcome_fragment", "team_await_runs", "team_broadcast", "team_cancel_run", "team_cleanup", "team_create_outcome",
			"team_finalize_outcome", "team_list_outcomes", "team_list_runs", "team_mission_log", "team_read_mailbox", "team_review_outcome_fragment", "team_run_task",
			"team_send_message", "team_shutdown_teammate", "team_spawn_teammate", "team_status", "team_task",
		},
	},
}

// clineBefore3 is the Setup of version 2, which keeps the provider of each mode in the state of the extension.
func clineBefore3(place Place) Setup {
	provider := map[string]struct{ id, model, base, key string }{
		"chat":      {"openai", "OpenAiModelId", "openAiBaseUrl", "openAiApiKey"},
		"responses": {"openai-native", "ApiModelId", "", "openAiNativeApiKey"},
		"messages":  {"anthropic", "ApiModelId", "anthropicBaseUrl", "apiKey"},
		"gemini":    {"gemini", "ApiModelId", "geminiBaseUrl", "geminiApiKey"},
	}[place.Surface.Name]
	state := Object{"welcomeViewCompleted": true, "nativeToolCallEnabled": true}
	for _, mode := range []string{"planMode", "actMode"} {
		state[mode+"ApiProvider"], state[mode+provider.model] = provider.id, place.Surface.Model
	}
	base := place.URL
	if place.Surface.Name == "chat" {
		base += "/v1"
	}
	if provider.base != "" {
		state[provider.base] = base
	}
	return Setup{
		Files: map[string]Object{
			".cline/data/globalState.json":                 state,
			".cline/data/secrets.json":                     {provider.key: Key},
			".cline/data/settings/cline_mcp_settings.json": {"mcpServers": place.servers()},
		},
		Env:  []string{"OPENAI_BASE_URL=" + place.URL + "/v1"},
		Args: []string{"--plan", "--yolo", Prompt},
	}
}
