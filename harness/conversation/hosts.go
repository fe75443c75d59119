package conversation

import (
	"strconv"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

var (
	cerebras = []string{"cerebras"}
	groq     = []string{"groq"}
	together = []string{"together"}
)

// Parts of the addresses of recorded answers.
const (
	genaiCerebras = "https://github.com/maruel/genai/blob/ae451f7a582c/providers/cerebras/testdata/TestClient/Scoreboard/"
	genaiGroq     = "https://github.com/maruel/genai/blob/66b63e62283f/providers/groq/testdata/TestClient/Scoreboard/"
)

// chatFormat is a format that has its schema.
const chatFormat = `"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"type":"object","properties":{},"additionalProperties":false}}}`

// hostRules are those of services that host models of others behind OpenAI's API.
var hostRules = []*Rule{
	{
		Name: "groq_reasoning_content", API: provider.ChatCompletions, Services: groq,
		Doc:     `a message has no reasoning_content, which other services want back`,
		Since:   "2026-04-16",
		Words:   "'messages.%[1]d' : for 'role:assistant' the following must be satisfied[('messages.%[1]d' : property 'reasoning_content' is unsupported)]",
		Instead: `leave out reasoning_content`,
		Sources: []Source{
			{"https://github.com/NousResearch/hermes-agent/issues/11089", "2026-04-16"}, // llama-4-scout
			{"https://github.com/janhq/jan/issues/8136", "2026-05-13"},                  // gpt-oss-120b
			{"https://github.com/tashfeenahmed/freellmapi/issues/1070", "2026-08-30"},
		},
		Refused:  `{"model":"openai/gpt-oss-120b","messages":[` + chatUser + `,` + chatReason + `,` + chatResult + `],` + chatTools + `}`,
		Accepted: `{"model":"openai/gpt-oss-120b","messages":[` + chatUser + `,` + chatCall + `,` + chatResult + `],` + chatTools + `}`,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				if message.Get("role").Is("assistant") && message.Has("reasoning_content") {
					return refuse("", i).at(message.Get("reasoning_content"))
				}
			}
			return nil
		},
	},
	{
		Name: "groq_tool_type", API: provider.ChatCompletions, Services: groq,
		Doc:     `a tool is of a type that the model has: known of models without browser_search`,
		Models:  []string{"deepseek-r1-distill-llama-70b", "groq/compound-mini"},
		Words:   "tools[%d].type must be one of [function, mcp]",
		Instead: `leave out the tool, or declare it as a function`,
		Sources: []Source{
			{"https://github.com/maruel/genai/blob/ee139845ad74/providers/groq/testdata/TestClient/Scoreboard/deepseek-r1-distill-llama-70b_thinking/GenStream-Tools-WebSearch.yaml", "2025-09-09"}, //nolint:lll // an address
			{genaiGroq + "groq/compound-mini_thinking/GenStream-Tools-WebFetch.yaml", "2026-02-08"},
		},
		Refused:  `{"model":"groq/compound-mini","messages":[` + chatUser + `],"tools":[{"type":"browser_search"}]}`,
		Accepted: `{"model":"openai/gpt-oss-120b","messages":[` + chatUser + `],"tools":[{"type":"browser_search"}]}`,
		check: func(request *Request) *found {
			for i, tool := range wire.List(request.Body.Get("tools")) {
				if kind := tool.GetString("type"); kind != "" && kind != "function" && kind != "mcp" {
					return refuse("tools["+strconv.Itoa(i)+"].type", i)
				}
			}
			return nil
		},
	},
	{
		Name: "groq_model_without_tools", API: provider.ChatCompletions, Services: groq,
		Doc:     `models that call no functions`,
		Models:  []string{"groq/compound-mini", "meta-llama/llama-guard-4-12b"},
		Words:   "`tool calling` is not supported with this model",
		Instead: `leave out the functions, or ask another model`,
		Sources: []Source{
			{"https://github.com/vkryukov/req_llm/blob/e608a63c9f2e/test/support/fixtures/groq/meta_llama_llama_guard_4_12b/multi_tool.json", "2025-10-03"},
			{genaiGroq + "groq/compound-mini_thinking/GenStream-Tools-SquareRoot-1-any.yaml", "2025-12-14"},
		},
		Refused:  `{"model":"groq/compound-mini","messages":[` + chatUser + `],` + chatTools + `}`,
		Accepted: `{"model":"groq/compound-mini","messages":[` + chatUser + `]}`,
		check: func(request *Request) *found {
			if hasFunctions(request.Body) {
				return refuse("").at(request.Body.Get("tools"))
			}
			return nil
		},
	},
	{
		Name: "groq_format_of_model", API: provider.ChatCompletions, Services: groq,
		Doc:     `models that answer in no schema`,
		Models:  []string{"deepseek-r1-distill-llama-70b", "groq/compound-mini", "llama-3.1-8b-instant", "qwen/qwen3-32b"},
		Words:   "This model does not support response format `json_schema`. See supported models at https://console.groq.com/docs/structured-outputs#supported-models",
		Instead: `write {"type":"json_object"}, or ask another model`,
		Sources: []Source{
			{"https://github.com/maruel/genai/blob/4ce14765ae91/providers/groq/testdata/TestClient_Scoreboard/text_text_qwen/qwen3-32b/GenStream/text/JSONSchema.yaml", "2025-07-20"},
			{"https://github.com/maruel/genai/blob/b7a7bfa4790b/providers/groq/testdata/TestClient_Scoreboard/deepseek-r1-distill-llama-70b/GenStream-JSONSchema.yaml", "2025-07-21"},
			{genaiGroq + "groq/compound-mini_thinking/GenStream-JSONSchema.yaml", "2025-12-14"},
		},
		Refused:  `{"model":"groq/compound-mini","messages":[` + chatUser + `],` + chatFormat + `}`,
		Accepted: `{"model":"groq/compound-mini","messages":[` + chatUser + `],"response_format":{"type":"json_object"}}`,
		check: func(request *Request) *found {
			format := request.Body.Get("response_format")
			if !format.Get("type").Is("json_schema") {
				return nil
			}
			return refuse("response_format").at(format)
		},
	},
	{
		Name: "groq_format_without_schema", API: provider.ChatCompletions, Services: groq,
		Doc:     `the format json_schema has its schema in the member schema`,
		Words:   "json schema is required",
		Instead: `move the schema into response_format.json_schema.schema`,
		Sources: []Source{
			{"https://github.com/maruel/genai/blob/ae451f7a582c/providers/groq/testdata/TestClient/Scoreboard/meta-llama/llama-4-maverick-17b-128e-instruct/GenStream-JSONSchema.yaml", "2025-07-25"}, //nolint:lll // an address
		},
		Refused:  `{"model":"openai/gpt-oss-120b","messages":[` + chatUser + `],"response_format":{"type":"json_schema","json_schema":{"name":"a","type":"object"}}}`,
		Accepted: `{"model":"openai/gpt-oss-120b","messages":[` + chatUser + `],` + chatFormat + `}`,
		check: func(request *Request) *found {
			format := request.Body.Get("response_format")
			if !format.Get("type").Is("json_schema") || isGiven(format.Get("json_schema"), "schema") {
				return nil
			}
			return refuse("response_format").at(format)
		},
	},
	{
		Name: "cerebras_forced", API: provider.ChatCompletions, Services: cerebras, code: "wrong_api_format",
		Doc:   `gpt-oss-120b is not forced to call a tool; what became of that later is not known, since another model was forced on 2026-07-21`,
		Since: "2025-08-28", Until: "2026-07-21", on: "2025-08-28",
		Models:   []string{"gpt-oss-120b"},
		Words:    "Unsupported tool_choice: required. Expected 'auto' or 'none'.",
		Instead:  `write "auto" for tool_choice`,
		Sources:  []Source{{genaiCerebras + "gpt-oss-120b_thinking/GenStream-Tools-SquareRoot-1.yaml", "2025-08-28"}},
		Refused:  `{"model":"gpt-oss-120b","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"required"}`,
		Accepted: `{"model":"gpt-oss-120b","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"auto"}`,
		check: func(request *Request) *found {
			if request.Body.Get("tool_choice").Is("required") {
				return refuse("tool_choice")
			}
			return nil
		},
	},
	{
		Name: "cerebras_format_of_model", API: provider.ChatCompletions, Services: cerebras, code: "wrong_api_format",
		Doc:   `gpt-oss-120b answers in no strict schema; what became of that later is not known, since another model did on 2026-07-21`,
		Since: "2025-08-28", Until: "2026-07-21", on: "2025-08-28",
		Models:   []string{"gpt-oss-120b"},
		Words:    "Response format 'json_schema' with strict=True is not supported by this model.",
		Instead:  `write {"type":"json_object"}, or ask another model`,
		Sources:  []Source{{genaiCerebras + "gpt-oss-120b_thinking/GenStream-JSONSchema.yaml", "2025-08-28"}},
		Refused:  `{"model":"gpt-oss-120b","messages":[` + chatUser + `],` + chatFormat + `}`,
		Accepted: `{"model":"gpt-oss-120b","messages":[` + chatUser + `],"response_format":{"type":"json_object"}}`,
		check: func(request *Request) *found {
			format := request.Body.Get("response_format")
			if format.Get("type").Is("json_schema") && format.Get("json_schema").Get("strict").IsTrue() {
				return refuse("response_format")
			}
			return nil
		},
	},
	{
		Name: "cerebras_tools_streamed", API: provider.ChatCompletions, Services: cerebras, code: "wrong_api_format",
		Doc:     `Qwen's models that reason stream no calls`,
		Models:  cerebrasReasoning,
		Words:   streamedWords,
		Instead: `leave out stream`,
		Sources: []Source{
			{"https://github.com/maruel/genai/blob/ad1935a93f94/providers/cerebras/testdata/TestClient_Scoreboard/text_text_qwen-3-32b/GenStream/text/ToolsBiased/USA.yaml", "2025-07-18"},
		},
		Refused:  `{"model":"qwen-3-32b","stream":true,"messages":[` + chatUser + `],` + chatTools + `}`,
		Accepted: `{"model":"qwen-3-32b","messages":[` + chatUser + `],` + chatTools + `}`,
		check: func(request *Request) *found {
			if request.Body.Get("stream").IsTrue() && hasFunctions(request.Body) {
				return refuse("tools_mode").at(request.Body.Get("stream"))
			}
			return nil
		},
	},
	{
		Name: "cerebras_format_streamed", API: provider.ChatCompletions, Services: cerebras, code: "wrong_api_format",
		Doc:      `Qwen's models that reason stream no answer in a schema`,
		Models:   cerebrasReasoning,
		Words:    streamedWords,
		Instead:  `leave out stream`,
		Sources:  []Source{{genaiCerebras + "qwen-3-235b-a22b-thinking-2507_thinking/GenStream-JSONSchema.yaml", "2025-08-28"}},
		Refused:  `{"model":"qwen-3-32b","stream":true,"messages":[` + chatUser + `],` + chatFormat + `}`,
		Accepted: `{"model":"qwen-3-32b","messages":[` + chatUser + `],` + chatFormat + `}`,
		check: func(request *Request) *found {
			if request.Body.Get("stream").IsTrue() && request.Body.Get("response_format").Get("type").Is("json_schema") {
				return refuse("json_schema_mode").at(request.Body.Get("stream"))
			}
			return nil
		},
	},
	{
		Name: "together_model_without_tools", API: provider.ChatCompletions, Services: together,
		Doc:     `models that choose no functions by themselves`,
		Models:  []string{"google/gemma-3-27b-it", "deepcogito/cogito-v2-1-671b"},
		Words:   `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`,
		Instead: `ask another model`,
		Sources: []Source{
			{"https://github.com/maruel/genai/blob/926c8ae12309/providers/togetherai/testdata/TestClient/Scoreboard/google/gemma-3-27b-it/GenSync-Tools-SquareRoot-1-any.yaml", "2025-08-31"},       //nolint:lll // an address
			{"https://github.com/maruel/genai/blob/80714bada6c0/providers/togetherai/testdata/TestClient/Scoreboard/deepcogito/cogito-v2-1-671b/GenSync-Tools-SquareRoot-1-any.yaml", "2025-12-15"}, //nolint:lll // an address
		},
		Refused:  `{"model":"google/gemma-3-27b-it","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"auto"}`,
		Accepted: `{"model":"google/gemma-3-27b-it","messages":[` + chatUser + `],` + chatTools + `,"tool_choice":"none"}`,
		check: func(request *Request) *found {
			if request.Body.Get("tool_choice").Is("auto") && hasFunctions(request.Body) {
				return refuse("").at(request.Body.Get("tool_choice"))
			}
			return nil
		},
	},
}

// cerebrasReasoning are the models of Qwen that reason at Cerebras.
var cerebrasReasoning = []string{"qwen-3-32b", "qwen-3-235b-a22b", "qwen-3-235b-a22b-thinking-2507"}

const streamedWords = `"stream=true" with structured outputs is currently not supported for reasoning models.`

// called is a message of Chat Completions with calls, and what follows it.
type called struct {
	message        *schema.Node
	calls, results int
	next           *schema.Node // the message after the results; nil at the end
}

// callsOfChat returns the messages with calls of a request of Chat Completions.
func callsOfChat(body *schema.Node) []called {
	var all []called
	messages := wire.List(body.Get("messages"))
	for i, message := range messages {
		calls := len(wire.List(message.Get("tool_calls")))
		if calls == 0 {
			continue
		}
		one := called{message: message, calls: calls}
		for _, one.next = range append(messages[i+1:len(messages):len(messages)], nil) {
			if !one.next.Get("role").Is("tool") {
				break
			}
			one.results++
		}
		all = append(all, one)
	}
	return all
}

// resultWithoutCall returns the first result of a request of Chat Completions that follows no message with
// calls, and its index; nil if there is none.
func resultWithoutCall(body *schema.Node) (*schema.Node, int) {
	isAnswering := false // whether only results stand between here and a message with calls
	for i, message := range wire.List(body.Get("messages")) {
		if !message.Get("role").Is("tool") {
			isAnswering = len(wire.List(message.Get("tool_calls"))) > 0
		} else if !isAnswering {
			return message, i
		}
	}
	return nil, 0
}
