package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

func askOpenAI(ctx context.Context, s *session) (string, error) {
	client := openai.NewClient(option.WithBaseURL(s.url+"/v1"), option.WithAPIKey("any"), option.WithMaxRetries(s.Retries))
	if s.API == "responses" {
		return askResponses(ctx, s, &client)
	}
	return askChat(ctx, s, &client)
}

func askChat(ctx context.Context, s *session, client *openai.Client) (string, error) {
	request := openai.ChatCompletionNewParams{Model: s.Model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(s.Prompt)}}
	for _, tool := range s.Tools {
		request.Tools = append(request.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: tool.Name, Description: openai.String(tool.Description), Parameters: tool.Parameters,
		}))
	}
	if s.Format != nil {
		request.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "answer", Schema: s.Format, Strict: openai.Bool(true)},
		}
	}
	for {
		answer, err := chatAnswer(ctx, s, client, request)
		if err != nil {
			return "", err
		}
		if len(answer.Choices) == 0 {
			return "", errors.New("the answer has no choice")
		}
		message := answer.Choices[0].Message
		if len(message.ToolCalls) == 0 {
			return message.Content + message.Refusal, nil
		}
		request.Messages = append(request.Messages, message.ToParam())
		for _, call := range message.ToolCalls {
			tool, err := s.calledText(call.Function.Name, call.Function.Arguments)
			if err != nil {
				return "", err
			}
			request.Messages = append(request.Messages, openai.ToolMessage(tool.Result, call.ID))
		}
	}
}

func chatAnswer(ctx context.Context, s *session, client *openai.Client, request openai.ChatCompletionNewParams) (*openai.ChatCompletion, error) {
	if !s.IsStream {
		return client.Chat.Completions.New(ctx, request) //nolint:wrapcheck // the client's own error is what the user sees
	}
	stream := client.Chat.Completions.NewStreaming(ctx, request)
	var answer openai.ChatCompletionAccumulator
	for stream.Next() {
		if !answer.AddChunk(stream.Current()) {
			return nil, errors.New("a chunk does not fit the others")
		}
	}
	return &answer.ChatCompletion, stream.Err() //nolint:wrapcheck // the client's own error is what the user sees
}

func askResponses(ctx context.Context, s *session, client *openai.Client) (string, error) {
	request := responses.ResponseNewParams{Model: s.Model, Input: responses.ResponseNewParamsInputUnion{
		OfInputItemList: responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(s.Prompt, responses.EasyInputMessageRoleUser)},
	}}
	for _, tool := range s.Tools {
		request.Tools = append(request.Tools, responses.ToolParamOfFunction(tool.Name, tool.Parameters, false))
	}
	if s.Format != nil {
		request.Text.Format = responses.ResponseFormatTextConfigParamOfJSONSchema("answer", s.Format)
	}
	if s.Thinks {
		request.Reasoning = shared.ReasoningParam{Summary: shared.ReasoningSummaryAuto}
	}
	for {
		answer, err := response(ctx, s, client, request)
		if err != nil {
			return "", err
		}
		var results responses.ResponseInputParam
		var refusal strings.Builder
		for _, item := range answer.Output {
			for _, content := range item.Content {
				refusal.WriteString(content.Refusal)
			}
			// What came goes back as it came.
			request.Input.OfInputItemList = append(request.Input.OfInputItemList, param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
			if item.Type != "function_call" {
				continue
			}
			tool, err := s.calledText(item.Name, item.Arguments.OfString)
			if err != nil {
				return "", err
			}
			results = append(results, returned(item.CallID, &tool))
		}
		if len(results) == 0 {
			return answer.OutputText() + refusal.String(), nil
		}
		request.Input.OfInputItemList = append(request.Input.OfInputItemList, results...)
	}
}

func returned(id string, tool *tool) responses.ResponseInputItemUnionParam {
	if tool.Image == nil {
		return output(id, tool.Result)
	}
	address := "data:" + tool.Image.Type + ";base64," + base64.StdEncoding.EncodeToString(tool.Image.Data)
	return output(id, responses.ResponseFunctionCallOutputItemListParam{
		{OfInputImage: &responses.ResponseInputImageContentParam{ImageURL: openai.String(address)}},
	})
}

func response(ctx context.Context, s *session, client *openai.Client, request responses.ResponseNewParams) (*responses.Response, error) {
	if !s.IsStream {
		return client.Responses.New(ctx, request) //nolint:wrapcheck // the client's own error is what the user sees
	}
	stream := client.Responses.NewStreaming(ctx, request)
	var answer *responses.Response
	for stream.Next() {
		switch event := stream.Current(); event.Type {
		case "response.completed":
			answer = &event.Response
		case "error", "response.failed":
			return nil, errors.New("the stream has an error: " + event.Message)
		}
	}
	if err := stream.Err(); err != nil || answer != nil {
		return answer, err //nolint:wrapcheck // the client's own error is what the user sees
	}
	return nil, errors.New("the stream ended early")
}

func output[T string | responses.ResponseFunctionCallOutputItemListParam](id string, result T) responses.ResponseInputItemUnionParam {
	item := responses.ResponseInputItemParamOfFunctionCallOutput(result)
	item.OfFunctionCallOutput.CallID = openai.String(id)
	return item
}
