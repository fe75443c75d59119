package emulator

import (
	"net/http"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Engines lists the inference servers that the emulator can serve instead of the providers'
// services.
var Engines = []string{"ollama", "llamacpp", "vllm"}

// ollamaRoutes are the routes of Ollama's own API.
var ollamaRoutes = []route{
	{"POST /api/chat", ollama, (*exchange).ollamaChat},
	{"POST /api/show", ollama, (*exchange).ollamaShow},
	{"GET /api/tags", ollama, (*exchange).ollamaTags},
	{"GET /api/version", ollama, (*exchange).ollamaVersion},
}

// engineRoutes are the routes of each of Engines.
var engineRoutes = map[string][]route{
	"ollama": slices.Concat(ollamaRoutes, openAIRoutes(ollamaOpenAI), []route{
		{"GET /{$}", ollama, (*exchange).ollamaRoot},
	}),
	"llamacpp": slices.Concat(openAIRoutes(llamaCPP), []route{
		{"GET /props", llamaCPP, (*exchange).llamaProps},
	}),
	"vllm": slices.Concat(openAIRoutes(vllm), []route{
		{"GET /version", vllm, (*exchange).vllmVersion},
	}),
}

// openAIRoutes returns the routes of OpenAI's API as engines serve it.
func openAIRoutes(service *service) []route {
	return []route{
		{"POST /v1/chat/completions", service, (*exchange).chat},
		{"GET /v1/models/{model...}", service, (*exchange).oneModel},
		{"GET /v1/models", service, (*exchange).listModels},
	}
}

// llamaCPP is llama.cpp's server, started with --jinja. It has one model, which it serves under
// any name.
var llamaCPP = &service{
	surfaces: provider.OfService(engines.Dialects, engines.LlamaChat.Service()),
	failure: func(status int, _, message string) []byte {
		return engines.LlamaChat.Render(provider.Response{Verdict: provider.Rejected, Status: status, Message: message})
	},
	models: []string{"qwen3-8b.gguf"},
	entry: func(name string) object {
		return object{"id": name, "object": "model", "created": 0, "owned_by": "llamacpp"}
	},
	family: lazy.Compile(``),
	judged: func(choice *schema.Node, requests []provider.Request) []provider.Request {
		if !choice.Is("none") {
			return requests
		}
		return formatsOf(requests)
	},
}

// llamaProps answers a request for the server's properties.
func (x *exchange) llamaProps() reply {
	build := strings.NewReplacer(" (", "-", ")", "").Replace(engines.LlamaChat.VersionOn(x.day).Name)
	return succeeded(object{
		"default_generation_settings": object{"n_ctx": 1 << 15}, "total_slots": 1, "model_path": llamaCPP.models[0], "chat_template": "",
		"modalities": object{"vision": false, "audio": false}, "build_info": build,
	})
}

// vllm is vLLM's server, started without choosing a structured-output backend.
var vllm = &service{
	surfaces: []*provider.Dialect{engines.VLLMChat, engines.VLLMResponseFormat},
	failure: func(status int, _, message string) []byte {
		kind := "BadRequestError"
		switch status {
		case http.StatusNotFound:
			kind = "NotFoundError"
		case http.StatusInternalServerError:
			kind = "InternalServerError"
		}
		return encode(object{"error": object{"message": message, "type": kind, "param": nil, "code": status}})
	},
	models: []string{"Qwen/Qwen3-8B"},
	entry: func(name string) object {
		return object{"id": name, "object": "model", "created": 0, "owned_by": "vllm", "root": name, "parent": nil, "max_model_len": 40960}
	},
	family:       lazy.Compile(`^Qwen/`),
	unknownModel: "The model `%s` does not exist.",
	judged: func(choice *schema.Node, requests []provider.Request) []provider.Request {
		if choice.Is("required") {
			return requests
		}
		name := choice.Get("function").GetString("name")
		judged := formatsOf(requests)
		for _, request := range requests {
			for i, declaration := range request.Declarations {
				if len(request.Indices) > 0 && name != "" && declaration.Get("function").GetString("name") == name {
					named := request
					named.Declarations, named.Indices = request.Declarations[i:i+1], request.Indices[i:i+1]
					judged = append(judged, named)
				}
			}
		}
		return judged
	},
}

// vllmVersion answers with the release of the day.
func (x *exchange) vllmVersion() reply {
	return succeeded(object{"version": engines.VLLMChat.VersionOn(x.day).Name})
}

// formatsOf returns the requests that are about schemas of answers.
func formatsOf(requests []provider.Request) []provider.Request {
	return slices.DeleteFunc(slices.Clone(requests), func(request provider.Request) bool { return len(request.Indices) > 0 })
}
