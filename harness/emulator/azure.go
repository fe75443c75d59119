package emulator

import (
	"net/http"

	"toolproof/harness/provider"
	"toolproof/harness/provider/openai"
	"toolproof/internal/lazy"
)

// azure is Azure OpenAI. A model there is a deployment with a name of the user's choice.
var azure = &service{
	surfaces: provider.OfService(openai.Dialects, openai.AzureChat.Service()),
	failure: func(status int, code, message string) []byte {
		switch status {
		case http.StatusTooManyRequests:
			return encode(object{"error": object{"code": "429", "message": message}})
		case http.StatusNotFound:
			if code == "" {
				return encode(object{"error": object{"code": "404", "message": "Resource not found"}})
			}
		}
		return openAI.failure(status, code, message)
	},
	models: []string{"gpt-4o-mini", "gpt-4o", "gpt-4.1", "gpt-5", "gpt-5-mini"},
	entry:  openAIEntry,
	family: lazy.Compile(``),
}

// azureRoutes are the paths of Azure. Those of version v1 name the deployment in the body.
var azureRoutes = []route{
	{"POST /openai/deployments/{deployment}/chat/completions", azure, (*exchange).chat},
	{"POST /openai/v1/chat/completions", azure, (*exchange).chat},
	{"POST /openai/deployments/{deployment}/responses", azure, (*exchange).responses},
	{"POST /openai/v1/responses", azure, (*exchange).responses},
	{"POST /openai/responses", azure, (*exchange).responses},
	{"GET /openai/v1/models/{model}", azure, (*exchange).oneModel},
	{"GET /openai/v1/models", azure, (*exchange).listModels},
	{"GET /openai/models", azure, (*exchange).listModels},
}
