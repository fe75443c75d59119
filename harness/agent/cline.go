package agent

import "toolproof/internal/program"

var cline = &Client{
	Name: "cline", Title: "Cline", Program: "cline", Package: "cline",
	Surfaces: []Surface{chat, responses, messages, gemini},
	Quirks:   []string{"It leaves a process behind, which ends with the run. On macOS and Windows that process stays."},
	setup: func(place Place) program.Setup {
		by := map[string]struct{ id, base string }{
			"chat":      {"openai-compatible", place.URL + "/v1"},
			"responses": {"openai-native", place.URL + "/v1"},
			"messages":  {"anthropic", place.URL + "/v1"},
			"gemini":    {"gemini", place.URL},
		}[place.Surface.Name]
		settings := object{"provider": by.id, "apiKey": key, "model": place.Surface.Model, "baseUrl": by.base}
		return program.Setup{
			Files: map[string]string{
				".cline/data/settings/providers.json": text(object{
					"version": 1, "lastUsedProvider": by.id, "modes": object{},
					"providers": object{by.id: object{"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}},
				}),
				".cline/data/settings/cline_mcp_settings.json": text(object{"mcpServers": place.servers()}),
			},
			Env:  []string{"CLINE_SESSION_BACKEND_MODE=local"},
			Args: []string{"-P", by.id, "-m", place.Surface.Model, "--auto-approve", "false", "--plan", prompt},
		}
	},
}
