package live

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"toolproof/schema"
)

// messages speaks Anthropic's Messages.
func messages(options Options, client *http.Client) api {
	const own = "https://api.anthropic.com" // and not what the client finds in the environment
	given := []option.RequestOption{
		option.WithHTTPClient(client), option.WithMaxRetries(0), option.WithAPIKey(options.Key), option.WithBaseURL(cmp.Or(options.BaseURL, own)),
	}
	service := anthropic.NewClient(given...)
	return api{
		post: func(ctx context.Context, body []byte) error {
			_, err := service.Messages.New(ctx, anthropic.MessageNewParams{MaxTokens: 1}, option.WithRequestBody("application/json", body))
			return err //nolint:wrapcheck // classify says what it means
		},
		isAnswer: func(err error) bool {
			_, ok := errors.AsType[*anthropic.Error](err)
			return ok
		},
		complete: func(body *schema.Node, model string) {
			body.Set("model", schema.NewString(model))
			body.Set("max_tokens", schema.NewInt(1))
			body.Set("tool_choice", object("type", schema.NewString("none")))
		},
		members: []string{"content"},
	}
}
