package client

var geminiCLI = &Client{
	Name: "gemini-cli", Title: "Gemini CLI", Program: "gemini", Package: "@google/gemini-cli",
	Surfaces: []Surface{gemini},
	Quirks:   []string{"It adds the property wait_for_previous to every tool."},
	setup: func(place Place) Setup {
		return Setup{
			Files: map[string]string{".gemini/settings.json": text(object{
				"security":   object{"auth": object{"selectedType": "gemini-api-key"}},
				"general":    object{"enableAutoUpdate": false},
				"privacy":    object{"usageStatisticsEnabled": false},
				"mcpServers": place.server(),
			})},
			Env:  []string{"GEMINI_API_KEY=" + key, "GOOGLE_GEMINI_BASE_URL=" + place.URL},
			Args: []string{"--skip-trust", "-m", place.Surface.Model, "-p", prompt},
		}
	},
}
