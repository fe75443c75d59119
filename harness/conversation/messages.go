package conversation

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

var claude = []string{"anthropic"}

// messagesProbes are requests that somebody sent to Anthropic's API to compare its answers with their own program's.
var messagesProbes = Source{
	"https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter/blob/0137ad8f8b31/test/anthropic-messages-validation-parity.test.mjs", "2026-08-31",
}

var messagesRules = []*Rule{
	{
		Name: "messages_role", API: provider.Messages, Services: claude,
		Doc:      `a message is the user's or the assistant's: a result is a block of the user's`,
		Since:    "2026-08-31",
		Words:    "messages: Unexpected role \"%s\". Allowed roles are \"user\" or \"assistant\"",
		Instead:  `send results as tool_result blocks of a user message, and instructions as system`,
		Sources:  []Source{messagesProbes},
		Refused:  `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"developer","content":"x"},{"role":"user","content":"hi"}]}`,
		Accepted: `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"system","content":"x"}]}`,
		check: func(request *Request) *found {
			for _, message := range wire.List(request.Body.Get("messages")) {
				role := message.Get("role")
				if isKind(role, schema.String) && !slices.Contains([]string{"user", "assistant", "system"}, role.Text) {
					return refuse("", role.Text).at(role)
				}
			}
			return nil
		},
	},
	{
		Name: "messages_system_first", API: provider.Messages, Services: claude,
		Doc:   `the first message is not the system's`,
		Since: "2026-08-31",
		Words: "messages.%d: use the top-level 'system' parameter for the initial system prompt; the directive-only form (content: [] with output_config) " +
			"is accepted at any position",
		Instead:  `move the text to the member system`,
		Sources:  []Source{messagesProbes},
		Refused:  `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"system","content":"x"},{"role":"user","content":"hi"}]}`,
		Accepted: `{"model":"claude-sonnet-5","max_tokens":9,"system":"x","messages":[{"role":"user","content":"hi"}]}`,
		check: func(request *Request) *found {
			messages := wire.List(request.Body.Get("messages"))
			if len(messages) == 0 || !messages[0].Get("role").Is("system") || isEmptyList(messages[0].Get("content")) {
				return nil
			}
			return refuse("", 0).at(messages[0])
		},
	},
	{
		Name: "messages_content_missing", API: provider.Messages, Services: claude,
		Doc:      `a message has content`,
		Words:    "messages.%d.content: Field required",
		Instead:  `add content, or leave out the message`,
		Sources:  []Source{messagesProbes},
		Refused:  `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user"}]}`,
		Accepted: `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				if isKind(message, schema.Object) && !message.Has("content") {
					return refuse("", i).at(message)
				}
			}
			return nil
		},
	},
	{
		Name: "messages_content_type", API: provider.Messages, Services: claude,
		Doc:      `the content of a message is a string or a list, and not null or an object`,
		Words:    "messages.%d.content: Input should be a valid array",
		Instead:  `write a string, or a list of blocks`,
		Sources:  []Source{messagesProbes},
		Refused:  `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":null}]}`,
		Accepted: `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				content := message.Get("content")
				if content != nil && (content.Kind == schema.Null || content.Kind == schema.Object || content.Kind == schema.Number) {
					return refuse("", i).at(content)
				}
			}
			return nil
		},
	},
	{
		Name: "messages_content_empty", API: provider.Messages, Services: claude,
		Doc:      `one of the user's messages in a row has content`,
		Since:    "2026-08-31",
		Words:    "messages.%d: user messages must have non-empty content",
		Instead:  `add content, or leave out the message`,
		Sources:  []Source{messagesProbes},
		Refused:  `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":[]}]}`,
		Accepted: `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":[]},{"role":"user","content":"hi"}]}`,
		check: func(request *Request) *found {
			messages := wire.List(request.Body.Get("messages"))
			for i := 0; i < len(messages); i++ {
				first, isEmpty := i, true
				for ; i < len(messages) && messages[i].Get("role").Is("user"); i++ {
					content := messages[i].Get("content")
					isEmpty = isEmpty && (isEmptyList(content) || isKind(content, schema.String) && content.Text == "")
				}
				if isEmpty && i > first {
					return refuse("", first).at(messages[first])
				}
			}
			return nil
		},
	},
	{
		Name: "messages_call_input", API: provider.Messages, Services: claude,
		Doc:     `the input of a call is an object, and not the JSON text of one`,
		Words:   "messages.%d.content.%d.tool_use.input: Input should be a valid dictionary",
		Instead: `write the arguments as an object, {} if there are none`,
		Sources: []Source{
			{"https://github.com/anthropics/anthropic-sdk-typescript/issues/648", "2024-12-31"},
			{"https://github.com/anthropics/claude-code/issues/6696", "2025-08-28"},
			{"https://github.com/prism-php/prism/issues/659", "2025-10-13"},
		},
		Refused:  strings.Replace(messagesExchange, `"input":{}`, `"input":"{}"`, 1),
		Accepted: messagesExchange,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				for n, block := range blocks(message) {
					if block.Get("type").Is("tool_use") && block.Has("input") && block.Get("input").Kind != schema.Object {
						return refuse("", i, n).at(block.Get("input"))
					}
				}
			}
			return nil
		},
	},
	{
		Name: "messages_unknown_argument", API: provider.Messages, Services: claude,
		Doc:     `parameters of other APIs are refused`,
		Words:   "%s: Extra inputs are not permitted",
		Instead: `leave out %[1]s`,
		Sources: []Source{
			{"https://github.com/Aider-AI/aider/issues/3367", "2025-02-25"}, // extra_body
			{"https://github.com/amrit110/oli/issues/7", "2025-03-17"},      // response_format
			messagesProbes, // one of no API
		},
		Refused:  `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_object"}}`,
		Accepted: `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"metadata":{"user_id":"u"}}`,
		check: func(request *Request) *found {
			foreign := slices.Concat(members[provider.ChatCompletions], members[provider.Responses], []string{"extra_body"})
			for _, member := range request.Body.Members {
				if slices.Contains(foreign, member.Key) && !slices.Contains(members[provider.Messages], member.Key) {
					return refuse("", member.Key).at(member.Value)
				}
			}
			return nil
		},
	},
	{
		Name: "messages_all_deferred", API: provider.Messages, Services: claude,
		Doc:     `a tool of the request is not deferred; built-in tools count`,
		Since:   "2025-11-24",
		Words:   "At least one tool must have defer_loading=false. All tools cannot be deferred.",
		Instead: `leave defer_loading out of one of the tools, or add a tool that searches them`,
		Sources: []Source{
			{"https://github.com/nearai/ironclaw/pull/7274", "2026-08-17"},
			{"a probe of claude-opus-5 behind a gateway of GitHub's; public, without a stable address", "2026-08-24"},
		},
		Refused: `{"model":"claude-opus-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],` +
			`"tools":[{"name":"f","input_schema":{"type":"object"},"defer_loading":true}]}`,
		Accepted: `{"model":"claude-opus-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"f","input_schema":{"type":"object"},` +
			`"defer_loading":true},{"type":"tool_search_tool_regex_20251119","name":"tool_search_tool_regex"}]}`,
		check: func(request *Request) *found {
			tools := wire.List(request.Body.Get("tools"))
			isLoaded := func(tool *schema.Node) bool { return !tool.Get("defer_loading").IsTrue() }
			if len(tools) == 0 || slices.ContainsFunc(tools, isLoaded) {
				return nil
			}
			return refuse("").at(request.Body.Get("tools"))
		},
	},
	{
		Name: "messages_thinking_forced", API: provider.Messages, Services: claude,
		Doc:     `a model that thinks is not forced to call a tool`,
		Words:   thinkingForced,
		Instead: `write {"type":"auto"} for tool_choice, or leave out thinking`,
		Sources: []Source{
			{"https://github.com/maruel/genai/blob/14943e88db77/providers/anthropic/testdata/TestClient_Scoreboard/claude-sonnet-4-20250514_thinking/" +
				"GenStream-Tools-ToolBias-Canada.yaml", "2025-07-26"},
		},
		Refused: `{"model":"claude-sonnet-5","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user",` +
			`"content":"hi"}],"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}}`,
		Accepted: `{"model":"claude-sonnet-5","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user",` +
			`"content":"hi"}],"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"auto"}}`,
		check: forcedThinking("enabled"),
	},
	{
		Name: "messages_adaptive_thinking_forced", API: provider.Messages, Services: claude,
		Doc:     `a model with adaptive thinking is not forced to call a tool: known of claude-opus-4-8, while claude-opus-4-6 accepts it`,
		Models:  []string{"claude-opus-4-8*"},
		Words:   thinkingForced,
		Instead: `write {"type":"auto"} for tool_choice, or leave out thinking`,
		Sources: []Source{
			{"https://github.com/maruel/genai/blob/a2629bc54201/providers/anthropic/testdata/TestClient/Scoreboard/claude-opus-4-8_thinking/" +
				"GenStream-Tools-SquareRoot-1.yaml", "2026-05-29"},
		},
		Refused: `{"model":"claude-opus-4-8","max_tokens":9000,"thinking":{"type":"adaptive"},"messages":[{"role":"user","content":"hi"}],` +
			`"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}}`,
		Accepted: `{"model":"claude-opus-4-8","max_tokens":9000,"thinking":{"type":"adaptive"},"messages":[{"role":"user","content":"hi"}],` +
			`"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
		check: forcedThinking("adaptive"),
	},
	{
		Name: "messages_thinking_signature", API: provider.Messages, Services: claude,
		Doc:     `a thinking block comes back with the signature that the service gave: not with one that is no base64`,
		Words:   "messages.%d.content.%d: Invalid `signature` in `thinking` block",
		Instead: `send the block back exactly as the answer gave it`,
		Sources: []Source{
			{"https://github.com/ding113/claude-code-hub/issues/518", "2026-01-03"}, {"https://github.com/kaitranntt/ccs/issues/415", "2026-02-01"},
		},
		Refused: `{"model":"claude-sonnet-5","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user",` +
			`"content":"hi"},{"role":"assistant",` +
			`"content":[{"type":"thinking","thinking":"so","signature":"EqQBCkYIBxgCKkA"},{"type":"text","text":"a"}]},{"role":"user","content":"well?"}]}`,
		Accepted: `{"model":"claude-sonnet-5","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user",` +
			`"content":"hi"},{"role":"assistant",` +
			`"content":[{"type":"thinking","thinking":"so","signature":"EqQBCkYIBxgCKkA="},{"type":"text","text":"a"}]},{"role":"user","content":"well?"}]}`,
		check: func(request *Request) *found {
			if kind := request.Body.Get("thinking").GetString("type"); kind != "enabled" && kind != "adaptive" {
				return nil
			}
			for i, message := range wire.List(request.Body.Get("messages")) {
				for n, block := range blocks(message) {
					if !block.Get("type").Is("thinking") {
						continue
					}
					signature := block.GetString("signature")
					_, err := base64.StdEncoding.DecodeString(signature)
					if err != nil || signature == "" || request.IsForged != nil && request.IsForged(signature) {
						return refuse("", i, n).at(block)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "messages_thinking_missing", API: provider.Messages, Services: claude,
		Doc:    `while a model thinks, the message with the calls that are answered begins with its thinking: known of claude-sonnet-4`,
		Models: []string{"claude-sonnet-4-2*", "claude-sonnet-4-0"},
		Words: "messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` " +
			"message must start with a thinking block (preceeding the lastmost set of " + //nolint:misspell // as Anthropic spells it
			"`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. " +
			"Please consult our documentation at " +
			"https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking",
		Instead: `send the thinking block of the answer back, before its calls`,
		Sources: []Source{
			{"https://github.com/run-llama/llama_index/issues/18828", "2025-05-23"},
			{"https://github.com/mastra-ai/mastra/issues/7799", "2025-09-12"},
			{"https://github.com/anomalyco/opencode/issues/2599", "2025-09-14"}, // text before the call
		},
		Refused:  strings.Replace(thoughtless, "MODEL", "claude-sonnet-4-20250514", 1),
		Accepted: strings.Replace(thoughtful, "MODEL", "claude-sonnet-4-20250514", 1),
		check:    thinkingMissing,
	},
	{
		Name: "messages_thinking_first", API: provider.Messages, Services: claude,
		Doc:    `while a model thinks, the message with the calls that are answered begins with its thinking: known of claude-opus-4-5`,
		Models: []string{"claude-opus-4-5*"},
		Words: "messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` " +
			"message must start with a thinking block (preceeding the lastmost set of " + //nolint:misspell // as Anthropic spells it
			"`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. " +
			"Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
		Instead:  `send the thinking block of the answer back, before its calls`,
		Sources:  []Source{{"https://github.com/n8n-io/n8n/issues/22550", "2025-12-01"}},
		Refused:  strings.Replace(thoughtless, "MODEL", "claude-opus-4-5", 1),
		Accepted: strings.Replace(thoughtful, "MODEL", "claude-opus-4-5", 1),
		check:    thinkingMissing,
	},
	{
		Name: "messages_tool_choice_undeclared", API: provider.Messages, Services: claude,
		Doc:     `a tool that tool_choice names is declared`,
		Words:   "Tool '%s' not found in provided tools",
		Instead: `declare the tool %[1]s, or name one that is declared`,
		Sources: []Source{
			{"https://github.com/decolua/9router/issues/1592", "2026-06-01"}, // without the words
			{"the words that a test of a monitor has, for claude-sonnet-5; public, without a stable address", "2026-09-13"},
		},
		Refused: `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],` +
			`"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"g"}}`,
		Accepted: `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],` +
			`"tools":[{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"tool","name":"web_search"}}`,
		check: choiceUndeclared(""),
	},
	{
		Name: "messages_tools_missing", API: provider.Messages, Services: claude,
		Doc:   `a conversation with calls or results declares tools, until 2025-02-27, when Anthropic allowed to leave them out`,
		Until: "2025-02-27", on: "2025-01-28",
		Words:   "Requests which include `tool_use` or `tool_result` blocks must define tools.",
		Instead: `send the tools of the earlier requests`,
		Sources: []Source{
			{"https://github.com/anthropics/anthropic-sdk-python/issues/494", "2024-05-13"},
			{"https://github.com/anthropics/anthropic-sdk-python/issues/849", "2025-01-28"},
		},
		Refused:  withoutTools + `}`,
		Accepted: messagesExchange,
		check: func(request *Request) *found {
			if len(wire.List(request.Body.Get("tools"))) > 0 {
				return nil
			}
			for _, message := range wire.List(request.Body.Get("messages")) {
				for _, block := range blocks(message) {
					if block.Get("type").Is("tool_use") || isResult(block) {
						return refuse("").at(block)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "messages_call_id", API: provider.Messages, Services: claude,
		Doc:     `the identifier of a call has letters, digits, _ and - alone`,
		Words:   "messages.%d.content.%d.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
		Instead: `give the tool_use, and its result, an id of such characters`,
		Sources: []Source{
			{"https://github.com/tailcallhq/forgecode/issues/1142", "2025-07-20"},
			{"https://github.com/BlockRunAI/ClawRouter/issues/17", "2026-02-10"},
			{"https://github.com/CommandCodeAI/command-code/issues/323", "2026-05-06"},
		},
		Refused:  strings.ReplaceAll(messagesExchange, `"c"`, `"functions.f:0"`),
		Accepted: strings.ReplaceAll(messagesExchange, `"c"`, `"toolu_01-A"`),
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				for n, block := range blocks(message) {
					if id := block.Get("id"); block.Get("type").Is("tool_use") && isKind(id, schema.String) && !callID.MatchString(id.Text) {
						return refuse("", i, n).at(id)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "messages_result_twice", API: provider.Messages, Services: claude,
		Doc:      `a call has one result`,
		Words:    "messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s",
		Instead:  `send one tool_result for %[3]s`,
		Sources:  []Source{{"https://github.com/vectorize-io/hindsight/pull/4250", "2026-09-09"}},
		Refused:  strings.Replace(messagesExchange, `,{"type":"text","text":"well?"}`, `,{"type":"tool_result","tool_use_id":"c","content":"43"}`, 1),
		Accepted: messagesExchange,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				seen := map[string]bool{}
				for n, block := range blocks(message) {
					id := block.GetString("tool_use_id")
					if isResult(block) && seen[id] {
						return refuse("", i, n, id).at(block)
					}
					seen[id] = seen[id] || isResult(block)
				}
			}
			return nil
		},
	},
	{
		Name: "messages_prefill", API: provider.Messages, Services: claude,
		Doc:     `the last message is the user's: from claude-opus-4-6 on, while older models continue what the assistant began`,
		Models:  []string{"claude-opus-4-6*", "claude-opus-4-7*", "claude-opus-4-8*", "claude-sonnet-4-6*", "claude-sonnet-5*", "claude-fable-5*"},
		Words:   "This model does not support assistant message prefill. The conversation must end with a user message.",
		Instead: `end with a message of the user`,
		Sources: []Source{
			{"https://github.com/Tarquinen/opencode-dynamic-context-pruning/issues/520", "2026-04-17"}, // claude-sonnet-4-6
			{"https://github.com/ericc-ch/copilot-api/pull/261", "2026-06-08"},                         // claude-opus-4-6, 4-7 and 4-8, behind Copilot
			{"https://github.com/vybestack/llxprt-code/pull/3695", "2026-09-16"},                       // claude-fable-5
			{"https://github.com/cortexkit/magic-context/issues/511", "2026-09-23"},                    // claude-sonnet-5
		},
		Refused:  `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"so"}]}`,
		Accepted: `{"model":"claude-opus-4-5","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"so"}]}`,
		check: func(request *Request) *found {
			messages := wire.List(request.Body.Get("messages"))
			if len(messages) == 0 || !messages[len(messages)-1].Get("role").Is("assistant") {
				return nil
			}
			last := messages[len(messages)-1]
			isOther := func(block *schema.Node) bool { return !block.Get("type").Is("text") }
			if slices.ContainsFunc(blocks(last), isOther) {
				return nil // a turn that paused, which is not known
			}
			return refuse("").at(last)
		},
	},
	{
		Name: "messages_thought_later", API: provider.Messages, Services: claude,
		Doc:     `a message with thinking begins with it: known of claude-opus-4-5`,
		Models:  []string{"claude-opus-4-5*"},
		Words:   "messages.%d.content.0: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`. Found `%s`.",
		Instead: `send the blocks back in the order of the answer`,
		Sources: []Source{
			{"https://github.com/anthropics/claude-code/issues/20705", "2026-01-25"}, {"https://github.com/anthropics/claude-code/issues/20692", "2026-01-25"},
		},
		Refused: `{"model":"claude-opus-4-5","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"hi"},` +
			`{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"so","signature":"EqQBCkYIBxgCKkA="}]},{"role":"user","content":"well?"}]}`,
		Accepted: `{"model":"claude-opus-4-5","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"hi"},` +
			`{"role":"assistant","content":[{"type":"thinking","thinking":"so","signature":"EqQBCkYIBxgCKkA="},{"type":"text","text":"a"}]},{"role":"user","content":"well?"}]}`,
		check: func(request *Request) *found {
			isThought := func(block *schema.Node) bool {
				return block.Get("type").Is("thinking") || block.Get("type").Is("redacted_thinking")
			}
			for i, message := range wire.List(request.Body.Get("messages")) {
				said := blocks(message)
				if slices.ContainsFunc(said, isThought) && !isThought(said[0]) {
					return refuse("", i, said[0].GetString("type")).at(said[0])
				}
			}
			return nil
		},
	},
	{
		Name: "messages_text_blank", API: provider.Messages, Services: claude,
		Doc:     `a block of text has more than white space`,
		Words:   "messages: text content blocks must contain non-whitespace text",
		Instead: `leave out the blank block`,
		Sources: []Source{
			{"https://github.com/nick1udwig/kibitz/issues/78", "2025-01-11"},
			{"https://github.com/anthropics/claude-code/issues/23440", "2026-02-05"}, // claude-opus-4-6
			{"https://github.com/anthropics/claude-code/issues/23352", "2026-02-05"},
		},
		Refused:  `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"\n\n"}]}]}`,
		Accepted: `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"\n."}]}]}`,
		check: func(request *Request) *found {
			for _, message := range wire.List(request.Body.Get("messages")) {
				for _, block := range blocks(message) {
					text := block.GetString("text")
					if block.Get("type").Is("text") && text != "" && strings.TrimSpace(text) == "" {
						return refuse("").at(block)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "messages_format_of_model", API: provider.Messages, Services: claude,
		Doc:     `models that answer in no schema`,
		Models:  []string{"claude-3-5-haiku-20241022", "claude-sonnet-4-20250514"},
		Words:   "'%s' does not support output format.",
		Instead: `leave out the format, or ask another model`,
		Sources: []Source{
			{"https://github.com/maruel/genai/blob/1a26fb19a700/providers/anthropic/testdata/TestClient/Scoreboard/claude-3-5-haiku-20241022/GenStream-JSONSchema.yaml", "2026-02-06"},
			{"https://github.com/maruel/genai/blob/1a26fb19a700/providers/anthropic/testdata/TestClient/Scoreboard/claude-sonnet-4-20250514/GenStream-JSONSchema.yaml", "2026-02-06"},
		},
		Refused: `{"model":"claude-sonnet-4-20250514","max_tokens":9,"messages":[{"role":"user","content":"hi"}],` +
			`"output_config":{"format":{"type":"json_schema","schema":{"type":"object","additionalProperties":false}}}}`,
		Accepted: `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],` +
			`"output_config":{"format":{"type":"json_schema","schema":{"type":"object","additionalProperties":false}}}}`,
		check: func(request *Request) *found {
			format := cmp.Or(request.Body.First("output_format"), request.Body.Get("output_config").First("format"))
			if format == nil {
				return nil
			}
			return refuse("", request.Model).at(format)
		},
	},
	{
		Name: "messages_text_empty", API: provider.Messages, Services: claude,
		Doc:     `a block of text has text`,
		Words:   "messages: text content blocks must be non-empty",
		Instead: `leave out the empty block`,
		Sources: []Source{
			{"https://github.com/miurla/morphic/issues/83", "2024-04-25"},
			{"https://github.com/anthropics/claude-code/issues/49171", "2026-04-16"},
			{"https://github.com/anthropics/claude-code/issues/62312", "2026-05-25"},
		},
		Refused:  `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"text","text":""}]}]}`,
		Accepted: `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`,
		check: func(request *Request) *found {
			for _, message := range wire.List(request.Body.Get("messages")) {
				for _, block := range blocks(message) {
					if block.Get("type").Is("text") && block.Get("text").Is("") {
						return refuse("").at(block)
					}
				}
			}
			return nil
		},
	},
	{
		Name: "messages_image_differs", API: provider.Messages, Services: claude,
		Doc:     `an image has the type that the request says: until 2025-12 the words were "Image does not match the provided media type"`,
		Since:   "2025-08-22",
		Words:   "messages.%s.image.source.base64: The image was specified using the %s media type, but the image appears to be a %s image",
		Instead: `write %[3]s as the media_type`,
		Sources: []Source{
			{"https://github.com/anthropics/claude-code/issues/6300", "2025-08-22"}, // the earlier words
			{"https://github.com/llmsresearch/paperbanana/issues/58", "2026-02-26"}, // in the result of a tool of an MCP server
			{"https://github.com/vybestack/llxprt-code/issues/2130", "2026-06-23"},  // in a result
		},
		Refused:  imageInResult("image/jpeg", "iVBORw0KGgoAAAANSUhEUg=="),
		Accepted: imageInResult("image/png", "iVBORw0KGgoAAAANSUhEUg=="),
		check: func(request *Request) *found {
			return imageFault(request, func(place, named, seen string, image *schema.Node) *found {
				if named == seen || !slices.Contains(imageTypes, named) || !slices.Contains(imageTypes, seen) {
					return nil
				}
				return refuse("", place, named, seen).at(image)
			})
		},
	},
	{
		Name: "messages_image_is_text", API: provider.Messages, Services: claude,
		Doc:     `an image is no page of HTML and no SVG under the name of another type`,
		Since:   "2026-04-25",
		Words:   "Could not process image",
		Instead: `send the text as text`,
		Sources: []Source{
			{"https://github.com/anthropics/claude-code/issues/53228", "2026-04-25"}, // HTML
			{"https://github.com/anthropics/claude-code/issues/55338", "2026-05-01"}, // SVG
		},
		Refused:  imageInResult("image/png", "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="),
		Accepted: imageInResult("image/png", "iVBORw0KGgoAAAANSUhEUg=="),
		check: func(request *Request) *found {
			return imageFault(request, func(_, named, seen string, image *schema.Node) *found {
				if slices.Contains(imageTypes, named) && strings.HasPrefix(seen, "text/") {
					return refuse("").at(image)
				}
				return nil
			})
		},
	},
	{
		Name: "messages_cache_marks", API: provider.Messages, Services: claude,
		Doc:     `at most four blocks of a request are marked for the cache`,
		Words:   "A maximum of 4 blocks with cache_control may be provided. Found %d.",
		Instead: `leave cache_control out of all but four blocks`,
		Sources: []Source{
			{"https://github.com/tghamm/Anthropic.SDK/issues/50", "2024-09-26"}, {"https://github.com/griffinmartin/opencode-claude-auth/issues/121", "2026-04-03"},
		},
		Refused:  cached(5),
		Accepted: cached(4),
		check: func(request *Request) *found {
			const most = 4
			count, at := 0, (*schema.Node)(nil)
			for _, list := range []*schema.Node{request.Body.Get("tools"), request.Body.Get("system"), request.Body.Get("messages")} {
				for _, block := range wire.List(list) {
					for _, marked := range append([]*schema.Node{block}, blocks(block)...) {
						if isGiven(marked, "cache_control") {
							if count++; count == most+1 {
								at = marked
							}
						}
					}
				}
			}
			if count <= most {
				return nil
			}
			return refuse("", count).at(at)
		},
	},
	{
		Name: "messages_call_twice", API: provider.Messages, Services: claude,
		Doc:     `the calls of a message have identifiers of their own`,
		Words:   "messages.%d.content.%d: `tool_use` ids must be unique",
		Instead: `give each tool_use of the message, and its result, an id of its own`,
		Sources: []Source{
			{"https://github.com/anomalyco/opencode/issues/1279", "2025-07-24"}, {"https://github.com/anthropics/claude-code/issues/20901", "2026-01-26"},
		},
		Refused: `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":` +
			`[{"type":"tool_use","id":"c","name":"f","input":{}},{"type":"tool_use","id":"c","name":"f","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"42"}]}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
		Accepted: messagesExchange,
		check: func(request *Request) *found {
			for i, message := range wire.List(request.Body.Get("messages")) {
				seen := map[string]bool{}
				for n, block := range blocks(message) {
					id := block.GetString("id")
					if block.Get("type").Is("tool_use") && seen[id] {
						return refuse("", i, n).at(block)
					}
					seen[id] = seen[id] || block.Get("type").Is("tool_use")
				}
			}
			return nil
		},
	},
	{
		Name: "messages_result_without_call", API: provider.Messages, Services: claude,
		Doc: `a result follows the message with its call`,
		Words: "messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding " +
			"`tool_use` block in the previous message.",
		Instead: `send the message of the assistant that has the tool_use %[3]s right before this one, or leave out the result`,
		Sources: []Source{
			{"https://github.com/anthropics/claude-code/issues/13460", "2025-12-09"},
			{"https://github.com/anthropics/claude-code/issues/18947", "2026-01-18"},
			{"https://github.com/anthropics/claude-code/issues/25959", "2026-02-15"},
		},
		Refused:  `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"42"}]}]}`,
		Accepted: messagesExchange,
		check: func(request *Request) *found {
			before := map[string]bool{}
			for i, message := range wire.List(request.Body.Get("messages")) {
				for n, block := range blocks(message) {
					if id := block.GetString("tool_use_id"); block.Get("type").Is("tool_result") && !before[id] {
						return refuse("", i, n, id).at(block)
					}
				}
				before = map[string]bool{}
				for _, id := range callsOf(message) {
					before[id] = true
				}
			}
			return nil
		},
	},
	{
		Name: "messages_call_without_result", API: provider.Messages, Services: claude,
		Doc: `each call has its result in the next message`,
		Words: "messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding " +
			"`tool_result` block in the next message.",
		Instead: `send a tool_result in the next message for %[2]s`,
		Sources: []Source{
			{"https://github.com/anthropics/claude-code/issues/6575", "2025-08-26"}, {"https://github.com/anthropics/claude-code/issues/8210", "2025-09-26"},
		},
		Refused: `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":"well?"}],"tools":[{"name":"f",` +
			`"input_schema":{"type":"object"}}]}`,
		Accepted: messagesExchange,
		check: func(request *Request) *found {
			messages := wire.List(request.Body.Get("messages"))
			for i, message := range messages[:max(len(messages)-1, 0)] {
				answered := map[string]bool{}
				for _, block := range blocks(messages[i+1]) {
					if block.Get("type").Is("tool_result") {
						answered[block.GetString("tool_use_id")] = true
					}
				}
				open := slices.DeleteFunc(callsOf(message), func(id string) bool { return answered[id] })
				if len(open) > 0 {
					return refuse("", i, strings.Join(open, ", ")).at(message)
				}
			}
			return nil
		},
	},
}

// withoutTools is messagesExchange without its tools, and without its end.
var withoutTools, _, _ = strings.Cut(messagesExchange, `,"tools"`)

const messagesExchange = `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"},` +
	`{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"c","name":"f","input":{}}]},` +
	`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"42"},{"type":"text","text":"well?"}]}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`

// A conversation whose last calls come without thinking, and with it.
const (
	thoughtless = `{"model":"MODEL","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"42"}]}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`
	thoughtful = `{"model":"MODEL","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"so","signature":"EqQBCkYIBxgCKkA="},{"type":"tool_use","id":"c","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"42"}]}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`
)

// thinkingMissing finds calls that are answered and whose message begins with a text or a call instead of thinking.
func thinkingMissing(request *Request) *found {
	messages := wire.List(request.Body.Get("messages"))
	last := len(messages) - 1
	if last < 1 || !request.Body.Get("thinking").Get("type").Is("enabled") || !slices.ContainsFunc(blocks(messages[last]), isResult) {
		return nil
	}
	called := blocks(messages[last-1])
	if len(called) == 0 || !called[0].Get("type").Is("tool_use") && !called[0].Get("type").Is("text") {
		return nil
	}
	return refuse("", last-1, called[0].GetString("type")).at(called[0])
}

// imageTypes are the types of images that Anthropic takes.
var imageTypes = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

// imageInResult returns a request with an image in a result.
func imageInResult(named, data string) string {
	return `{"model":"claude-opus-4-8","max_tokens":9,"messages":[{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[` +
		`{"type":"image","source":{"type":"base64","media_type":"` + named + `","data":"` + data + `"}}]}]}],` +
		`"tools":[{"name":"f","input_schema":{"type":"object"}}]}`
}

// imageFault returns what judge finds first of the images in messages and in results. It gets the place of the
// image as Anthropic writes it, the type that the request says, and the type of the bytes.
func imageFault(request *Request, judge func(place, named, seen string, image *schema.Node) *found) *found {
	for i, message := range wire.List(request.Body.Get("messages")) {
		for n, block := range blocks(message) {
			place := fmt.Sprintf("%d.content.%d", i, n)
			images, within := []*schema.Node{block}, false
			if isResult(block) {
				images, within = blocks(block), true
			}
			for k, image := range images {
				if !image.Get("type").Is("image") || !image.Get("source").Get("type").Is("base64") {
					continue
				}
				at := place
				if within {
					at = fmt.Sprintf("%s.tool_result.content.%d", place, k)
				}
				if fault := judge(at, image.Get("source").GetString("media_type"), typeOfBytes(image.Get("source").GetString("data")), image); fault != nil {
					return fault
				}
			}
		}
	}
	return nil
}

// typeOfBytes returns the type that the first bytes of an image in Base64 show. It begins with text/ for a page of HTML
// or XML, and is empty if they show none.
func typeOfBytes(data string) string {
	const enough = 1024 // characters, a multiple of four
	first := make([]byte, base64.StdEncoding.DecodedLen(enough))
	n, _ := base64.StdEncoding.Decode(first, []byte(data[:min(len(data), enough)])) // what stands before an error is enough
	if first = first[:n]; strings.HasPrefix(strings.TrimSpace(string(first)), "<") {
		return "text/xml"
	}
	switch text := string(first); {
	case strings.HasPrefix(text, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case strings.HasPrefix(text, "\xff\xd8\xff"):
		return "image/jpeg"
	case strings.HasPrefix(text, "GIF87a"), strings.HasPrefix(text, "GIF89a"):
		return "image/gif"
	case strings.HasPrefix(text, "RIFF") && len(text) >= 12 && text[8:12] == "WEBP":
		return "image/webp"
	default:
		return "" // nobody has seen what becomes of others
	}
}

// callID matches the identifiers of calls that Anthropic takes.
var callID = lazy.Compile(`^[a-zA-Z0-9_-]+$`)

// cached returns a request with a number of blocks that are marked for the cache.
func cached(blocks int) string {
	return `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":[` +
		strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}},`, blocks), ",") + `]}]}`
}

// isResult reports whether a block is the result of a call.
func isResult(block *schema.Node) bool { return block.Get("type").Is("tool_result") }

const thinkingForced = "Thinking may not be enabled when tool_choice forces tool use."

// forcedThinking makes a check for a kind of thinking while a call is forced.
func forcedThinking(kind string) func(*Request) *found {
	return func(request *Request) *found {
		choice := request.Body.Get("tool_choice").GetString("type")
		if request.Body.Get("thinking").Get("type").Is(kind) && (choice == "any" || choice == "tool") {
			return refuse("").at(request.Body.Get("tool_choice"))
		}
		return nil
	}
}

// blocks returns the blocks of a message; a message that is a string has none.
func blocks(message *schema.Node) []*schema.Node {
	content := message.Get("content")
	if content == nil || content.Kind != schema.Array {
		return nil
	}
	return content.Elements
}

// callsOf returns the identifiers of the calls of the user's tools in a message.
func callsOf(message *schema.Node) []string {
	var ids []string
	for _, block := range blocks(message) {
		if block.Get("type").Is("tool_use") {
			ids = append(ids, block.GetString("id"))
		}
	}
	return ids
}
