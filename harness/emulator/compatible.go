package emulator

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/provider/compatible"
	"toolproof/internal/lazy"
)

// Compatible are the names of the services that speak the language of OpenAI at hosts of
// their own. The emulator can be one of them in place of those that it serves together. Of
// their models and of what they say to conversations nothing is known: any name is taken.
var Compatible = compatibleNames()

func compatibleNames() []string {
	var names []string
	for _, surface := range compatible.Dialects {
		if name := surface.Service(); surface.API == provider.ChatCompletions && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// compatibleRoutes are all that such a service serves: the path of its surfaces, and that of
// OpenAI.
func compatibleRoutes(name string) []route {
	surfaces := provider.OfService(compatible.Dialects, name)
	own := &service{
		surfaces: surfaces,
		failure: func(status int, code, message string) []byte {
			return surfaces[0].Render(provider.Response{Verdict: provider.Rejected, Status: status, Message: message, Code: code})
		},
		models: []string{name + "-model"}, entry: openAIEntry, family: lazy.Compile(``),
	}
	routes := openAIRoutes(own)
	if path := surfaces[0].Path; path != "/v1/chat/completions" {
		routes = append(routes, route{"POST " + path, own, (*exchange).chat})
	}
	return routes
}
