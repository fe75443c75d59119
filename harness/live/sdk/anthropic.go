package sdk

import (
	"context"
	"errors"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"toolproof/harness/live"
)

// messages returns the client for Anthropic's Messages.
func messages(account live.Account, client *http.Client) caller {
	settings := []option.RequestOption{
		option.WithHTTPClient(client), option.WithMaxRetries(0), option.WithAPIKey(account.Key), option.WithBaseURL(account.BaseURL),
	}
	service := anthropic.NewClient(settings...)
	return caller{
		post: func(ctx context.Context, body []byte) error {
			_, err := service.Messages.New(ctx, anthropic.MessageNewParams{MaxTokens: 1}, option.WithRequestBody("application/json", body))
			return err //nolint:wrapcheck // the reading says what it means
		},
		isAnswer: func(err error) bool {
			_, ok := errors.AsType[*anthropic.Error](err)
			return ok
		},
	}
}
