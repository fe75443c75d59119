package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
)

// Engine is software that users run themselves. Its server needs no key, and reports its
// release.
type Engine struct {
	// Title is the name as its authors write it.
	Title string
	// baseURL is where its server listens by default.
	baseURL string

	// release is the path at which the server reports its release, and read reads the
	// answer.
	release string
	read    func(body []byte) (version string, ok bool)
	// models is the path of the list of models, list the member that has them, and name
	// the member with the name of each.
	models, list, name string
	// mark is a path whose answer matches words, on no other software's server.
	mark  string
	words *lazy.Regexp
}

var ollama = Engine{
	Title: "Ollama", baseURL: "http://127.0.0.1:11434",
	release: "/api/version", read: versionIn, models: "/api/tags", list: "models", name: "name",
	mark: "/", words: lazy.Compile(`^Ollama is running`), // others have its paths
}

var llamaCPP = Engine{
	Title: "llama.cpp", baseURL: "http://127.0.0.1:8080",
	release: "/props", read: buildIn, models: "/v1/models", list: "data", name: "id",
	mark: "/props", words: lazy.Compile(`"default_generation_settings"\s*:`),
}

var vllm = Engine{
	Title: "vLLM", baseURL: "http://127.0.0.1:8000",
	release: "/version", read: versionIn, models: "/v1/models", list: "data", name: "id",
	mark: "/v1/models", words: lazy.Compile(`"owned_by"\s*:\s*"vllm"`),
}

// versionIn reads {"version": "0.17.4"}, without what a build adds after a plus.
func versionIn(body []byte) (version string, ok bool) {
	var said struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(body, &said) != nil || said.Version == "" {
		return "", false
	}
	version, _, _ = strings.Cut(said.Version, "+")
	return version, true
}

var build = lazy.Compile(`^(b\d+)-([0-9a-f]+)$`)

// buildIn reads the number and the commit of a build of llama.cpp. Early builds report
// none.
func buildIn(body []byte) (version string, ok bool) {
	var said struct {
		Settings json.RawMessage `json:"default_generation_settings"`
		Build    string          `json:"build_info"`
	}
	if json.Unmarshal(body, &said) != nil || said.Settings == nil {
		return "", false
	}
	if parts := build.FindStringSubmatch(said.Build); parts != nil {
		return parts[1] + " (" + parts[2] + ")", true
	}
	return said.Build, true
}

// plainVersion matches a version that may be written into the source of a recording.
var plainVersion = lazy.Compile(`^[\w.() -]{0,60}$`)

// Server is what an engine's server reports about itself.
type Server struct {
	Provider // whose Engine it is
	// Version is the release in the notation of Dialect.Versions; empty if it reports
	// none.
	Version string
	// Model is the first model that it lists; empty if it lists none.
	Model string
}

// errNoServer means that no server answers, or only one of other software.
var errNoServer = errors.New("no server answers")

// Ask asks an engine's server for its release and its models. An error says what to do.
func (p Provider) Ask(ctx context.Context, options Options) (Server, error) {
	server := Server{Provider: p}
	root := cmp.Or(strings.TrimSuffix(options.BaseURL, "/"), p.Engine.baseURL)
	body, err := get(ctx, options, root+p.Engine.release)
	if errors.Is(err, errStatus) || errors.Is(err, ErrReadable) {
		return server, fmt.Errorf("%s%s: %w\nhint: is the server %s? --base-url names another", root, p.Engine.release, err, p.Engine.Title)
	}
	if err != nil {
		return server, fmt.Errorf("%w at %s: start it, or give --base-url", errNoServer, root)
	}
	version, ok := p.Engine.read(body)
	if !ok || !plainVersion.MatchString(version) {
		return server, fmt.Errorf("the server at %s is not %s: %s says no release\nhint: --base-url names another server", root, p.Engine.Title, p.Engine.release)
	}
	server.Version, server.Model = version, options.Model
	if server.Model != "" {
		return server, nil
	}
	if body, err = get(ctx, options, root+p.Engine.models); err == nil {
		server.Model = p.Engine.firstModel(body)
	}
	if server.Model == "" {
		return server, fmt.Errorf("the server at %s lists no model at %s\nhint: load one, or name it with --model", root, p.Engine.models)
	}
	return server, nil
}

// Recognize returns the engine whose server is at the base URL of the options. It returns false if
// there is none, or if it does not answer.
func Recognize(ctx context.Context, options Options) (Provider, bool) {
	root := strings.TrimSuffix(options.BaseURL, "/")
	for _, known := range Providers {
		if known.Engine == nil {
			continue
		}
		body, err := get(ctx, options, root+known.Engine.mark)
		if err != nil && !errors.Is(err, errStatus) {
			return Provider{}, false
		}
		if err == nil && known.Engine.words.Match(body) {
			return known, true
		}
	}
	return Provider{}, false
}

// firstModel returns the name of the first model in a list, or "".
func (e *Engine) firstModel(body []byte) string {
	var lists map[string]json.RawMessage
	var models []map[string]json.RawMessage
	name := ""
	if json.Unmarshal(body, &lists) == nil && json.Unmarshal(lists[e.list], &models) == nil && len(models) > 0 {
		_ = json.Unmarshal(models[0][e.name], &name) // "" if it is not a string
	}
	return name
}

var errStatus = errors.New("the answer has the status")

// get gets a page. It follows no redirect, which may lead the key to anybody.
func get(ctx context.Context, options Options, address string) ([]byte, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("reading the base URL: %w", err)
	}
	if IsReadable(parsed) && !options.Insecure {
		return nil, fmt.Errorf("%w: %s is not this machine", ErrReadable, parsed.Host)
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(options.Timeout, defaultTimeout))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", address, err)
	}
	if options.Key != "" {
		request.Header.Set("Authorization", "Bearer "+options.Key)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", address, err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w %d", errStatus, response.StatusCode)
	}
	const most = 1 << 20
	body, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", address, err)
	}
	return body, nil
}

// isEngine reports whether the server of an engine is asked.
func (o Options) isEngine() bool {
	known, err := ProviderNamed(o.Provider)
	return err == nil && known.Engine != nil
}

// Source returns the name that answers of an engine's release are attributed to, such as ollama
// 0.17.4. It is the name of the provider if the release is not known.
func (p Provider) Source(version string) string {
	if p.Engine == nil || version == "" {
		return p.Name
	}
	return strings.ToLower(p.Engine.Title) + " " + version
}

// Released returns the day on which a named release of a surface appeared, or today if the release
// is not known.
func Released(dialect *provider.Dialect, version string) provider.Date {
	for _, known := range dialect.Versions {
		if known.Name == version {
			return known.Date
		}
	}
	return provider.Today()
}
