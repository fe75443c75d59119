package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"toolproof/harness/live"
)

// ollama returns a client for Ollama's own API. The official client is in the module of
// the server, which contains the engine, so this one posts the body itself and reads an
// error or JSON.
func ollama(account live.Account, client *http.Client) caller {
	return caller{
		post: func(ctx context.Context, body []byte) error {
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, account.BaseURL+"/api/chat", bytes.NewReader(body))
			if err != nil {
				return fmt.Errorf("asking Ollama: %w", err)
			}
			request.Header.Set("Content-Type", "application/json")
			if account.Key != "" {
				request.Header.Set("Authorization", "Bearer "+account.Key)
			}
			response, err := client.Do(request)
			if err != nil {
				return err //nolint:wrapcheck // the reading says what it means
			}
			defer response.Body.Close() //nolint:errcheck // it was read
			var answer struct {
				Error *string `json:"error"`
			}
			if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
				return fmt.Errorf("reading the answer: %w", err)
			}
			if response.StatusCode/100 != 2 && answer.Error != nil {
				return errOllama
			}
			return nil
		},
		isAnswer: func(err error) bool { return errors.Is(err, errOllama) },
	}
}

var errOllama = errors.New("ollama answers with an error")
