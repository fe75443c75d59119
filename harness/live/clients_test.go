package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"toolproof/harness/emulator"
	"toolproof/schema"
	"toolproof/schema/instance"
)

const (
	forecast = `{"type":"object","properties":{"city":{"type":"string","enum":["Graz","Wien"]},"days":{"type":"integer","minimum":1,"maximum":7}},"required":["city","days"],"additionalProperties":false}`
	itemless = `{"type":"object","properties":{"tags":{"type":"array"}},"required":["tags"],"additionalProperties":false}`
	toolName = "get_forecast"
)

// client asks with one official client for a call of a tool with the schema, and returns
// the arguments.
type client struct {
	name string
	ask  func(ctx context.Context, url, text string) (arguments string, err error)
	// message returns the status and the provider's words from the client's own error.
	message func(error) (status int, text string)
	words   string // a part of them
}

var clients = []client{
	{"genai", askGenAI(genai.BackendGeminiAPI, false), genAIError, "properties[tags].items: missing field"},
	{"genai, streaming", askGenAI(genai.BackendGeminiAPI, true), genAIError, "properties[tags].items: missing field"},
	{"genai, Vertex AI", askGenAI(genai.BackendVertexAI, false), genAIError, "properties[tags].items: missing field"},
	{"openai, chat", askChat(false), openAIError, "array schema missing items"},
	{"openai, chat, streaming", askChat(true), openAIError, "array schema missing items"},
	{"openai, responses", askResponses, openAIError, "array schema missing items"},
	{"openai, responses, streaming", askResponsesStream, openAIError, "array schema missing items"},
	{"anthropic", askClaude(false), claudeError, "input_schema"},
	{"anthropic, streaming", askClaude(true), claudeError, "input_schema"},
}

// TestClients sends, with each official client, a tool that is accepted and one that is
// refused, with and without streaming. It expects a call, or the client's error with the
// provider's words.
func TestClients(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(emulator.New(emulator.Options{AsOf: "2026-11-21"}))
	t.Cleanup(server.Close)
	node, err := schema.Parse([]byte(forecast))
	if err != nil {
		t.Fatal(err)
	}
	declared, err := instance.Compile(node)
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range clients {
		t.Run(client.name, func(t *testing.T) {
			t.Parallel()
			arguments, err := client.ask(t.Context(), server.URL, forecast)
			if err != nil {
				_, text := client.message(err)
				t.Fatalf("an accepted tool: %v: %s", err, text)
			}
			instance, err := schema.Parse([]byte(arguments))
			if err != nil || !declared.Accepts(instance) {
				t.Errorf("the arguments %s are not valid: %v", arguments, err)
			}
			bad := itemless
			if strings.HasPrefix(client.name, "anthropic") { // it accepts an array without items
				bad = `{"type":"array"}`
			}
			_, err = client.ask(t.Context(), server.URL, bad)
			if err == nil {
				t.Fatal("a refused tool gave no error")
			}
			if status, text := client.message(err); status != http.StatusBadRequest || !strings.Contains(text, client.words) {
				t.Errorf("the client says %d %q (%T), want 400 and %q", status, text, err, client.words)
			}
		})
	}
}

// parsed returns the value of a JSON text, as encoding/json decodes it.
func parsed(text string) map[string]any {
	var value map[string]any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		panic(err)
	}
	return value
}

var errNoCall = errors.New("no call came back")

func askGenAI(backend genai.Backend, isStreamed bool) func(context.Context, string, string) (string, error) {
	return func(ctx context.Context, url, text string) (string, error) {
		config := &genai.ClientConfig{Backend: backend, APIKey: "any", HTTPOptions: genai.HTTPOptions{BaseURL: url}}
		if backend == genai.BackendVertexAI {
			config.APIKey, config.Project, config.Location, config.HTTPClient = "", "p", "us-central1", http.DefaultClient
		}
		client, err := genai.NewClient(ctx, config)
		if err != nil {
			return "", err
		}
		// The fields of genai.Schema have the names of JSON Schema, but it cannot close
		// an object.
		parameters := &genai.Schema{}
		if err := json.Unmarshal([]byte(text), parameters); err != nil {
			return "", err
		}
		options := &genai.GenerateContentConfig{
			Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: toolName, Description: "d", Parameters: parameters}}}},
		}
		var calls []*genai.FunctionCall
		if isStreamed {
			for answer, err := range client.Models.GenerateContentStream(ctx, "gemini-2.5-flash", genai.Text("Graz?"), options) {
				if err != nil {
					return "", err
				}
				calls = append(calls, answer.FunctionCalls()...)
			}
		} else {
			answer, err := client.Models.GenerateContent(ctx, "gemini-2.5-flash", genai.Text("Graz?"), options)
			if err != nil {
				return "", err
			}
			calls = answer.FunctionCalls()
		}
		if len(calls) != 1 || calls[0].Name != toolName {
			return "", errNoCall
		}
		arguments, err := json.Marshal(calls[0].Args)
		return string(arguments), err
	}
}

func genAIError(err error) (int, string) {
	if failure, ok := errors.AsType[genai.APIError](err); ok {
		return failure.Code, failure.Message
	}
	return 0, ""
}

func openAIClient(url string) openai.Client {
	return openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("any"))
}

func askChat(isStreamed bool) func(context.Context, string, string) (string, error) {
	return func(ctx context.Context, url, text string) (string, error) {
		client := openAIClient(url)
		request := openai.ChatCompletionNewParams{
			Model:    "gpt-4o-mini",
			Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Graz?")},
			Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
				Name: toolName, Parameters: parsed(text), Strict: openai.Bool(true),
			})},
		}
		var answer *openai.ChatCompletion
		if isStreamed {
			stream := client.Chat.Completions.NewStreaming(ctx, request)
			accumulated := openai.ChatCompletionAccumulator{}
			for stream.Next() {
				if !accumulated.AddChunk(stream.Current()) {
					return "", errors.New("a chunk does not fit")
				}
			}
			if err := stream.Err(); err != nil {
				return "", err
			}
			answer = &accumulated.ChatCompletion
		} else {
			var err error
			if answer, err = client.Chat.Completions.New(ctx, request); err != nil {
				return "", err
			}
		}
		if len(answer.Choices) != 1 || len(answer.Choices[0].Message.ToolCalls) != 1 || answer.Choices[0].FinishReason != "tool_calls" {
			return "", errNoCall
		}
		return answer.Choices[0].Message.ToolCalls[0].Function.Arguments, nil
	}
}

func responsesRequest(text string) responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model: "gpt-4o-mini",
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Graz?")},
		Tools: []responses.ToolUnionParam{responses.ToolParamOfFunction(toolName, parsed(text), true)},
	}
}

func askResponses(ctx context.Context, url, text string) (string, error) {
	client := openAIClient(url)
	answer, err := client.Responses.New(ctx, responsesRequest(text))
	if err != nil {
		return "", err
	}
	return calledIn(*answer)
}

func askResponsesStream(ctx context.Context, url, text string) (string, error) {
	client := openAIClient(url)
	stream := client.Responses.NewStreaming(ctx, responsesRequest(text))
	pieces := ""
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseFunctionCallArgumentsDeltaEvent:
			pieces += event.Delta
		case responses.ResponseCompletedEvent:
			whole, err := calledIn(event.Response)
			if err == nil && whole != pieces {
				err = errors.New("the pieces are not the whole: " + pieces + " " + whole)
			}
			return whole, err
		}
	}
	if err := stream.Err(); err != nil {
		return "", err
	}
	return "", errNoCall
}

func calledIn(answer responses.Response) (string, error) {
	for _, item := range answer.Output {
		if call := item.AsFunctionCall(); item.Type == "function_call" && call.Name == toolName && call.CallID != "" {
			return call.Arguments, nil
		}
	}
	return "", errNoCall
}

func openAIError(err error) (int, string) {
	if failure, ok := errors.AsType[*openai.Error](err); ok {
		return failure.StatusCode, failure.Message
	}
	return 0, ""
}

func askClaude(isStreamed bool) func(context.Context, string, string) (string, error) {
	return func(ctx context.Context, url, text string) (string, error) {
		client := anthropic.NewClient(anthropicoption.WithBaseURL(url), anthropicoption.WithAPIKey("any"))
		tool := anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{}, toolName)
		request := anthropic.MessageNewParams{
			Model: "claude-sonnet-5", MaxTokens: 1000, Tools: []anthropic.ToolUnionParam{tool},
			Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Graz?"))},
		}
		settings := anthropicoption.WithJSONSet("tools.0.input_schema", parsed(text)) // the type of the field lacks some keywords
		message := &anthropic.Message{}
		if isStreamed {
			stream := client.Messages.NewStreaming(ctx, request, settings)
			for stream.Next() {
				if err := message.Accumulate(stream.Current()); err != nil {
					return "", err
				}
			}
			if err := stream.Err(); err != nil {
				return "", err
			}
		} else {
			var err error
			if message, err = client.Messages.New(ctx, request, settings); err != nil {
				return "", err
			}
		}
		for _, block := range message.Content {
			if call := block.AsToolUse(); block.Type == "tool_use" && call.Name == toolName && message.StopReason == anthropic.StopReasonToolUse {
				return string(call.Input), nil
			}
		}
		return "", errNoCall
	}
}

func claudeError(err error) (int, string) {
	if failure, ok := errors.AsType[*anthropic.Error](err); ok {
		return failure.StatusCode, failure.Error()
	}
	return 0, ""
}
