package emulator

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/openai"
	"toolproof/harness/provider/wire"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// openAI is OpenAI's service.
var openAI = &service{
	surfaces: provider.OfService(openai.Dialects, openai.Chat.Service()),
	failure: func(status int, code, message string) []byte {
		failure := object{"message": message, "type": "invalid_request_error", "param": nil, "code": nil}
		switch status {
		case http.StatusTooManyRequests:
			failure["type"], code = "requests", "rate_limit_exceeded"
		case http.StatusInternalServerError:
			failure["type"] = "server_error"
		}
		if code != "" {
			failure["code"] = code
		}
		return encode(object{"error": failure})
	},
	models:       []string{"gpt-4o-mini", "gpt-4o", "gpt-4.1", "gpt-5", "gpt-5-mini"},
	entry:        openAIEntry,
	family:       lazy.Compile(`^(ft:)?(gpt-|chatgpt-|codex-|computer-use-|o\d)[\w.:-]*$`),
	unknownModel: "The model `%s` does not exist or you do not have access to it.",
	head:         openAIHead,
}

// chat answers a request to Chat Completions.
func (x *exchange) chat() reply {
	x.model = strings.TrimPrefix(x.body.GetString("model"), "models/") // Gemini accepts both forms
	if deployment := x.request.PathValue("deployment"); deployment != "" {
		x.model = deployment
	}
	if x.model == "" && x.service == llamaCPP {
		x.model = llamaCPP.models[0] // the server has one model
	}
	if x.model == "" {
		return x.service.failed(http.StatusBadRequest, "you must provide a model parameter")
	}
	if unknown := x.noModel(); unknown != nil {
		return *unknown
	}
	if x.service != openAI && x.body.First("messages") == nil {
		return x.service.failed(http.StatusBadRequest, "Missing required parameter: 'messages'.")
	}
	if x.service == ollamaOpenAI {
		if words := ollamaMisfit(x.body.Get("response_format")); words != "" {
			return x.service.failed(http.StatusBadRequest, "%s", words)
		}
	}
	requests := x.chatRequests()
	judged := x.withCustom(provider.ChatCompletions, requests)
	if x.service.judged != nil {
		judged = x.service.judged(x.body.Get("tool_choice"), requests)
	}
	if refused := x.refusal(judged); refused != nil {
		return *refused
	}
	if unfit := x.judgeConversation(provider.ChatCompletions); unfit != nil {
		return *unfit
	}
	turns, err := x.answers(x.chatQuestion(requests))
	if err != nil {
		return x.unanswered(err)
	}
	common := object{"id": x.id("chatcmpl-"), "object": "chat.completion", "created": x.created(), "model": x.model, "system_fingerprint": "fp_emulator"}
	if x.body.Get("stream").IsTrue() {
		return x.chatStream(common, turns)
	}
	choices := make([]any, len(turns))
	for i, said := range turns {
		message := object{"role": "assistant", "content": said.text, "refusal": nil, "annotations": []any{}}
		if said.thinking != "" {
			message["reasoning_content"] = said.thinking
		}
		if len(said.calls) > 0 {
			message["content"] = nil
			maps.Copy(message, x.chatCalls(said.calls))
		}
		if said.refusal != "" {
			message["content"], message["refusal"] = nil, said.refusal
		}
		choices[i] = object{"index": i, "message": message, "logprobs": nil, "finish_reason": x.finishReason(said)}
	}
	common["choices"], common["usage"] = choices, x.chatUsage(turns)
	return succeeded(common)
}

// finishReason returns the reason why an answer ends.
func (x *exchange) finishReason(said turn) string {
	switch {
	case said.isCut:
		return "length"
	case len(said.calls) == 0:
		return "stop"
	case x.isLegacy():
		return "function_call"
	default:
		return "tool_calls"
	}
}

// isLegacy reports whether a request declares functions in the form from before there were
// tools. Its answer has one call, without an identifier.
func (x *exchange) isLegacy() bool { return x.body.Has("functions") && !x.body.Has("tools") }

// chatCalls returns the member of a message that holds the calls.
func (x *exchange) chatCalls(calls []call) object {
	if x.isLegacy() {
		return object{"function_call": object{"name": calls[0].name, "arguments": calls[0].text()}}
	}
	toolCalls := make([]any, len(calls))
	for i, call := range calls {
		toolCalls[i] = x.toolCall(i, call, call.text())
	}
	return object{"tool_calls": toolCalls}
}

// chatRequests reads the declarations of a request.
func (x *exchange) chatRequests() []provider.Request {
	if x.service == ollamaOpenAI {
		return x.ollamaRequests()
	}
	return wire.Read(provider.ChatCompletions, x.service.surfaces, x.body)
}

// withCustom adds to requests that declare no functions one of the API's first surface, whose rules
// judge the custom tools in the body.
func (x *exchange) withCustom(api provider.API, requests []provider.Request) []provider.Request {
	i := slices.IndexFunc(x.service.surfaces, func(surface *provider.Dialect) bool {
		return surface.API == api && surface.Subject == provider.Arguments && surface.JudgesCustom
	})
	if i < 0 || slices.ContainsFunc(requests, func(request provider.Request) bool { return len(request.Indices) > 0 }) {
		return requests
	}
	return append(requests, provider.Request{Dialect: x.service.surfaces[i].Name, Body: x.body})
}

// toolCall returns the call at an index with the given, possibly incomplete, text of its arguments. Gemini 3 signs
// the first call.
func (x *exchange) toolCall(index int, call call, arguments string) object {
	if call.isCustom {
		return object{"id": x.callID(), "type": "custom", "custom": object{"name": call.name, "input": arguments}}
	}
	called := object{"id": x.callID(), "type": "function", "function": object{"name": call.name, "arguments": arguments}}
	if index == 0 && x.service == geminiOpenAI && signs(x.model) {
		called["extra_content"] = object{"google": object{"thought_signature": x.signature()}}
	}
	return called
}

// callID returns the identifier of a call in the form of the service: nine letters and digits for Mistral,
// which refuses others, and a number for Gemini.
func (x *exchange) callID() string {
	const prefix, length = "call_", 9
	switch {
	case x.service == geminiOpenAI:
		return "function-call-" + strconv.FormatUint(x.random.Uint64(), 10)
	case x.service.surfaces[0].Service() == "mistral":
		return x.id("")[:length]
	default:
		return x.id(prefix)
	}
}

// chatStream streams the answers, one after another.
func (x *exchange) chatStream(common object, turns []turn) reply {
	common["object"] = "chat.completion.chunk"
	var events []object
	event := func(choices []any, usage object) {
		chunk := with(common, object{"choices": choices})
		if usage != nil {
			chunk["usage"] = usage
		}
		events = append(events, chunk)
	}
	for i, said := range turns {
		deltas := x.chatDeltas(said)
		if x.service != geminiOpenAI { // which says with its last words that it ends
			deltas = append(deltas, object{})
		}
		for n, delta := range deltas {
			choice := object{"index": i, "delta": delta, "logprobs": nil, "finish_reason": nil}
			if n == len(deltas)-1 {
				choice["finish_reason"] = x.finishReason(said)
			}
			event([]any{choice}, nil)
		}
	}
	if x.body.Get("stream_options").Get("include_usage").IsTrue() {
		event([]any{}, x.chatUsage(turns))
	}
	answer := stream(events, func(event object) []byte { return slices.Concat([]byte("data: "), encode(event), []byte("\n\n")) })
	answer.chunks = append(answer.chunks, []byte("data: [DONE]\n\n"))
	return answer
}

// chatDeltas cuts an answer into deltas: first the role or the function's name, then the
// pieces.
func (x *exchange) chatDeltas(said turn) []object {
	var deltas []object
	for i, text := range pieces(said.thinking) {
		deltas = append(deltas, object{"content": nil, "reasoning_content": text})
		if i == 0 {
			deltas[0]["role"] = "assistant"
		}
	}
	if len(said.calls) == 0 {
		deltas = append(deltas, object{"role": "assistant", "content": ""})
		for _, text := range pieces(said.text) {
			deltas = append(deltas, object{"content": text})
		}
		for _, text := range pieces(said.refusal) {
			deltas = append(deltas, object{"refusal": text})
		}
		return deltas
	}
	if x.service == geminiOpenAI { // which sends all calls at once, without an index
		calls := make([]any, len(said.calls))
		for i, call := range said.calls {
			calls[i] = x.toolCall(i, call, call.text())
		}
		return append(deltas, object{"role": "assistant", "tool_calls": calls})
	}
	for i, call := range said.calls {
		first := object{"role": "assistant", "content": nil}
		piece := func(text string) object {
			member, kind := "arguments", "function"
			if call.isCustom {
				member, kind = "input", "custom"
			}
			return object{"tool_calls": []any{object{"index": i, kind: object{member: text}}}}
		}
		if x.isLegacy() {
			first["function_call"] = object{"name": call.name, "arguments": ""}
			piece = func(text string) object { return object{"function_call": object{"arguments": text}} }
		} else {
			begun := x.toolCall(i, call, "")
			begun["index"] = i
			first["tool_calls"] = []any{begun}
		}
		if i > 0 {
			delete(first, "role")
			delete(first, "content")
		}
		deltas = append(deltas, first)
		for _, text := range pieces(call.text()) {
			deltas = append(deltas, piece(text))
		}
	}
	return deltas
}

func (x *exchange) chatUsage(turns []turn) object {
	prompt, completion, reasoning := tokens(x.size), tokens(sizeOf(turns)), 0
	for _, said := range turns {
		reasoning += said.thought()
	}
	return object{
		"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
		"prompt_tokens_details": object{"cached_tokens": 0}, "completion_tokens_details": object{"reasoning_tokens": reasoning},
	}
}

// reasoners matches the models that think unless the request disables thinking, and give their reasoning_content,
// by service.
var reasoners = map[string]*lazy.Regexp{
	"deepseek": lazy.Compile(`^deepseek-(v4|reasoner)`), "moonshot": lazy.Compile(`^kimi-k2(\.[56]|-thinking)`),
}

// reasons reports whether an answer has reasoning_content.
func (x *exchange) reasons() bool {
	reasoner, thinking := reasoners[x.service.surfaces[0].Service()], x.body.Get("thinking").GetString("type")
	return reasoner != nil && (thinking == "enabled" || thinking != "disabled" && reasoner.MatchString(x.model))
}

// chatQuestion reads the question in a request to Chat Completions.
func (x *exchange) chatQuestion(requests []provider.Request) question {
	q := question{functions: x.functionsOf(requests)}
	if x.service == geminiOpenAI {
		q.replaceParameters(standard)
	}
	q.functions = append(q.functions, x.customTools()...)
	if x.service != ollamaOpenAI { // Ollama has no field for it
		q.choose(x.body.First("tool_choice", "function_call"))
	}
	q.isAlone, q.count = x.isLegacy() || x.body.Get("parallel_tool_calls").IsFalse(), count(x.body.Get("n"))
	q.limit, q.thinks = limitOf(x.body, "max_completion_tokens", "max_tokens"), x.reasons()
	q.results = chatResults(x.body)
	format := x.body.Get("response_format")
	q.isJSON = format.Get("type").Is("json_object") || format.Get("type").Is("json_schema")
	q.format = format.Get("json_schema").First("schema")
	if choice := x.body.First("tool_choice"); x.service == vllm && q.isJSON && (choice == nil || choice.Is("auto")) {
		q.callNothing() // what the model writes is bound to the format, and a call is not of it
	}
	return q
}

// chatResults returns the number of results at the end of the messages.
func chatResults(body *schema.Node) int {
	return resultsIn(wire.List(body.Get("messages")), func(message *schema.Node) (results int, isUser bool) {
		switch message.GetString("role") {
		case "tool", "function":
			return 1, false
		case "user":
			return 0, true
		default:
			return 0, false
		}
	})
}

// customTools returns the custom tools of Chat Completions, which take a text.
func (x *exchange) customTools() []function {
	var custom []function
	for i, tool := range wire.List(x.body.Get("tools")) {
		if x.service == openAI && tool.Get("type").Is("custom") {
			custom = append(custom, function{name: tool.Get("custom").GetString("name"), index: i, isCustom: true, grammar: grammarOf(tool.Get("custom"))})
		}
	}
	return custom
}

// choose applies the tool_choice of Chat Completions or Responses.
func (q *question) choose(choice *schema.Node) {
	switch {
	case choice.Is("none"):
		q.callNothing()
	case choice.Is("required"):
		q.isForced = len(q.functions) > 0
	case choice.Get("type").Is("function"), choice.Get("type").Is("custom"), choice.Has("name"): // the last is a function_call
		q.isForced = true
		named := choice
		if inner := choice.First("function", "custom"); inner != nil {
			named = inner
		}
		q.names = []string{named.GetString("name")}
	case choice.Get("type").Is("allowed_tools"):
		allowed := choice
		if inner := choice.First("allowed_tools"); inner != nil {
			allowed = inner
		}
		q.isForced = allowed.Get("mode").Is("required")
		for _, tool := range wire.List(allowed.Get("tools")) {
			if inner := tool.First("function", "custom"); inner != nil {
				tool = inner
			}
			q.names = append(q.names, tool.GetString("name"))
		}
	}
}
