package live

import (
	"context"
	"errors"
	"net/http"

	"google.golang.org/genai"

	"toolproof/schema"
)

// google speaks generateContent of the Gemini API or of Vertex AI.
func google(ctx context.Context, options Options, client *http.Client) (api, error) {
	config := &genai.ClientConfig{
		Backend: genai.BackendGeminiAPI, APIKey: options.Key, HTTPClient: client,
		HTTPOptions: genai.HTTPOptions{BaseURL: options.BaseURL, RetryOptions: &genai.HTTPRetryOptions{Attempts: new(int32(1))}},
	}
	if options.Provider == "vertex" {
		config.Backend = genai.BackendVertexAI
		if options.Key == "" {
			config.Project, config.Location = options.Project, options.Location
			if err := config.UseDefaultCredentials(); err != nil {
				return api{}, errors.New("vertex: there are neither a key nor default credentials of Google Cloud\nhint: gcloud auth application-default login")
			}
		}
	}
	// What the constructor says of an error holds the configuration, and so the key.
	service, err := genai.NewClient(ctx, config)
	if err != nil {
		return api{}, errors.New("the client of google.golang.org/genai does not take the configuration\nhint: is a key set?")
	}
	return api{
		post: func(ctx context.Context, _ []byte) error {
			_, err := service.Models.GenerateContent(ctx, options.Model, genai.Text("hi"), nil)
			return err //nolint:wrapcheck // classify says what it means
		},
		isAnswer: func(err error) bool {
			_, ok := errors.AsType[genai.APIError](err)
			return ok
		},
		complete: func(body *schema.Node, _ string) {
			body.Set("toolConfig", object("functionCallingConfig", object("mode", schema.NewString("NONE"))))
			body.Set("generationConfig", object("maxOutputTokens", schema.NewInt(1)))
		},
		members: []string{"candidates", "promptFeedback", "usageMetadata"},
	}, nil
}

// object makes an object of one member.
func object(key string, value *schema.Node) *schema.Node {
	return schema.NewObject(schema.Member{Key: key, Value: value})
}
