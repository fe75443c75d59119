package agent

import "toolproof/internal/program"

var qwenCode = &Client{
	Name: "qwen-code", Title: "Qwen Code", Program: "qwen", Package: "@qwen-code/qwen-code",
	Surfaces: []Surface{chat, messages, gemini},
	Quirks:   []string{"As it is installed, it sends no tool of a server: the model has to search for them. The run turns the search off."},
	setup: func(place Place) program.Setup {
		by := map[string]struct{ kind, variable, base string }{
			"chat":     {"openai", "OPENAI", place.URL + "/v1"},
			"messages": {"anthropic", "ANTHROPIC", place.URL},
			"gemini":   {"gemini", "GEMINI", place.URL},
		}[place.Surface.Name]
		return program.Setup{
			Files: map[string]string{".qwen/settings.json": text(object{
				"security":   object{"auth": object{"selectedType": by.kind}},
				"general":    object{"enableAutoUpdate": false, "disableAutoUpdate": true},
				"privacy":    object{"usageStatisticsEnabled": false},
				"tools":      object{"toolSearch": object{"enabled": false}},
				"mcpServers": place.servers(),
			})},
			Env: []string{
				by.variable + "_API_KEY=" + key, by.variable + "_BASE_URL=" + by.base, by.variable + "_MODEL=" + place.Surface.Model,
				"GOOGLE_GEMINI_BASE_URL=" + place.URL,
			},
			Args: []string{"--auth-type", by.kind, "-m", place.Surface.Model, "-p", prompt},
		}
	},
}
