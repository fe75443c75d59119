package emulator

import "net/http"

// list returns a list entry for each model of the service.
func (s *service) list() []object {
	entries := make([]object, len(s.models))
	for i, name := range s.models {
		entries[i] = s.entry(name)
	}
	return entries
}

// oneModel answers a request for one model.
func (x *exchange) oneModel() reply {
	x.model = x.request.PathValue("model")
	if unknown := x.noModel(); unknown != nil {
		return *unknown
	}
	return succeeded(x.service.entry(x.model))
}

// listModels answers a request for the list of models.
func (x *exchange) listModels() reply {
	service := x.service
	entries := service.list()
	switch service {
	case gemini, geminiV1:
		return succeeded(object{"models": entries})
	case vertex:
		return succeeded(object{"publisherModels": entries})
	case claude:
		return succeeded(object{"data": entries, "has_more": false, "first_id": service.models[0], "last_id": service.models[len(service.models)-1]})
	default:
		return succeeded(object{"object": "list", "data": entries})
	}
}

// of returns the service that a request is for: OpenAI, Anthropic and Google serve models, files and others at
// the same paths, but only clients of Anthropic send a version, and only Google has a header for its key.
func (s *service) of(request *http.Request) *service {
	switch {
	case s != openAI:
		return s
	case request.Header.Get("Anthropic-Version") != "":
		return claude
	case request.Header.Get("X-Goog-Api-Key") != "":
		return geminiV1
	default:
		return s
	}
}

func geminiEntry(name string) object {
	return object{
		"name": "models/" + name, "version": "001", "displayName": name, "inputTokenLimit": 1 << 20, "outputTokenLimit": 1 << 16,
		"supportedGenerationMethods": []string{"generateContent", "countTokens"},
	}
}

func vertexEntry(name string) object {
	return object{"name": "publishers/google/models/" + name, "versionId": "default", "launchStage": "GA"}
}

func openAIEntry(name string) object {
	return object{"id": name, "object": "model", "created": 0, "owned_by": "emulator"}
}

func claudeEntry(name string) object {
	return object{"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"}
}
