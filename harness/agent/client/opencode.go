package client

import "strings"

// opencode writes a program and its arguments in one list. Its version 2 has the servers
// one member deeper.
//
// Source: https://opencode.ai/v1/docs/mcp-servers/, https://opencode.ai/v2/docs/mcp-servers
// and https://opencode.ai/docs/config/, read 2026-11-22.
var opencode = &Row{
	Name: "opencode", Title: "opencode",
	Introduces: []string{"opencode"},
	Run: &Run{
		Program: "opencode", Package: "opencode-ai", Version: "1.18.33", Measured: "2026-11-22",
		Surfaces: []Surface{chat, responses, messages, gemini},
		Prefix:   "SERVER_",
		Names:    Names{Keeps: "_-", For: "_", Order: ByNameAsWords},
		Own:      Own{Tools: 10, Tokens: 4600},
		Treatments: []Treatment{
			{On: []string{"chat", "messages"}},
			{
				On: []string{"responses"},
				Strips: []string{
					"title", "default", "minimum", "maximum", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "minProperties", "maxProperties",
				},
			},
			{
				On:     []string{"gemini"},
				Strips: []string{"title", "default", "minimum", "maximum", "maxLength", "pattern", "minItems", "maxItems", "minProperties", "maxProperties"},
			},
		},
		Habits: []Habit{closes},
		Setup:  func(place Place) Setup { return opencodeSetup("opencode", place) },
	},
	Configuration: &Configuration{
		Files: []string{
			"${XDG}/opencode/opencode.json", "${XDG}/opencode/opencode.jsonc",
			"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc",
		},
		Servers:   []string{"mcp", "mcp/servers"},
		Variables: BraceVariables,
		Entry:     Entry{Env: "environment"},
	},
	BuiltIn: &BuiltIn{
		Commands: []string{"bash"},
		Others: []string{
			"write", "read", "edit", "patch", "multiedit", "grep", "glob", "list", "webfetch", "websearch", "codesearch", "todowrite", "todoread", "task", "skill",
			"question", "lsp", "batch", "invalid",
		},
	},
}

// opencodeSetup is the Setup of opencode and of Kilo, which is made of it. The name of the program is
// that of its folder, of its configuration and of its variables.
func opencodeSetup(program string, place Place) Setup {
	adapter := map[string]string{
		"chat": "@ai-sdk/openai-compatible", "responses": "@ai-sdk/openai", "messages": "@ai-sdk/anthropic", "gemini": "@ai-sdk/google",
	}[place.Surface.Name]
	version := "/v1"
	if place.Surface.Name == gemini.Name {
		version = "/v1beta"
	}
	model, prefix := place.Surface.Model, strings.ToUpper(program)
	return Setup{
		Files: map[string]Object{".config/" + program + "/" + program + ".json": {
			"provider": Object{"emulator": Object{
				"npm": adapter, "name": "emulator", "models": Object{model: Object{"name": model}},
				"options": Object{"baseURL": place.URL + version, "apiKey": Key},
			}},
			"autoupdate": false, "share": "disabled",
			"mcp": Object{place.Server: Object{"type": "local", "command": place.Command}},
		}},
		Env:  []string{prefix + "_DISABLE_MODELS_FETCH=1", prefix + "_DISABLE_AUTOUPDATE=1"},
		Args: []string{"run", "-m", "emulator/" + model, Prompt},
	}
}
