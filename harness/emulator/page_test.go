package emulator_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"toolproof/harness/emulator"
)

// browse sends a request and returns the answer.
func browse(t *testing.T, method, url, accept, body string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", accept)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// TestPage shows the log to a browser, with what requests say as text; a client that asks for
// / gets what it always got.
func TestPage(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(emulator.New(emulator.Options{Keep: 10}))
	defer server.Close()
	const hostile = `{"model":"gpt-4o","messages":[{"role":"user","content":"</script><script>alert(1)</script>"}]}`
	browse(t, http.MethodPost, server.URL+"/v1/chat/completions", "", hostile)
	for _, path := range []string{"/", emulator.PagePath} {
		answer, text := browse(t, http.MethodGet, server.URL+path, "text/html,*/*", "")
		if answer.StatusCode != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s answers %d of %s", path, answer.StatusCode, answer.Header.Get("Content-Type"))
		}
		if !strings.Contains(text, "/v1/chat/completions") || strings.Contains(text, "<script>") || !strings.Contains(text, "&lt;script&gt;alert(1)") {
			t.Errorf("%s shows\n%s", path, text)
		}
		if policy := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") {
			t.Errorf("the policy of %s is %q", path, policy)
		}
	}
	if answer, text := browse(t, http.MethodGet, server.URL+"/", "application/json", ""); answer.StatusCode != http.StatusNotFound || strings.Contains(text, "<html") {
		t.Errorf("a client gets %d: %s", answer.StatusCode, text)
	}
	ollama := httptest.NewServer(emulator.New(emulator.Options{Keep: 10, Engine: "ollama"}))
	defer ollama.Close()
	if _, text := browse(t, http.MethodGet, ollama.URL+"/", "text/html", ""); text != "Ollama is running" {
		t.Errorf("ollama says %q", text)
	}
}
