package agent

import "toolproof/internal/program"

var geminiCLI = &Client{
	Name: "gemini-cli", Title: "Gemini CLI", Program: "gemini", Package: "@google/gemini-cli",
	Surfaces: []Surface{gemini},
	Habits:   []Habit{adds("wait_for_previous")},
	Quirks: []string{
		"With a prompt on the command line it sends no tool of a server that is not trusted, and says nothing. The run trusts the server.",
	},
	setup: func(place Place) program.Setup {
		server := place.entry()
		server["trust"] = true
		return program.Setup{
			Files: map[string]string{".gemini/settings.json": text(object{
				"security":   object{"auth": object{"selectedType": "gemini-api-key"}},
				"general":    object{"enableAutoUpdate": false},
				"privacy":    object{"usageStatisticsEnabled": false},
				"mcpServers": object{place.Server: server},
			})},
			Env:  []string{"GEMINI_API_KEY=" + key, "GOOGLE_GEMINI_BASE_URL=" + place.URL},
			Args: []string{"--skip-trust", "-m", place.Surface.Model, "-p", prompt},
		}
	},
}
