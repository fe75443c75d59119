package agent

import (
	"path/filepath"

	"toolproof/internal/program"
)

var claudeCode = &Client{
	Name: "claude-code", Title: "Claude Code", Program: "claude", Package: "@anthropic-ai/claude-code",
	Surfaces: []Surface{messages},
	Quirks: []string{
		"It is no free software: it runs where the user has installed it, and nothing here installs it.",
		"On a busy machine it asked once, of six measurements, before the server was ready. It sent none of its tools, and said nothing.",
	},
	setup: func(place Place) program.Setup {
		return program.Setup{
			Files: map[string]string{"mcp.json": text(object{"mcpServers": place.servers()})},
			Env: []string{
				"ANTHROPIC_BASE_URL=" + place.URL, "ANTHROPIC_API_KEY=" + key, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
			},
			Args: []string{
				"-p", prompt, "--model", place.Surface.Model,
				"--mcp-config", filepath.Join(place.Home, "mcp.json"), "--strict-mcp-config", "--max-turns", "1",
			},
		}
	},
}
