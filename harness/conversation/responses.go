package conversation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

// toolTypes are the types of tools that Responses lists when it refuses another.
var toolTypes = []string{
	"code_interpreter", "programmatic_tool_calling", "function", "namespace", "tool_search", "file_search", "web_search_preview",
	"web_search_preview_2025_03_11", "image_generation", "mcp", "custom", "computer", "computer_use_preview", "shell", "apply_patch",
}

// otherToolTypes are further types, from recorded requests or from the official client
// (openai-go v3.95.0).
var otherToolTypes = []string{"web_search", "web_search_2025_08_26", "local_shell"}

// responsesProbes are requests that somebody sent to OpenAI's API to compare its answers with their own program's.
var responsesProbes = Source{
	"https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter/blob/4eb54c7c8aa8/test/openai-responses-validation-parity.test.mjs", "2026-08-30",
}

// Parts of the examples.
const (
	responsesCall   = `{"role":"user","content":"hi"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`
	responsesResult = `{"type":"function_call_output","call_id":"c","output":"42"}`
)

var responsesRules = []*Rule{
	{
		Name: "responses_max_tokens", API: provider.Responses, Services: openAI, code: "unknown_parameter",
		Doc:      `max_tokens is a parameter of Chat Completions`,
		Words:    "Unknown parameter: 'max_tokens'.",
		Instead:  `rename max_tokens to max_output_tokens`,
		Sources:  []Source{responsesProbes},
		Refused:  `{"model":"gpt-5","input":"hi","max_tokens":99}`,
		Accepted: `{"model":"gpt-5","input":"hi","max_output_tokens":99}`,
		check: func(request *Request) *found {
			if request.Body.Has("max_tokens") {
				return refuse("max_tokens")
			}
			return nil
		},
	},
	{
		Name: "responses_messages", API: provider.Responses, Services: openAI, code: "unsupported_parameter",
		Doc: `the messages are input here`,
		Words: "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'. Try again with the new parameter. See the API " +
			"documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.",
		Instead:  `rename messages to input`,
		Sources:  []Source{responsesProbes},
		Refused:  `{"model":"gpt-5","input":"hi","messages":[` + chatUser + `]}`,
		Accepted: `{"model":"gpt-5","input":[` + chatUser + `]}`,
		check: func(request *Request) *found {
			if isGiven(request.Body, "messages") {
				return refuse("").at(request.Body.Get("messages"))
			}
			return nil
		},
	},
	{
		Name: "responses_role", API: provider.Responses, Services: openAI, code: "invalid_value",
		Doc:      `an item of the input is of a role that the service has: a result is a function_call_output, and no message`,
		Since:    "2026-08-30",
		Words:    "Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
		Instead:  `write one of these roles, and {"type":"function_call_output","call_id":…,"output":…} for a result`,
		Sources:  []Source{responsesProbes},
		Refused:  `{"model":"gpt-5","input":[` + responsesCall + `,{"role":"tool","content":"42"},` + responsesResult + `]}`,
		Accepted: `{"model":"gpt-5","input":[` + responsesCall + `,` + responsesResult + `]}`,
		check: func(request *Request) *found {
			for i, item := range wire.List(request.Body.Get("input")) {
				role := item.GetString("role")
				if role != "" && !item.Has("type") && !slices.Contains([]string{"assistant", "system", "developer", "user"}, role) {
					return refuse("input["+strconv.Itoa(i)+"]", role)
				}
			}
			return nil
		},
	},
	{
		Name: "responses_content_missing", API: provider.Responses, Services: openAI, code: "missing_required_parameter",
		Doc:   `a message in the input has content`,
		Words: "Missing required parameter: 'input[%d].content'.",
		Sources: []Source{
			{"https://github.com/maruel/genai, a recorded answer of Responses for gpt-5-mini", "2025-09-01"}, responsesProbes,
		},
		Instead:  `leave out the message, or add its content`,
		Refused:  `{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"message","role":"assistant"}]}`,
		Accepted: `{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"so"}]}]}`,
		check: func(request *Request) *found {
			for i, item := range wire.List(request.Body.Get("input")) {
				isMessage := item.Get("type").Is("message") || !item.Has("type") && isKind(item.Get("role"), schema.String)
				if isMessage && !item.Has("content") {
					return refuse("input["+strconv.Itoa(i)+"].content", i).at(item)
				}
			}
			return nil
		},
	},
	{
		Name: "responses_part_type", API: provider.Responses, Services: openAI, code: "invalid_value",
		Doc:   `a part of a message is of a type of Responses, and not of Chat Completions`,
		Since: "2026-08-30",
		Words: "Invalid value: '%s'. Supported values are: 'input_text', 'input_image', 'input_audio', 'output_text', 'refusal', 'input_file', " +
			"'computer_screenshot', 'summary_text', and 'encrypted_content'.",
		Instead:  `write input_text and input_image for text and image_url, and output_text in what the assistant said`,
		Sources:  []Source{responsesProbes},
		Refused:  `{"model":"gpt-5","input":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`,
		Accepted: `{"model":"gpt-5","input":[{"role":"user","content":[{"type":"input_text","text":"hi"}]}]}`,
		check: func(request *Request) *found {
			for i, item := range wire.List(request.Body.Get("input")) {
				for n, part := range blocks(item) {
					if kind := part.GetString("type"); slices.Contains([]string{"text", "image_url", "tool_use", "tool_result"}, kind) {
						return refuse(fmt.Sprintf("input[%d].content[%d].type", i, n), kind)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "responses_tool_unnamed", API: provider.Responses, Services: openAI, code: "missing_required_parameter",
		Doc:     `a function has its name beside its type, and not in a member function, as in Chat Completions`,
		Words:   "Missing required parameter: 'tools[%d].name'.",
		Instead: `move name, description and parameters out of the member function`,
		Sources: []Source{
			{"https://github.com/vkryukov/req_llm, a recorded answer of Responses for gpt-5-codex", "2025-10-04"}, responsesProbes,
		},
		Refused:  `{"model":"gpt-5","input":"hi","tools":[{"type":"function","function":{"name":"f"}}]}`,
		Accepted: `{"model":"gpt-5","input":"hi","tools":[{"type":"function","name":"f"}]}`,
		check: func(request *Request) *found {
			for i, tool := range wire.List(request.Body.Get("tools")) {
				if tool.Get("type").Is("function") && !isGiven(tool, "name") {
					return refuse("tools["+strconv.Itoa(i)+"].name", i).at(tool)
				}
			}
			return nil
		},
	},
	{
		Name: "responses_tool_choice_value", API: provider.Responses, Services: openAI, code: "invalid_value",
		Doc:      `in Responses, too, tool_choice is none, auto, required or an object`,
		Since:    "2026-08-30",
		Words:    choiceWords,
		Instead:  `write one of these values, or {"type":"function","name":…}`,
		Sources:  []Source{responsesProbes},
		Refused:  `{"model":"gpt-5","input":"hi","tools":[{"type":"function","name":"f"}],"tool_choice":"any"}`,
		Accepted: `{"model":"gpt-5","input":"hi","tools":[{"type":"function","name":"f"}],"tool_choice":"required"}`,
		check:    choiceUnknown,
	},
	{
		Name: "responses_tool_choice_unnamed", API: provider.Responses, Services: openAI, code: "missing_required_parameter",
		Doc:      `tool_choice has the name of the function beside its type, and not in a member function, as in Chat Completions`,
		Words:    "Missing required parameter: 'tool_choice.name'.",
		Instead:  `write {"type":"function","name":…}`,
		Sources:  []Source{responsesProbes},
		Refused:  `{"model":"gpt-5","input":"hi","tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"function","function":{"name":"f"}}}`,
		Accepted: `{"model":"gpt-5","input":"hi","tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"function","name":"f"}}`,
		check: func(request *Request) *found {
			if choice := request.Body.Get("tool_choice"); choice.Get("type").Is("function") && !isGiven(choice, "name") {
				return refuse("tool_choice.name").at(choice)
			}
			return nil
		},
	},
	{
		Name: "responses_temperature", API: provider.Responses, Services: openAI,
		Doc:     `models that reason take no temperature; whether they take 1 is not known`,
		Models:  []string{"o3", "o3-2*", "gpt-5.2*", "gpt-5.6-terra*"},
		Words:   noTemperature,
		Instead: `leave out temperature`,
		Sources: []Source{
			{"https://github.com/ThinkInAIXYZ/deepchat/issues/655", "2025-07-29"},         // o3
			{"https://github.com/OpenHands/software-agent-sdk/issues/1837", "2026-01-27"}, // gpt-5.2, gpt-5.2-codex
			responsesProbes, // gpt-5.6-terra
		},
		Refused:  `{"model":"o3","input":"hi","temperature":0.5}`,
		Accepted: `{"model":"o3","input":"hi","temperature":1}`,
		check: func(request *Request) *found {
			if otherTemperature(request) == nil || request.Body.Get("reasoning").Get("effort").Is("none") {
				return nil
			}
			return refuse("temperature")
		},
	},
	{
		Name: "responses_research_tools", API: provider.Responses, Services: openAI,
		Doc:      `models of deep research call no functions`,
		Models:   []string{"o3-deep-research*"},
		Words:    "Deep research models only support the 'web_search_preview', 'code_interpreter', 'mcp', and 'file_search' tools.",
		Instead:  `leave out the functions, or ask another model`,
		Sources:  []Source{{"https://github.com/vkryukov/req_llm/blob/e608a63c9f2e/test/support/fixtures/openai/o3_deep_research/multi_tool.json", "2025-10-07"}},
		Refused:  `{"model":"o3-deep-research","input":"hi","tools":[{"type":"web_search_preview"},{"type":"function","name":"f"}]}`,
		Accepted: `{"model":"o3-deep-research","input":"hi","tools":[{"type":"web_search_preview"}]}`,
		check: func(request *Request) *found {
			isFunction := func(tool *schema.Node) bool { return tool.Get("type").Is("function") }
			if slices.ContainsFunc(wire.List(request.Body.Get("tools")), isFunction) {
				return refuse("tools")
			}
			return nil
		},
	},
	{
		Name: "responses_reasoning_alone", API: provider.Responses, Services: openAI,
		Doc:     `reasoning is followed by what the model said or called after it; with encrypted_content that is not known`,
		Words:   "Item '%s' of type 'reasoning' was provided without its required following item.",
		Instead: `send the item that followed %[1]s in the answer right after it, or leave out the reasoning`,
		Sources: []Source{
			{"https://github.com/openai/openai-node/issues/1567", "2025-07-01"},
			{"https://github.com/continuedev/continue/issues/8933", "2025-11-28"},
			{"https://github.com/mastra-ai/mastra/issues/14048", "2026-03-10"},
		},
		Refused: `{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"reasoning","id":"rs_1","summary":[]},{"role":"user","content":"well?"}]}`,
		Accepted: `{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"reasoning","id":"rs_1","summary":[]},` +
			`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"so"}]},{"role":"user","content":"well?"}]}`,
		check: func(request *Request) *found {
			input := wire.List(request.Body.Get("input"))
			for i, item := range input {
				if !item.Get("type").Is("reasoning") || item.GetString("id") == "" || isGiven(item, "encrypted_content") {
					continue
				}
				if i+1 == len(input) || slices.Contains([]string{"user", "system", "developer"}, input[i+1].GetString("role")) {
					return refuse("input", item.GetString("id")).at(item)
				}
			}
			return nil
		},
	},
	{
		Name: "responses_call_without_reasoning", API: provider.Responses, Services: openAI,
		Doc: `a call comes back with the reasoning before it: only the service knows whether there was any, and the emulator of its own calls; ` +
			`a call without its id is accepted`,
		Words:   "Item '%s' of type 'function_call' was provided without its required 'reasoning' item: '%s'.",
		Instead: `send the reasoning item %[2]s of the answer right before %[1]s, or leave out the id of the call`,
		Sources: []Source{
			{"https://github.com/VRSEN/agency-swarm/issues/367", "2025-09-24"},
			{"https://github.com/mastra-ai/mastra/issues/10713", "2025-12-01"},
			{"https://github.com/laravel/ai/pull/1052", "2026-09-21"},
		},
		Refused:  `{"model":"gpt-5","input":[` + strings.Replace(responsesCall, `"call_id"`, `"id":"fc_reasoned","call_id"`, 1) + `,` + responsesResult + `]}`,
		Accepted: `{"model":"gpt-5","input":[` + responsesCall + `,` + responsesResult + `]}`,
		check: func(request *Request) *found {
			if request.ReasoningOf == nil {
				return nil
			}
			seen := map[string]bool{}
			for _, item := range wire.List(request.Body.Get("input")) {
				id := item.GetString("id")
				seen[id] = true
				if reasoning := request.ReasoningOf(id); reasoning != "" && item.Get("type").Is("function_call") && !seen[reasoning] {
					return refuse("input", id, reasoning).at(item)
				}
			}
			return nil
		},
	},
	{
		Name: "responses_tool_type", API: provider.Responses, Services: openAI, code: "invalid_value",
		Doc: `a tool is of a type that the service has`,
		Words: "Invalid value: '%s'. Supported values are: '" + strings.Join(toolTypes[:len(toolTypes)-1], "', '") + "', and '" +
			toolTypes[len(toolTypes)-1] + "'.",
		Instead: `leave out the tool, or declare it as a function`,
		Sources: []Source{
			{"https://github.com/microsoft/vscode/issues/313033", "2026-04-28"}, // that there are namespaces
			{"the words that GitHub Copilot passes on from Responses for gpt-5.6-sol; public, without a stable address", "2026-08-20"},
		},
		Refused:  `{"model":"gpt-5","input":"hi","tools":[{"type":"web_search_20250305"}]}`,
		Accepted: `{"model":"gpt-5","input":"hi","tools":[{"type":"web_search"},{"type":"namespace","name":"n","tools":[]}]}`,
		check: func(request *Request) *found {
			for _, tool := range wire.ResponsesTools(request.Body) {
				kind := tool.GetString("type")
				if tool.List == wire.TopLevel && kind != "" && !slices.Contains(toolTypes, kind) && !slices.Contains(otherToolTypes, kind) {
					return refuse(tool.Place+".type", kind)
				}
			}
			return nil
		},
	},
	{
		Name: "responses_missing_namespace", API: provider.Responses, Services: openAI,
		Doc:     `a call of a tool in a namespace names the namespace`,
		Since:   "2026-05-01",
		Words:   "Missing namespace for function_call '%s'. It does not exist in the default namespace.",
		Instead: `add the member namespace to the call`,
		Sources: []Source{
			{"https://github.com/vercel/ai/issues/20265", "2026-09-03"},
		},
		Refused: `{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},` +
			`{"type":"function_call_output","call_id":"c","output":"42"}],` +
			`"tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f"}]}]}`,
		Accepted: `{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c","name":"f","namespace":"n",` +
			`"arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"42"}],` +
			`"tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f"}]}]}`,
		check: func(request *Request) *found {
			inNamespace, inDefault := map[string]bool{}, map[string]bool{}
			for _, tool := range wire.ResponsesTools(request.Body) {
				if tool.Namespace != "" {
					inNamespace[tool.GetString("name")] = true
				} else {
					inDefault[tool.GetString("name")] = true
				}
			}
			for _, item := range wire.List(request.Body.Get("input")) {
				name := item.GetString("name")
				if item.Get("type").Is("function_call") && !isGiven(item, "namespace") && inNamespace[name] && !inDefault[name] {
					return refuse("input", name).at(item)
				}
			}
			return nil
		},
	},
	{
		Name: "responses_model", API: provider.Responses, Services: openAI, code: "model_not_found",
		Doc:      `models that have Chat Completions alone`,
		Models:   []string{"o1-mini*", "o1-preview*"},
		Words:    "The requested model '%s' is not supported with the Responses API.",
		Instead:  `ask another model, or send the request to Chat Completions`,
		Sources:  []Source{{"https://github.com/vkryukov/req_llm/blob/e608a63c9f2e/test/support/fixtures/openai/o1_mini/no_tool.json", "2025-10-04"}},
		Refused:  `{"model":"o1-mini","input":"hi"}`,
		Accepted: `{"model":"o1","input":"hi"}`,
		check:    func(request *Request) *found { return refuse("model", request.Model) },
	},
	{
		Name: "responses_format_of_model", API: provider.Responses, Services: openAI,
		Doc:     `models that answer in no schema`,
		Models:  []string{"gpt-4-turbo*"},
		Words:   "Invalid parameter: 'text.format' of type 'json_schema' is not supported with model version `%s`.",
		Instead: `write {"type":"json_object"}, or ask another model`,
		Sources: []Source{{
			"https://github.com/maruel/genai/blob/825751a81082/providers/openai/openairesponses/testdata/TestClient_Scoreboard/text_text_gpt-4-turbo/GenSync/text/JSONSchema.yaml",
			"2025-07-18",
		}},
		Refused:  `{"model":"gpt-4-turbo","input":"hi","text":{"format":{"type":"json_schema","name":"a","schema":{"type":"object"}}}}`,
		Accepted: `{"model":"gpt-4o","input":"hi","text":{"format":{"type":"json_schema","name":"a","schema":{"type":"object"}}}}`,
		check: func(request *Request) *found {
			if request.Body.Get("text").Get("format").Get("type").Is("json_schema") {
				return refuse("text.format", request.Model)
			}
			return nil
		},
	},
	{
		Name: "responses_tool_choice_undeclared", API: provider.Responses, Services: openAI,
		Doc:     `a function that tool_choice names is declared; a built-in tool may have another name there than its type`,
		Since:   "2026-04-25",
		Words:   "Tool choice '%s' not found in 'tools' parameter.",
		Instead: `declare the function %[1]s, or name one that is declared`,
		Sources: []Source{
			{"https://github.com/router-for-me/CLIProxyAPI/issues/3036", "2026-04-25"}, // image_generation, at the backend of Codex
			{"https://github.com/vercel/ai/issues/18997", "2026-08-18"},                // among allowed tools
		},
		Refused:  `{"model":"gpt-5","input":"hi","tools":[{"type":"web_search"}],"tool_choice":{"type":"function","name":"web_search"}}`,
		Accepted: `{"model":"gpt-5","input":"hi","tools":[{"type":"web_search_preview_2025_03_11"}],"tool_choice":{"type":"web_search_preview"}}`,
		check:    choiceUndeclared("tool_choice"),
	},
	{
		Name: "responses_file_type", API: provider.Responses, Services: openAI, code: "invalid_value",
		Doc: `a file is no audio`,
		Words: "Invalid file data: '%s'. Expected a base64-encoded data URL with a valid file MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), " +
			"but got unsupported MIME type '%s'. Please see https://platform.openai.com/docs/assistants/tools/file-search#supported-files for supported file types.",
		Instead: `leave out the file, or send its text`,
		Sources: []Source{{
			"https://github.com/pydantic/pydantic-ai/blob/4fda38988f29/tests/models/cassettes/test_multimodal_tool_returns/" +
				"test_multimodal_tool_return_matrix%5Bdirect-url_force_download-audio-openai_responses%5D.yaml", "2026-03-16",
		}},
		Refused:  `{"model":"gpt-5-mini","input":[{"role":"user","content":[{"type":"input_file","filename":"a.mp3","file_data":"data:audio/mpeg;base64,AA=="}]}]}`,
		Accepted: `{"model":"gpt-5-mini","input":[{"role":"user","content":[{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,AA=="}]}]}`,
		check: func(request *Request) *found {
			for i, item := range wire.List(request.Body.Get("input")) {
				for _, member := range []string{"content", "output"} {
					for n, part := range wire.List(item.Get(member)) {
						kind, _, isBase64 := strings.Cut(strings.TrimPrefix(part.GetString("file_data"), "data:"), ";base64,")
						if part.Get("type").Is("input_file") && isBase64 && strings.HasPrefix(kind, "audio/") {
							place := fmt.Sprintf("input[%d].%s[%d].file_data", i, member, n)
							return refuse(place, place, kind)
						}
					}
				}
			}
			return nil
		},
	},
	{
		Name: "responses_call_item_id", API: provider.Responses, Services: openAI, code: "invalid_value",
		Doc:     `the id of a call begins with fc; what connects it with its result is its call_id`,
		Since:   "2026-04-08",
		Words:   "Invalid 'input[%d].id': '%s'. Expected an ID that begins with 'fc'.",
		Instead: `leave out the id of the call, or send the one that the answer gave`,
		Sources: []Source{
			{"https://github.com/Wei-Shaw/sub2api/pull/1505", "2026-04-08"},   // call_
			{"https://github.com/Wei-Shaw/sub2api/issues/3785", "2026-07-07"}, // item_, gpt-5.5
			{"https://github.com/nodetool-ai/nodetool/pull/4252", "2026-07-13"},
			{"https://github.com/mcowger/plexus/pull/791", "2026-08-04"},
		},
		Refused:  `{"model":"gpt-5.5","input":[` + strings.Replace(responsesCall, `"call_id"`, `"id":"call_1","call_id"`, 1) + `,` + responsesResult + `]}`,
		Accepted: `{"model":"gpt-5.5","input":[` + strings.Replace(responsesCall, `"call_id"`, `"id":"","call_id"`, 1) + `,` + responsesResult + `]}`,
		check: func(request *Request) *found {
			for i, item := range wire.List(request.Body.Get("input")) {
				id := item.GetString("id")
				if isFresh := id == "" || strings.HasPrefix(id, "fc"); item.Get("type").Is("function_call") && !isFresh {
					return refuse("input["+strconv.Itoa(i)+"].id", i, id)
				}
			}
			return nil
		},
	},
	{
		Name: "responses_call_id_empty", API: provider.Responses, Services: openAI, code: "empty_string",
		Doc:      `the call_id of a call and of its result is not empty`,
		Words:    "Invalid 'input[%d].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.",
		Instead:  `give the call and its result an identifier`,
		Sources:  []Source{{"https://github.com/BigPizzaV3/CodexPlusPlus/issues/315", "2026-05-25"}},
		Refused:  callIDOf(0),
		Accepted: callIDOf(1),
		check: func(request *Request) *found {
			for i, item := range wire.List(request.Body.Get("input")) {
				if item.Get("call_id").Is("") {
					return refuse("input["+strconv.Itoa(i)+"].call_id", i)
				}
			}
			return nil
		},
	},
	{
		Name: "responses_call_id_length", API: provider.Responses, Services: openAI, code: "string_above_max_length",
		Doc:     `the identifier of a call has at most 64 characters`,
		Words:   "Invalid 'input[%d].call_id': string too long. Expected a string with maximum length 64, but got a string with length %d instead.",
		Instead: `shorten the call_id of the call and of its result`,
		Sources: []Source{
			{"https://github.com/AnswerDotAI/fastllm/issues/45", "2026-06-08"}, // the backend of Codex
			{"https://github.com/fitchmultz/pi-cursor-sdk/pull/237", "2026-08-25"},
		},
		Refused:  callIDOf(65),
		Accepted: callIDOf(64),
		check: func(request *Request) *found {
			const most = 64
			for i, item := range wire.List(request.Body.Get("input")) {
				if length := utf8.RuneCountInString(item.GetString("call_id")); length > most {
					return refuse("input["+strconv.Itoa(i)+"].call_id", i, length).at(item.Get("call_id"))
				}
			}
			return nil
		},
	},
	{
		Name: "responses_result_without_call", API: provider.Responses, Services: openAI,
		Doc:     `a result has its call in the input, or in the conversation before`,
		Words:   "No tool call found for function call output with call_id %s.",
		Instead: `send the function_call %[1]s before it, or the response that has it as previous_response_id`,
		Sources: []Source{
			{"https://github.com/continuedev/continue/issues/10092", "2026-02-01"},
			{"https://github.com/microsoft/vscode/issues/320060", "2026-06-05"},
			{"https://github.com/leookun/cursor-byok/issues/307", "2026-08-14"},
		},
		Refused: `{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"function_call_output","call_id":"c","output":"42"}]}`,
		Accepted: `{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},` +
			`{"type":"function_call_output","call_id":"c","output":"42"}]}`,
		check: func(request *Request) *found {
			if hasBefore(request) {
				return nil
			}
			calls := map[string]bool{}
			for _, item := range wire.List(request.Body.Get("input")) {
				switch {
				case item.Get("type").Is("function_call"), item.Get("type").Is("item_reference"):
					calls[item.GetString("call_id")] = true
					if item.Get("type").Is("item_reference") {
						return nil // the call is not in the request
					}
				case item.Get("type").Is("function_call_output") && !calls[item.GetString("call_id")]:
					return refuse("input", item.GetString("call_id")).at(item)
				}
			}
			return nil
		},
	},
	{
		Name: "responses_call_without_result", API: provider.Responses, Services: openAI,
		Doc:     `a call in the input has its result there`,
		Words:   "No tool output found for function call %s.",
		Instead: `send a function_call_output with the call_id %[1]s`,
		Sources: []Source{
			{"https://github.com/tjardoo/openai-client/pull/124", "2025-04-28"}, {"https://github.com/symgraph/GhidrAssist/issues/78", "2026-03-12"},
		},
		Refused: `{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"role":"user","content":"well?"}]}`,
		Accepted: `{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},` +
			`{"role":"user","content":"well?"},{"type":"function_call_output","call_id":"c","output":"42"}]}`,
		check: func(request *Request) *found {
			answered := map[string]bool{}
			input := wire.List(request.Body.Get("input"))
			for _, item := range input {
				if item.Get("type").Is("function_call_output") {
					answered[item.GetString("call_id")] = true
				}
			}
			for _, item := range input {
				if item.Get("type").Is("function_call") && !answered[item.GetString("call_id")] {
					return refuse("input", item.GetString("call_id")).at(item)
				}
			}
			return nil
		},
	},
}

// hasBefore reports whether a request continues a conversation that the service has
// stored.
func hasBefore(request *Request) bool {
	return isGiven(request.Body, "previous_response_id") || isGiven(request.Body, "conversation")
}

// callIDOf returns a request with a call whose identifier has a number of characters.
func callIDOf(length int) string {
	id := strings.Repeat("c", length)
	return `{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"` + id + `","name":"f","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"` + id + `","output":"42"}]}`
}
