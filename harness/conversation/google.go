package conversation

import (
	"cmp"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

var (
	gemini = []string{"gemini"}
	vertex = []string{"vertex"}
)

// Parts of the examples.
const (
	geminiHi       = `{"role":"user","parts":[{"text":"hi"}]}`
	geminiCall     = `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}`
	geminiSigned   = `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"c2lnbmVk"}]}`
	geminiResult   = `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}`
	geminiTools    = `"tools":[{"functionDeclarations":[{"name":"f","description":"d"}]}]`
	geminiExchange = `{"contents":[` + geminiHi + `,` + geminiCall + `,` + geminiResult + `],` + geminiTools + `}`
)

// forgedSignature is a signature that the emulator seems to have made and did not.
const forgedSignature = "EqQBVG9vbHByb29mZm9yZ2Vk"

var googleRules = []*Rule{
	{
		Name: "gemini_contents_missing", API: provider.GenerateContent, Services: gemini,
		Doc:     `a request has contents`,
		Words:   "* GenerateContentRequest.contents: contents is not specified\n",
		Instead: `send a content of the user`,
		Sources: []Source{
			{"https://github.com/googleapis/js-genai/issues/912", "2025-08-25"},
		},
		model:    "gemini-2.5-flash",
		Refused:  `{"contents":[]}`,
		Accepted: `{"contents":[` + geminiHi + `]}`,
		check: func(request *Request) *found {
			contents := request.Body.First("contents")
			if contents != nil && !isEmptyList(contents) { // one content need not be in a list
				return nil
			}
			return refuse("").at(cmp.Or(contents, request.Body))
		},
	},
	{
		Name: "gemini_search_with_functions_before", API: provider.GenerateContent, Services: gemini,
		Doc:    `search and functions exclude each other on Gemini 2`,
		Models: []string{"gemini-2*"}, Until: "2026-02-26",
		Words:   "Tool use with function calling is unsupported",
		Instead: `leave out the search or the functions`,
		Sources: []Source{
			{"https://github.com/googleapis/go-genai/issues/323", "2025-05-25"},
			{"https://github.com/enola-dev/enola/issues/1784", "2025-09-22"},
			{"https://github.com/symfony/ai/issues/803", "2025-10-22"},
		},
		model: "gemini-2.5-flash", on: "2025-10-22",
		Refused:  `{"contents":[` + geminiHi + `],"tools":[{"googleSearch":{}},{"functionDeclarations":[{"name":"f","description":"d"}]}]}`,
		Accepted: `{"contents":[` + geminiHi + `],"tools":[{"codeExecution":{}},{"functionDeclarations":[{"name":"f","description":"d"}]}]}`,
		check:    searchWithFunctions,
	},
	{
		Name: "gemini_search_with_functions", API: provider.GenerateContent, Services: gemini,
		Doc:    `search and functions exclude each other on Gemini 2, until a request with both was accepted on 2026-03-18`,
		Models: []string{"gemini-2*"}, Since: "2026-02-26", Until: "2026-03-18",
		Words:   "Tool use with function calling is unsupported by the model.",
		Instead: `leave out the search or the functions`,
		Sources: []Source{{"https://github.com/withceleste/celeste-python/issues/197", "2026-02-26"}},
		model:   "gemini-2.5-flash", on: "2026-03-01",
		Refused:  `{"contents":[` + geminiHi + `],"tools":[{"googleSearch":{}},{"functionDeclarations":[{"name":"f","description":"d"}]}]}`,
		Accepted: `{"contents":[` + geminiHi + `],"tools":[{"googleSearch":{}}]}`,
		check:    searchWithFunctions,
	},
	{
		Name: "gemini_invocations", API: provider.GenerateContent, Services: gemini,
		Doc:    `built-in tools and functions together need includeServerSideToolInvocations from Gemini 3.1 on`,
		Models: []string{"gemini-3.*"}, Since: "2026-04-06",
		Words:   "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
		Instead: `add "includeServerSideToolInvocations":true to toolConfig, or leave out the built-in tools`,
		Sources: []Source{
			{"https://github.com/cloudwego/eino-ext/issues/761", "2026-04-06"},
			{"https://github.com/owndev/Open-WebUI-Functions/pull/159", "2026-04-20"},
			{"https://github.com/ag2ai/ag2/pull/3145", "2026-08-10"},
		},
		model:   "gemini-3.5-flash",
		Refused: `{"contents":[` + geminiHi + `],"tools":[{"urlContext":{},"functionDeclarations":[{"name":"f","description":"d"}]}]}`,
		Accepted: `{"contents":[` + geminiHi + `],"tools":[{"urlContext":{},"functionDeclarations":[{"name":"f","description":"d"}]}],` +
			`"toolConfig":{"includeServerSideToolInvocations":true}}`,
		check: func(request *Request) *found {
			if request.Body.First("toolConfig", "tool_config").First("includeServerSideToolInvocations", "include_server_side_tool_invocations").IsTrue() {
				return nil
			}
			if declares(request.Body, functions) && declares(request.Body, []string{"googleSearch", "google_search", "urlContext", "url_context", "codeExecution", "code_execution"}) {
				return refuse("").at(request.Body.Get("tools"))
			}
			return nil
		},
	},
	{
		Name: "gemini_functions_with_json", API: provider.GenerateContent, Services: gemini,
		Doc:     `functions and a JSON answer exclude each other on Gemini 2.5`,
		Models:  []string{"gemini-2.5*"},
		Words:   "Function calling with a response mime type: 'application/json' is unsupported",
		Instead: `leave out responseMimeType or the functions`,
		Sources: []Source{
			{"https://github.com/symfony/ai/issues/803", "2025-10-22"}, {"https://github.com/symfony/ai/issues/1777", "2026-03-16"},
		},
		model:    "gemini-2.5-flash",
		Refused:  `{"contents":[` + geminiHi + `],` + geminiTools + `,"generationConfig":{"responseMimeType":"application/json"}}`,
		Accepted: `{"contents":[` + geminiHi + `],` + geminiTools + `,"generationConfig":{"responseMimeType":"text/plain"}}`,
		check: func(request *Request) *found {
			config := request.Body.First("generationConfig", "generation_config")
			if declares(request.Body, functions) && config.First("responseMimeType", "response_mime_type").Is("application/json") {
				return refuse("").at(config.First("responseMimeType", "response_mime_type"))
			}
			return nil
		},
	},
	{
		Name: "gemini_json_of_images", API: provider.GenerateContent, Services: gemini,
		Doc:     `models that make images answer with no JSON`,
		Models:  []string{"gemini-2.5-flash-image*", "gemini-2.0-flash-preview-image-generation"},
		Words:   "JSON mode is not enabled for models/%s",
		Instead: `leave out responseMimeType, or ask another model`,
		Sources: []Source{
			{"https://github.com/maruel/genai, a recorded answer for gemini-2.0-flash-preview-image-generation", "2025-06-13"},
			{"https://github.com/vkryukov/req_llm, a recorded answer for gemini-2.5-flash-image", "2025-10-15"},
		},
		model:    "gemini-2.5-flash-image",
		Refused:  `{"contents":[` + geminiHi + `],"generationConfig":{"responseMimeType":"application/json"}}`,
		Accepted: `{"contents":[` + geminiHi + `],"generationConfig":{"responseMimeType":"text/plain"}}`,
		check: func(request *Request) *found {
			kind := request.Body.First("generationConfig", "generation_config").First("responseMimeType", "response_mime_type")
			if !kind.Is("application/json") {
				return nil
			}
			return refuse("", request.Model).at(kind)
		},
	},
	{
		Name: "gemini_functions_of_images", API: provider.GenerateContent, Services: gemini,
		Doc:      `a model that makes images calls no functions`,
		Models:   []string{"gemini-2.0-flash-preview-image-generation"},
		Words:    "Function calling is not enabled for models/%s",
		Instead:  `leave out the functions, or ask another model`,
		Sources:  []Source{{"https://github.com/maruel/genai, a recorded answer for gemini-2.0-flash-preview-image-generation", "2025-06-13"}},
		model:    "gemini-2.0-flash-preview-image-generation",
		Refused:  `{"contents":[` + geminiHi + `],` + geminiTools + `}`,
		Accepted: `{"contents":[` + geminiHi + `],"tools":[{"codeExecution":{}}]}`,
		check: func(request *Request) *found {
			if declares(request.Body, functions) {
				return refuse("", request.Model).at(request.Body.Get("tools"))
			}
			return nil
		},
	},
	{
		Name: "gemini_functions_undeclared", API: provider.GenerateContent, Services: gemini,
		Doc:     `functionCallingConfig comes with functions: known beside built-in tools on Gemini 2.5`,
		Models:  []string{"gemini-2.5*"},
		Words:   "Function calling config is set without function_declarations.",
		Instead: `leave out functionCallingConfig`,
		Sources: []Source{
			{"https://github.com/UKGovernmentBEIS/inspect_ai/issues/2462", "2025-09-12"}, // gemini-2.5-pro
			{"https://github.com/AstrBotDevs/AstrBot/pull/7407", "2026-04-07"},
			{"https://github.com/pydantic/pydantic-ai/pull/5791", "2026-06-05"}, // gemini-2.5-flash and -pro, while Gemini 3 and Vertex AI accept it
		},
		model:    "gemini-2.5-flash",
		Refused:  `{"contents":[` + geminiHi + `],"tools":[{"googleSearch":{}}],"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}}`,
		Accepted: `{"contents":[` + geminiHi + `],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":[]}}}`,
		check: func(request *Request) *found {
			config := request.Body.First("toolConfig", "tool_config")
			calling := config.First("functionCallingConfig", "function_calling_config")
			isTolerated := config.First("includeServerSideToolInvocations", "include_server_side_tool_invocations").IsTrue()
			if calling == nil || isTolerated || len(wire.List(request.Body.Get("tools"))) == 0 || declares(request.Body, functions) {
				return nil
			}
			return refuse("").at(calling)
		},
	},
	{
		Name: "gemini_speech", API: provider.GenerateContent, Services: gemini,
		Doc:     `a model that speaks gives no text, which it is asked for unless responseModalities says otherwise`,
		Models:  []string{"gemini-2.5-*-preview-tts"},
		Words:   "The requested combination of response modalities (TEXT) is not supported by the model. models/%s accepts the following combination of response modalities:\n* AUDIO\n",
		Instead: `write ["AUDIO"] for responseModalities`,
		Sources: []Source{
			{"https://github.com/vkryukov/req_llm/blob/d7e9d6d7f60c/test/support/fixtures/google/gemini_2_5_flash_preview_tts/object_basic.json", "2025-10-15"},
			{"https://github.com/vkryukov/req_llm/blob/d7e9d6d7f60c/test/support/fixtures/google/gemini_2_5_pro_preview_tts/object_basic.json", "2025-10-15"},
		},
		model:    "gemini-2.5-flash-preview-tts",
		Refused:  `{"contents":[` + geminiHi + `],"generationConfig":{"maxOutputTokens":9}}`,
		Accepted: `{"contents":[` + geminiHi + `],"generationConfig":{"responseModalities":["AUDIO"]}}`,
		check: func(request *Request) *found {
			config := request.Body.First("generationConfig", "generation_config")
			if config.First("responseModalities", "response_modalities") != nil {
				return nil
			}
			return refuse("", request.Model).at(cmp.Or(config, request.Body.Get("contents")))
		},
	},
	{
		Name: "gemini_call_turn", API: provider.GenerateContent, Services: gemini,
		Doc:     `a turn with calls follows one of the user, or one with results`,
		Words:   "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
		Instead: `send a content of the user, or one with results, before this one`,
		Sources: []Source{
			{"https://github.com/google-gemini/gemini-cli/issues/11814", "2025-10-23"},
			{"https://github.com/continuedev/continue/issues/11164", "2026-03-07"},
			{"https://github.com/google-gemini/gemini-cli/issues/26486", "2026-05-05"},
		},
		model:    "gemini-2.5-flash",
		Refused:  `{"contents":[` + geminiCall + `,` + geminiResult + `],` + geminiTools + `}`,
		Accepted: geminiExchange,
		check: func(request *Request) *found {
			turns := turnsOf(request.Body)
			for i, turn := range turns {
				if turn.calls > 0 && (i == 0 || turns[i-1].isModel) {
					return refuse("").at(turn.content)
				}
			}
			return nil
		},
	},
	{
		Name: "gemini_result_turn", API: provider.GenerateContent, Services: gemini,
		Doc:     `a turn with results follows one with calls`,
		Words:   "Please ensure that function response turn comes immediately after a function call turn.",
		Instead: `send the content of the model that has the calls before this one`,
		Sources: []Source{
			{"https://github.com/GoogleCloudPlatform/generative-ai/pull/368", "2024-01-30"}, {"https://github.com/lobehub/lobehub/issues/7298", "2025-04-05"},
		},
		model:    "gemini-2.5-flash",
		Refused:  `{"contents":[` + geminiHi + `,` + geminiResult + `],` + geminiTools + `}`,
		Accepted: geminiExchange,
		check: func(request *Request) *found {
			turns := turnsOf(request.Body)
			for i, turn := range turns {
				if turn.results > 0 && (i == 0 || turns[i-1].calls == 0) {
					return refuse("").at(turn.content)
				}
			}
			return nil
		},
	},
	{
		Name: "gemini_results_missing", API: provider.GenerateContent, Services: gemini,
		Doc:     `as many results follow as there were calls`,
		Words:   "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
		Instead: `send a content with one functionResponse for each functionCall right after this one`,
		Sources: []Source{
			{"https://github.com/google-gemini/gemini-cli/issues/4217", "2025-07-15"},
			{"https://github.com/google-gemini/gemini-cli/issues/16543", "2026-01-13"},
			{"https://github.com/microsoft/vscode/issues/299295", "2026-03-04"},
		},
		model:    "gemini-2.5-flash",
		Refused:  `{"contents":[` + geminiHi + `,` + geminiCall + `,` + geminiHi + `],` + geminiTools + `}`,
		Accepted: geminiExchange,
		check: func(request *Request) *found {
			turns := turnsOf(request.Body)
			for i, turn := range turns {
				if i+1 < len(turns) && turn.calls > 0 && turn.calls != turns[i+1].results {
					return refuse("").at(turn.content)
				}
			}
			return nil
		},
	},
	{
		Name: "gemini_signature_corrupted", API: provider.GenerateContent, Services: gemini,
		Doc:     `a signature comes back as the service gave it: only the service knows, and the emulator of its own`,
		Models:  []string{"gemini-3*"},
		Words:   "Corrupted thought signature.",
		Instead: `send the thoughtSignature back exactly as the answer gave it`,
		Sources: []Source{
			{"https://github.com/google-gemini/gemini-cli/issues/13467", "2025-11-20"},
			{"https://github.com/charmbracelet/crush/issues/1698", "2025-12-22"},
			{"https://github.com/heyhuynhgiabuu/proxypal/issues/119", "2026-01-13"},
		},
		model:    "gemini-3-pro-preview",
		Refused:  `{"contents":[` + geminiHi + `,` + strings.Replace(geminiSigned, "c2lnbmVk", forgedSignature, 1) + `,` + geminiResult + `],` + geminiTools + `}`,
		Accepted: `{"contents":[` + geminiHi + `,` + geminiSigned + `,` + geminiResult + `],` + geminiTools + `}`,
		check: func(request *Request) *found {
			for _, content := range wire.List(request.Body.Get("contents")) {
				for _, part := range wire.List(content.Get("parts")) {
					signature := part.First("thoughtSignature", "thought_signature")
					if isKind(signature, schema.String) && request.IsForged != nil && request.IsForged(signature.Text) {
						return refuse("").at(signature)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "gemini_reference_unnamed", API: provider.GenerateContent, Services: gemini,
		Doc:     `a $ref in a result is the displayName of one of its parts: a schema in a result is no structure, but text`,
		Since:   "2026-04-12",
		Words:   "The referenced name `%s` in function_response.response does not match to a display_name in the function_response.parts.",
		Instead: `send the schema as a string of JSON, or rename its members $ref`,
		Sources: []Source{
			{"https://github.com/vercel/ai/issues/14369", "2026-04-12"},
			{"https://github.com/twentyhq/twenty/issues/21712", "2026-06-17"},
			{"https://github.com/NousResearch/hermes-agent/issues/100441", "2026-09-01"},
			{"https://github.com/router-for-me/CLIProxyAPI/issues/6065", "2026-09-23"},
		},
		model: "gemini-2.5-flash",
		Refused: `{"contents":[` + geminiHi + `,` + geminiCall + `,{"role":"user","parts":[{"functionResponse":{"name":"f",` +
			`"response":{"schema":{"$ref":"#/$defs/A"}}}}]}],` + geminiTools + `}`,
		Accepted: `{"contents":[` + geminiHi + `,` + geminiCall + `,{"role":"user","parts":[{"functionResponse":{"name":"f",` +
			`"response":{"schema":"{\"$ref\":\"#/$defs/A\"}"}}}]}],` + geminiTools + `}`,
		check: func(request *Request) *found {
			for _, content := range wire.List(request.Body.Get("contents")) {
				for _, part := range wire.List(content.Get("parts")) {
					result := part.First("functionResponse", "function_response")
					var names []string
					for _, attached := range wire.List(result.Get("parts")) {
						if name := attached.First("inlineData", "inline_data", "fileData", "file_data").First("displayName", "display_name"); name != nil {
							names = append(names, name.Text)
						}
					}
					if reference := unnamed(result.Get("response"), names); reference != nil {
						return refuse("", reference.Text).at(reference)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "gemini_signature_missing", API: provider.GenerateContent, Services: gemini,
		Doc:    `Gemini 3 wants its signature back with the first call of each turn since the user spoke`,
		Models: []string{"gemini-3*"},
		Words: "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to " +
			"degraded model performance. Additional data, function call `default_api:%s` , position %d. Please refer to https://ai.google.dev/gemini-api/docs/" +
			"thought-signatures for more details.",
		Instead: `send the call back with the thoughtSignature that the answer gave beside it`,
		Sources: []Source{
			{"https://github.com/langgenius/dify-official-plugins/issues/2088", "2025-11-18"},
			{"https://github.com/lbjlaq/Antigravity-Manager/issues/938", "2026-01-21"},
			{"https://github.com/TokenRhythm/opensquilla/issues/225", "2026-06-08"},
		},
		model:    "gemini-3-pro-preview",
		Refused:  geminiExchange,
		Accepted: `{"contents":[` + geminiHi + `,` + geminiSigned + `,` + geminiResult + `],` + geminiTools + `}`,
		check:    signatureMissing,
	},
	{
		Name: "gemini_openai_signature_missing", API: provider.ChatCompletions, Services: []string{"gemini-openai"},
		Doc:    `Gemini 3 wants its signature back with the first call of each turn since the user spoke, as extra_content of the call`,
		Models: []string{"gemini-3*"},
		Words: "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to " +
			"degraded model performance. Additional data, function call `default_api:%s` , position %d. Please refer to https://ai.google.dev/gemini-api/docs/" +
			"thought-signatures for more details.",
		Instead: `send the call back with the extra_content.google.thought_signature that the answer has`,
		Sources: []Source{
			{"https://github.com/BigPizzaV3/CodexPlusPlus/issues/332", "2026-05-26"},
			{"https://github.com/TokenRhythm/opensquilla/issues/225", "2026-06-08"},
			{"https://github.com/securo-finance/securo/issues/884", "2026-09-10"},
		},
		Refused: `{"model":"gemini-3.5-flash","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `],` + chatTools + `}`,
		Accepted: `{"model":"gemini-3.5-flash","messages":[` + chatUser + `,` +
			strings.Replace(chatCall, `"type":"function"`, `"type":"function","extra_content":{"google":{"thought_signature":"c2lnbmVk"}}`, 1) + `,` + chatResult + `],` + chatTools + `}`,
		check: func(request *Request) *found {
			var called *schema.Node // the first call of a turn without a signature since the user spoke
			contents, position, before := 0, 0, ""
			for _, message := range wire.List(request.Body.Get("messages")) {
				role, calls := message.GetString("role"), wire.List(message.Get("tool_calls"))
				switch {
				case role == "system" || role == "developer":
					continue
				case role == "user":
					called = nil
				case called == nil && len(calls) > 0 && calls[0].Get("extra_content").Get("google").First("thought_signature") == nil:
					called, position = calls[0], contents+1
				}
				if role != "tool" || before != "tool" { // results of one turn are one content
					contents++
				}
				before = role
			}
			if called == nil {
				return nil
			}
			return refuse("", called.Get("function").GetString("name"), position).at(called)
		},
	},
	{
		Name: "vertex_signature_missing", API: provider.GenerateContent, Services: vertex,
		Doc:    `Gemini 3 wants its signature back with the first call of each turn since the user spoke`,
		Models: []string{"gemini-3*"},
		Words: "Unable to submit request because function call `%s` in the %d. content block is missing a `thought_signature`. Learn more: https://" +
			"docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures",
		Instead:  `send the call back with the thoughtSignature that the answer gave beside it`,
		Sources:  []Source{{"https://github.com/junjiem/dify-plugin-agent-mcp_sse/issues/143", "2026-01-21"}},
		model:    "gemini-3-flash-preview",
		Refused:  geminiExchange,
		Accepted: `{"contents":[` + geminiHi + `,` + geminiSigned + `,` + geminiResult + `],` + geminiTools + `}`,
		check:    signatureMissing,
	},
}

var functions = []string{"functionDeclarations", "function_declarations"}

// declares reports whether a tool has one of the members.
func declares(body *schema.Node, members []string) bool {
	return slices.ContainsFunc(wire.List(body.Get("tools")), func(tool *schema.Node) bool {
		return slices.ContainsFunc(members, func(member string) bool { return len(wire.List(tool.Get(member))) > 0 })
	})
}

func searchWithFunctions(request *Request) *found {
	if declares(request.Body, functions) && declares(request.Body, []string{"googleSearch", "google_search", "googleSearchRetrieval", "google_search_retrieval"}) {
		return refuse("").at(request.Body.Get("tools"))
	}
	return nil
}

// unnamed returns the first $ref below a node that none of the names is; nil if there is none.
func unnamed(node *schema.Node, names []string) *schema.Node {
	if node == nil {
		return nil
	}
	for _, member := range node.Members {
		if member.Key == "$ref" && member.Value.Kind == schema.String && !slices.Contains(names, member.Value.Text) {
			return member.Value
		}
		if found := unnamed(member.Value, names); found != nil {
			return found
		}
	}
	for _, element := range node.Elements {
		if found := unnamed(element, names); found != nil {
			return found
		}
	}
	return nil
}

// turn is one or several consecutive contents of one role.
type turn struct {
	isModel        bool
	calls, results int
	// unsigned is the name of the first call if the call lacks a signature.
	unsigned string
	// speaks is set if the user says a text and gives no results.
	speaks bool
	last   int // number of its last content, counted from 1
	// content is the first one with calls or results, or else the last.
	content *schema.Node
}

// turnsOf reads the turns of a request.
func turnsOf(body *schema.Node) []turn {
	var turns []turn
	for i, content := range wire.List(body.Get("contents")) {
		isModel := content.Get("role").Is("model")
		if len(turns) == 0 || turns[len(turns)-1].isModel != isModel {
			turns = append(turns, turn{isModel: isModel})
		}
		current := &turns[len(turns)-1]
		current.last = i + 1
		if current.calls+current.results == 0 {
			current.content = content
		}
		for _, part := range wire.List(content.Get("parts")) {
			call := part.First("functionCall", "function_call")
			switch {
			case call != nil:
				if current.calls == 0 && part.First("thoughtSignature", "thought_signature") == nil {
					current.unsigned = call.GetString("name")
				}
				current.calls++
			case part.First("functionResponse", "function_response") != nil:
				current.results++
			case part.First("text") != nil && !isModel:
				current.speaks = true
			}
		}
	}
	return turns
}

// signatureMissing finds the first call without a signature since the user last spoke.
// The message numbers contents from the beginning.
func signatureMissing(request *Request) *found {
	turns := turnsOf(request.Body)
	first := 0
	for i, turn := range turns {
		if turn.speaks && turn.results == 0 {
			first = i
		}
	}
	for _, turn := range turns[min(first, len(turns)):] {
		if turn.unsigned != "" {
			return refuse("", turn.unsigned, turn.last).at(turn.content)
		}
	}
	return nil
}
