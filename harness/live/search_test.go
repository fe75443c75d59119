package live_test

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"toolproof/harness/conversation"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
)

// TestClaudeSearchesForTools offers a deferred tool with a tool for searching, with and
// without streaming, and continues. Without the tool for searching the deferred one is
// not called.
func TestClaudeSearchesForTools(t *testing.T) {
	t.Parallel()
	client := anthropic.NewClient(anthropicoption.WithBaseURL(emulated(t)), anthropicoption.WithAPIKey("any"))
	later := anthropic.ToolParam{Name: "later", DeferLoading: anthropic.Bool(true), InputSchema: anthropic.ToolInputSchemaParam{Properties: map[string]any{}}}
	request := anthropic.MessageNewParams{
		Model: "claude-sonnet-5", MaxTokens: 1000,
		Tools: []anthropic.ToolUnionParam{
			{OfToolSearchToolRegex20251119: &anthropic.ToolSearchToolRegex20251119Param{Type: anthropic.ToolSearchToolRegex20251119TypeToolSearchToolRegex20251119}},
			{OfTool: &later},
		},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))},
	}
	whole, err := client.Messages.New(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	streamed := &anthropic.Message{}
	stream := client.Messages.NewStreaming(t.Context(), request)
	for stream.Next() {
		if err := streamed.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	for _, message := range []*anthropic.Message{whole, streamed} {
		if len(message.Content) != 3 || message.StopReason != anthropic.StopReasonToolUse {
			t.Fatalf("no search, its result and a call: %s", message.RawJSON())
		}
		asked, result := message.Content[0].AsServerToolUse(), message.Content[1].AsToolSearchToolResult()
		found := result.Content.AsResponseToolSearchToolSearchResultBlock().ToolReferences
		if asked.Name != "tool_search_tool_regex" || result.ToolUseID != asked.ID || len(found) != 1 || found[0].ToolName != "later" || message.Content[2].AsToolUse().Name != "later" {
			t.Errorf("the search is %s", message.RawJSON())
		}
	}
	request.Messages = append(request.Messages, whole.ToParam(), anthropic.NewUserMessage(anthropic.NewToolResultBlock(whole.Content[2].ID, "42", false)))
	if answer, err := client.Messages.New(t.Context(), request); err != nil || answer.StopReason != anthropic.StopReasonEndTurn {
		t.Errorf("the final text: %v", err)
	}
	request.Messages, request.Tools = request.Messages[:1], request.Tools[1:]
	if answer, err := client.Messages.New(t.Context(), request); err == nil || !strings.Contains(err.Error(), "All tools cannot be deferred") {
		t.Errorf("nothing searches, and the answer is %v, %v", answer, err)
	}
}

// TestResponsesSearchForTools does the same on Responses, with a function in a namespace.
func TestResponsesSearchForTools(t *testing.T) {
	t.Parallel()
	client := openAIClient(emulated(t))
	request := responses.ResponseNewParams{
		Model: "gpt-5.4", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("hi")},
		Tools: []responses.ToolUnionParam{
			{OfNamespace: &responses.NamespaceToolParam{Name: "crm", Description: "d", Tools: []responses.NamespaceToolToolUnionParam{
				{OfFunction: &responses.NamespaceToolToolFunctionParam{Name: "later", DeferLoading: openai.Bool(true)}},
			}}},
			{OfToolSearch: &responses.ToolSearchToolParam{}},
		},
	}
	answer, err := client.Responses.New(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Output) != 3 {
		t.Fatalf("no search, its output and a call: %s", answer.RawJSON())
	}
	asked, found, called := answer.Output[0].AsToolSearchCall(), answer.Output[1].AsToolSearchOutput(), answer.Output[2].AsFunctionCall()
	if asked.Execution != responses.ResponseToolSearchCallExecutionServer || !strings.Contains(asked.RawJSON(), `"paths":["crm"]`) ||
		len(found.Tools) != 1 || found.Tools[0].AsNamespace().Tools[0].Name != "later" || called.Name != "later" || called.Namespace != "crm" {
		t.Errorf("the search is %s", answer.RawJSON())
	}
	stream := client.Responses.NewStreaming(t.Context(), request)
	var whole string
	for stream.Next() {
		if event, isLast := stream.Current().AsAny().(responses.ResponseCompletedEvent); isLast {
			whole = event.Response.Output[0].Type
		}
	}
	if err := stream.Err(); err != nil || whole != "tool_search_call" {
		t.Errorf("in pieces: %q, %v", whole, err)
	}
	request.Tools = request.Tools[:1]
	if answer, err = client.Responses.New(t.Context(), request); err != nil || !strings.Contains(answer.OutputText(), "deferred") {
		t.Errorf("nothing searches: %v", err)
	}
}

// TestMembersAreThoseOfTheClients: the known members of a request are those that the
// pinned clients send.
func TestMembersAreThoseOfTheClients(t *testing.T) {
	t.Parallel()
	for api, requests := range map[provider.API][]any{
		provider.ChatCompletions: {openai.ChatCompletionNewParams{}},
		provider.Responses:       {responses.ResponseNewParams{}},
		provider.Messages:        {anthropic.MessageNewParams{}, anthropic.BetaMessageNewParams{}},
	} {
		sent := []string{"stream"} // the clients add it
		for _, request := range requests {
			for field := range reflect.TypeOf(request).Fields() {
				if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
					sent = append(sent, name)
				}
			}
		}
		if api == provider.Messages {
			sent = append(sent, "thread") // of @anthropic-ai/sdk 1.12.0, of 2026-11-20
		}
		slices.Sort(sent)
		if known := conversation.Members(api); !slices.Equal(slices.Compact(sent), known) {
			t.Errorf("%s: the clients send %q, and known are %q", api, slices.Compact(sent), known)
		}
	}
}

// TestUnknownMembersAreWarnedOf sends a member that no source names.
func TestUnknownMembersAreWarnedOf(t *testing.T) {
	t.Parallel()
	url := emulated(t)
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"made_up":1}`,
		"/v1/responses":        `{"model":"gpt-4o","input":"hi","made_up":1}`,
		"/v1/messages":         `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"made_up":1}`,
	} {
		for _, known := range []bool{false, true} {
			sent := body
			if known {
				sent = strings.Replace(body, "made_up", "temperature", 1)
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, strings.NewReader(sent))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer any")
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			warning := answer.Header.Get(emulator.WarningHeader)
			if answer.StatusCode != http.StatusOK || known != (warning == "") || !known && warning != `no source names the member "/made_up"` {
				t.Errorf("%s: %d, warning %q", sent, answer.StatusCode, warning)
			}
		}
	}
}
