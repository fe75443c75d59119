package live_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"
)

// TestClientsReadLimits checks that the official clients read that an answer ended early, with the headers of
// OpenAI and Anthropic.
func TestClientsReadLimits(t *testing.T) {
	t.Parallel()
	base := emulated(t)
	chat := openAIClient(base)
	var header *http.Response
	completion, err := chat.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model: "gpt-4o", MaxTokens: openai.Int(1), Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
	}, option.WithResponseInto(&header))
	if err != nil || completion.Choices[0].FinishReason != "length" || header.Header.Get("X-Request-ID") == "" || header.Header.Get("X-Ratelimit-Remaining-Requests") == "" {
		t.Errorf("chat: %v, %v", completion, err)
	}
	response, err := chat.Responses.New(t.Context(), responses.ResponseNewParams{
		Model: "gpt-5", MaxOutputTokens: openai.Int(1), Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("hi")},
	})
	if err != nil || response.Status != responses.ResponseStatusIncomplete || response.IncompleteDetails.Reason != "max_output_tokens" {
		t.Errorf("responses: %v, %v", response, err)
	}
	_, err = chat.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model: "o3", MaxTokens: openai.Int(1), Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
	})
	if refused := (*openai.Error)(nil); !errors.As(err, &refused) || refused.Code != "unsupported_parameter" || refused.Param != "max_tokens" {
		t.Errorf("max_tokens on o3: %v", err)
	}
	claude := anthropic.NewClient(anthropicoption.WithBaseURL(base), anthropicoption.WithAPIKey("any"))
	request := anthropic.MessageNewParams{
		Model: "claude-sonnet-5", MaxTokens: 3, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: "f", InputSchema: anthropic.ToolInputSchemaParam{Properties: map[string]any{"city": map[string]any{"const": "Reykjavik"}}, Required: []string{"city"}},
		}}},
	}
	whole, err := claude.Messages.New(t.Context(), request)
	if err != nil || whole.StopReason != anthropic.StopReasonMaxTokens || whole.Content[0].Name != "f" {
		t.Errorf("messages: %v, %v", whole, err)
	}
	_, err = claude.Messages.New(t.Context(), anthropic.MessageNewParams{Model: "claude-sonnet-5", MaxTokens: 9})
	if refused := (*anthropic.Error)(nil); !errors.As(err, &refused) || len(refused.RequestID) != len("req_011C00000000000000000000") {
		t.Errorf("the identifier: %v", err)
	}
	for _, version := range []string{"v1", "v1beta"} {
		google, err := genai.NewClient(t.Context(), &genai.ClientConfig{APIKey: "any", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: base, APIVersion: version}})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := google.Models.GenerateContent(t.Context(), "gemini-2.5-flash", genai.Text("hi"), &genai.GenerateContentConfig{MaxOutputTokens: 1})
		if err != nil || answer.Candidates[0].FinishReason != genai.FinishReasonMaxTokens {
			t.Errorf("gemini %s: %v, %v", version, answer, err)
		}
	}
}
