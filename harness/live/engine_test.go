package live_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"toolproof/harness/emulator"
	"toolproof/harness/live"
	"toolproof/harness/live/sdk"
	"toolproof/harness/provider"
	"toolproof/schema"
)

func providerNamed(t *testing.T, name string) live.Provider {
	t.Helper()
	known, err := live.ProviderNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// TestEngines asks each engine's server what it is, and about each of its surfaces,
// without a key.
func TestEngines(t *testing.T) {
	t.Parallel()
	for _, engine := range emulator.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			known, root := providerNamed(t, engine), serveAs(t, engine, nil).URL
			found, ok := live.Recognize(t.Context(), live.Options{BaseURL: root})
			if !ok || found.Name != engine {
				t.Errorf("the server is taken for %q", found.Name)
			}
			server, err := known.Ask(t.Context(), live.Options{BaseURL: root})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range surfacesOf(known) {
				dialect := dialectNamed(t, name)
				if newest := dialect.VersionOn(provider.Today()).Name; server.Version != newest {
					t.Errorf("%s: the server says release %q, want %q", name, server.Version, newest)
				}
				client := clientFor(t, live.Options{Provider: engine, BaseURL: root, Model: server.Model, Version: server.Version, Clients: sdk.Clients{}}, name)
				questions := []live.Question{
					{Declarations: dialect.Encode([]schema.Tool{tool(t, "f", good)}).Declarations},
					{Declarations: dialect.Encode([]schema.Tool{tool(t, "g", dialect.Control)}).Declarations},
				}
				if lost := check(t, client, questions, map[int]bool{1: true}, false); lost > 0 {
					t.Errorf("%s: nothing was learnt about %d", name, lost)
				}
			}
		})
	}
}

// unmarked serves an engine as a real server does: without the emulator's mark.
func unmarked(t *testing.T, engine string, asOf provider.Date) string {
	t.Helper()
	behind := emulator.New(emulator.Options{Engine: engine, AsOf: asOf})
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		behind.ServeHTTP(unmarking{writer}, request)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

type unmarking struct{ http.ResponseWriter }

func (u unmarking) WriteHeader(status int) {
	u.Header().Del(provider.EmulatorHeader)
	u.ResponseWriter.WriteHeader(status)
}

// TestEvidenceOfEngines: an answer counts for the release of the server, on the day of
// that release. For an unknown release it counts for today, and an answer of the emulator
// does not count.
func TestEvidenceOfEngines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, version string
		emulated      bool
		grade         provider.Grade
		date          provider.Date
		source        string
	}{
		{"known", "0.13.5", false, provider.Live, "2025-12-18", "ollama 0.13.5"},
		{"unknown", "99.0", false, provider.Live, provider.Today(), "ollama 99.0"},
		{"without", "", false, provider.Live, provider.Today(), "ollama"},
		{"emulated", "0.13.5", true, provider.Predicted, provider.Today(), "emulator"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := unmarked(t, "ollama", "")
			if test.emulated {
				root = serveAs(t, "ollama", nil).URL
			}
			dialect := dialectNamed(t, "ollama/chat")
			var kept live.Exchange
			options := quick("ollama", root)
			options.Version, options.Record = test.version, func(exchange live.Exchange) error {
				kept = exchange
				return nil
			}
			questions := []live.Question{{Declarations: dialect.Encode([]schema.Tool{tool(t, "f", good)}).Declarations}}
			check(t, clientFor(t, options, dialect.Name), questions, nil, false)
			answer := kept.Response
			if kept.Emulated != test.emulated || answer.Evidence != test.grade || answer.Date != test.date || answer.Source != test.source {
				t.Errorf("emulated %t: %s of %s from %q", kept.Emulated, answer.Evidence, answer.Date, answer.Source)
			}
		})
	}
}

// TestAsk: what a server reports about itself, or why it cannot be asked.
func TestAsk(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, engine    string
		pages           map[string]string // by path; others are not found
		version, models string
		err             string
	}{
		{"ollama", "ollama", map[string]string{"/api/version": `{"version":"0.17.4"}`, "/api/tags": `{"models":[{"name":"a:1b"},{"name":"b"}]}`}, "0.17.4", "a:1b", ""},
		{"no model", "ollama", map[string]string{"/api/version": `{"version":"0.17.4"}`, "/api/tags": `{"models":[]}`}, "", "", "lists no model at /api/tags\nhint: load one, or name it with --model"},
		{"models of another form", "ollama", map[string]string{"/api/version": `{"version":"0.17.4"}`, "/api/tags": `{"models":{"name":1}}`}, "", "", "lists no model"},
		{"a build", "llamacpp", map[string]string{"/props": `{"default_generation_settings":{},"build_info":"b7188-7c6980ae"}`, "/v1/models": `{"data":[{"id":"m.gguf"}]}`}, "b7188 (7c6980ae)", "m.gguf", ""},
		{"an early build", "llamacpp", map[string]string{"/props": `{"default_generation_settings":{}}`, "/v1/models": `{"data":[{"id":"m.gguf"}]}`}, "", "m.gguf", ""},
		{"a local version", "vllm", map[string]string{"/version": `{"version":"0.13.0+cu128"}`, "/v1/models": `{"data":[{"id":"m"}]}`}, "0.13.0", "m", ""},
		{"another server", "vllm", map[string]string{"/version": `{"release":1}`}, "", "", "is not vLLM: /version says no release"},
		{"no such page", "llamacpp", nil, "", "", "/props: the answer has the status 404\nhint: is the server llama.cpp?"},
		{"not JSON", "ollama", map[string]string{"/api/version": "<html>"}, "", "", "is not Ollama"},
		{"a version that is a text", "ollama", map[string]string{"/api/version": `{"version":"` + strings.Repeat("x", 1000) + `"}`}, "", "", "says no release"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
				page, ok := test.pages[request.URL.Path]
				if !ok {
					http.NotFound(writer, request)
				}
				_, _ = writer.Write([]byte(page))
			}))
			t.Cleanup(server.Close)
			got, err := providerNamed(t, test.engine).Ask(t.Context(), live.Options{BaseURL: server.URL})
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("%v, want %q", err, test.err)
				}
				return
			}
			if err != nil || got.Version != test.version || got.Model != test.models {
				t.Errorf("%q %q %v", got.Version, got.Model, err)
			}
		})
	}
}

// TestNobodyThere: the error says what to do, and a server elsewhere is not asked without
// encryption.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	known := providerNamed(t, "ollama")
	_, err := known.Ask(t.Context(), live.Options{BaseURL: server.URL})
	if want := "no server answers at " + server.URL + ": start it, or give --base-url"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err = known.Ask(t.Context(), live.Options{BaseURL: "http://192.0.2.1"}); err == nil || !strings.Contains(err.Error(), live.ErrReadable.Error()) {
		t.Errorf("%v", err)
	}
	if found, ok := live.Recognize(t.Context(), live.Options{BaseURL: server.URL}); ok {
		t.Errorf("nobody is taken for %s", found.Name)
	}
	// Others have one of Ollama's paths, as has the emulator in the role of a provider.
	if found, ok := live.Recognize(t.Context(), live.Options{BaseURL: serve(t, nil).URL}); ok {
		t.Errorf("the emulator is taken for %s", found.Name)
	}
}
