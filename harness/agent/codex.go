package agent

import (
	"fmt"

	"github.com/pelletier/go-toml/v2"

	"toolproof/internal/program"
)

var codex = &Client{
	Name: "codex", Title: "Codex", Program: "codex", Package: "@openai/codex",
	Surfaces: []Surface{responses},
	Quirks:   []string{"It sends the tools of a server inside a tool of the type namespace."},
	setup: func(place Place) program.Setup {
		config, err := toml.Marshal(object{
			"model": place.Surface.Model, "model_provider": "emulator",
			"model_providers": object{"emulator": object{
				"name": "emulator", "base_url": place.URL + "/v1", "env_key": "OPENAI_API_KEY", "wire_api": "responses", "supports_websockets": false,
			}},
			"mcp_servers": place.servers(),
		})
		if err != nil {
			panic(fmt.Errorf("a configuration of our own: %w", err))
		}
		return program.Setup{
			Files: map[string]string{".codex/config.toml": string(config)},
			Env:   []string{"OPENAI_API_KEY=" + key},
			Args:  []string{"exec", "--skip-git-repo-check", prompt},
		}
	},
}
