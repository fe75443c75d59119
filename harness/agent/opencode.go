package agent

import "toolproof/internal/program"

var opencode = &Client{
	Name: "opencode", Title: "opencode", Program: "opencode", Package: "opencode-ai",
	Surfaces: []Surface{chat, responses, messages, gemini},
	Habits:   []Habit{closes},
	setup: func(place Place) program.Setup {
		adapter := map[string]string{
			"chat": "@ai-sdk/openai-compatible", "responses": "@ai-sdk/openai", "messages": "@ai-sdk/anthropic", "gemini": "@ai-sdk/google",
		}[place.Surface.Name]
		version := "/v1"
		if place.Surface.Name == gemini.Name {
			version = "/v1beta"
		}
		model := place.Surface.Model
		return program.Setup{
			Files: map[string]string{".config/opencode/opencode.json": text(object{
				"provider": object{"emulator": object{
					"npm": adapter, "name": "emulator", "models": object{model: object{"name": model}},
					"options": object{"baseURL": place.URL + version, "apiKey": key},
				}},
				"autoupdate": false, "share": "disabled",
				"mcp": object{place.Server: object{"type": "local", "command": place.Command}},
			})},
			Env:  []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1"},
			Args: []string{"run", "-m", "emulator/" + model, prompt},
		}
	},
}
