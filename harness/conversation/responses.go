package conversation

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
)

// toolTypes are the types of tools that Responses lists when it refuses another.
var toolTypes = []string{
	"code_interpreter", "programmatic_tool_calling", "function", "namespace", "tool_search", "file_search", "web_search_preview",
	"web_search_preview_2025_03_11", "image_generation", "mcp", "custom", "computer", "computer_use_preview", "shell", "apply_patch",
}

// otherToolTypes are further types, from recorded requests or from the official client
// (openai-go v3.95.0).
var otherToolTypes = []string{"web_search", "web_search_2025_08_26", "local_shell"}

var responsesRules = []*Rule{
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
