package emulator

// list makes an entry for each model of the service.
func (s *service) list() []object {
	entries := make([]object, len(s.models))
	for i, name := range s.models {
		entries[i] = s.entry(name)
	}
	return entries
}

// oneModel tells of one model.
func (x *exchange) oneModel() reply {
	x.service = x.service.asked(x)
	x.model = x.request.PathValue("model")
	if unknown := x.noModel(); unknown != nil {
		return *unknown
	}
	return found(x.service.entry(x.model))
}

// listModels lists the models.
func (x *exchange) listModels() reply {
	service := x.service.asked(x)
	entries := service.list()
	switch service {
	case gemini:
		return found(object{"models": entries})
	case vertex:
		return found(object{"publisherModels": entries})
	case claude:
		return found(object{"data": entries, "has_more": false, "first_id": service.models[0], "last_id": service.models[len(service.models)-1]})
	default:
		return found(object{"object": "list", "data": entries})
	}
}

// asked returns the service whose models are asked for: OpenAI and Anthropic have them
// at the same path, and clients of Anthropic say a version.
func (s *service) asked(x *exchange) *service {
	if s == openAI && x.request.Header.Get("Anthropic-Version") != "" {
		return claude
	}
	return s
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
