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

var openAI = []string{"openai"}

// Near misses of several rules.
const chatHello = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`

// toolsByAPI is a measurement that several rules rest on: a script that sent requests to
// OpenAI's API.
var toolsByAPI = Source{"https://github.com/vllm-project/vllm/pull/40311", "2026-04-20"}

// chatProbes are requests that somebody sent to OpenAI's API to compare its answers with their own program's.
var chatProbes = Source{
	"https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter/blob/4bbd03308973/test/openai-chat-validation-parity.test.mjs", "2026-08-30",
}

var chatRules = []*Rule{
	{
		Name: "chat_messages_missing", API: provider.ChatCompletions, Services: openAI, code: "missing_required_parameter",
		Doc:      `a request has messages`,
		Words:    "Missing required parameter: 'messages'.",
		Instead:  `send messages, which take the place of prompt`,
		Sources:  []Source{{"https://github.com/SilasMarvin/lsp-ai/issues/108", "2025-09-29"}},
		Refused:  `{"model":"gpt-4o","prompt":"hi"}`,
		Accepted: chatHello,
		check: func(request *Request) *found {
			if !isGiven(request.Body, "messages") {
				return refuse("messages").at(request.Body.Get("model"))
			}
			return nil
		},
	},
	{
		Name: "chat_messages_empty", API: provider.ChatCompletions, Services: openAI, code: "empty_array",
		Doc:      `messages is not empty`,
		Words:    "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
		Instead:  `send a message`,
		Sources:  []Source{chatProbes},
		Refused:  `{"model":"gpt-4o","messages":[]}`,
		Accepted: chatHello,
		check: func(request *Request) *found {
			if isEmptyList(request.Body.Get("messages")) {
				return refuse("messages")
			}
			return nil
		},
	},
	{
		Name: "chat_role", API: provider.ChatCompletions, Services: openAI, code: "invalid_value",
		Doc:      `a message is of a role that the service has`,
		Since:    "2026-08-30",
		Words:    "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
		Instead:  `write one of these roles`,
		Sources:  []Source{chatProbes},
		Refused:  `{"model":"gpt-5.6-terra","messages":[{"role":"model","content":"hi"}]}`,
		Accepted: `{"model":"gpt-5.6-terra","messages":[{"role":"developer","content":"hi"}]}`,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				role := message.Get("role")
				if isKind(role, schema.String) && !slices.Contains([]string{"system", "assistant", "user", "function", "tool", "developer"}, role.Text) {
					return refuse("messages["+strconv.Itoa(i)+"].role", role.Text)
				}
			}
			return nil
		},
	},
	{
		Name: "chat_content_type", API: provider.ChatCompletions, Services: openAI, code: "invalid_type",
		Doc:     `the content of a message is a string or a list, and no object or number`,
		Words:   "Invalid type for 'messages[%d].content': expected one of a string or array of objects, but got %s instead.",
		Instead: `write the object as JSON into a string`,
		Sources: []Source{{"https://github.com/pydantic/pydantic-ai/issues/2653", "2025-08-24"}, {"https://github.com/clusterzx/paperless-ai/issues/748", "2026-01-01"}, chatProbes},
		Refused: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},` + chatCall + `,{"role":"tool","tool_call_id":"D681PevKs","content":{"n":42}}]}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},` + chatCall + `,` +
			`{"role":"tool","tool_call_id":"D681PevKs","content":[{"type":"text","text":"{\"n\":42}"}]}]}`,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				content, got := message.Get("content"), ""
				if _, isWhole := content.Int64(); isWhole {
					got = "an integer"
				} else if isKind(content, schema.Object) {
					got = "an object"
				}
				if got != "" {
					return refuse("messages["+strconv.Itoa(i)+"].content", i, got)
				}
			}
			return nil
		},
	},
	{
		Name: "chat_calls_empty", API: provider.ChatCompletions, Services: openAI, code: "empty_array",
		Doc:     `a message without calls has no tool_calls`,
		Words:   "Invalid 'messages[%d].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
		Instead: `leave out tool_calls`,
		Sources: []Source{
			{"https://github.com/home-assistant/core/pull/118577", "2024-05-31"},
			{"https://github.com/openai/openai-node/pull/1341", "2025-02-20"},
			{"https://github.com/SynaLinks/synalinks/issues/31", "2025-12-21"},
			chatProbes,
		},
		Refused:  `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"so","tool_calls":[]}]}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"so"}]}`,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				if isEmptyList(message.Get("tool_calls")) {
					return refuse("messages["+strconv.Itoa(i)+"].tool_calls", i)
				}
			}
			return nil
		},
	},
	{
		Name: "chat_tools_empty", API: provider.ChatCompletions, Services: openAI, code: "empty_array",
		Doc:      `tools is not empty`,
		Words:    "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
		Instead:  `leave out tools`,
		Sources:  []Source{toolsByAPI, {"https://github.com/openai/openai-node/pull/1341", "2025-02-20"}},
		Refused:  `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[]}`,
		Accepted: chatHello,
		check: func(request *Request) *found {
			if isEmptyList(request.Body.Get("tools")) {
				return refuse("tools")
			}
			return nil
		},
	},
	{
		Name: "chat_tool_type", API: provider.ChatCompletions, Services: openAI, code: "invalid_value",
		Doc:      `a tool is a function, or takes a text`,
		Words:    "Invalid value: '%s'. Supported values are: 'function' and 'custom'.",
		Instead:  `leave out the tool, or declare it as a function`,
		Sources:  []Source{{"https://github.com/sipeed/picoclaw/pull/2951", "2026-05-26"}},
		Refused:  `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"web_search"}]}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"custom","custom":{"name":"f"}}]}`,
		check: func(request *Request) *found {
			for i, tool := range wire.List(request.Body.Get("tools")) {
				if kind := tool.GetString("type"); kind != "" && kind != "function" && kind != "custom" {
					return refuse("tools["+strconv.Itoa(i)+"].type", kind)
				}
			}
			return nil
		},
	},
	{
		Name: "chat_tool_untyped", API: provider.ChatCompletions, Services: openAI, code: "missing_required_parameter",
		Doc:      `a tool has a type; known of those without a function`,
		Words:    "Missing required parameter: 'tools[%d].type'.",
		Instead:  `write {"type":"function","function":{…}} around the name and the parameters`,
		Sources:  []Source{{"https://github.com/openai/openai-cookbook/issues/1248", "2024-06-09"}, {"https://github.com/bolna-ai/bolna/issues/144", "2025-03-21"}},
		Refused:  `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"name":"f","parameters":{"type":"object"}}]}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f"}}]}`,
		check:    toolLacks("type", func(tool *schema.Node) bool { return !isGiven(tool, "type") && !isGiven(tool, "function") }),
	},
	{
		Name: "chat_tool_flat", API: provider.ChatCompletions, Services: openAI, code: "missing_required_parameter",
		Doc:      `a tool has its name and parameters in the member function, and not beside its type, as in Responses`,
		Words:    "Missing required parameter: 'tools[%d].function'.",
		Instead:  `move name, description and parameters into the member function`,
		Sources:  []Source{{"https://github.com/bolna-ai/bolna/issues/144", "2025-03-21"}},
		Refused:  `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","name":"f","parameters":{"type":"object"}}]}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f"}}]}`,
		check:    toolLacks("function", func(tool *schema.Node) bool { return tool.Get("type").Is("function") && !isGiven(tool, "function") }),
	},
	{
		Name: "chat_tool_choice_alone", API: provider.ChatCompletions, Services: openAI,
		Doc:     `tool_choice comes with tools`,
		Words:   "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
		Instead: `leave out tool_choice, or send the tools`,
		Sources: []Source{
			{"https://github.com/patterns-ai-core/langchainrb/pull/442", "2024-01-15"}, toolsByAPI,
		},
		Refused:  `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tool_choice":"none"}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tool_choice":null}`,
		check: func(request *Request) *found {
			if isGiven(request.Body, "tool_choice") && !isGiven(request.Body, "tools") {
				return refuse("tool_choice")
			}
			return nil
		},
	},
	{
		Name: "chat_tool_choice_value", API: provider.ChatCompletions, Services: openAI, code: "invalid_value",
		Doc:      `tool_choice is none, auto, required or an object`,
		Since:    "2026-08-30",
		Words:    choiceWords,
		Instead:  `write one of these values, or {"type":"function","function":{"name":…}}`,
		Sources:  []Source{chatProbes},
		Refused:  `{"model":"gpt-4o","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"any"}`,
		Accepted: `{"model":"gpt-4o","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"required"}`,
		check:    choiceUnknown,
	},
	{
		Name: "chat_tool_choice_undeclared", API: provider.ChatCompletions, Services: openAI,
		Doc:      `a function that tool_choice names is declared; the words are those of the older function_call`,
		Words:    "Invalid value for 'function_call': no function named '%s' was specified in the 'functions' parameter.",
		Instead:  `declare the function %[1]s, or name one that is declared`,
		Sources:  []Source{{chatProbes.URL, "2026-09-04"}},
		Refused:  `{"model":"gpt-4o","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":{"type":"function","function":{"name":"g"}}}`,
		Accepted: `{"model":"gpt-4o","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":{"type":"function","function":{"name":"f"}}}`,
		check:    choiceUndeclared("function_call"),
	},
	{
		Name: "chat_parallel_alone", API: provider.ChatCompletions, Services: openAI,
		Doc:     `parallel_tool_calls comes with tools`,
		Words:   "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
		Instead: `leave out parallel_tool_calls, or send the tools`,
		Sources: []Source{
			{"https://github.com/openai/swarm/issues/30", "2024-07-12"},
			{"https://github.com/camel-ai/camel/pull/3706", "2026-01-17"}, // without the words
		},
		Refused:  `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"parallel_tool_calls":false}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"parallel_tool_calls":null}`,
		check: func(request *Request) *found {
			if isGiven(request.Body, "parallel_tool_calls") && !isGiven(request.Body, "tools") {
				return refuse("parallel_tool_calls")
			}
			return nil
		},
	},
	{
		Name: "chat_json_unsaid", API: provider.ChatCompletions, Services: openAI,
		Doc:     `the format json_object needs the word json in a message`,
		Words:   "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
		Instead: `say in a message that the answer is to be JSON`,
		Sources: []Source{
			{"https://github.com/mem0ai/mem0/issues/3008", "2025-06-21"}, {"https://github.com/ultimatejimmy/xray.koplugin/issues/33", "2026-05-09"},
		},
		Refused: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_object"}}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"system","content":[{"type":"text","text":"Answer in JSON."}]},{"role":"user","content":"hi"}],` +
			`"response_format":{"type":"json_object"}}`,
		check: func(request *Request) *found {
			if request.Body.Get("response_format").Get("type").Is("json_object") && !says(request.Body.Get("messages"), "json") {
				return refuse("messages")
			}
			return nil
		},
	},
	{
		Name: "chat_limits", API: provider.ChatCompletions, Services: openAI, code: "invalid_parameter_combination",
		Doc:      `max_tokens and max_completion_tokens exclude each other`,
		Words:    "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
		Instead:  `leave out max_tokens`,
		Sources:  []Source{{"https://github.com/vkryukov/req_llm/blob/e608a63c9f2e/test/support/fixtures/openai/gpt_5_chat_latest/object_streaming.json", "2025-10-04"}},
		Refused:  `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"max_tokens":9,"max_completion_tokens":9}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":9}`,
		check: func(request *Request) *found {
			if isGiven(request.Body, "max_tokens") && isGiven(request.Body, "max_completion_tokens") {
				return refuse("max_tokens")
			}
			return nil
		},
	},
	{
		Name: "chat_max_tokens", API: provider.ChatCompletions, Services: openAI, code: "unsupported_parameter",
		Doc:     `models that reason take max_completion_tokens and not max_tokens`,
		Models:  []string{"o1*", "o3*", "o4-mini*", "gpt-5", "gpt-5-2*", "gpt-5-mini*", "gpt-5-nano*", "gpt-5.1", "gpt-5.1-2*", "gpt-5.4", "gpt-5.4-2*", "gpt-5.4-mini*"},
		Words:   "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
		Instead: `rename max_tokens to max_completion_tokens`,
		Sources: []Source{
			{"https://github.com/teilomillet/gollm/issues/33", "2025-03-12"},              // o1, o3-mini
			{"https://github.com/memochou1993/gpt-ai-assistant/issues/361", "2025-05-18"}, // o3
			{"https://github.com/QuantumNous/new-api/issues/1526", "2025-08-08"},          // gpt-5, gpt-5-mini, gpt-5-nano
			{"https://github.com/langflow-ai/openrag/issues/398", "2025-11-12"},           // gpt-5-mini
			{"https://github.com/fish2018/YPrompt/issues/26", "2025-12-22"},               // gpt-5.1
			{"https://github.com/koosoli/ESPHomeDesigner/issues/379", "2026-04-10"},       // gpt-5.4, gpt-5.4-mini
			{"https://github.com/dsp05/overleaf-copilot/pull/43", "2026-05-21"},           // o-series
		},
		Refused:  `{"model":"o3","messages":[{"role":"user","content":"hi"}],"max_tokens":9}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"max_tokens":9}`,
		check: func(request *Request) *found {
			if isGiven(request.Body, "max_tokens") {
				return refuse("max_tokens")
			}
			return nil
		},
	},
	{
		Name: "chat_temperature", API: provider.ChatCompletions, Services: openAI, code: "unsupported_value",
		Doc:     `models that reason take no temperature but 1`,
		Models:  []string{"gpt-5", "gpt-5-2*", "gpt-5-mini*", "gpt-5-nano*", "gpt-5.6-terra*"},
		Words:   "Unsupported value: 'temperature' does not support %s with this model. Only the default (1) value is supported.",
		Instead: `leave out temperature`,
		Sources: []Source{
			{"https://github.com/tmc/langchaingo/issues/1355", "2025-08-10"},
			{"https://github.com/diffbot/code-gpt-docs/issues/445", "2025-08-11"},
			{"https://github.com/owndev/Open-WebUI-Functions/issues/98", "2025-11-20"},
			chatProbes,
		},
		Refused:  `{"model":"gpt-5","messages":[` + chatUser + `],"temperature":0.5}`,
		Accepted: `{"model":"gpt-5","messages":[` + chatUser + `],"temperature":1}`,
		check: func(request *Request) *found {
			if request.Body.Get("reasoning_effort").Is("none") {
				return nil // which is not known
			}
			return otherTemperature(request)
		},
	},
	{
		Name: "chat_temperature_before", API: provider.ChatCompletions, Services: openAI, code: "unsupported_parameter",
		Doc:     `models of the o series take no temperature but 1`,
		Models:  []string{"o1", "o1-2*", "o3-mini*"},
		Words:   noTemperature,
		Instead: `leave out temperature`,
		Sources: []Source{
			{"https://github.com/ai-christianson/RA.Aid/issues/70", "2025-02-01"}, // o3-mini
			{"https://github.com/sigoden/aichat/issues/1144", "2025-02-03"},       // o1
			{"https://github.com/soberlemur/autopo/issues/57", "2025-08-26"},      // both
		},
		Refused:  `{"model":"o3-mini","messages":[` + chatUser + `],"temperature":0}`,
		Accepted: `{"model":"o3-mini","messages":[` + chatUser + `],"temperature":1}`,
		check: func(request *Request) *found {
			if otherTemperature(request) == nil {
				return nil
			}
			return refuse("temperature")
		},
	},
	{
		Name: "chat_unknown_argument", API: provider.ChatCompletions, Services: openAI,
		Doc:     `parameters of other APIs are refused`,
		Words:   "Unrecognized request argument supplied: %s",
		Instead: `leave out %[1]s`,
		Sources: []Source{
			{"https://github.com/xlinx/sd-webui-decadetw-auto-prompt-llm/issues/29", "2024-10-03"}, // top_k
			{"https://github.com/CherryHQ/cherry-studio/issues/6155", "2025-05-19"},                // enable_thinking
			{"https://github.com/open-webui/open-webui/issues/14520", "2025-05-30"},                // num_keep
			{"https://github.com/nashsu/llm_wiki/issues/336", "2026-06-04"},                        // thinking
		},
		Refused:  `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"top_k":1}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"top_p":1}`,
		check: func(request *Request) *found {
			for _, member := range request.Body.Members {
				switch member.Key {
				case "top_k", "enable_thinking", "num_keep", "thinking":
					return refuse("", member.Key).at(member.Value)
				}
			}
			return nil
		},
	},
	{
		Name: "chat_reasoning_effort", API: provider.ChatCompletions, Services: openAI,
		Doc:     `models that do not reason take no reasoning_effort`,
		Models:  []string{"gpt-4o*", "gpt-4.1*"},
		Words:   "Unrecognized request argument supplied: reasoning_effort",
		Instead: `leave out reasoning_effort`,
		Sources: []Source{
			{"https://github.com/davidmigloz/langchain_dart/issues/712", "2025-06-04"},
			{"https://github.com/coroot/coroot/issues/698", "2025-09-24"},
			{"https://github.com/formulahendry/wechat-acp/issues/16", "2026-03-30"},
		},
		Refused:  `{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi"}],"reasoning_effort":"low"}`,
		Accepted: `{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi"}],"reasoning_effort":null}`,
		model:    "gpt-4o-mini",
		check: func(request *Request) *found {
			if isGiven(request.Body, "reasoning_effort") {
				return refuse("").at(request.Body.Get("reasoning_effort"))
			}
			return nil
		},
	},
	{
		Name: "chat_reasoning", API: provider.ChatCompletions, Services: openAI, code: "unknown_parameter",
		Doc:      `reasoning is a parameter of Responses`,
		Words:    "Unknown parameter: 'reasoning'.",
		Instead:  `leave out reasoning: the member of Chat Completions is reasoning_effort`,
		Sources:  []Source{{"https://github.com/teabranch/open-responses-server/issues/41", "2025-06-29"}},
		Refused:  `{"model":"o4-mini","messages":[{"role":"user","content":"hi"}],"reasoning":{"effort":"low"}}`,
		Accepted: `{"model":"o4-mini","messages":[{"role":"user","content":"hi"}],"reasoning_effort":"low"}`,
		check: func(request *Request) *found {
			if isGiven(request.Body, "reasoning") {
				return refuse("reasoning")
			}
			return nil
		},
	},
	{
		Name: "chat_function_without_name", API: provider.ChatCompletions, Services: openAI,
		Doc:      `a message with role function names the function`,
		Words:    "Missing parameter 'name': messages with role 'function' must have a 'name'.",
		Instead:  `add the name of the function to the message`,
		Sources:  []Source{{"https://github.com/alexrudall/ruby-openai/blob/c38679bb0dd2/spec/fixtures/cassettes/gpt-3_5-turbo_function_call_chat.yml", "2023-11-15"}},
		Refused:  `{"model":"gpt-4o","messages":[{"role":"function","content":"42"}]}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"function","name":"f","content":"42"}]}`,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				if message.Get("role").Is("function") && !isGiven(message, "name") {
					return refuse("messages.[" + strconv.Itoa(i) + "].name").at(message)
				}
			}
			return nil
		},
	},
	{
		Name: "chat_image_in_result", API: provider.ChatCompletions, Services: openAI,
		Doc:     `a result has no image: known of gpt-4o, while gpt-5.2 takes it and does not see it (2026-02-12)`,
		Models:  []string{"gpt-4o*"},
		Words:   "Invalid 'messages[%d]'. Image URLs are only allowed for messages with role 'user', but this message with role '%s' contains an image URL.",
		Instead: `send the image in a message of the user after the results`,
		Sources: []Source{
			{"https://github.com/openai/openai-node/issues/1030", "2024-09-03"}, // gpt-4o-mini, of the assistant
			{"https://github.com/OpenHands/OpenHands/issues/7700", "2025-04-22"},
		},
		Refused: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},` +
			`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c",` +
			`"content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}]}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}]}`,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				role := message.GetString("role")
				if role != "tool" && role != "assistant" {
					continue
				}
				for _, part := range wire.List(message.Get("content")) {
					if part.Get("type").Is("image_url") {
						return refuse("messages["+strconv.Itoa(i)+"]", i, role).at(part)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "chat_arguments_type", API: provider.ChatCompletions, Services: openAI, code: "invalid_type",
		Doc:      `the arguments of a call are the JSON text of an object, and not an object`,
		Words:    "Invalid type for 'messages[%d].tool_calls[%d].function.arguments': expected a string, but got an object instead.",
		Instead:  `write the arguments as JSON into a string`,
		Sources:  []Source{{"https://github.com/aaif-goose/goose-mobile/pull/20", "2025-03-06"}},
		Refused:  `{"model":"gpt-4o","messages":[` + chatUser + `,` + strings.Replace(chatCall, `"{}"`, `{}`, 1) + `,` + chatResult + `]}`,
		Accepted: `{"model":"gpt-4o","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `]}`,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				for n, call := range wire.List(message.Get("tool_calls")) {
					if isKind(call.Get("function").Get("arguments"), schema.Object) {
						return refuse(fmt.Sprintf("messages[%d].tool_calls[%d].function.arguments", i, n), i, n)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "chat_call_id_length", API: provider.ChatCompletions, Services: openAI, code: "string_above_max_length",
		Doc:   `the identifier of a call has at most 40 characters, until one of 51 was accepted on 2026-07-14 (https://github.com/vercel/ai/pull/17233)`,
		Until: "2026-07-14", on: "2025-12-02",
		Words:   "Invalid 'messages[%d].tool_calls[%d].id': string too long. Expected a string with maximum length 40, but got a string with length %d instead.",
		Instead: `shorten the id of the call and the tool_call_id of its result`,
		Sources: []Source{
			{"https://github.com/camel-ai/camel/issues/2215", "2025-04-17"}, // gpt-4o-mini
			{"https://github.com/BerriAI/litellm/pull/12941", "2025-07-24"},
			{"https://github.com/openclaw/openclaw/pull/875", "2026-01-13"}, // gpt-4o-mini, behind OpenRouter
		},
		Refused:  `{"model":"gpt-4o-mini","messages":[` + chatUser + `,` + longCall(41) + `]}`,
		Accepted: `{"model":"gpt-4o-mini","messages":[` + chatUser + `,` + longCall(40) + `]}`,
		check: func(request *Request) *found {
			const most = 40
			for i, message := range wire.List(request.Body.Get("messages")) {
				for n, call := range wire.List(message.Get("tool_calls")) {
					if length := utf8.RuneCountInString(call.GetString("id")); length > most {
						return refuse(fmt.Sprintf("messages[%d].tool_calls[%d].id", i, n), i, n, length)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "chat_format_of_model", API: provider.ChatCompletions, Services: openAI,
		Doc:    `models that answer in no schema`,
		Models: []string{"gpt-4-turbo*", "gpt-audio"},
		Words: "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more about supported models at the " +
			"Structured Outputs guide: https://platform.openai.com/docs/guides/structured-outputs",
		Instead: `write {"type":"json_object"}, or ask another model`,
		Sources: []Source{
			{"https://github.com/maruel/genai/blob/7e2faedcddbf/providers/openai/openaichat/testdata/TestClient_Scoreboard/text_text_gpt-4-turbo/GenStream/text/JSONSchema.yaml", "2025-06-13"}, //nolint:lll // an address
			{"https://github.com/maruel/genai/blob/66b63e62283f/providers/openaichat/testdata/TestClient/Scoreboard/gpt-audio/GenStream-JSONSchema.yaml", "2026-05-29"},
		},
		Refused:  `{"model":"gpt-audio","messages":[` + chatUser + `],"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object"}}}}`,
		Accepted: `{"model":"gpt-4o","messages":[` + chatUser + `],"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object"}}}}`,
		check: func(request *Request) *found {
			if request.Body.Get("response_format").Get("type").Is("json_schema") {
				return refuse("response_format")
			}
			return nil
		},
	},
	{
		Name: "chat_audio_part", API: provider.ChatCompletions, Services: openAI, code: "invalid_value",
		Doc:     `a message has no audio: known of gpt-5-mini`,
		Models:  []string{"gpt-5-mini*"},
		Words:   "Invalid 'messages[%d]'. Content blocks are expected to be either text or image_url type.",
		Instead: `leave out the audio, or ask a model that hears`,
		Sources: []Source{{
			"https://github.com/pydantic/pydantic-ai/blob/4fda38988f29/tests/models/cassettes/test_multimodal_tool_returns/" +
				"test_multimodal_tool_return_matrix%5Bdirect-binary-audio-openai_chat%5D.yaml", "2026-03-16",
		}},
		Refused:  `{"model":"gpt-5-mini","messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AA==","format":"mp3"}}]}]}`,
		Accepted: `{"model":"gpt-5-mini","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				for _, part := range wire.List(message.Get("content")) {
					if part.Get("type").Is("input_audio") {
						return refuse("messages["+strconv.Itoa(i)+"]", i).at(part)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "chat_call_without_result", API: provider.ChatCompletions, Services: openAI,
		Doc: `each call is followed by its result`,
		Words: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
			"The following tool_call_ids did not have response messages: %s",
		Instead: `send a message {"role":"tool","tool_call_id":…,"content":…} right after this one for %[1]s`,
		Sources: []Source{
			{"https://github.com/lmnr-ai/lmnr-python/blob/72d55be18650/tests/cassettes/test_litellm_openai/test_litellm_openai_with_chat_history_and_tools.yaml", "2025-06-17"},
			{"https://github.com/docker/docker-agent/blob/caf30b9aa2f4/e2e/testdata/cassettes/TestRuntime_MultiAgent_SessionReload.yaml", "2026-03-12"},
		},
		Refused: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},` +
			`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"well?"}]}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},` +
			`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c",` +
			`"content":"42"},{"role":"user","content":"well?"}]}`,
		check: func(request *Request) *found {
			messages := wire.List(request.Body.Get("messages"))
			for i, message := range messages {
				calls := wire.List(message.Get("tool_calls"))
				if len(calls) == 0 {
					continue
				}
				next, answered := i+1, map[string]bool{}
				for ; next < len(messages) && messages[next].Get("role").Is("tool"); next++ {
					answered[messages[next].GetString("tool_call_id")] = true
				}
				var open []string
				for _, call := range calls {
					if id := call.GetString("id"); !answered[id] {
						open = append(open, id)
					}
				}
				if len(open) > 0 && next < len(messages) {
					return refuse("messages.["+strconv.Itoa(next)+"].role", strings.Join(open, ", ")).at(message)
				}
				if len(open) > 0 {
					return refuse("messages", strings.Join(open, ", ")).at(message)
				}
			}
			return nil
		},
	},
	{
		Name: "chat_result_without_call", API: provider.ChatCompletions, Services: openAI,
		Doc:     `a result follows the message with its call`,
		Words:   "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", //nolint:misspell // as OpenAI spells it
		Instead: `send the message of the assistant that has the call before this one, or leave out the result`,
		Sources: []Source{
			{"https://github.com/miurla/morphic/issues/136", "2024-05-11"},
			{"https://github.com/smarter-sh/smarter/issues/264", "2025-01-22"},
			{"https://github.com/dimagi/open-chat-studio/issues/1659", "2025-05-29"},
		},
		Refused: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"c","content":"42"}]}`,
		Accepted: `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},` +
			`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"42"}]}`,
		check: func(request *Request) *found {
			if message, i := resultWithoutCall(request.Body); message != nil {
				return refuse("messages.[" + strconv.Itoa(i) + "].role").at(message)
			}
			return nil
		},
	},
	{
		Name: "chat_content_missing", API: provider.ChatCompletions, Services: openAI,
		Doc:     `a message has content; one of the assistant may have calls, a refusal or audio instead`,
		Words:   "Invalid value for 'content': expected a string, got null.",
		Instead: `write a string, which may be empty`,
		Sources: []Source{
			{"https://github.com/songquanpeng/one-api/issues/784", "2023-12-06"},
			{"https://github.com/docker/docker-agent/issues/63", "2025-07-23"},
			{"https://github.com/vercel/ai/pull/13744", "2026-04-30"},
			{chatProbes.URL, "2026-08-31"},
		},
		Refused:  `{"model":"gpt-4o","messages":[` + chatUser + `,` + chatCall + `,{"role":"tool","tool_call_id":"D681PevKs","content":null}]}`,
		Accepted: `{"model":"gpt-4o","messages":[` + chatUser + `,` + chatCall + `,{"role":"tool","tool_call_id":"D681PevKs","content":""}]}`,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				isMeant := slices.Contains([]string{"system", "user", "assistant", "tool"}, message.GetString("role"))
				isElsewhere := message.Get("role").Is("assistant") && message.First("tool_calls", "function_call", "refusal", "audio") != nil
				if isMeant && !isElsewhere && !isGiven(message, "content") {
					return refuse("messages.[" + strconv.Itoa(i) + "].content").at(message)
				}
			}
			return nil
		},
	},
}

// noTemperature says that a model takes none, on both APIs of OpenAI.
const noTemperature = "Unsupported parameter: 'temperature' is not supported with this model."

// otherTemperature finds a temperature other than 1, and its value.
func otherTemperature(request *Request) *found {
	temperature := request.Body.First("temperature")
	if one, isWhole := temperature.Int64(); !isKind(temperature, schema.Number) || isWhole && one == 1 {
		return nil
	}
	return refuse("temperature", temperature.Text)
}

// choiceWords say that tool_choice has an unknown value, on both APIs of OpenAI.
const choiceWords = "Invalid value: '%s'. Supported values are: 'none', 'auto', and 'required'."

// choiceUnknown finds a tool_choice that is an unknown word.
func choiceUnknown(request *Request) *found {
	choice := request.Body.Get("tool_choice")
	if !isKind(choice, schema.String) || slices.Contains([]string{"none", "auto", "required"}, choice.Text) {
		return nil
	}
	return refuse("tool_choice", choice.Text)
}

// toolLacks makes a check for tools that lack a member.
func toolLacks(member string, lacks func(tool *schema.Node) bool) func(*Request) *found {
	return func(request *Request) *found {
		i := slices.IndexFunc(wire.List(request.Body.Get("tools")), lacks)
		if i < 0 {
			return nil
		}
		return refuse("tools["+strconv.Itoa(i)+"]."+member, i)
	}
}

// hasFunctions reports whether a request of Chat Completions declares functions.
func hasFunctions(body *schema.Node) bool {
	return slices.ContainsFunc(wire.List(body.Get("tools")), func(tool *schema.Node) bool { return tool.Get("type").Is("function") })
}

// longCall returns a call, and its result, whose identifier has a number of characters.
func longCall(length int) string {
	return strings.ReplaceAll(chatCall+`,`+chatResult, "D681PevKs", strings.Repeat("c", length))
}

// says reports whether a word occurs in any text of a tree, in any case.
func says(node *schema.Node, word string) bool {
	return node != nil && (node.Kind == schema.String && strings.Contains(strings.ToLower(node.Text), word) ||
		slices.ContainsFunc(node.Elements, func(element *schema.Node) bool { return says(element, word) }) ||
		slices.ContainsFunc(node.Members, func(member schema.Member) bool { return says(member.Value, word) }))
}
