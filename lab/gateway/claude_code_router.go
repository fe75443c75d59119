package gateway

import (
	"encoding/json"
	"fmt"

	"toolproof/internal/program"
)

var claudeCodeRouter = &Gateway{
	Name: "claude-code-router", Title: "Claude Code Router", Program: "ccr", Package: "@musistudio/claude-code-router",
	Ways: []Way{
		{Name: "messages-to-gemini", In: "messages", Model: "gemini,gemini-2.5-flash"},
		{Name: "messages-to-chat", In: "messages", Model: "openai,gpt-4.1"},
	},
	Quirks: []string{"The model of a request is PROVIDER,MODEL; its configuration names the providers."},
	setup: func(place Place) program.Setup {
		type object = map[string]any
		config, err := json.Marshal(object{
			"PORT": json.Number(place.Port), "HOST": "127.0.0.1", "LOG": false, "NON_INTERACTIVE_MODE": true,
			"Providers": []object{
				{
					"name": "gemini", "api_base_url": place.Upstream + "/v1beta/models/", "api_key": key,
					"models": []string{"gemini-2.5-flash"}, "transformer": object{"use": []string{"gemini"}},
				},
				{"name": "openai", "api_base_url": place.Upstream + "/v1/chat/completions", "api_key": key, "models": []string{"gpt-4.1"}},
			},
			"Router": object{"default": "gemini,gemini-2.5-flash"},
		})
		if err != nil {
			panic(fmt.Errorf("a configuration of our own: %w", err))
		}
		return program.Setup{Files: map[string]string{".claude-code-router/config.json": string(config)}, Args: []string{"start"}}
	},
}
