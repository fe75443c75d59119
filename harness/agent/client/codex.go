package client

// codex knows no variables in its configuration: env_http_headers and bearer_token_env_var
// name variables of the environment.
//
// Source: https://developers.openai.com/codex/mcp, read 2026-11-22, and
// https://github.com/openai/codex, codex-rs/config/src/mcp_types.rs at 00b17c2.
var codex = &Row{
	Name: "codex", Title: "Codex",
	Introduces: []string{"codex-mcp-client", "Codex"},
	Run: &Run{
		Program: "codex", Package: "@openai/codex", Version: "0.169.0", Measured: "2026-11-22",
		Surfaces: []Surface{responses},
		Names:    Names{Keeps: "_-", For: "_", Space: "mcp__SERVER", Servers: "_-.:/@", Order: ByName},
		Own:      Own{Tools: 15, Tokens: 3900},
		Treatments: []Treatment{{
			On:     []string{"responses"},
			Strips: []string{"title", "default", "minimum", "maximum", "minLength", "maxLength", "pattern", "format", "maxItems", "minProperties", "maxProperties"},
		}},
		Quirks: []string{"It sends the tools of a server inside a tool of the type namespace."},
		Setup: func(place Place) Setup {
			return Setup{
				Files: map[string]Object{".codex/config.toml": {
					"model": place.Surface.Model, "model_provider": "emulator",
					"model_providers": Object{"emulator": Object{
						"name": "emulator", "base_url": place.URL + "/v1", "env_key": "OPENAI_API_KEY", "wire_api": "responses", "supports_websockets": false,
					}},
					"mcp_servers": place.servers(),
				}},
				Env:  []string{"OPENAI_API_KEY=" + Key},
				Args: []string{"exec", "--skip-git-repo-check", Prompt},
			}
		},
	},
	Configuration: &Configuration{
		Files:   []string{"${CODEX_HOME}/config.toml", ".codex/config.toml"},
		IsTOML:  true,
		Servers: []string{"mcp_servers"},
		Entry:   Entry{Headers: "http_headers", HeaderVariables: "env_http_headers", Bearer: "bearer_token_env_var"}, //nolint:gosec // names of members
	},
	BuiltIn: &BuiltIn{
		Commands: []string{"shell", "shell_command", "local_shell", "exec_command", "container.exec"},
		Others: []string{
			"apply_patch", "write_stdin", "update_plan", "view_image", "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource",
			"request_user_input", "spawn_agent", "send_input", "send_message", "wait", "wait_agent", "close_agent", "resume_agent", "list_agents",
			"web_search", "tool_search", "js_repl", "get_context_remaining",
			"create_goal", "get_goal", "update_goal",
		},
	},
}
