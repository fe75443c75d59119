package toopenai_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"toolproof/harness/emulator"
	"toolproof/normalizers"
	"toolproof/normalizers/toopenai"
	"toolproof/normalizers/transport"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// given are tools, each with a call as the model makes it in strict mode, and the arguments that it
// means. OpenAI takes none of the tools as it is.
var given = []struct{ name, parameters, call, wrote, meant string }{
	{
		"weather/forecast", `{"type": "object", "properties": {"city": {"type": "string", "minLength": 1}, "days": {"type": "integer"}}, "required": ["city"]}`,
		"weather_forecast", `{"city": "Santo André", "days": null}`, `{"city":"Santo André"}`,
	},
	{"look up", `{"type": "object", "properties": {"limit": {"type": ["integer", "null"]}}}`, "look_up", `{"limit": {"value": null}}`, `{"limit":null}`},
	{"ask/user", `{"type": "string", "minLength": 1}`, "ask_user", `{"value": "Where?"}`, `"Where?"`},
	{
		"tag/all", `{"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}, "required": ["tags"]}`,
		"tag_all", `{"tags": "[\"a\", \"b\"]"}`, `{"tags":["a","b"]}`, // as a model writes it that is not held to the schema
	},
}

func parsed(t *testing.T, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

func parametersOf(t *testing.T, text string) map[string]any {
	t.Helper()
	parameters, ok := parsed(t, text).Value().(map[string]any)
	if !ok {
		t.Fatalf("%s is no object", text)
	}
	return parameters
}

// served starts an emulator whose model calls all tools in one answer, and then has done so.
func served(t *testing.T) *httptest.Server {
	t.Helper()
	var called []emulator.Call
	for _, tool := range given {
		called = append(called, emulator.Call{Name: tool.call, Arguments: parsed(t, tool.wrote)})
	}
	server := httptest.NewServer(emulator.New(emulator.Options{Script: &emulator.Script{Steps: []emulator.Step{
		{Answers: []emulator.Answer{{Calls: called}, {Text: "Done."}}},
	}}}))
	t.Cleanup(server.Close)
	return server
}

func clientOf(server *httptest.Server, options ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{option.WithBaseURL(server.URL + "/v1"), option.WithAPIKey("key"), option.WithMaxRetries(0)}, options...)...)
}

// normalizing is the option under test, without problems.
func normalizing(t *testing.T, pipeline *normalizers.Pipeline) option.RequestOption {
	t.Helper()
	return toopenai.Normalize(pipeline, func(err error) { t.Errorf("a problem: %v", err) })
}

type called struct{ name, arguments string }

// check compares the calls that a program gets with those that the model means.
func check(t *testing.T, got []called) {
	t.Helper()
	for i, tool := range given {
		if i >= len(got) || got[i] != (called{tool.name, tool.meant}) {
			t.Fatalf("got the calls %q, want %s of %s", got, tool.meant, tool.name)
		}
		accepts, err := instance.Compile(parsed(t, tool.parameters))
		if err != nil {
			t.Fatal(err)
		}
		if !accepts.Accepts(parsed(t, got[i].arguments)) {
			t.Errorf("%s does not accept %s", tool.name, got[i].arguments)
		}
	}
}

// wantRefused fails unless OpenAI refuses what was sent.
func wantRefused(t *testing.T, err error) {
	t.Helper()
	var refused *openai.Error
	if !errors.As(err, &refused) || refused.StatusCode != http.StatusBadRequest {
		t.Errorf("got the error %v for tools as given", err)
	}
}

func chatParams(t *testing.T) openai.ChatCompletionNewParams {
	t.Helper()
	params := openai.ChatCompletionNewParams{
		Model: "gpt-4o", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Call them.")},
		ToolChoice: openai.ChatCompletionToolChoiceOptionUnionParam{OfAllowedTools: &openai.ChatCompletionAllowedToolChoiceParam{
			AllowedTools: openai.ChatCompletionAllowedToolsParam{Mode: openai.ChatCompletionAllowedToolsModeAuto},
		}},
	}
	for _, tool := range given {
		params.Tools = append(params.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: tool.name, Parameters: parametersOf(t, tool.parameters)}))
		params.ToolChoice.OfAllowedTools.AllowedTools.Tools = append(params.ToolChoice.OfAllowedTools.AllowedTools.Tools,
			map[string]any{"type": "function", "function": map[string]any{"name": tool.name}})
	}
	return params
}

// results answers the calls of a message, in a second turn.
func results(t *testing.T, client openai.Client, params openai.ChatCompletionNewParams, message openai.ChatCompletionMessage) {
	t.Helper()
	params.Messages = append(params.Messages, message.ToParam())
	for _, call := range message.ToolCalls {
		params.Messages = append(params.Messages, openai.ToolMessage("sunny", call.ID))
	}
	answer, err := client.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if said := answer.Choices[0].Message.Content; said != "Done." {
		t.Errorf("the second turn says %q", said)
	}
}

func TestNormalizeChat(t *testing.T) {
	t.Parallel()
	server, params := served(t), chatParams(t)
	bare := clientOf(server)
	_, err := bare.Chat.Completions.New(t.Context(), params)
	wantRefused(t, err)

	client := clientOf(server, normalizing(t, normalizers.OpenAIStrict))
	answer, err := client.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	var got []called
	for _, call := range answer.Choices[0].Message.ToolCalls {
		got = append(got, called{call.Function.Name, call.Function.Arguments})
	}
	check(t, got)
	results(t, client, params, answer.Choices[0].Message)
}

func TestNormalizeChatStream(t *testing.T) {
	t.Parallel()
	server, params := served(t), chatParams(t)
	client := clientOf(server, normalizing(t, normalizers.OpenAIStrict))
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	var whole openai.ChatCompletionAccumulator
	var finished []called
	for stream.Next() {
		if !whole.AddChunk(stream.Current()) {
			t.Fatalf("the chunk %s does not fit", stream.Current().RawJSON())
		}
		if call, ok := whole.JustFinishedToolCall(); ok {
			finished = append(finished, called{call.Name, call.Arguments})
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	check(t, finished)
	var got []called
	for _, call := range whole.Choices[0].Message.ToolCalls {
		got = append(got, called{call.Function.Name, call.Function.Arguments})
	}
	check(t, got)
	results(t, client, params, whole.Choices[0].Message)
}

func responsesParams(t *testing.T) responses.ResponseNewParams {
	t.Helper()
	params := responses.ResponseNewParams{Model: "gpt-4o", Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
		responses.ResponseInputItemParamOfMessage("Call them.", responses.EasyInputMessageRoleUser),
	}}}
	for _, tool := range given {
		params.Tools = append(params.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{Name: tool.name, Parameters: parametersOf(t, tool.parameters)}})
	}
	params.Tools = append(params.Tools, responses.ToolUnionParam{OfWebSearch: &responses.WebSearchToolParam{Type: responses.WebSearchToolTypeWebSearch}})
	return params
}

// outputs answers the calls of a response, in a second turn.
func outputs(t *testing.T, client openai.Client, params responses.ResponseNewParams, response responses.Response) {
	t.Helper()
	for _, item := range response.Output {
		call := item.AsFunctionCall()
		result := responses.ResponseInputItemParamOfFunctionCallOutput("sunny")
		result.OfFunctionCallOutput.CallID = openai.String(call.CallID)
		params.Input.OfInputItemList = append(params.Input.OfInputItemList, responses.ResponseInputItemParamOfFunctionCall(call.Arguments, call.CallID, call.Name), result)
	}
	answer, err := client.Responses.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if said := answer.OutputText(); said != "Done." {
		t.Errorf("the second turn says %q", said)
	}
}

func TestNormalizeResponses(t *testing.T) {
	t.Parallel()
	server, params := served(t), responsesParams(t)
	bare := clientOf(server)
	_, err := bare.Responses.New(t.Context(), params)
	wantRefused(t, err)

	client := clientOf(server, normalizing(t, normalizers.OpenAIStrict))
	answer, err := client.Responses.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	var got []called
	for _, item := range answer.Output {
		got = append(got, called{item.AsFunctionCall().Name, item.AsFunctionCall().Arguments})
	}
	check(t, got)
	outputs(t, client, params, *answer)
}

func TestNormalizeResponsesStream(t *testing.T) {
	t.Parallel()
	server, params := served(t), responsesParams(t)
	client := clientOf(server, normalizing(t, normalizers.OpenAIStrict))
	stream := client.Responses.NewStreaming(t.Context(), params)
	var deltas, done, items, completed []called
	var response responses.Response
	var number int64
	for ; stream.Next(); number++ {
		event := stream.Current()
		if event.SequenceNumber != number {
			t.Errorf("event %d has the number %d", number, event.SequenceNumber)
		}
		switch event.Type {
		case "response.output_item.added":
			deltas = append(deltas, called{event.Item.Name, ""})
		case "response.function_call_arguments.delta":
			deltas[len(deltas)-1].arguments += event.Delta
		case "response.function_call_arguments.done":
			done = append(done, called{deltas[len(deltas)-1].name, event.Arguments})
		case "response.output_item.done":
			items = append(items, called{event.Item.Name, event.Item.AsFunctionCall().Arguments})
		case "response.completed":
			response = event.Response
			for _, item := range response.Output {
				completed = append(completed, called{item.AsFunctionCall().Name, item.AsFunctionCall().Arguments})
			}
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	for _, got := range [][]called{deltas, done, items, completed} {
		check(t, got)
	}
	outputs(t, client, params, response)
}

// TestNormalizeRetries has a server that fails at first: the client sends the normalized request again.
func TestNormalizeRetries(t *testing.T) {
	t.Parallel()
	model := emulator.New(emulator.Options{Reply: emulator.ReplyText})
	var attempts atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if attempts.Add(1) == 1 {
			writer.Header().Set("Retry-After-Ms", "1")
			writer.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		model.ServeHTTP(writer, request)
	}))
	t.Cleanup(server.Close)
	client := clientOf(server, option.WithMaxRetries(1), normalizing(t, normalizers.OpenAI))
	if _, err := client.Chat.Completions.New(t.Context(), chatParams(t)); err != nil || attempts.Load() != 2 {
		t.Errorf("got the error %v after %d attempts", err, attempts.Load())
	}
}

// TestNormalizeTells has calls that no tool takes: the program gets what the model wrote, and the reason.
func TestNormalizeTells(t *testing.T) {
	t.Parallel()
	const wrote = `{"city":"","days":null}`
	server := httptest.NewServer(emulator.New(emulator.Options{Script: &emulator.Script{Steps: []emulator.Step{{Answers: []emulator.Answer{
		{Calls: []emulator.Call{{Name: "weather_forecast", Arguments: parsed(t, wrote)}, {Name: "none"}}},
	}, Repeats: true}}}}))
	t.Cleanup(server.Close)
	var told []string
	client := clientOf(server, toopenai.Normalize(normalizers.OpenAIStrict, func(err error) {
		var call *transport.CallError
		if !errors.As(err, &call) || call.ID == "" {
			t.Errorf("got the problem %v", err)
		}
		told = append(told, err.Error())
	}))
	answer, err := client.Chat.Completions.New(t.Context(), chatParams(t))
	if err != nil {
		t.Fatal(err)
	}
	first := answer.Choices[0].Message.ToolCalls[0].Function
	if first.Name != "weather/forecast" || first.Arguments != wrote {
		t.Errorf("got the call %s of %s", first.Arguments, first.Name)
	}
	want := []string{
		"a call of \"weather/forecast\" passes with the arguments that the model wrote: invalid arguments for weather/forecast:\n/city: minLength: got 0, want 1",
		`a call of "none" passes with the arguments that the model wrote: no tool is called "none"`,
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	told = nil
	stream := client.Responses.NewStreaming(t.Context(), responsesParams(t))
	var last string
	for stream.Next() {
		if event := stream.Current(); event.Type == "response.function_call_arguments.done" && last == "" {
			last = event.Arguments
		}
	}
	if stream.Err() != nil || last != wrote || !slices.Equal(told, want) {
		t.Errorf("got %s and the error %v, told %q", last, stream.Err(), told)
	}
}

// TestNormalizeOtherTarget: the tools of another provider are not sent.
func TestNormalizeOtherTarget(t *testing.T) {
	t.Parallel()
	client := clientOf(served(t), normalizing(t, normalizers.Gemini))
	_, err := client.Responses.New(t.Context(), responsesParams(t))
	if err == nil || !strings.Contains(err.Error(), "the tool was normalized for gemini: normalize it for openai, openai-strict, openai-responses or portable") {
		t.Errorf("got the error %v", err)
	}
}
