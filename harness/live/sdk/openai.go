package sdk

import (
	"context"
	"errors"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"toolproof/harness/live"
)

// openAI returns the official client for the API below the account's path.
func openAI(account live.Account, client *http.Client) openai.Client {
	settings := []option.RequestOption{
		option.WithHTTPClient(client), option.WithMaxRetries(0), option.WithAPIKey(account.Key), option.WithBaseURL(account.BaseURL + account.Path),
	}
	if account.Key == "" {
		settings = append(settings, option.WithHeaderDel("Authorization"))
	}
	return openai.NewClient(settings...)
}

func isOpenAIAnswer(err error) bool {
	_, ok := errors.AsType[*openai.Error](err)
	return ok
}

// chat returns the client for Chat Completions.
func chat(account live.Account, client *http.Client) caller {
	service := openAI(account, client)
	return caller{
		post: func(ctx context.Context, body []byte) error {
			_, err := service.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{}, option.WithRequestBody("application/json", body))
			return err //nolint:wrapcheck // the reading says what it means
		},
		isAnswer: isOpenAIAnswer,
	}
}

// responsesOf returns the client for Responses.
func responsesOf(account live.Account, client *http.Client) caller {
	service := openAI(account, client)
	return caller{
		post: func(ctx context.Context, body []byte) error {
			_, err := service.Responses.New(ctx, responses.ResponseNewParams{}, option.WithRequestBody("application/json", body))
			return err //nolint:wrapcheck // the reading says what it means
		},
		isAnswer: isOpenAIAnswer,
	}
}
