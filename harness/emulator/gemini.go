package emulator

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/google"
	"toolproof/harness/provider/wire"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Google's services.
var (
	gemini = geminiOf("v1beta")
	// geminiV1 is the version that Google's clients ask by default since November 2026. What it says to
	// declarations is not known to differ.
	geminiV1 = geminiOf("v1")
	vertex   = &service{
		surfaces: provider.OfService(google.Dialects, google.VertexParameters.Service()), failure: googleFailure, models: geminiNames, entry: vertexEntry, family: geminiFamily,
		unknownModel: "Publisher Model `publishers/google/models/%s` was not found or your project does not have access to it.",
	}
	geminiOpenAI = &service{
		surfaces: []*provider.Dialect{google.GeminiOpenAI}, models: geminiNames, entry: openAIEntry, family: geminiFamily, unknownModel: gemini.unknownModel,
		failure: func(status int, code, message string) []byte {
			return slices.Concat([]byte("["), googleFailure(status, code, message), []byte("]"))
		},
	}
)

func geminiOf(version string) *service {
	return &service{
		surfaces: provider.OfService(google.Dialects, google.GeminiParameters.Service()), failure: googleFailure, models: geminiNames, entry: geminiEntry, family: geminiFamily,
		unknownModel: "models/%s is not found for API version " + version + ", or is not supported for generateContent. Call ListModels to see the list of " +
			"available models and their supported methods.",
	}
}

var (
	geminiNames  = []string{"gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro", "gemini-3.1-pro-preview"}
	geminiFamily = lazy.Compile(`^(gemini|gemma|learnlm)-[\w.-]+$`)
)

// googleStatus maps an HTTP status to the name of the google.rpc.Code in errors.
var googleStatus = map[int]string{
	http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusNotFound: "NOT_FOUND", http.StatusMethodNotAllowed: "UNIMPLEMENTED",
	http.StatusForbidden: "PERMISSION_DENIED", http.StatusRequestEntityTooLarge: "INVALID_ARGUMENT", http.StatusTooManyRequests: "RESOURCE_EXHAUSTED",
	http.StatusInternalServerError: "INTERNAL",
}

func googleFailure(status int, _, message string) []byte {
	return encode(object{"error": object{"code": status, "message": message, "status": googleStatus[status]}})
}

// googleMethod answers a call of a method of one of Google's models.
func (x *exchange) googleMethod() reply {
	model, method, _ := strings.Cut(x.request.PathValue("model"), ":")
	x.model = model
	if unknown := x.noModel(); unknown != nil {
		return *unknown
	}
	switch method {
	case "generateContent":
		chunks, failure := x.generateContent(false)
		if failure != nil {
			return *failure
		}
		return succeeded(chunks[0])
	case "streamGenerateContent":
		return x.streamGenerateContent()
	case "countTokens":
		// What that API says to declarations is not known, so it accepts all.
		return succeeded(object{"totalTokens": tokens(x.size)})
	default:
		return x.service.failed(http.StatusNotFound, "models/%s has no method %q", model, method)
	}
}

// interactions answers a request to the Interactions API. What it refuses is not known.
func (x *exchange) interactions() reply {
	return x.service.failed(http.StatusNotImplemented, "the emulator has no model of the Interactions API: nothing is known of what it refuses")
}

// streamGenerateContent streams the answer as server-sent events or as the elements of one
// array.
func (x *exchange) streamGenerateContent() reply {
	isSSE := x.request.URL.Query().Get("alt") == "sse"
	answers, failure := x.generateContent(true)
	if failure != nil {
		if !isSSE { // an error is an element of the array
			failure.chunks = [][]byte{slices.Concat([]byte("["), failure.chunks[0], []byte("]"))}
		}
		return *failure
	}
	if isSSE {
		return stream(answers, func(answer object) []byte { return slices.Concat([]byte("data: "), encode(answer), []byte("\r\n\r\n")) })
	}
	before := "["
	list := stream(answers, func(answer object) []byte {
		chunk := append([]byte(before), encode(answer)...)
		before = "\n,\r\n"
		return chunk
	})
	list.contentType, list.chunks = typeJSON, append(list.chunks, []byte("\n]\n"))
	return list
}

// generateContent returns the answer of generateContent, or the parts of a streamed one, or an
// error reply.
func (x *exchange) generateContent(isStreamed bool) (answers []object, failure *reply) {
	requests := wire.Read(provider.GenerateContent, x.service.surfaces, x.body)
	// The front end decodes every body, even one that declares nothing.
	decoded := []provider.Request{{Dialect: x.service.surfaces[0].Name, Body: x.body}}
	if refused := x.refusal(slices.Concat(decoded, requests)); refused != nil {
		return nil, refused
	}
	x.warnings = append(x.warnings, google.Unknown(x.service.surfaces[0], x.body)...)
	if unfit := x.judgeConversation(provider.GenerateContent); unfit != nil {
		return nil, unfit
	}
	turns, err := x.answers(x.geminiQuestion(requests))
	if err != nil {
		unanswered := x.unanswered(err)
		return nil, &unanswered
	}
	prompt, said, id := tokens(x.size), tokens(sizeOf(turns)), x.id("")
	usage := object{
		"promptTokenCount": prompt, "candidatesTokenCount": said, "totalTokenCount": prompt + said,
		"promptTokensDetails": []any{object{"modality": "TEXT", "tokenCount": prompt}},
	}
	if thought := turns[0].thinking; thought != "" {
		count := tokens(len(thought))
		usage["thoughtsTokenCount"], usage["candidatesTokenCount"] = count, said-count
	}
	common := object{
		"usageMetadata": usage,
		"modelVersion":  x.model, "responseId": id,
	}
	candidates := make([]any, len(turns))
	for i, said := range turns {
		if said.refusal != "" { // there is no content
			candidates[i] = object{"finishReason": "SAFETY", "index": i}
			answers = append(answers, with(common, object{"candidates": candidates[i : i+1]}))
			continue
		}
		parts := x.parts(said, isStreamed)
		candidate := func(parts []any) object {
			return object{"content": object{"role": "model", "parts": parts}, "index": i}
		}
		candidates[i] = with(candidate(parts), ended(said))
		for n := 0; isStreamed && n < len(parts); n++ {
			sent := candidate(parts[n : n+1])
			if n == len(parts)-1 {
				maps.Copy(sent, ended(said))
			}
			answers = append(answers, with(common, object{"candidates": []any{sent}}))
		}
	}
	if !isStreamed {
		answers = []object{with(common, object{"candidates": candidates})}
	}
	return answers, nil
}

// ended returns the last members of a candidate; after a search they tell what was found.
func ended(said turn) object {
	switch {
	case said.isCut:
		return object{"finishReason": "MAX_TOKENS"}
	case said.uses != search:
		return object{"finishReason": "STOP"}
	}
	return object{"finishReason": "STOP", "groundingMetadata": object{
		"webSearchQueries": []string{searchQuery}, "groundingChunks": []any{object{"web": object{"uri": searchPage, "title": "Example"}}},
	}}
}

// parts returns the parts of an answer: thinking, and calls or text, which is cut into pieces
// if streamed. Gemini 3 signs the first call.
func (x *exchange) parts(said turn, isStreamed bool) []any {
	var parts []any
	if said.thinking != "" {
		parts = append(parts, object{"text": said.thinking, "thought": true})
	}
	for i, call := range said.whole() {
		part := object{"functionCall": object{"name": call.name, "args": call.arguments}}
		if i == 0 && signs(x.model) {
			part["thoughtSignature"] = x.signature()
		}
		parts = append(parts, part)
	}
	if len(parts) > 0 && len(said.calls) > 0 {
		return parts
	}
	if said.uses == code {
		parts = append(parts,
			object{"executableCode": object{"language": "PYTHON", "code": "print('" + said.text + "')"}},
			object{"codeExecutionResult": object{"outcome": "OUTCOME_OK", "output": said.text + "\n"}},
		)
	}
	texts := []string{said.text}
	if isStreamed && said.text != "" {
		texts = pieces(said.text)
	}
	for _, text := range texts {
		parts = append(parts, object{"text": text})
	}
	return parts
}

func signs(model string) bool { return strings.HasPrefix(model, "gemini-3") }

// geminiQuestion reads the question in a request to generateContent. Google accepts two
// spellings of each field.
func (x *exchange) geminiQuestion(requests []provider.Request) question {
	q := question{functions: x.functionsOf(requests)}
	q.replaceParameters(standard)
	calling := x.body.First("toolConfig", "tool_config").First("functionCallingConfig", "function_calling_config")
	switch strings.ToUpper(calling.GetString("mode")) {
	case "NONE":
		q.functions = nil
	case "ANY":
		q.isForced = len(q.functions) > 0
	}
	q.names = calling.First("allowedFunctionNames", "allowed_function_names").Strings()
	for _, tool := range wire.List(x.body.Get("tools")) {
		switch {
		case tool.First("googleSearch", "google_search") != nil:
			q.builtIn = search
		case tool.First("codeExecution", "code_execution") != nil:
			q.builtIn = code
		}
	}
	q.results = resultsIn(wire.List(x.body.Get("contents")), func(content *schema.Node) (results int, isUser bool) {
		for _, part := range wire.List(content.Get("parts")) {
			if part.First("functionResponse", "function_response") != nil {
				results++
			}
		}
		return results, results == 0 && !content.Get("role").Is("model")
	})
	config := x.body.First("generationConfig", "generation_config")
	q.limit = limitOf(config, "maxOutputTokens", "max_output_tokens")
	q.count = count(config.First("candidateCount", "candidate_count"))
	q.thinks = config.First("thinkingConfig", "thinking_config").First("includeThoughts", "include_thoughts").IsTrue()
	if kind := config.First("responseMimeType", "response_mime_type"); kind != nil {
		q.isJSON = kind.Text == typeJSON
	}
	q.format = standard(config.First("responseJsonSchema", "response_json_schema", "_responseJsonSchema", "responseSchema", "response_schema"))
	return q
}

// standard returns a copy of a schema in which keywords that Google accepts in snake case are
// in camel case and types given by their numbers have their names.
func standard(node *schema.Node) *schema.Node {
	types := []string{"", "string", "number", "integer", "boolean", "array", "object", "null"}
	clone := node.Clone()
	clone.Each(func(subschema *schema.Node) bool {
		for i, member := range subschema.Members {
			if name := camelCase[member.Key]; name != "" {
				subschema.Members[i].Key = name
			}
			if number, ok := member.Value.Int64(); ok && member.Key == "type" && number > 0 && number < int64(len(types)) {
				subschema.Members[i].Value = schema.NewString(types[number])
			}
		}
		return true
	})
	return clone
}

var camelCase = map[string]string{
	"any_of": "anyOf", "max_items": "maxItems", "min_items": "minItems", "max_length": "maxLength", "min_length": "minLength",
	"max_properties": "maxProperties", "min_properties": "minProperties", "additional_properties": "additionalProperties",
}
