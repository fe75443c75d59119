package emulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Quirk is a shape of an answer that some service sends, or that an API's description allows, and
// that clients are known to trip over. It changes how an answer is written, not what is refused.
type Quirk struct {
	Name string         `json:"name"`
	Doc  string         `json:"doc"`
	APIs []provider.API `json:"apis"`
	// Senders are those known to send it. If there are none, none is known: the shape is legal by
	// the description of the API or of server-sent events.
	Senders []Sender `json:"senders,omitempty"`
	Outcome Outcome  `json:"outcome"`

	// turn changes what is said, and write how it is sent. At least one is set.
	turn  func(*exchange, *turn)
	write func(*writing)
}

// Sender is a service, engine or model that sends a quirk.
type Sender struct {
	Who    string        `json:"who"`
	Source string        `json:"source"` // URL
	Date   provider.Date `json:"date"`   // of the source
}

// Outcome is what a client has to make of a quirk.
type Outcome string

// The outcomes.
const (
	Called Outcome = "call"  // each call is made, with the arguments that were sent
	Failed Outcome = "error" // the user sees an error, and no call is made of half the arguments
)

const (
	chatAPI      = provider.ChatCompletions
	responsesAPI = provider.Responses
	messagesAPI  = provider.Messages
	googleAPI    = provider.GenerateContent
)

var everyAPI = []provider.API{chatAPI, responsesAPI, messagesAPI, googleAPI}

// Quirks lists the quirks.
var Quirks = []*Quirk{
	{
		Name: "no-index", Doc: "the deltas of a call have no index", APIs: []provider.API{chatAPI}, Outcome: Called,
		Senders: []Sender{
			{"Ollama of 2024", "https://github.com/ollama/ollama/issues/7881", "2024-11-29"},
			{"Gemini behind its OpenAI-compatible API", "https://github.com/openai/openai-python/issues/2806", "2025-12-26"},
			{"SGLang", "https://github.com/vercel/ai/pull/15879", "2026-06-07"},
		},
		write: func(w *writing) { w.chatCalls(func(call object) { delete(call, "index") }) },
	},
	{
		Name: "reused-index", Doc: "two calls have the same index and different identifiers", APIs: []provider.API{chatAPI}, Outcome: Called,
		Senders: []Sender{
			{"deepseek-v4-flash behind an OpenAI-compatible API", "https://github.com/agno-agi/agno/pull/8880", "2026-07-10"},
		},
		turn:  twice,
		write: func(w *writing) { w.chatCalls(func(call object) { call["index"] = 0 }) },
	},
	{
		Name: "index-from-one", Doc: "the indices of calls begin at 1", APIs: []provider.API{chatAPI}, Outcome: Called,
		Senders: []Sender{
			{"a gateway that passes on the index of Anthropic's content block", "https://github.com/apache/maka/issues/1967", "2026-08-03"},
			{"gateways in the manner of new-api, from 1", "https://github.com/AstrBotDevs/AstrBot/pull/9593", "2026-08-07"},
		},
		write: func(w *writing) {
			w.chatCalls(func(call object) {
				if index, ok := call["index"].(json.Number); ok {
					number, _ := index.Int64()
					call["index"] = number + 1
				}
			})
		},
	},
	{
		Name: "empty-id", Doc: "later deltas of a call have the identifier and name \"\"", APIs: []provider.API{chatAPI}, Outcome: Called,
		Senders: []Sender{
			{"Alibaba Cloud DashScope, Qwen", "https://github.com/symfony/ai/pull/2220", "2026-06-22"},
			{"Alibaba Cloud DashScope, GLM-5.2", "https://github.com/anomalyco/opencode/issues/37841", "2026-07-20"},
		},
		write: func(w *writing) { w.laterCalls("") },
	},
	{
		Name: "null-id", Doc: "later deltas of a call have the identifier and name null", APIs: []provider.API{chatAPI}, Outcome: Called,
		Senders: []Sender{
			{"gateways of hy3 and longcat-2.0", "https://github.com/whitelonng/dshcode/issues/36", "2026-08-17"},
		},
		write: func(w *writing) { w.laterCalls(nil) },
	},
	{
		Name: "empty-arguments", Doc: "a call without arguments is sent with the text \"\" in place of \"{}\", on messages without a delta",
		APIs: []provider.API{chatAPI, messagesAPI}, Outcome: Called,
		Senders: []Sender{
			{"Claude on Amazon Bedrock, behind a gateway", "https://github.com/Kilo-Org/cloud/pull/4753", "2026-07-24"},
			{"Amazon Bedrock", "https://github.com/microsoft/autogen/pull/6979", "2025-08-29"},
		},
		write: func(w *writing) { w.withoutArguments(func(function object) { function["arguments"] = "" }) },
	},
	{
		Name: "null-arguments", Doc: "a call without arguments is sent with null in place of \"{}\"", APIs: []provider.API{chatAPI}, Outcome: Called,
		Senders: []Sender{
			{"vLLM with Qwen3-VL-235B", "https://github.com/pipecat-ai/pipecat/pull/4060", "2026-03-17"},
			{"DeepInfra", "https://github.com/open-webui/open-webui/issues/27195", "2026-07-19"},
		},
		write: func(w *writing) { w.withoutArguments(func(function object) { function["arguments"] = nil }) },
	},
	{
		Name: "absent-arguments", Doc: "a call without arguments is sent without the member for them", APIs: []provider.API{chatAPI, googleAPI}, Outcome: Called,
		Senders: []Sender{
			{"Gemini 3, generateContent", "https://github.com/Prism-Shadow/agenthub/pull/152", "2026-06-24"},
		},
		write: func(w *writing) { w.withoutArguments(func(function object) { delete(function, "arguments") }) },
	},
	{
		Name: "object-arguments", Doc: "the arguments are an object in place of a text", APIs: []provider.API{chatAPI}, Outcome: Called,
		Senders: []Sender{
			{"MiniMax, in a stream", "https://github.com/can1357/oh-my-pi/pull/1779", "2026-06-03"},
			{"llama.cpp of early 2026", "https://github.com/ggml-org/llama.cpp/pull/20202", "2026-03-07"},
			{"Text Generation Inference", "https://github.com/huggingface/text-generation-inference/issues/2136", "2024-06-27"},
		},
		write: func(w *writing) {
			w.wholeCalls(func(function object, text string) {
				if text != "" { // another quirk leaves the arguments out
					function["arguments"] = json.RawMessage(text)
				}
			})
		},
	},
	{
		Name: "whole-arguments", Doc: "the arguments come whole in the delta that begins the call", APIs: []provider.API{chatAPI}, Outcome: Called,
		Senders: []Sender{
			{"SGLang with GLM-4.6", "https://github.com/sgl-project/sglang/issues/11888", "2025-10-24"},
		},
		write: func(w *writing) {
			w.wholeCalls(func(function object, text string) { function["arguments"] = text })
		},
	},
	{
		Name: "split-name", Doc: "the name of a function comes in two deltas", APIs: []provider.API{chatAPI}, Outcome: Called,
		write: splitName,
	},
	{
		Name: "no-role", Doc: "no delta has a role", APIs: []provider.API{chatAPI}, Outcome: Called,
		write: func(w *writing) { w.choices(func(choice object) { delete(member(choice, "delta"), "role") }) },
	},
	{
		Name: "finish-stop", Doc: "an answer with calls has the finish reason \"stop\"", APIs: []provider.API{chatAPI}, Outcome: Called,
		Senders: []Sender{
			{"OpenVINO Model Server before 2026.1", "https://github.com/openvinotoolkit/model_server/issues/3927", "2026-01-27"},
			{"mlx-vlm before 0.6.3", "https://github.com/Blaizzy/mlx-vlm/pull/990", "2026-04-09"},
		},
		write: func(w *writing) {
			w.choices(func(choice object) {
				if choice["finish_reason"] == "tool_calls" {
					choice["finish_reason"] = "stop"
				}
			})
		},
	},
	{
		Name: "no-finish", Doc: "a stream with calls ends with [DONE] and no finish reason", APIs: []provider.API{chatAPI}, Outcome: Called,
		Senders: []Sender{
			{"Evolink, deepseek-v4-pro", "https://github.com/openclaw/openclaw/pull/98575", "2026-07-01"},
		},
		write: func(w *writing) {
			w.events = slices.DeleteFunc(w.events, func(sent sent) bool {
				choice := first(sent.object["choices"])
				return w.isStream && choice["finish_reason"] == "tool_calls"
			})
		},
	},
	{
		Name: "empty-choices", Doc: "a stream begins with a chunk without choices", APIs: []provider.API{chatAPI}, Outcome: Called,
		Senders: []Sender{
			{"Azure OpenAI", "https://github.com/AbanteAI/archive-old-cli-mentat/issues/429", "2023-12-28"},
		},
		write: func(w *writing) {
			filtered := object{"prompt_index": 0, "content_filter_results": object{}}
			w.insert(0, sent{object: object{"id": "", "object": "", "created": 0, "model": "", "choices": []any{}, "prompt_filter_results": []any{filtered}}})
		},
	},
	{
		Name: "extra-members", Doc: "chunks have members that the API's description does not name", APIs: everyAPI, Outcome: Called,
		Senders: []Sender{
			{"OpenAI, the member obfuscation", "https://github.com/vllm-project/vllm/pull/25054", "2025-09-17"},
		},
		write: func(w *writing) {
			for _, sent := range w.events {
				if sent.object != nil {
					sent.object["obfuscation"], sent.object["x_toolproof"] = "JDnsWto", object{"nested": []any{nil}}
				}
			}
		},
	},
	{
		Name: "parallel", Doc: "an answer has two calls", APIs: everyAPI, Outcome: Called,
		Senders: []Sender{{"DeepSeek, deepseek-v4-flash", "https://github.com/Wei-Shaw/sub2api/pull/6080", "2026-08-22"}},
		turn:    twice,
	},
	{
		Name: "text-with-calls", Doc: "an answer has a text before its calls", APIs: everyAPI, Outcome: Called,
		Senders: []Sender{{"Anthropic", "https://github.com/Mirascope/mirascope/issues/777", "2025-01-24"}},
		write:   textFirst,
	},
	{
		Name: "null-optional", Doc: "arguments that may be left out are sent as null", APIs: everyAPI, Outcome: Called,
		Senders: []Sender{
			{"models of OpenAI and of Gemini, in LibreChat", "https://github.com/danny-avila/LibreChat/pull/11905", "2026-02-23"},
			{"models in OpenClaw", "https://github.com/openclaw/openclaw/pull/96718", "2026-06-25"},
			{"CrewAI, which writes what the model leaves out", "https://github.com/ZenRows/zenrows-mcp/pull/23", "2026-09-18"},
		},
		turn: func(_ *exchange, said *turn) {
			eachArgument(said.calls, func(call *call, name string, value *schema.Node) *schema.Node {
				if value == nil && !slices.Contains(call.parameters.Get("required").Strings(), name) {
					return &schema.Node{Kind: schema.Null}
				}
				return value
			})
		},
	},
	{
		Name: "stringified", Doc: "objects and arrays among the arguments are sent as texts with their JSON", APIs: everyAPI, Outcome: Called,
		Senders: []Sender{
			{"Claude Code", "https://github.com/GaloyMoney/drua/pull/48", "2026-04-07"},
			{"the model of PocketPaw", "https://github.com/pocketpaw/pocketpaw/pull/1636", "2026-07-03"},
		},
		turn: func(_ *exchange, said *turn) {
			eachArgument(said.calls, func(_ *call, _ string, value *schema.Node) *schema.Node {
				if value != nil && (value.Kind == schema.Object || value.Kind == schema.Array) {
					return schema.NewString(value.String())
				}
				return value
			})
		},
	},
	{
		Name: "letters", Doc: "each delta has one letter of the arguments, so that some end inside an escape", APIs: []provider.API{chatAPI, responsesAPI, messagesAPI}, Outcome: Called,
		write: letters,
	},
	{
		Name: "split-bytes", Doc: "the connection delivers a few bytes at a time, so that some end inside a line or a UTF-8 letter",
		APIs: everyAPI, Outcome: Called,
		Senders: []Sender{
			{"Cloudflare workerd", "https://github.com/braintrustdata/braintrust-sdk-javascript/pull/2091", "2026-06-03"},
		},
		write: func(w *writing) { w.size = 7 },
	},
	{
		Name: "keep-alive", Doc: "comments, on messages pings, stand between the events of a stream", APIs: everyAPI, Outcome: Called,
		Senders: []Sender{
			{"OpenRouter", "https://github.com/deepnoodle-ai/dive/pull/206", "2026-07-01"},
			{"OmniRoute", "https://github.com/diegosouzapw/OmniRoute/issues/7031", "2026-07-13"},
		},
		write: func(w *writing) {
			for i := len(w.events) - 1; i >= 0 && w.isStream; i-- {
				kept := sent{raw: []byte(": keep-alive\n\n")}
				if w.api == messagesAPI && i > 0 {
					kept = sent{object: object{"type": "ping"}}
				}
				w.insert(i, kept)
			}
		},
	},
	{
		Name: "crlf", Doc: "the lines of a stream end with a carriage return and a line feed", APIs: everyAPI, Outcome: Called,
		write: func(w *writing) { w.isCRLF = true },
	},
	{
		Name: "cut", Doc: "a stream ends in the middle of a call, on generateContent before it, without an error", APIs: everyAPI, Outcome: Failed,
		Senders: []Sender{
			{"Gemini, generateContent", "https://github.com/strands-agents/sdk-typescript/issues/717", "2026-03-23"},
			{"gateways of OpenAI-compatible services", "https://github.com/anomalyco/opencode/issues/39968", "2026-07-31"},
			{"proxies that close an idle connection", "https://github.com/esengine/DeepSeek-Reasonix/pull/3957", "2026-06-11"},
		},
		write: (*writing).cut,
	},
	{
		Name: "broken", Doc: "the connection breaks in the middle of a call, on generateContent before it", APIs: everyAPI, Outcome: Failed,
		Senders: []Sender{{"Command Code's provider API", "https://github.com/CommandCodeAI/command-code/issues/785", "2026-09-02"}},
		write: func(w *writing) {
			w.cut()
			w.isBroken = w.isStream
		},
	},
	{
		Name: "error-in-stream", Doc: "a stream with status 200 has an error in the middle of a call, on generateContent before it and in no event", APIs: everyAPI, Outcome: Failed,
		Senders: []Sender{
			{"Gemini, generateContent", "https://github.com/vercel/ai/issues/5217", "2025-03-14"},
			{"OpenRouter", "https://github.com/damianvtran/local-operator/pull/223", "2026-08-21"},
			{"Anthropic, overloaded_error", "https://github.com/byte5ai/omadia/pull/122", "2026-05-22"},
			{"vLLM", "https://github.com/yoloyash/overtchat/issues/40", "2026-06-12"},
		},
		write: func(w *writing) {
			w.cut()
			switch {
			case !w.isStream:
			case w.api == googleAPI:
				failed := object{"error": object{"code": 503, "message": "The model is overloaded. Please try again later.", "status": "UNAVAILABLE"}}
				w.events = append(w.events, sent{raw: append(encode(failed), '\n')})
			default:
				w.events = append(w.events, sent{object: inStream[w.api]})
			}
		},
	},
}

// inStream holds the errors that error-in-stream sends: OpenRouter's form on chat, and the forms that the
// providers document on the others.
var inStream = map[provider.API]object{
	chatAPI: {
		"id": "gen-emulator", "object": "chat.completion.chunk", "created": 0, "model": "emulator", "provider": "emulator",
		"error":   object{"code": 502, "message": "Provider disconnected (quirk of the emulator)."},
		"choices": []any{object{"index": 0, "delta": object{"content": ""}, "finish_reason": "error"}},
	},
	responsesAPI: {"type": "error", "code": "server_error", "message": "The server had an error (quirk of the emulator).", "param": nil},
	messagesAPI:  {"type": "error", "error": object{"type": "overloaded_error", "message": "Overloaded"}},
}

// ParseQuirks returns the quirks that are named, separated by commas.
func ParseQuirks(text string) ([]*Quirk, error) {
	var named []*Quirk
	for name := range strings.SplitSeq(text, ",") {
		i := slices.IndexFunc(Quirks, func(quirk *Quirk) bool { return quirk.Name == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fmt.Errorf("unknown quirk %q: verify list quirks lists them", name)
		}
		named = append(named, Quirks[i])
	}
	return named, nil
}

// apiOf returns the API that answers at a path, or "" for one without quirks.
func apiOf(path string) provider.API {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return chatAPI
	case strings.HasSuffix(path, "/responses"):
		return responsesAPI
	case strings.HasSuffix(path, "/messages"):
		return messagesAPI
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return googleAPI
	default:
		return ""
	}
}

// odd changes what an answer says as the quirks demand.
func (x *exchange) odd(said *turn) {
	for _, quirk := range x.quirks {
		if quirk.turn != nil && slices.Contains(quirk.APIs, apiOf(x.request.URL.Path)) {
			quirk.turn(x, said)
		}
	}
}

// quirked writes an answer as the quirks demand. Errors stay as they are.
func (x *exchange) quirked(answer reply) reply {
	w := &writing{api: apiOf(x.request.URL.Path), isStream: answer.contentType == "text/event-stream"}
	if len(x.quirks) == 0 || w.api == "" || answer.status != http.StatusOK || !w.isStream && len(answer.chunks) != 1 {
		return answer
	}
	for _, chunk := range answer.chunks {
		w.events = append(w.events, w.read(chunk))
	}
	for _, quirk := range x.quirks {
		if quirk.write != nil && slices.Contains(quirk.APIs, w.api) {
			quirk.write(w)
		}
	}
	return w.reply(answer)
}

// writing is an answer that is being written: the events of a stream, or one object.
type writing struct {
	api      provider.API
	isStream bool
	events   []sent
	size     int  // bytes in a chunk; 0 for whole events
	isCRLF   bool // lines end with CRLF
	isBroken bool // the connection breaks at the end
}

// sent is an event of a stream. Its object is nil if it is none, such as [DONE].
type sent struct {
	object object
	raw    []byte
}

// read reads a chunk, which is one event or one object.
func (w *writing) read(chunk []byte) sent {
	text := chunk
	if w.isStream {
		_, text, _ = bytes.Cut(chunk, []byte("data: "))
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	read := sent{raw: chunk}
	if decoder.Decode(&read.object) != nil {
		read.object = nil
	}
	return read
}

// reply returns the answer as it is written.
func (w *writing) reply(answer reply) reply {
	answer.chunks, answer.isBroken = nil, w.isBroken
	for i, sent := range w.events {
		text := sent.raw
		switch {
		case sent.object != nil && !w.isStream:
			text = encode(sent.object)
		case sent.object != nil && sent.object["type"] != nil && w.api != chatAPI && w.api != googleAPI:
			if w.api == responsesAPI {
				sent.object["sequence_number"] = i
			}
			text = event(sent.object)
		case sent.object != nil:
			text = slices.Concat([]byte("data: "), encode(sent.object), []byte("\n\n"))
		}
		if w.isCRLF && w.isStream {
			text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
		}
		if w.size == 0 {
			answer.chunks = append(answer.chunks, text)
			continue
		}
		answer.chunks = slices.AppendSeq(answer.chunks, slices.Chunk(text, w.size))
	}
	return answer
}

// insert inserts an event into a stream.
func (w *writing) insert(at int, event sent) {
	if w.isStream {
		w.events = slices.Insert(w.events, at, event)
	}
}

// cut drops the second half of a stream with calls.
func (w *writing) cut() {
	if w.isStream {
		w.events = w.events[:len(w.events)/2]
	}
}

// choices calls do with each choice of Chat Completions.
func (w *writing) choices(do func(choice object)) {
	for _, sent := range w.events {
		for _, choice := range list(sent.object["choices"]) {
			if choice, ok := choice.(object); ok {
				do(choice)
			}
		}
	}
}

// chatCalls calls do with each call, or part of one, of Chat Completions.
func (w *writing) chatCalls(do func(call object)) {
	w.choices(func(choice object) {
		for _, name := range []string{"delta", "message"} {
			for _, call := range list(member(choice, name)["tool_calls"]) {
				if call, ok := call.(object); ok {
					do(call)
				}
			}
		}
	})
}

// laterCalls sets the identifier and name of each delta that continues a call.
func (w *writing) laterCalls(value any) {
	w.chatCalls(func(call object) {
		if function := member(call, "function"); call["id"] == nil && function != nil {
			call["id"], function["name"] = value, value
		}
	})
}

// wholeCalls joins the deltas of each call of Chat Completions in its first one, and calls do with the
// function and the text of its arguments.
func (w *writing) wholeCalls(do func(function object, text string)) {
	var functions []object
	texts := map[string]string{} // by the call's index
	var keys []string
	var kept []sent
	for _, event := range w.events {
		isLater := false
		(&writing{events: []sent{event}}).chatCalls(func(call object) {
			function := member(call, "function")
			if function == nil {
				return
			}
			key := fmt.Sprint(call["index"])
			if !w.isStream || call["index"] == nil {
				key = fmt.Sprint(call["id"])
			}
			if _, isKnown := texts[key]; !isKnown {
				functions, keys = append(functions, function), append(keys, key)
			} else {
				isLater = true
			}
			text, _ := function["arguments"].(string)
			texts[key] += text
		})
		if !isLater {
			kept = append(kept, event)
		}
	}
	w.events = kept
	for i, function := range functions {
		do(function, texts[keys[i]])
	}
}

// withoutArguments writes the calls whose arguments are {}: with change on Chat Completions, and on the others
// without them.
func (w *writing) withoutArguments(change func(function object)) {
	switch w.api {
	case chatAPI:
		w.wholeCalls(func(function object, text string) {
			if function["arguments"] = text; text == "{}" {
				change(function)
			}
		})
	case googleAPI:
		for _, sent := range w.events {
			for _, part := range googleParts(sent.object) {
				if part, ok := part.(object); ok && len(member(member(part, "functionCall"), "args")) == 0 {
					delete(member(part, "functionCall"), "args")
				}
			}
		}
	default:
		w.withoutDeltas()
	}
}

// withoutDeltas drops the deltas of the blocks of Messages whose input is {}.
func (w *writing) withoutDeltas() {
	piece := func(event sent) (string, bool) {
		delta := member(event.object, "delta")
		text, _ := delta["partial_json"].(string)
		return text, delta["type"] == "input_json_delta"
	}
	texts := map[string]string{} // by the index of the block
	for _, event := range w.events {
		text, _ := piece(event)
		texts[fmt.Sprint(event.object["index"])] += text
	}
	w.events = slices.DeleteFunc(w.events, func(event sent) bool {
		_, isPiece := piece(event)
		return isPiece && texts[fmt.Sprint(event.object["index"])] == "{}"
	})
}

// splitName sends the second half of each function's name in a delta of its own.
func splitName(w *writing) {
	for i := len(w.events) - 1; i >= 0 && w.isStream; i-- {
		(&writing{events: w.events[i : i+1]}).chatCalls(func(call object) {
			function := member(call, "function")
			name, _ := function["name"].(string)
			if half := len(name) / 2; half > 0 {
				later := clone(w.events[i].object)
				function["name"] = name[:half]
				(&writing{events: []sent{{object: later}}}).chatCalls(func(call object) {
					delete(call, "id")
					delete(call, "type")
					call["function"] = object{"name": name[half:]}
				})
				w.events = slices.Insert(w.events, i+1, sent{object: later})
			}
		})
	}
}

// letters sends each letter of the arguments in an event of its own.
func letters(w *writing) {
	var events []sent
	for _, event := range w.events {
		text, set := "", func(object, string) {}
		switch {
		case !w.isStream:
		case w.api == chatAPI:
			set = func(event object, letter string) {
				(&writing{events: []sent{{object: event}}}).chatCalls(func(call object) { member(call, "function")["arguments"] = letter })
			}
			(&writing{events: []sent{event}}).chatCalls(func(call object) { text, _ = member(call, "function")["arguments"].(string) })
		case event.object["type"] == "response.function_call_arguments.delta":
			text, _ = event.object["delta"].(string)
			set = func(event object, letter string) { event["delta"] = letter }
		case member(event.object, "delta")["type"] == "input_json_delta":
			text, _ = member(event.object, "delta")["partial_json"].(string)
			set = func(event object, letter string) { member(event, "delta")["partial_json"] = letter }
		}
		if text == "" {
			events = append(events, event)
			continue
		}
		for _, letter := range text {
			copied := clone(event.object)
			set(copied, string(letter))
			events = append(events, sent{object: copied})
		}
	}
	w.events = events
}

// beforehand is the text that text-with-calls sends.
const beforehand = "Let me look."

// textFirst puts a text before the calls of an answer.
func textFirst(w *writing) {
	switch w.api {
	case messagesAPI:
		w.blockFirst()
		return
	case responsesAPI:
		w.itemFirst()
		return
	default: // an answer of one message or content
	}
	for i, event := range w.events {
		if parts := googleParts(event.object); first(any(parts))["functionCall"] != nil {
			content := member(first(event.object["candidates"]), "content")
			content["parts"] = slices.Insert(parts, 0, any(object{"text": beforehand}))
			return
		}
		choice := first(event.object["choices"])
		if message := member(choice, "message"); message["tool_calls"] != nil {
			message["content"] = beforehand
		}
		if member(choice, "delta")["tool_calls"] != nil {
			before := clone(event.object)
			first(before["choices"])["delta"] = object{"role": "assistant", "content": beforehand}
			w.insert(i, sent{object: before})
			return
		}
	}
}

// blockFirst puts a block of text before the others of a message that has calls.
func (w *writing) blockFirst() {
	if !slices.ContainsFunc(w.events, func(event sent) bool { return bytes.Contains(encode(event.object), []byte(`"tool_use"`)) }) {
		return
	}
	for _, event := range w.events {
		if index, ok := event.object["index"].(json.Number); ok {
			number, _ := index.Int64()
			event.object["index"] = number + 1
		}
		if !w.isStream {
			event.object["content"] = slices.Insert(list(event.object["content"]), 0, any(object{"type": "text", "text": beforehand}))
		}
	}
	w.insert(1, sent{object: object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}}})
	w.insert(2, sent{object: object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": beforehand}}})
	w.insert(3, sent{object: object{"type": "content_block_stop", "index": 0}})
}

// itemFirst puts a message before the other items of a response that has calls.
func (w *writing) itemFirst() {
	if !slices.ContainsFunc(w.events, func(event sent) bool { return bytes.Contains(encode(event.object), []byte(`"function_call"`)) }) {
		return
	}
	const id = "msg_beforehand"
	part := object{"type": "output_text", "text": beforehand, "annotations": []any{}, "logprobs": []any{}}
	item := object{"type": "message", "id": id, "role": "assistant", "status": "completed", "content": []any{part}}
	for _, event := range w.events {
		if index, ok := event.object["output_index"].(json.Number); ok {
			number, _ := index.Int64()
			event.object["output_index"] = number + 1
		}
		response := event.object
		if w.isStream {
			response = member(response, "response")
		}
		if output := list(response["output"]); len(output) > 0 {
			response["output"] = slices.Insert(output, 0, any(item))
		}
	}
	at := func(kind string, members object) sent {
		return sent{object: with(object{"type": "response." + kind, "output_index": 0, "item_id": id, "content_index": 0}, members)}
	}
	for i, event := range []sent{
		{object: object{"type": "response.output_item.added", "output_index": 0, "item": with(item, object{"status": "in_progress", "content": []any{}})}},
		at("content_part.added", object{"part": with(part, object{"text": ""})}),
		at("output_text.delta", object{"delta": beforehand, "logprobs": []any{}}),
		at("output_text.done", object{"text": beforehand, "logprobs": []any{}}),
		at("content_part.done", object{"part": part}),
		{object: object{"type": "response.output_item.done", "output_index": 0, "item": item}},
	} {
		w.insert(2+i, event)
	}
}

// twice makes a second call like the only one.
func twice(_ *exchange, said *turn) {
	if len(said.calls) == 1 {
		said.calls = append(said.calls, said.calls[0])
	}
}

// eachArgument replaces each argument, and each property of the parameters that is not among the arguments, whose
// value is nil.
func eachArgument(calls []call, replace func(call *call, name string, value *schema.Node) *schema.Node) {
	for i := range calls {
		call := &calls[i]
		if call.isCustom || call.isCut || call.parameters == nil {
			continue
		}
		arguments := call.arguments.Clone()
		for _, property := range call.parameters.Get("properties").Members {
			var given *schema.Node
			if arguments.Has(property.Key) {
				given = arguments.Get(property.Key)
			}
			if value := replace(call, property.Key, given); value != nil {
				arguments.Set(property.Key, value)
			}
		}
		call.arguments = arguments
	}
}

func googleParts(answer object) []any {
	return list(member(first(answer["candidates"]), "content")["parts"])
}

// member returns a member that is an object, or nil.
func member(of object, name string) object {
	value, _ := of[name].(object)
	return value
}

func list(value any) []any {
	elements, _ := value.([]any)
	return elements
}

// first returns the first element of a list, if it is an object, or nil.
func first(value any) object {
	elements := list(value)
	if len(elements) == 0 {
		return nil
	}
	element, _ := elements[0].(object)
	return element
}

// clone returns a deep copy.
func clone(value object) object {
	decoder := json.NewDecoder(bytes.NewReader(encode(value)))
	decoder.UseNumber()
	var copied object
	if err := decoder.Decode(&copied); err != nil {
		panic(err) // encode wrote it
	}
	return copied
}
