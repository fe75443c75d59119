package main

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

func askAnthropic(ctx context.Context, s *session) (string, error) {
	const most, budget = 4096, 1024
	client := anthropic.NewClient(option.WithBaseURL(s.url), option.WithAPIKey("any"), option.WithMaxRetries(s.Retries))
	request := anthropic.MessageNewParams{
		Model: s.Model, MaxTokens: most, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(s.Prompt))},
	}
	for _, tool := range s.Tools {
		request.Tools = append(request.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name: tool.Name, Description: anthropic.String(tool.Description), InputSchema: anthropic.ToolInputSchemaParam{Properties: tool.Parameters["properties"]},
		}})
	}
	if s.Thinks {
		request.Thinking = anthropic.ThinkingConfigParamOfEnabled(budget)
	}
	if s.Format != nil {
		request.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: s.Format}
	}
	for {
		answer, err := message(ctx, s, &client, request)
		if err != nil {
			return "", err
		}
		if answer.StopReason == anthropic.StopReasonRefusal {
			return "", errors.New("the model refuses")
		}
		var results []anthropic.ContentBlockParamUnion
		var text strings.Builder
		for _, block := range answer.Content {
			text.WriteString(block.Text)
			if block.Type != "tool_use" {
				continue
			}
			tool, err := s.calledText(block.Name, string(block.Input))
			if err != nil {
				return "", err
			}
			result := anthropic.NewToolResultBlock(block.ID, tool.Result, tool.IsError)
			if tool.Image != nil {
				picture := anthropic.NewImageBlockBase64(tool.Image.Type, base64.StdEncoding.EncodeToString(tool.Image.Data))
				result.OfToolResult.Content = []anthropic.ToolResultBlockParamContentUnion{{OfImage: picture.OfImage}}
			}
			results = append(results, result)
		}
		if len(results) == 0 {
			return text.String(), nil
		}
		request.Messages = append(request.Messages, answer.ToParam(), anthropic.NewUserMessage(results...))
	}
}

func message(ctx context.Context, s *session, client *anthropic.Client, request anthropic.MessageNewParams) (*anthropic.Message, error) {
	if !s.IsStream {
		return client.Messages.New(ctx, request) //nolint:wrapcheck // the client's own error is what the user sees
	}
	stream := client.Messages.NewStreaming(ctx, request)
	var answer anthropic.Message
	for stream.Next() {
		if err := answer.Accumulate(stream.Current()); err != nil {
			return nil, err //nolint:wrapcheck // the client's own error is what the user sees
		}
	}
	return &answer, stream.Err() //nolint:wrapcheck // the client's own error is what the user sees
}
