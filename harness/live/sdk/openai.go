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

// openAI returns the client for the API below the account's path.
func openAI(account live.Account, client *http.Client) openai.Client {
	given := []option.RequestOption{option.WithHTTPClient(client), option.WithMaxRetries(0), option.WithAPIKey(account.Key)}
	switch {
	case account.BaseURL != "":
		given = append(given, option.WithBaseURL(account.BaseURL+account.Path))
	case account.Provider == "gemini":
		given = append(given, option.WithBaseURL("https://generativelanguage.googleapis.com"+account.Path))
	}
	if account.Key == "" {
		given = append(given, option.WithHeaderDel("Authorization"))
	}
	return openai.NewClient(given...)
}

func isOpenAIAnswer(err error) bool {
	_, ok := errors.AsType[*openai.Error](err)
	return ok
}

// chat speaks Chat Completions.
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

// responsesOf speaks Responses.
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
