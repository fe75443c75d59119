package client

// copilot is asked with a model provider of the user's own, without GitHub.
//
// Source: copilot help providers and copilot help environment of 1.0.102, read 2026-11-23.
var copilot = &Row{
	Name: "copilot", Title: "GitHub Copilot CLI",
	Introduces: []string{"github-copilot-developer"},
	Run: &Run{
		Program: "copilot", Package: "@github/copilot", Version: "1.0.102", Measured: "2026-11-23",
		Surfaces: []Surface{chat, responses, messages},
		Prefix:   "SERVER-",
		Names:    Names{Keeps: "_-", For: "-", Longest: 64, Order: ByName},
		Own:      Own{Tools: 17, Tokens: 5700},
		Treatments: []Treatment{
			{
				On: []string{"chat", "responses"}, Describes: true,
				Strips: []string{
					"format", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum", "pattern",
				},
			},
			{
				On: []string{"messages"}, Describes: true,
				Strips: []string{
					"default", "format", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum", "pattern",
				},
			},
		},
		Quirks: []string{
			"It writes the constraints that it takes out of a schema into the descriptions.",
			"On messages it marks the tools of a server as deferred: the model has to search for them.",
		},
		Setup: func(place Place) Setup {
			server := place.entry()
			server["type"], server["tools"] = "local", []string{"*"}
			kind, wire, base := "openai", "completions", place.URL+"/v1"
			switch place.Surface.Name {
			case "responses":
				wire = "responses"
			case "messages":
				kind, base = "anthropic", place.URL
			}
			return Setup{
				Files: map[string]Object{".copilot/mcp-config.json": {"mcpServers": Object{place.Server: server}}},
				Env: []string{
					"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + base, "COPILOT_PROVIDER_TYPE=" + kind, "COPILOT_PROVIDER_WIRE_API=" + wire,
					"COPILOT_PROVIDER_API_KEY=" + Key, "COPILOT_MODEL=" + place.Surface.Model,
				},
				Args: []string{"--allow-all-tools", "-p", Prompt},
			}
		},
	},
	NotRead: "No command looks for its file. With --config it is read as that of another client.",
	BuiltIn: &BuiltIn{
		Commands: []string{"bash"},
		Others: []string{
			"read_bash", "stop_bash", "list_bash", "view", "create", "edit", "fetch_copilot_cli_documentation", "skill", "sql", "session_store_sql",
			"read_agent", "list_agents", "write_agent", "grep", "glob", "task",
		},
	},
}
