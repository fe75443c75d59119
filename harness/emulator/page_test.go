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

// browsed is an answer, read to its end.
type browsed struct {
	status       int
	kind, policy string
	text         string
}

// browse sends a request and returns the answer.
func browse(t *testing.T, method, url, accept, body string) browsed {
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
	text, err := io.ReadAll(answer.Body)
	if closed := answer.Body.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	return browsed{answer.StatusCode, answer.Header.Get("Content-Type"), answer.Header.Get("Content-Security-Policy"), string(text)}
}

// TestPage reads the page as a browser, to which texts from requests are data. A client that
// requests / gets the same answer as ever.
func TestPage(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(emulator.New(emulator.Options{Keep: 10}))
	defer server.Close()
	const hostile = `{"model":"gpt-4o","messages":[{"role":"user","content":"</script><script>alert(1)</script>"}]}`
	browse(t, http.MethodPost, server.URL+"/v1/chat/completions", "", hostile)
	for _, path := range []string{"/", emulator.PagePath} {
		answer := browse(t, http.MethodGet, server.URL+path, "text/html,*/*", "")
		text := answer.text
		if answer.status != http.StatusOK || !strings.HasPrefix(answer.kind, "text/html") {
			t.Errorf("%s answers %d of %s", path, answer.status, answer.kind)
		}
		if !strings.Contains(text, "/v1/chat/completions") || strings.Contains(text, "<script>") || !strings.Contains(text, "&lt;script&gt;alert(1)") {
			t.Errorf("%s shows\n%s", path, text)
		}
		if !strings.HasPrefix(answer.policy, "default-src 'none'; style-src 'sha256-") {
			t.Errorf("the policy of %s is %q", path, answer.policy)
		}
	}
	if answer := browse(t, http.MethodGet, server.URL+"/", "application/json", ""); answer.status != http.StatusNotFound || strings.Contains(answer.text, "<html") {
		t.Errorf("a client gets %d: %s", answer.status, answer.text)
	}
	ollama := httptest.NewServer(emulator.New(emulator.Options{Keep: 10, Engine: "ollama"}))
	defer ollama.Close()
	if answer := browse(t, http.MethodGet, ollama.URL+"/", "text/html", ""); answer.text != "Ollama is running" {
		t.Errorf("ollama says %q", answer.text)
	}
}

// TestRequestsAreNotPublic checks that kept requests are not served under a public host name.
func TestRequestsAreNotPublic(t *testing.T) {
	t.Parallel()
	server := emulator.New(emulator.Options{Keep: 10})
	for host, want := range map[string]int{
		"127.0.0.1:80": http.StatusOK, "[::1]:80": http.StatusOK, "localhost": http.StatusOK, "emulator:8080": http.StatusOK, "host.docker.internal:80": http.StatusOK,
		"evil.example": http.StatusForbidden, "evil.example:80": http.StatusForbidden,
	} {
		for _, path := range []string{"/", emulator.PagePath, emulator.LogPath} {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			request.Host = host
			request.Header.Set("Accept", "text/html")
			writer := httptest.NewRecorder()
			server.ServeHTTP(writer, request)
			if writer.Code != want {
				t.Errorf("%s of %s: %d, expected %d", path, host, writer.Code, want)
			}
		}
	}
}
