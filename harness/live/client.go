// Package live asks the providers with their official clients. It reports a verdict on a
// declaration only when the answer proves it. Anything else is an error, and means that
// nothing was learnt.
//
// A Service is an account of a provider. A Client asks it on one dialect: Send makes a
// single request, Judge asks about many declarations in few requests.
package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
)

// Options say how a provider is asked. Only Provider is needed, Key where the provider
// asks for one, and Model where it has none of its own.
type Options struct {
	Provider string // one of Providers
	Key      string // of the account; never written anywhere
	KeyName  string // the variable of the environment that holds the key
	// Project and Location are those of Vertex AI. With them, and without a key, the
	// client uses the default credentials of Google Cloud.
	Project, Location string
	Model             string // empty means that of the Provider
	// BaseURL is the root of the host; empty means the provider's own.
	BaseURL string
	// Version is the release of an engine's server, as it says itself; empty where it is not
	// known.
	Version string
	// PerMinute is how many requests are sent in a minute; 0 means as many as it takes.
	PerMinute int
	// Concurrency is how many batches are asked about at a time; 0 means 2.
	Concurrency int
	// Single makes each request of one declaration.
	Single bool
	// Timeout bounds one request; 0 means a minute.
	Timeout time.Duration
	Retry   Retry
	Budget  *Budget // nil means one without bounds
	// Insecure lets requests, with the key, go readable over the network.
	Insecure bool
	// Record is called with each answer that is worth keeping; nil means none is. Once it
	// fails nothing more is asked.
	Record func(Exchange) error
	// Clients are the official clients that speak to the provider.
	Clients Clients
}

// Exchange is a request that a provider answered in a way that says something about
// its declarations.
type Exchange struct {
	Request  provider.Request
	Response provider.Response
	Model    string
	Header   http.Header
	Body     []byte
	// Renamed has the own names of declarations that were sent under others, because one
	// beside them has the same.
	Renamed map[string]string
	// Emulated is set for an answer of the emulator, which is no evidence.
	Emulated bool
}

// Provider is a provider that can be asked.
type Provider struct {
	Name string
	// Model is asked where none is named: a cheap one that takes strict tools, and whose
	// end is not announced.
	Model string
	// speaks is the provider whose surfaces the server has; empty where they are its own.
	speaks string
	// Keys are the variables of the environment that may hold the key, in the order of the
	// provider's client.
	Keys []string
	// Loose is set where the server is somebody's own, which need not have a key, nor
	// refuse anything.
	Loose bool
	// Engine is set for software that anyone runs.
	Engine *Engine
}

// Serves reports whether the provider is asked about a surface.
func (p Provider) Serves(dialect *provider.Dialect) bool {
	return dialect.Account == cmp.Or(p.speaks, p.Name)
}

var googleKeys = []string{"GOOGLE_API_KEY", "GEMINI_API_KEY"}

// Providers are those that can be asked.
var Providers = []Provider{
	{Name: "gemini", Model: "gemini-3.1-flash-lite", Keys: googleKeys},
	{Name: "vertex", Model: "gemini-3.1-flash-lite", Keys: googleKeys},
	{Name: "openai", Model: "gpt-5.6-luna", Keys: []string{"OPENAI_API_KEY"}},
	{Name: "anthropic", Model: "claude-haiku-4-5", Keys: []string{"ANTHROPIC_API_KEY"}},
	{Name: "openai-compatible", speaks: "openai", Keys: []string{"OPENAI_API_KEY"}, Loose: true},
	{Name: "ollama", Keys: []string{"OLLAMA_API_KEY"}, Engine: &ollama},
	{Name: "llamacpp", Keys: []string{"LLAMA_API_KEY"}, Engine: &llamaCPP},
	{Name: "vllm", Keys: []string{"VLLM_API_KEY"}, Engine: &vllm},
}

// ProviderNamed returns the provider of the given name.
func ProviderNamed(name string) (Provider, error) {
	names := make([]string, len(Providers))
	for i, known := range Providers {
		if known.Name == name {
			return known, nil
		}
		names[i] = known.Name
	}
	return Provider{}, fmt.Errorf("unknown provider %q: use one of %s", name, strings.Join(names, ", "))
}

// Service is an account of a provider. It is safe for concurrent use.
type Service struct {
	Provider
	options Options
	limiter *rate.Limiter
	ended   ending
	outages atomic.Int32 // batches in a row that could not begin
}

// Connect returns the service of the options. It opens no connection.
func Connect(options Options) (*Service, error) {
	known, err := ProviderNamed(options.Provider)
	if err != nil {
		return nil, err
	}
	if options.Model == "" {
		options.Model = known.Model
	}
	if options.BaseURL == "" && known.Engine != nil {
		options.BaseURL = known.Engine.baseURL
	}
	if options.Model == "" {
		return nil, fmt.Errorf("--model is required for %s\nhint: name the model", known.Name)
	}
	if options.BaseURL == "" && known.Loose {
		return nil, errors.New("--base-url is required\nhint: name the host, such as http://127.0.0.1:8000")
	}
	if options.BaseURL != "" {
		root, err := url.Parse(options.BaseURL)
		if err != nil || root.Host == "" || root.Scheme != "http" && root.Scheme != "https" || root.User != nil || root.RawQuery != "" {
			return nil, errors.New("the base URL must be a host without a path\nhint: write it as https://host, with the key in the environment")
		}
		if IsReadable(root) && !options.Insecure {
			return nil, fmt.Errorf("%w: %s is not this machine\nhint: use https://, or --insecure where the network is trusted", ErrReadable, root.Host)
		}
		options.BaseURL = strings.TrimSuffix(options.BaseURL, "/")
		if version := versionAtEnd.FindString(options.BaseURL); version != "" {
			return nil, fmt.Errorf("the base URL ends with the version of an API\nhint: leave out %s, which the client adds", version)
		}
	}
	if options.Timeout <= 0 {
		options.Timeout = defaultTimeout
	}
	if options.Concurrency <= 0 {
		options.Concurrency = 2
	}
	if options.Budget == nil {
		options.Budget = &Budget{}
	}
	limit := rate.Inf
	if options.PerMinute > 0 {
		limit = rate.Every(time.Minute / time.Duration(options.PerMinute))
	}
	return &Service{Provider: known, options: options, limiter: rate.NewLimiter(limit, 1)}, nil
}

// defaultTimeout bounds one request.
const defaultTimeout = time.Minute

// versionAtEnd is what many clients, and not this one, want a base URL to end with.
var versionAtEnd = lazy.Compile(`/v\d+(?:beta\d*|alpha\d*)?$`)

// Client asks a service on one surface. It is a provider.Provider.
type Client struct {
	service *Service
	dialect *provider.Dialect
	account Account
	open    func(context.Context) (Caller, error) // the caller, which is opened once
}

// Client returns the client for a surface. What its account lacks shows when it is asked.
func (s *Service) Client(dialect *provider.Dialect) (*Client, error) {
	if !s.Serves(dialect) {
		return nil, fmt.Errorf("%s cannot be asked about %s", s.Name, dialect.Name)
	}
	client := &Client{service: s, dialect: dialect, account: s.account(dialect)}
	var once sync.Once
	var caller Caller
	var failed error
	client.open = func(ctx context.Context) (Caller, error) {
		once.Do(func() { caller, failed = s.options.Clients.Open(ctx, client.account) })
		return caller, failed
	}
	return client, nil
}

// Send asks the provider, and again where the answer says nothing. An error means
// that nothing was learnt; where one can say why it is a *NoVerdictError.
func (c *Client) Send(ctx context.Context, request provider.Request) (provider.Response, error) {
	answer, err := c.ask(ctx, request)
	return answer.Response, err
}

// once sends a request, one time.
func (c *Client) once(ctx context.Context, request provider.Request) (Exchange, error) {
	caller, err := c.open(ctx)
	if err != nil {
		return Exchange{}, &NoVerdictError{kind: lasting, err: err}
	}
	body := request.Body.Clone()
	apis[c.account.API].complete(body, c.service.options)
	ctx, cancel := context.WithTimeout(ctx, c.service.options.Timeout)
	defer cancel()
	reply, err := caller.Post(ctx, body.JSON())
	if err != nil {
		return Exchange{}, &NoVerdictError{kind: passing, err: c.service.withoutSecrets(err)}
	}
	answer := Exchange{
		Request: request, Model: c.service.options.Model, Header: reply.Header, Body: reply.Body,
		Emulated: reply.Header.Get(provider.EmulatorHeader) != "",
	}
	if answer.Response, err = c.classify(reply); err != nil {
		return Exchange{}, err
	}
	answer.Response.Evidence, answer.Response.Date, answer.Response.Source = provider.Live, Released(c.dialect, c.service.options.Version), c.service.Source(c.service.options.Version)
	if answer.Emulated { // a model answered
		answer.Response.Evidence, answer.Response.Date, answer.Response.Source = provider.Predicted, provider.Today(), "emulator"
	}
	return answer, nil
}
