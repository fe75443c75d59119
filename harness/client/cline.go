package client

var cline = &Client{
	Name: "cline", Title: "Cline", Program: "cline", Package: "cline",
	Surfaces: []Surface{chat, responses, messages, gemini},
	Quirks:   []string{"It leaves a process of its own behind, which is ended with the run."},
	setup: func(place Place) Setup {
		return Setup{
			Files: map[string]string{
				".cline/data/settings/cline_mcp_settings.json": text(object{"mcpServers": place.server()}),
			},
			Args: []string{"-p", prompt, "--auto-approve", "false"},
		}
	},
}
