package live_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolproof/harness/live"
	"toolproof/harness/live/sdk"
	"toolproof/schema"
)

// hosts is a transport that keeps the roots of the addresses that are asked, and answers for nobody.
type hosts struct {
	mutex sync.Mutex
	asked []string
}

func (h *hosts) RoundTrip(request *http.Request) (*http.Response, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.asked = append(h.asked, request.URL.Scheme+"://"+request.URL.Host)
	return nil, errors.New("nobody answers")
}

// TestBaseURLIsOurs checks that no variable of the environment takes a key to another host.
func TestBaseURLIsOurs(t *testing.T) {
	for _, name := range []string{
		"GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_BASE_URL", "OLLAMA_HOST",
	} {
		t.Setenv(name, "https://elsewhere.example")
	}
	for _, test := range []struct{ provider, want string }{
		{"gemini", "https://generativelanguage.googleapis.com"},
		{"vertex", "https://aiplatform.googleapis.com"},
		{"openai", "https://api.openai.com"},
		{"anthropic", "https://api.anthropic.com"},
		{"ollama", "http://127.0.0.1:11434"},
	} {
		for _, dialect := range surfacesOf(providerNamed(t, test.provider)) {
			asked := &hosts{}
			options := quick(test.provider, "")
			options.Clients = sdk.Clients{Transport: asked}
			_, err := clientFor(t, options, dialect).Send(t.Context(), dialectNamed(t, dialect).Encode([]schema.Tool{{Name: "f", Parameters: schema.NewObject()}}))
			if err == nil || len(asked.asked) == 0 || slices.ContainsFunc(asked.asked, func(root string) bool { return root != test.want }) {
				t.Errorf("%s: %q were asked, want %s: %v", dialect, asked.asked, test.want, err)
			}
		}
	}
}

// TestRelayed checks that only a provider's own host gives evidence, and that an exchange names the
// host.
func TestRelayed(t *testing.T) {
	t.Parallel()
	refusing := serve(t, func(writer http.ResponseWriter, _ *http.Request, body []byte) bool {
		if strings.Contains(string(body), `"tool_choice":"none"`) && !strings.Contains(string(body), live.ControlName) {
			writer.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(writer, `{"error":{"message":"Invalid schema for function 'f': no.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`)
			return true
		}
		return false
	})
	options := quick("openai", refusing.URL)
	var kept []live.Exchange
	options.Record = func(exchange live.Exchange) error {
		kept = append(kept, exchange)
		return nil
	}
	question := live.Question{Declarations: dialectNamed(t, "openai/chat").Encode([]schema.Tool{{Name: "f", Parameters: schema.NewObject()}}).Declarations}
	if err := clientFor(t, options, "openai/chat").Judge(t.Context(), []live.Question{question}, func(int, live.Outcome) {}); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(kept, func(exchange live.Exchange) bool { return !exchange.Emulated }) {
		t.Fatalf("nothing is recorded: %+v", kept)
	}
	for _, exchange := range kept {
		if !exchange.Relayed || exchange.Host != "127.0.0.1" {
			t.Errorf("%s: relayed %t", exchange.Host, exchange.Relayed)
		}
	}
}
