package live_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"toolproof/harness/emulator"
)

// emulated starts an emulator that calls up to two tools in one answer.
func emulated(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(emulator.New(emulator.Options{AsOf: "2026-11-21", Parallel: 2, StrictAuth: true}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestGenAIExchange calls two functions of Gemini 3 and returns their results: with the
// signature, which the client sends back by itself, and without it.
func TestGenAIExchange(t *testing.T) {
	t.Parallel()
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		Backend: genai.BackendGeminiAPI, APIKey: "any", HTTPOptions: genai.HTTPOptions{BaseURL: emulated(t)},
	})
	if err != nil {
		t.Fatal(err)
	}
	config := &genai.GenerateContentConfig{
		Tools:          []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "a", Description: "d"}, {Name: "b", Description: "d"}}}},
		ThinkingConfig: &genai.ThinkingConfig{IncludeThoughts: true, ThinkingLevel: genai.ThinkingLevelLow},
	}
	chat, err := client.Chats.Create(t.Context(), "gemini-3-pro-preview", config, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := chat.SendMessage(t.Context(), genai.Part{Text: "hi"})
	if err != nil {
		t.Fatal(err)
	}
	parts := answer.Candidates[0].Content.Parts
	if len(parts) != 3 || !parts[0].Thought || len(parts[1].ThoughtSignature) == 0 || parts[2].FunctionCall == nil || parts[2].FunctionCall.Name != "b" {
		t.Fatalf("no thought and two calls, the first signed: %+v", parts)
	}
	result := func(name string) genai.Part {
		return genai.Part{FunctionResponse: &genai.FunctionResponse{Name: name, Response: map[string]any{"output": 42}}}
	}
	if _, err = chat.SendMessage(t.Context(), result("a")); err == nil || !strings.Contains(err.Error(), "number of function response parts") {
		t.Errorf("one result of two: %v", err)
	}
	answer, err = chat.SendMessage(t.Context(), result("a"), result("b"))
	if err != nil || !strings.Contains(answer.Text(), "answer of the emulator") {
		t.Errorf("the final text: %v", err)
	}
	history := chat.History(false)
	history[1].Parts[1].ThoughtSignature = nil
	_, err = client.Models.GenerateContent(t.Context(), "gemini-3-pro-preview", history[:3], config)
	if status, text := genAIError(err); status != http.StatusBadRequest || !strings.Contains(text, "function call `default_api:a` , position 2") {
		t.Errorf("without the signature: %d %s", status, text)
	}
}

// TestClaudeExchange has Claude think and call two tools, streamed, and returns the
// results.
func TestClaudeExchange(t *testing.T) {
	t.Parallel()
	client := anthropic.NewClient(anthropicoption.WithBaseURL(emulated(t)), anthropicoption.WithAPIKey("any"))
	parameters := anthropic.ToolInputSchemaParam{Properties: map[string]any{"x": map[string]any{"type": "string"}}}
	request := anthropic.MessageNewParams{
		Model: "claude-sonnet-5", MaxTokens: 5000, Thinking: anthropic.ThinkingConfigParamOfEnabled(1024),
		Tools: []anthropic.ToolUnionParam{
			anthropic.ToolUnionParamOfTool(parameters, "a"), anthropic.ToolUnionParamOfTool(parameters, "b"),
		},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))},
	}
	stream := client.Messages.NewStreaming(t.Context(), request)
	message := anthropic.Message{}
	for stream.Next() {
		if err := message.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if len(message.Content) != 3 || message.Content[0].AsThinking().Signature == "" || message.Content[2].AsToolUse().Name != "b" {
		t.Fatalf("no thinking and two calls: %s", message.RawJSON())
	}
	request.Messages = append(request.Messages, message.ToParam(), anthropic.NewUserMessage(anthropic.NewToolResultBlock(message.Content[1].ID, "42", false)))
	_, err := client.Messages.New(t.Context(), request)
	if status, text := claudeError(err); status != http.StatusBadRequest || !strings.Contains(text, "immediately after: "+message.Content[2].ID) {
		t.Errorf("one result of two: %d %s", status, text)
	}
	request.Messages[2] = anthropic.NewUserMessage(anthropic.NewToolResultBlock(message.Content[1].ID, "42", false), anthropic.NewToolResultBlock(message.Content[2].ID, "43", false))
	answer, err := client.Messages.New(t.Context(), request)
	if err != nil || answer.StopReason != anthropic.StopReasonEndTurn {
		t.Errorf("the final text: %v", err)
	}
}

// TestChatExchange calls two functions, streamed, two times over, and returns the
// results.
func TestChatExchange(t *testing.T) {
	t.Parallel()
	client := openAIClient(emulated(t))
	request := openai.ChatCompletionNewParams{
		Model: "gpt-4o-mini", N: openai.Int(2), Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
		Tools: []openai.ChatCompletionToolUnionParam{
			openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "a"}), openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "b"}),
		},
	}
	stream := client.Chat.Completions.NewStreaming(t.Context(), request)
	whole := openai.ChatCompletionAccumulator{}
	for stream.Next() {
		if !whole.AddChunk(stream.Current()) {
			t.Fatal("a chunk does not fit")
		}
	}
	if err := stream.Err(); err != nil || len(whole.Choices) != 2 || len(whole.Choices[1].Message.ToolCalls) != 2 || whole.Choices[1].Message.ToolCalls[1].Function.Name != "b" {
		t.Fatalf("no two answers of two calls: %v %+v", err, whole.Choices)
	}
	calls := whole.Choices[0].Message
	request.N = param.Opt[int64]{}
	request.Messages = append(request.Messages, calls.ToParam(), openai.ToolMessage("42", calls.ToolCalls[0].ID))
	_, err := client.Chat.Completions.New(t.Context(), request)
	if status, text := openAIError(err); status != http.StatusBadRequest || !strings.Contains(text, "did not have response messages: "+calls.ToolCalls[1].ID) {
		t.Errorf("one result of two: %d %s", status, text)
	}
	request.Messages = append(request.Messages, openai.ToolMessage("43", calls.ToolCalls[1].ID))
	answer, err := client.Chat.Completions.New(t.Context(), request)
	if err != nil || answer.Choices[0].FinishReason != "stop" {
		t.Errorf("the final text: %v", err)
	}
}

// TestResponsesExchange calls a function in a namespace, and returns its result with and
// without the namespace.
func TestResponsesExchange(t *testing.T) {
	t.Parallel()
	client := openAIClient(emulated(t))
	request := responses.ResponseNewParams{
		Model: "gpt-5", Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
			responses.ResponseInputItemParamOfMessage("hi", responses.EasyInputMessageRoleUser),
		}},
		Tools: []responses.ToolUnionParam{{OfNamespace: &responses.NamespaceToolParam{
			Name: "mcp__s__", Description: "d",
			Tools: []responses.NamespaceToolToolUnionParam{{OfFunction: &responses.NamespaceToolToolFunctionParam{Name: "echo"}}},
		}}},
	}
	answer, err := client.Responses.New(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	called := answer.Output[len(answer.Output)-1].AsFunctionCall() // after the reasoning
	if called.Name != "echo" || called.Namespace != "mcp__s__" {
		t.Fatalf("the call is %s", called.RawJSON())
	}
	given := responses.ResponseFunctionToolCallParam{Name: called.Name, Namespace: openai.String(called.Namespace), CallID: called.CallID, Arguments: called.Arguments}
	items := slices.Clone(request.Input.OfInputItemList)
	items = append(items, responses.ResponseInputItemUnionParam{OfFunctionCall: &given}, responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
		CallID: openai.String(called.CallID), Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String("42")},
	}})
	request.Input.OfInputItemList = items
	if answer, err = client.Responses.New(t.Context(), request); err != nil || answer.OutputText() == "" {
		t.Errorf("the final text: %v", err)
	}
	given.Namespace = param.Opt[string]{}
	_, err = client.Responses.New(t.Context(), request)
	if status, text := openAIError(err); status != http.StatusBadRequest || !strings.Contains(text, "Missing namespace for function_call 'echo'.") {
		t.Errorf("without the namespace: %d %s", status, text)
	}
	request.Input = responses.ResponseNewParamsInputUnion{OfString: openai.String("and?")}
	request.PreviousResponseID = openai.String(answer.ID)
	if _, err = client.Responses.New(t.Context(), request); err != nil {
		t.Errorf("with the response before: %v", err)
	}
	request.PreviousResponseID = openai.String("resp_unknown")
	_, err = client.Responses.New(t.Context(), request)
	if status, text := openAIError(err); status != http.StatusBadRequest || text != "Previous response with id 'resp_unknown' not found." {
		t.Errorf("with an unknown response before: %d %s", status, text)
	}
}
