package main

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/genai"
)

func askGoogle(ctx context.Context, s *session) (string, error) {
	options := genai.HTTPOptions{BaseURL: s.url}
	if s.Retries > 0 {
		options.RetryOptions = &genai.HTTPRetryOptions{Attempts: new(int32(s.Retries + 1))} //nolint:gosec // it is small
	}
	client, err := genai.NewClient(ctx, &genai.ClientConfig{Backend: genai.BackendGeminiAPI, APIKey: "any", HTTPOptions: options})
	if err != nil {
		return "", err //nolint:wrapcheck // the client's own error is what the user sees
	}
	config := &genai.GenerateContentConfig{}
	for _, tool := range s.Tools {
		declared := &genai.FunctionDeclaration{Name: tool.Name, Description: tool.Description, ParametersJsonSchema: tool.Parameters}
		config.Tools = append(config.Tools, &genai.Tool{FunctionDeclarations: []*genai.FunctionDeclaration{declared}})
	}
	if s.Thinks {
		config.ThinkingConfig = &genai.ThinkingConfig{IncludeThoughts: true}
	}
	if s.Format != nil {
		config.ResponseMIMEType, config.ResponseJsonSchema = "application/json", s.Format
	}
	contents := genai.Text(s.Prompt)
	for {
		parts, reason, err := content(ctx, s, client, contents, config)
		if err != nil {
			return "", err
		}
		var results []*genai.Part
		var text strings.Builder
		for _, part := range parts {
			if part.FunctionCall == nil && !part.Thought {
				text.WriteString(part.Text)
			}
			if part.FunctionCall != nil {
				arguments := part.FunctionCall.Args
				if arguments == nil {
					arguments = map[string]any{}
				}
				results = append(results, answered(part.FunctionCall, s.called(part.FunctionCall.Name, arguments)))
			}
		}
		switch {
		case len(results) == 0 && reason != genai.FinishReasonStop:
			return "", fmt.Errorf("the answer ends with %q", reason)
		case len(results) == 0:
			return text.String(), nil
		}
		contents = append(contents, genai.NewContentFromParts(parts, genai.RoleModel), genai.NewContentFromParts(results, genai.RoleUser))
	}
}

func answered(call *genai.FunctionCall, tool tool) *genai.Part {
	response := &genai.FunctionResponse{ID: call.ID, Name: call.Name, Response: map[string]any{"output": tool.Result}}
	switch {
	case tool.IsError:
		response.Response = map[string]any{"error": tool.Result}
	case tool.Image != nil:
		response.Response = map[string]any{}
		response.Parts = []*genai.FunctionResponsePart{genai.NewFunctionResponsePartFromBytes(tool.Image.Data, tool.Image.Type)}
	}
	return &genai.Part{FunctionResponse: response}
}

func content(
	ctx context.Context, s *session, client *genai.Client, contents []*genai.Content, config *genai.GenerateContentConfig,
) (parts []*genai.Part, reason genai.FinishReason, err error) {
	add := func(answer *genai.GenerateContentResponse) {
		for _, candidate := range answer.Candidates {
			reason = candidate.FinishReason
			if candidate.Content != nil {
				parts = append(parts, candidate.Content.Parts...)
			}
		}
	}
	if !s.IsStream {
		answer, err := client.Models.GenerateContent(ctx, s.Model, contents, config)
		if err != nil {
			return nil, "", err //nolint:wrapcheck // the client's own error is what the user sees
		}
		add(answer)
		return parts, reason, nil
	}
	for answer, err := range client.Models.GenerateContentStream(ctx, s.Model, contents, config) {
		if err != nil {
			return nil, "", err
		}
		add(answer)
	}
	return parts, reason, nil
}
