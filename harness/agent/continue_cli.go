package agent

import (
	"path/filepath"

	"toolproof/internal/program"
)

var continueCLI = &Client{
	Name: "continue", Title: "Continue", Program: "cn", Package: "@continuedev/cli",
	Surfaces: []Surface{chat, messages, gemini},
	setup: func(place Place) program.Setup {
		model := object{"name": "emulator", "model": place.Surface.Model, "apiKey": key, "roles": []string{"chat"}, "capabilities": []string{"tool_use"}}
		switch place.Surface.Name {
		case chat.Name:
			model["provider"], model["apiBase"] = "openai", place.URL+"/v1"
		case messages.Name:
			model["provider"], model["apiBase"] = "anthropic", place.URL+"/v1"
		default:
			model["provider"] = "gemini"
		}
		return program.Setup{
			// JSON is YAML.
			Files: map[string]string{"config.yaml": text(object{
				"name": "toolproof", "version": "1.0.0", "schema": "v1", "models": []any{model},
				"mcpServers": []any{object{"name": place.Server, "type": "stdio", "command": place.Command[0], "args": place.Command[1:]}},
			})},
			Env:  []string{"GOOGLE_GEMINI_BASE_URL=" + place.URL, "CONTINUE_TELEMETRY_ENABLED=0"},
			Args: []string{"--config", filepath.Join(place.Home, "config.yaml"), "-p", prompt},
		}
	},
}
