package gateway

import "toolproof/internal/program"

var portkey = &Gateway{
	Name: "portkey", Title: "Portkey AI Gateway", Program: "gateway", Package: "@portkey-ai/gateway",
	Ways: []Way{
		portkeyWay("chat-to-gemini", "google", "{upstream}", "gemini-2.5-flash"),
		portkeyWay("chat-to-anthropic", "anthropic", "{upstream}/v1", "claude-sonnet-4-5"),
		portkeyWay("chat-to-openai", "openai", "{upstream}/v1", "gpt-4.1"),
	},
	Quirks: []string{"It asks a host of the caller's choice only where TRUSTED_CUSTOM_HOSTS names it."},
	setup: func(place Place) program.Setup {
		return program.Setup{
			Env:  []string{"TRUSTED_CUSTOM_HOSTS=127.0.0.1"},
			Args: []string{"--headless", "--port=" + place.Port},
		}
	},
}

// portkeyWay returns a way to a provider, which Portkey reads from headers.
func portkeyWay(name, provider, host, model string) Way {
	return Way{
		Name: name, In: "chat", Model: model,
		Headers: map[string]string{"X-Portkey-Provider": provider, "X-Portkey-Custom-Host": host},
	}
}
