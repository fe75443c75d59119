package toanthropic_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"toolproof/harness/emulator"
	"toolproof/normalizers"
	"toolproof/normalizers/toanthropic"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// given are tools, each with a call as the model makes it, and the arguments that it means. Anthropic
// takes none of the tools as it is.
var given = []struct{ name, parameters, call, wrote, meant string }{
	{
		"weather/forecast", `{"type": "object", "properties": {"city name": {"type": "string", "minLength": 1}, "days": {"type": "integer"}}, "required": ["city name"]}`,
		"weather_forecast", `{"city_name": "Santo André"}`, `{"city name":"Santo André"}`,
	},
	{"list all", `{"type": "object", "properties": {"n": {"type": "integer"}}}`, "list_all", `{}`, `{}`},
	{"tag/all", `{"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}, "required": ["tags"]}`, "tag_all", `{"tags": "[\"a\", \"b\"]"}`, `{"tags":["a","b"]}`},
}

func parsed(t *testing.T, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return node
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

func clientOf(server *httptest.Server, options ...option.RequestOption) anthropic.Client {
	return anthropic.NewClient(append([]option.RequestOption{option.WithBaseURL(server.URL), option.WithAPIKey("key"), option.WithMaxRetries(0)}, options...)...)
}

// normalizing is the option under test, without problems.
func normalizing(t *testing.T, pipeline *normalizers.Pipeline) option.RequestOption {
	t.Helper()
	return toanthropic.Normalize(pipeline, func(err error) { t.Errorf("a problem: %v", err) })
}

func paramsOf(t *testing.T) anthropic.MessageNewParams {
	t.Helper()
	params := anthropic.MessageNewParams{
		Model: "claude-sonnet-4-5", MaxTokens: 1000, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Call them."))},
		Tools: []anthropic.ToolUnionParam{{OfWebSearchTool20250305: &anthropic.WebSearchTool20250305Param{}}},
	}
	for _, tool := range given {
		parameters := parsed(t, tool.parameters)
		params.Tools = append(params.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{Name: tool.name, InputSchema: anthropic.ToolInputSchemaParam{
			Properties: json.RawMessage(parameters.Get("properties").JSON()), Required: parameters.Get("required").Strings(),
		}}})
	}
	return params
}

// check compares the calls that a program gets with those that the model means, and answers them.
func check(t *testing.T, client anthropic.Client, params anthropic.MessageNewParams, message anthropic.Message) {
	t.Helper()
	var results []anthropic.ContentBlockParamUnion
	for i, tool := range given {
		if i >= len(message.Content) {
			t.Fatalf("got %d calls", len(message.Content))
		}
		got := message.Content[i].AsToolUse()
		input := parsed(t, string(got.Input))
		if got.Name != tool.name || input.String() != tool.meant {
			t.Errorf("got a call of %s with %s, want %s of %s", got.Name, got.Input, tool.meant, tool.name)
		}
		accepts, err := instance.Compile(parsed(t, tool.parameters))
		if err != nil {
			t.Fatal(err)
		}
		if !accepts.Accepts(input) {
			t.Errorf("%s does not accept %s", tool.name, input)
		}
		results = append(results, anthropic.NewToolResultBlock(got.ID, "sunny", false))
	}
	params.Messages = append(params.Messages, message.ToParam(), anthropic.NewUserMessage(results...))
	params.ToolChoice = anthropic.ToolChoiceUnionParam{OfNone: &anthropic.ToolChoiceNoneParam{}}
	answer, err := client.Messages.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if said := answer.Content[0].Text; said != "Done." {
		t.Errorf("the second turn says %q", said)
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	for _, pipeline := range []*normalizers.Pipeline{normalizers.Anthropic, normalizers.AnthropicStrict, normalizers.Portable} {
		server, params := served(t), paramsOf(t)
		bare := clientOf(server)
		var refused *anthropic.Error
		if _, err := bare.Messages.New(t.Context(), params); !errors.As(err, &refused) || refused.StatusCode != http.StatusBadRequest {
			t.Errorf("got the error %v for tools as given", err)
		}
		client := clientOf(server, normalizing(t, pipeline))
		answer, err := client.Messages.New(t.Context(), params)
		if err != nil {
			t.Fatalf("%s: %v", pipeline.Name(), err)
		}
		check(t, client, params, *answer)
	}
}

func TestNormalizeStream(t *testing.T) {
	t.Parallel()
	params := paramsOf(t)
	params.ToolChoice = anthropic.ToolChoiceParamOfTool(given[0].name)
	client := clientOf(served(t), normalizing(t, normalizers.AnthropicStrict))
	stream := client.Messages.NewStreaming(t.Context(), params)
	var whole anthropic.Message
	for stream.Next() {
		if err := whole.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	check(t, client, params, whole)
}
