package sdk

import (
	"context"
	"errors"
	"net/http"

	"google.golang.org/genai"

	"toolproof/harness/live"
)

// google returns the client for generateContent of the Gemini API or Vertex AI.
func google(ctx context.Context, account live.Account, client *http.Client) (live.Caller, error) {
	config := &genai.ClientConfig{
		Backend: genai.BackendGeminiAPI, APIKey: account.Key, HTTPClient: client,
		HTTPOptions: genai.HTTPOptions{BaseURL: account.BaseURL, RetryOptions: &genai.HTTPRetryOptions{Attempts: new(int32(1))}},
	}
	if account.Provider == "vertex" {
		config.Backend = genai.BackendVertexAI
		if account.Key == "" {
			config.Project, config.Location = account.Project, account.Location
			if err := config.UseDefaultCredentials(); err != nil {
				return nil, errors.New("vertex: there are neither a key nor default credentials of Google Cloud\nhint: gcloud auth application-default login")
			}
		}
	}
	// The error of the constructor contains the configuration, and so the key.
	service, err := genai.NewClient(ctx, config)
	if err != nil {
		return nil, errors.New("the client of google.golang.org/genai does not take the configuration\nhint: is a key set?")
	}
	return caller{
		post: func(ctx context.Context, _ []byte) error {
			_, err := service.Models.GenerateContent(ctx, account.Model, genai.Text("hi"), nil)
			return err //nolint:wrapcheck // the reading says what it means
		},
		isAnswer: func(err error) bool {
			_, ok := errors.AsType[genai.APIError](err)
			return ok
		},
	}, nil
}
