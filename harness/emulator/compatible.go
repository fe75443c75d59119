package emulator

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/provider/compatible"
	"toolproof/internal/lazy"
)

// Compatible lists the services that offer OpenAI's API at hosts of their own. The emulator can
// serve one of them instead of the providers' services. Nothing is known of their models and of
// what they say to conversations, so they take any model name.
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

// compatibleRoutes returns the routes of such a service: the path of its surfaces, and
// OpenAI's.
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
