package conversation

import (
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

var (
	mistral  = []string{"mistral"}
	deepSeek = []string{"deepseek"}
	moonshot = []string{"moonshot"}
	bedrock  = []string{"bedrock"}
)

// Parts of the examples.
const (
	chatCall   = `{"role":"assistant","tool_calls":[{"id":"D681PevKs","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	chatReason = `{"role":"assistant","reasoning_content":"so","tool_calls":[{"id":"D681PevKs","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	chatResult = `{"role":"tool","tool_call_id":"D681PevKs","content":"42"}`
	chatUser   = `{"role":"user","content":"hi"}`
	chatTools  = `"tools":[{"type":"function","function":{"name":"f"}}]`
)

// compatibleRules are those of services that offer OpenAI's API, or one of their own, at their hosts.
var compatibleRules = []*Rule{
	{
		Name: "mistral_call_id", API: provider.ChatCompletions, Services: mistral,
		Doc:     `the identifier of a call has nine letters and digits; one that was redacted in a recording says nothing`,
		Since:   "2024-07-25",
		Words:   "Tool call id was %s but must be a-z, A-Z, 0-9, with a length of 9.",
		Instead: `give the call and its result an identifier of nine letters and digits`,
		Sources: []Source{
			{"https://github.com/jackmpcollins/magentic/issues/276", "2024-07-25"},
			{"https://github.com/anomalyco/opencode/issues/1680", "2025-08-07"},
			{"https://github.com/nearai/ironclaw/issues/1241", "2026-03-16"},
		},
		Refused: `{"model":"mistral-large-latest","messages":[` + chatUser + `,` +
			`{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"call_1","content":"42"}]}`,
		Accepted: `{"model":"mistral-large-latest","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `]}`,
		check: func(request *Request) *found {
			for _, message := range wire.List(request.Body.Get("messages")) {
				for _, call := range wire.List(message.Get("tool_calls")) {
					id := call.GetString("id")
					if isRedacted := strings.Contains(id, "REDACTED"); !isRedacted && call.Has("id") && !nineLetters.MatchString(id) {
						return refuse("", id).at(call)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "mistral_last_role", API: provider.ChatCompletions, Services: mistral,
		Doc:     `the last message is the user's, a result, or one of the assistant with prefix`,
		Since:   "2025-01-14",
		Words:   "Expected last role User or Tool (or Assistant with prefix True) for serving but got %s",
		Instead: `end with a message of the user, or add "prefix":true to the last one`,
		Sources: []Source{
			{"https://github.com/microsoft/autogen/issues/5044", "2025-01-14"},
			{"https://github.com/huggingface/smolagents/issues/757", "2025-02-23"},
			{"https://github.com/NEKOparapa/AiNiee/issues/641", "2025-06-03"},
			{"https://github.com/0xPlaygrounds/rig/pull/1130", "2025-12-08"},
		},
		Refused:  `{"model":"mistral-large-latest","messages":[` + chatUser + `,{"role":"assistant","content":"so"}]}`,
		Accepted: `{"model":"mistral-large-latest","messages":[` + chatUser + `,{"role":"assistant","content":"so","prefix":true}]}`,
		check: func(request *Request) *found {
			messages := wire.List(request.Body.Get("messages"))
			if len(messages) == 0 {
				return nil
			}
			last := messages[len(messages)-1]
			if !last.Get("role").Is("assistant") || last.Get("prefix").IsTrue() {
				return nil
			}
			return refuse("", "assistant").at(last)
		},
	},
	{
		Name: "mistral_user_after_result", API: provider.ChatCompletions, Services: mistral, code: "3230",
		Doc:   `the assistant speaks between a result and the user, until a request without that was accepted on 2026-08-15`,
		Since: "2025-05-06", Until: "2026-08-15", on: "2026-01-01",
		Words:   "Unexpected role 'user' after role 'tool'",
		Instead: `send a message of the assistant between the result and the user's`,
		Sources: []Source{
			{"https://github.com/nicholasgriffintn/ai-platform/issues/414", "2025-05-06"},
			{"https://github.com/avante-corp/avante.nvim/pull/2695", "2025-09-07"},
			{"https://github.com/datapizza-labs/datapizza-ai/issues/98", "2025-12-04"},
		},
		Refused:  `{"model":"mistral-large-latest","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `,` + chatUser + `]}`,
		Accepted: `{"model":"mistral-large-latest","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `,{"role":"assistant","content":"so"},` + chatUser + `]}`,
		check:    roleAfter("tool", "user"),
	},
	{
		Name: "mistral_system_later", API: provider.ChatCompletions, Services: mistral, code: "3230",
		Doc:   `the system does not speak after the assistant; whether it may since the order of roles was relaxed by 2026-08-15 is not known`,
		Since: "2024-08-21", Until: "2026-08-15", on: "2026-01-01",
		Words:    "Unexpected role 'system' after role 'assistant'",
		Instead:  `send the text as the first message`,
		Sources:  []Source{{"https://github.com/swarmauri/swarmauri-sdk/issues/162", "2024-08-21"}},
		Refused:  `{"model":"mistral-large-latest","messages":[` + chatUser + `,{"role":"assistant","content":"so"},{"role":"system","content":"x"},` + chatUser + `]}`,
		Accepted: `{"model":"mistral-large-latest","messages":[{"role":"system","content":"x"},` + chatUser + `,{"role":"assistant","content":"so"},` + chatUser + `]}`,
		check:    roleAfter("assistant", "system"),
	},
	{
		Name: "mistral_result_after_user", API: provider.ChatCompletions, Services: mistral, code: "3230",
		Doc:      `a result follows a call`,
		Since:    "2025-07-22",
		Words:    "Unexpected role 'tool' after role 'user'",
		Instead:  `send the message of the assistant with the call before the result`,
		Sources:  []Source{{"https://github.com/charmbracelet/crush/issues/279, what OpenRouter passes on from Mistral", "2025-07-22"}},
		Refused:  `{"model":"mistral-large-latest","messages":[` + chatUser + `,` + chatResult + `]}`,
		Accepted: `{"model":"mistral-large-latest","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `]}`,
		check:    roleAfter("user", "tool"),
	},
	{
		Name: "mistral_results_missing", API: provider.ChatCompletions, Services: mistral, code: "3230",
		Doc:     `a message with calls is followed by as many results`,
		Since:   "2024-08-26",
		Words:   "Not the same number of function calls and responses",
		Instead: `send one message {"role":"tool","tool_call_id":…,"content":…} for each call, right after it`,
		Sources: []Source{
			{"https://github.com/567-labs/instructor/issues/724", "2024-08-26"},
			{"https://github.com/mistralai/client-ts/issues/106", "2025-06-01"},
			{"https://github.com/mistralai/client-python/issues/234", "2025-06-10"},
			{"https://github.com/miquido/draive/issues/398", "2025-09-12"},
		},
		Refused:  `{"model":"mistral-large-latest","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `,` + chatResult + `]}`,
		Accepted: `{"model":"mistral-large-latest","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `]}`,
		check: func(request *Request) *found {
			for _, called := range callsOfChat(request.Body) {
				isOver := called.next == nil || called.next.Get("role").Is("assistant")
				if isOver && called.results > 0 && called.results != called.calls {
					return refuse("").at(called.message)
				}
			}
			return nil
		},
	},
	{
		Name: "moonshot_reasoning_missing", API: provider.ChatCompletions, Services: moonshot,
		Doc:     `a model that thinks gets its reasoning_content back with its calls; it thinks unless thinking is disabled`,
		Since:   "2026-01-30",
		Models:  []string{"kimi-k2.5*", "kimi-k2.6*"},
		Words:   "thinking is enabled but reasoning_content is missing in assistant tool call message at index %d",
		Instead: `send the message back with the reasoning_content that the answer has`,
		Sources: []Source{
			{"https://github.com/Kilo-Org/kilocode/pull/5544", "2026-01-30"},
			{"https://github.com/continuedev/continue/issues/11711", "2026-03-22"},
			{"https://github.com/OnesoftQwQ/opencode-go-copilot/issues/1, kimi-k2.6", "2026-04-29"},
			{"https://github.com/bytedance/deer-flow/issues/3043", "2026-05-19"},
		},
		Refused:  `{"model":"kimi-k2.5","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `],` + chatTools + `}`,
		Accepted: `{"model":"kimi-k2.5","messages":[` + chatUser + `,` + chatReason + `,` + chatResult + `],` + chatTools + `}`,
		check: func(request *Request) *found {
			if !isThinking(request) {
				return nil
			}
			if i, message := callUnreasoned(wire.List(request.Body.Get("messages"))); message != nil {
				return refuse("", i).at(message)
			}
			return nil
		},
	},
	{
		Name: "deepseek_reasoning_missing_before", API: provider.ChatCompletions, Services: deepSeek, code: "invalid_request_error",
		Doc:   `deepseek-reasoner gets its reasoning_content back with its calls since the user spoke`,
		Since: "2025-12-08", Until: "2026-04-24", on: "2026-03-19",
		Models: []string{"deepseek-reasoner"},
		Words: "Missing `reasoning_content` field in the assistant message at message index %d. For more information, please refer to " +
			"https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
		Instead: `send the message back with the reasoning_content that the answer has`,
		Sources: []Source{
			{"https://github.com/hotovo/aider-desk/issues/529", "2025-12-08"},
			{"https://github.com/continuedev/continue/issues/9606", "2026-01-17"},
			{"https://github.com/abhigyanpatwari/GitNexus/issues/43", "2026-02-22"},
			{"https://github.com/decolua/9router/issues/355", "2026-03-19"},
		},
		Refused:  `{"model":"deepseek-reasoner","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `],` + chatTools + `}`,
		Accepted: `{"model":"deepseek-reasoner","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `,{"role":"assistant","content":"so"},` + chatUser + `]}`,
		check: func(request *Request) *found {
			messages := wire.List(request.Body.Get("messages"))
			first := 0
			for i, message := range messages {
				if message.Get("role").Is("user") {
					first = i
				}
			}
			if i, message := callUnreasoned(messages[min(first, len(messages)):]); message != nil {
				return refuse("", first+i).at(message)
			}
			return nil
		},
	},
	{
		Name: "deepseek_reasoning_missing", API: provider.ChatCompletions, Services: deepSeek, code: "invalid_request_error",
		Doc:     `a model that thinks gets its reasoning_content back with its calls; it thinks unless thinking is disabled`,
		Since:   "2026-04-24",
		Models:  []string{"deepseek-v4*"},
		Words:   "The `reasoning_content` in the thinking mode must be passed back to the API.",
		Instead: `send the message back with the reasoning_content that the answer has`,
		Sources: []Source{
			{"https://github.com/anomalyco/opencode/issues/24135", "2026-04-24"},
			{"https://github.com/syt2/paper-chat-for-zotero/issues/16", "2026-04-24"},
			{"https://github.com/mnfst/modelparams.dev/issues/29", "2026-05-25"},
		},
		Refused:  `{"model":"deepseek-v4-pro","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `],` + chatTools + `}`,
		Accepted: `{"model":"deepseek-v4-pro","thinking":{"type":"disabled"},"messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `],` + chatTools + `}`,
		check: func(request *Request) *found {
			if !isThinking(request) {
				return nil
			}
			if _, message := callUnreasoned(wire.List(request.Body.Get("messages"))); message != nil {
				return refuse("").at(message)
			}
			return nil
		},
	},
	{
		Name: "moonshot_thinking_forced", API: provider.ChatCompletions, Services: moonshot,
		Doc:     `a model that thinks is not forced to call a tool; it thinks unless thinking is disabled`,
		Since:   "2026-04-22",
		Models:  []string{"kimi-k2.5*", "kimi-k2.6*", "kimi-k2.7-code*"},
		Words:   "tool_choice '%s' is incompatible with thinking enabled",
		Instead: `write "auto" for tool_choice, or disable thinking`,
		Sources: []Source{
			{"https://github.com/AstrBotDevs/AstrBot/pull/7727", "2026-04-22"},
			{"https://github.com/theopenco/llmgateway/pull/2090", "2026-04-26"},        // kimi-k2.5
			{"https://github.com/can1357/oh-my-pi/issues/1077", "2026-05-14"},          // kimi-k2.6
			{"https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152", "2026-08-31"}, // kimi-k2.6 and kimi-k2.7-code, while kimi-k3 accepts required
		},
		Refused:  `{"model":"kimi-k2.6","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"required"}`,
		Accepted: `{"model":"kimi-k2.6","thinking":{"type":"disabled"},"messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"required"}`,
		check: func(request *Request) *found {
			choice := request.Body.Get("tool_choice")
			if !isThinking(request) || !isForcing(request.Body) {
				return nil
			}
			if choice.Is("required") {
				return refuse("", "required").at(choice)
			}
			return refuse("", "specified").at(choice)
		},
	},
	{
		Name: "deepseek_call_without_result", API: provider.ChatCompletions, Services: deepSeek, code: "invalid_request_error",
		Doc: `each call is followed by its result`,
		Words: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
			"(insufficient tool messages following tool_calls message)",
		Instead: `send a message {"role":"tool","tool_call_id":…,"content":…} for each call right after this one`,
		Sources: []Source{
			{"https://github.com/0xPlaygrounds/rig/issues/856", "2025-09-24"},
			{"https://github.com/zed-industries/zed/issues/51944", "2026-03-19"},
			{"https://github.com/bytedance/deer-flow/issues/2706", "2026-05-03"},
			{"https://github.com/BigPizzaV3/CodexPlusPlus/issues/308", "2026-05-25"}, // deepseek-v4-pro
		},
		Refused:  `{"model":"deepseek-chat","messages":[` + chatUser + `,` + chatCall + `,` + chatUser + `]}`,
		Accepted: `{"model":"deepseek-chat","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `,` + chatUser + `]}`,
		check: func(request *Request) *found {
			for _, called := range callsOfChat(request.Body) {
				if called.results < called.calls {
					return refuse("").at(called.message)
				}
			}
			return nil
		},
	},
	{
		Name: "deepseek_result_without_call", API: provider.ChatCompletions, Services: deepSeek, code: "invalid_request_error",
		Doc:      `a result follows the message with its call`,
		Words:    "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
		Instead:  `send the message of the assistant that has the call before this one, or leave out the result`,
		Sources:  []Source{{"https://github.com/FoundationAgents/OpenManus/issues/227", "2025-03-08"}},
		Refused:  `{"model":"deepseek-chat","messages":[` + chatUser + `,` + chatResult + `]}`,
		Accepted: `{"model":"deepseek-chat","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `]}`,
		check: func(request *Request) *found {
			if message, _ := resultWithoutCall(request.Body); message != nil {
				return refuse("").at(message)
			}
			return nil
		},
	},
	{
		Name: "deepseek_thinking_forced", API: provider.ChatCompletions, Services: deepSeek, code: "invalid_request_error",
		Doc:     `a model that thinks is not forced to call a tool; it thinks unless thinking is disabled`,
		Since:   "2026-05-26",
		Models:  []string{"deepseek-v4*"},
		Words:   "Thinking mode does not support this tool_choice",
		Instead: `write "auto" for tool_choice, or disable thinking`,
		Sources: []Source{
			{
				"https://github.com/maruel/genai/blob/66b63e62283f/providers/deepseek/testdata/TestClient/Scoreboard/deepseek-v4-flash_thinking/GenStream-Tools-SquareRoot-1.yaml",
				"2026-05-26",
			},
			{
				"https://github.com/0xPlaygrounds/rig/blob/b75850e89949/tests/cassettes/deepseek/wire_shape_matrix/forced_tool_choice_under_thinking_is_rejected_upstream.yaml",
				"2026-08-17",
			},
		},
		Refused:  `{"model":"deepseek-v4-flash","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"required"}`,
		Accepted: `{"model":"deepseek-v4-flash","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"auto"}`,
		check: func(request *Request) *found {
			if isThinking(request) && isForcing(request.Body) {
				return refuse("").at(request.Body.Get("tool_choice"))
			}
			return nil
		},
	},
	{
		Name: "deepseek_reasoner_forced", API: provider.ChatCompletions, Services: deepSeek, code: "invalid_request_error",
		Doc:   `deepseek-reasoner is not forced to call a tool`,
		Until: "2026-04-24", on: "2025-07-25",
		Models:  []string{"deepseek-reasoner"},
		Words:   "deepseek-reasoner does not support this tool_choice",
		Instead: `write "auto" for tool_choice`,
		Sources: []Source{{
			"https://github.com/maruel/genai/blob/c53a78a7cad0/providers/deepseek/testdata/TestClient_Scoreboard/deepseek-reasoner/GenStream-Tools-SquareRoot.yaml", "2025-07-25",
		}},
		Refused:  `{"model":"deepseek-reasoner","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"required"}`,
		Accepted: `{"model":"deepseek-reasoner","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"none"}`,
		check: func(request *Request) *found {
			if isForcing(request.Body) {
				return refuse("").at(request.Body.Get("tool_choice"))
			}
			return nil
		},
	},
	{
		Name: "dashscope_thinking_forced", API: provider.ChatCompletions, Services: []string{"dashscope"}, code: "invalid_parameter_error",
		Doc:     `a model that thinks is not forced to call a tool`,
		Models:  []string{"qwen3.8-max*", "qwen3.7-max*", "qwen3.5-*"},
		Words:   "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode",
		Instead: `write "auto" for tool_choice, or leave out enable_thinking`,
		Sources: []Source{{
			"https://github.com/maruel/genai/blob/66b63e62283f/providers/alibaba/testdata/TestClient/Intl/Scoreboard/qwen3.8-max_thinking/GenStream-Tools-SquareRoot-1.yaml",
			"2026-08-17",
		}},
		Refused:  `{"model":"qwen3.8-max","enable_thinking":true,"messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"required"}`,
		Accepted: `{"model":"qwen3.8-max","enable_thinking":true,"messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"auto"}`,
		check: func(request *Request) *found {
			if request.Body.Get("enable_thinking").IsTrue() && isForcing(request.Body) {
				return refuse("").at(request.Body.Get("tool_choice"))
			}
			return nil
		},
	},
	{
		Name: "converse_tools_missing", API: provider.Converse, Services: bedrock,
		Doc:     `a conversation with calls or results declares tools, also if none may be called any more`,
		Words:   "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
		Instead: `send the toolConfig of the earlier requests`,
		Sources: []Source{
			{"https://github.com/langgenius/dify/issues/16421", "2025-03-21"},
			{"https://github.com/onyx-dot-app/onyx/issues/7842", "2026-01-27"},
			{"https://github.com/patriceckhart/zot/pull/18", "2026-06-08"},
			{"https://github.com/timothy-agent/timothy/pull/282", "2026-08-23"},
		},
		Refused:  `{"messages":[` + converseExchange + `]}`,
		Accepted: `{"messages":[` + converseExchange + `],` + converseTools + `}`,
		check: func(request *Request) *found {
			if isGiven(request.Body, "toolConfig") {
				return nil
			}
			for _, message := range wire.List(request.Body.Get("messages")) {
				i := slices.IndexFunc(blocks(message), func(block *schema.Node) bool { return isGiven(block, "toolUse") || isGiven(block, "toolResult") })
				if i >= 0 {
					return refuse("").at(blocks(message)[i])
				}
			}
			return nil
		},
	},
	{
		Name: "converse_results_missing", API: provider.Converse, Services: bedrock,
		Doc:      `each call has its result in the next message`,
		Words:    "Expected toolResult blocks at messages.%d.content for the following Ids: %s",
		Instead:  `send a toolResult in the next message for %[2]s`,
		Sources:  []Source{{"https://github.com/agno-agi/agno/issues/6698", "2026-02-24"}},
		Refused:  `{"messages":[` + strings.Replace(converseExchange, `{"toolResult":{"toolUseId":"c","content":[{"text":"42"}]}}`, `{"text":"well?"}`, 1) + `],` + converseTools + `}`,
		Accepted: `{"messages":[` + converseExchange + `],` + converseTools + `}`,
		check: func(request *Request) *found {
			messages := wire.List(request.Body.Get("messages"))
			for i, message := range messages[:max(len(messages)-1, 0)] {
				answered := map[string]bool{}
				for _, block := range blocks(messages[i+1]) {
					answered[block.Get("toolResult").GetString("toolUseId")] = true
				}
				var open []string
				for _, block := range blocks(message) {
					if id := block.Get("toolUse").GetString("toolUseId"); isGiven(block, "toolUse") && !answered[id] {
						open = append(open, id)
					}
				}
				if len(open) > 0 {
					return refuse("", i+1, strings.Join(open, ", ")).at(message)
				}
			}
			return nil
		},
	},
	{
		Name: "converse_text_blank", API: provider.Converse, Services: bedrock,
		Doc:     `a block of text has text`,
		Words:   "The text field in the ContentBlock object at messages.%d.content.%d is blank. Add text to the text field, and try again.",
		Instead: `leave out the empty block`,
		Sources: []Source{
			{"https://github.com/aws/bedrock-agentcore-sdk-python/pull/185", "2025-12-04"}, {"https://github.com/LibreChat-AI/agents/pull/501", "2026-09-03"},
		},
		Refused:  `{"messages":[{"role":"user","content":[{"text":"hi"},{"text":""}]}]}`,
		Accepted: `{"messages":[{"role":"user","content":[{"text":"hi"}]}]}`,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				for n, block := range blocks(message) {
					if block.Get("text").Is("") {
						return refuse("", i, n).at(block)
					}
				}
			}
			return nil
		},
	},
}

// Ignoring are rules about what services accept and do not do. The services say nothing about it, and the words
// are the project's own.
var Ignoring = []*Rule{
	{
		Name: "vllm_format_before_calls", API: provider.ChatCompletions, Services: []string{"vllm"},
		Doc:     `tools are not called while response_format binds what the model writes to JSON`,
		Since:   "2026-04-15",
		Words:   "response_format suppresses calls: the answer is JSON, and the tools are not called unless tool_choice demands it",
		Instead: `leave out response_format while tools may be called, or write "required" for tool_choice`,
		Sources: []Source{
			{"https://github.com/vllm-project/vllm/issues/39929", "2026-04-15"},
			{"https://github.com/vllm-project/vllm/pull/47439", "2026-07-02"},
			{"https://github.com/MiaAI-Lab/GLM-5.3-Flash-EXL3-2x-DGX-Sparks/issues/24", "2026-08-29"},
		},
		Refused:  `{"model":"m","messages":[` + chatUser + `],` + chatTools + `,"response_format":{"type":"json_object"}}`,
		Accepted: `{"model":"m","messages":[` + chatUser + `],` + chatTools + `,"response_format":{"type":"json_object"},"tool_choice":"required"}`,
		check: func(request *Request) *found {
			format, choice := request.Body.Get("response_format"), request.Body.First("tool_choice")
			isJSON := format.Get("type").Is("json_object") || format.Get("type").Is("json_schema")
			if !isJSON || len(wire.List(request.Body.Get("tools"))) == 0 || choice != nil && !choice.Is("auto") {
				return nil
			}
			return refuse("").at(format)
		},
	},
}

const converseTools = `"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}]}`

const converseExchange = `{"role":"user","content":[{"text":"hi"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"f","input":{}}}]},` +
	`{"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"text":"42"}]}}]}`

// nineLetters matches the identifiers of calls that Mistral takes.
var nineLetters = lazy.Compile(`^[a-zA-Z0-9]{9}$`)

// roleAfter makes a check for a message of a role right after one of another.
func roleAfter(before, role string) func(*Request) *found {
	return func(request *Request) *found {
		messages := wire.List(request.Body.Get("messages"))
		for i := 1; i < len(messages); i++ {
			if messages[i-1].Get("role").Is(before) && messages[i].Get("role").Is(role) {
				return refuse("").at(messages[i])
			}
		}
		return nil
	}
}

// isThinking reports whether a model that thinks by default does so.
func isThinking(request *Request) bool {
	return !request.Body.Get("thinking").Get("type").Is("disabled")
}

// isForcing reports whether a request of Chat Completions forces a call.
func isForcing(body *schema.Node) bool {
	choice := body.Get("tool_choice")
	return choice.Is("required") || isKind(choice, schema.Object)
}

// callUnreasoned returns the first message with calls that has no member reasoning_content, and its index; nil
// if there is none.
func callUnreasoned(messages []*schema.Node) (int, *schema.Node) {
	for i, message := range messages {
		if len(wire.List(message.Get("tool_calls"))) > 0 && !message.Has("reasoning_content") {
			return i, message
		}
	}
	return 0, nil
}
