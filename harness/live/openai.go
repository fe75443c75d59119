package live

import (
	"context"
	"errors"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"toolproof/schema"
)

// openAI returns the client for the API below a path such as /v1/.
func openAI(options Options, client *http.Client, path string) openai.Client {
	given := []option.RequestOption{option.WithHTTPClient(client), option.WithMaxRetries(0), option.WithAPIKey(options.Key)}
	switch {
	case options.BaseURL != "":
		given = append(given, option.WithBaseURL(options.BaseURL+path))
	case options.Provider == "gemini":
		given = append(given, option.WithBaseURL("https://generativelanguage.googleapis.com"+path))
	default: // and not what the client finds in the environment
		given = append(given, option.WithBaseURL("https://api.openai.com"+path))
	}
	if options.Key == "" {
		given = append(given, option.WithHeaderDel("Authorization"))
	}
	return openai.NewClient(given...)
}

func isOpenAIAnswer(err error) bool {
	_, ok := errors.AsType[*openai.Error](err)
	return ok
}

// least is how many tokens an answer of OpenAI has at least where it is limited.
const least = 16

// chat speaks Chat Completions.
func chat(options Options, client *http.Client, path string) api {
	service := openAI(options, client, path)
	limit := "max_completion_tokens"
	if options.Provider != "openai" {
		limit = "max_tokens" // the older name, which every server knows
	}
	return api{
		post: func(ctx context.Context, body []byte) error {
			_, err := service.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{}, option.WithRequestBody("application/json", body))
			return err //nolint:wrapcheck // classify says what it means
		},
		isAnswer: isOpenAIAnswer,
		complete: func(body *schema.Node, model string) {
			body.Set("model", schema.NewString(model))
			body.Set("tool_choice", schema.NewString("none"))
			body.Set(limit, schema.NewInt(least))
		},
		members: []string{"choices"},
	}
}

// responsesOf speaks Responses.
func responsesOf(options Options, client *http.Client) api {
	service := openAI(options, client, "/v1/")
	return api{
		post: func(ctx context.Context, body []byte) error {
			_, err := service.Responses.New(ctx, responses.ResponseNewParams{}, option.WithRequestBody("application/json", body))
			return err //nolint:wrapcheck // classify says what it means
		},
		isAnswer: isOpenAIAnswer,
		complete: func(body *schema.Node, model string) {
			body.Set("model", schema.NewString(model))
			body.Set("tool_choice", schema.NewString("none"))
			body.Set("max_output_tokens", schema.NewInt(least))
			body.Set("store", schema.NewBool(false))
		},
		members: []string{"output"},
	}
}
