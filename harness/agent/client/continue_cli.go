package client

import "path/filepath"

var continueCLI = &Row{
	Name: "continue", Title: "Continue",
	Introduces: []string{"continue-cli-client"},
	Run: &Run{
		Program: "cn", Package: "@continuedev/cli", Version: "1.5.47", Measured: "2026-11-22",
		Surfaces: []Surface{chat, messages, gemini},
		Names:    Names{Equal: SendsAll, Order: AsListed},
		Own:      Own{Tools: 9, Tokens: 800},
		Treatments: []Treatment{
			{On: []string{"chat", "messages"}, StripsAtRoot: []string{"title", "description"}},
			{
				On: []string{"gemini"}, NeedsType: true,
				Strips:       []string{"default", "minLength", "maxLength", "pattern", "format", "minProperties", "maxProperties"},
				StripsAtRoot: []string{"title", "description"},
			},
		},
		Setup: func(place Place) Setup {
			model := Object{"name": "emulator", "model": place.Surface.Model, "apiKey": Key, "roles": []string{"chat"}, "capabilities": []string{"tool_use"}}
			switch place.Surface.Name {
			case chat.Name:
				model["provider"], model["apiBase"] = "openai", place.URL+"/v1"
			case messages.Name:
				model["provider"], model["apiBase"] = "anthropic", place.URL+"/v1"
			default:
				model["provider"] = "gemini"
			}
			return Setup{
				Files: map[string]Object{"config.yaml": {
					"name": "toolproof", "version": "1.0.0", "schema": "v1", "models": []any{model},
					"mcpServers": []any{Object{"name": place.Server, "type": "stdio", "command": place.Command[0], "args": place.Command[1:]}},
				}},
				Env:  []string{"GOOGLE_GEMINI_BASE_URL=" + place.URL, "CONTINUE_TELEMETRY_ENABLED=0"},
				Args: []string{"--config", filepath.Join(place.Home, "config.yaml"), "-p", Prompt},
			}
		},
	},
	NotRead: "It writes YAML, which no command reads as a configuration.",
	BuiltIn: &BuiltIn{
		Commands: []string{"Bash", "run_terminal_command"}, // the second is that of the extension for editors
		Others: []string{
			"List", "Search", "Fetch", "Status", "Checklist", "AskQuestion", "Exit", "Subagent", "ReportFailure", "UploadArtifact", "CheckBackgroundJob", "Read", "Skills",
		},
	},
}
