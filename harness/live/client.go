// Package live asks the providers through their official clients. It reports a verdict on
// a declaration only if the answer proves it. Anything else is an error, which means that
// nothing was learnt.
//
// A Service is an account with a provider. A Client asks it on one surface: Send makes a
// single request, and Judge asks about many declarations in few requests.
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
	"toolproof/schema"
)

// Options say whom to ask, and how. Provider is required. So are Key, if the provider
// demands one, and Model, if the Provider has no default.
type Options struct {
	Provider string // one of Providers
	Key      string // of the account; never written anywhere
	KeyName  string // the environment variable with the key
	// Project and Location are those of Vertex AI. If they are set and Key is not, the
	// client uses Google Cloud's default credentials.
	Project, Location string
	Model             string // empty means the Provider's default
	// BaseURL is the root of the host; empty means the provider's own host, whatever a variable
	// of the environment says.
	BaseURL string
	// Version is the release of an engine's server, as the server reports it; empty if
	// unknown.
	Version string
	// PerMinute limits the requests per minute; 0 means no limit.
	PerMinute int
	// Concurrency is the number of batches under way at a time; 0 means 2.
	Concurrency int
	// Single sends one declaration per request.
	Single bool
	// Timeout limits one request; 0 means a minute.
	Timeout time.Duration
	Retry   Retry
	Budget  *Budget // nil means no limits
	// Insecure allows sending requests, with the key, unencrypted to other machines.
	Insecure bool
	// Record is called with each answer worth keeping; it may be nil. Once it fails
	// nothing more is asked.
	Record func(Exchange) error
	// Clients are the official clients for the provider.
	Clients Clients
}

// Exchange is a request, and an answer that says something about its declarations.
type Exchange struct {
	Request  provider.Request
	Response provider.Response
	Model    string
	// Parameters are members of the body that rules of the surface read; nil if there are none.
	Parameters *schema.Node
	Header     http.Header
	Body       []byte
	// Renamed has the original names of declarations that were sent under other names
	// because another declaration has the same name.
	Renamed map[string]string
	// Host is the host that answered; empty for a server of the user's own.
	Host string
	// Emulated is set for an answer of the emulator, and Relayed for one of a host that is not
	// known to be the provider's. Neither is evidence.
	Emulated, Relayed bool
}

// Provider is a provider, or an engine, that can be asked.
type Provider struct {
	Name string
	// Model is the default: a cheap one that supports strict tools and whose end is not
	// announced.
	Model string
	// root is the base URL of the provider's own host; nil if there is none.
	root func(Options) string
	// speaks is the provider whose surfaces the server has; empty if it has its own.
	speaks string
	// Keys are the environment variables that may have the key, in the order in which the
	// provider's own client looks.
	Keys []string
	// Loose is set for a user's own server, which may work without a key and need not
	// refuse anything.
	Loose bool
	// Engine is set for software that users run themselves.
	Engine *Engine
}

// Serves reports whether the provider can be asked about a surface.
func (p Provider) Serves(dialect *provider.Dialect) bool {
	return dialect.Account == cmp.Or(p.speaks, p.Name)
}

var googleKeys = []string{"GOOGLE_API_KEY", "GEMINI_API_KEY"}

// Providers are the providers and engines that can be asked.
var Providers = []Provider{
	{Name: "gemini", Model: "gemini-3.1-flash-lite", Keys: googleKeys, root: always("https://generativelanguage.googleapis.com")},
	{Name: "vertex", Model: "gemini-3.1-flash-lite", Keys: googleKeys, root: vertexRoot},
	{Name: "openai", Model: "gpt-5.6-luna", Keys: []string{"OPENAI_API_KEY"}, root: always("https://api.openai.com")},
	{Name: "anthropic", Model: "claude-haiku-4-5", Keys: []string{"ANTHROPIC_API_KEY"}, root: always("https://api.anthropic.com")},
	{Name: "openai-compatible", speaks: "openai", Keys: []string{"OPENAI_API_KEY"}, Loose: true},
	{Name: "ollama", Keys: []string{"OLLAMA_API_KEY"}, Engine: &ollama},
	{Name: "llamacpp", Keys: []string{"LLAMA_API_KEY"}, Engine: &llamaCPP},
	{Name: "vllm", Keys: []string{"VLLM_API_KEY"}, Engine: &vllm},
}

func always(root string) func(Options) string { return func(Options) string { return root } }

// vertexRoot returns the base URL of Vertex AI for a location, as google.golang.org/genai has it.
func vertexRoot(options Options) string {
	switch {
	case options.Key != "", options.Location == "", options.Location == "global":
		return "https://aiplatform.googleapis.com"
	case options.Location == "us", options.Location == "eu":
		return "https://aiplatform." + options.Location + ".rep.googleapis.com"
	default:
		return "https://" + options.Location + "-aiplatform.googleapis.com"
	}
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

// Service is an account with a provider. It is safe for concurrent use.
type Service struct {
	Provider
	options Options
	isOwn   bool // the host is the provider's, or the user's own server
	limiter *rate.Limiter
	ended   ending
	outages atomic.Int32 // consecutive batches that could not begin
}

// Connect returns the service that the options describe. It opens no connection.
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
	isOwn := options.BaseURL == "" || known.Engine != nil
	if options.BaseURL == "" && known.root != nil {
		options.BaseURL = known.root(options)
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
	return &Service{Provider: known, options: options, isOwn: isOwn, limiter: rate.NewLimiter(limit, 1)}, nil
}

// defaultTimeout limits one request.
const defaultTimeout = time.Minute

// versionAtEnd matches the end of a base URL as many clients want it, but not this one.
var versionAtEnd = lazy.Compile(`/v\d+(?:beta\d*|alpha\d*)?$`)

// Client asks a service on one surface. It is a provider.Provider.
type Client struct {
	service *Service
	dialect *provider.Dialect
	account Account
	open    func(context.Context) (Caller, error) // opens the caller once
	isWhole bool                                  // whether bodies keep what they say of the answer
}

// Whole returns a client that sends the model, the limits and the tool_choice that a body has.
func (c *Client) Whole() *Client {
	whole := *c
	whole.isWhole = true
	return &whole
}

// Client returns the client for a surface. If the account lacks anything, the first
// request says so.
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

// Send asks the provider, again if the answer says nothing. An error means that nothing
// was learnt; a *NoVerdictError says why.
func (c *Client) Send(ctx context.Context, request provider.Request) (provider.Response, error) {
	answer, err := c.ask(ctx, request)
	return answer.Response, err
}

// once sends a request a single time.
func (c *Client) once(ctx context.Context, request provider.Request) (Exchange, error) {
	caller, err := c.open(ctx)
	if err != nil {
		return Exchange{}, &NoVerdictError{kind: lasting, err: err}
	}
	body := request.Body.Clone()
	if !c.isWhole {
		apis[c.account.API].complete(body, c.service.options)
	}
	if needed := c.dialect.NeededBy(c.service.options.Model); needed != nil {
		body.Members = append(body.Members, needed.Members...)
	}
	ctx, cancel := context.WithTimeout(ctx, c.service.options.Timeout)
	defer cancel()
	reply, err := caller.Post(ctx, body.JSON())
	if err != nil {
		return Exchange{}, &NoVerdictError{kind: passing, err: c.service.withoutSecrets(err)}
	}
	answer := Exchange{
		Request: request, Model: c.service.options.Model, Parameters: c.dialect.ParametersOf(body), Header: reply.Header, Body: reply.Body,
		Emulated: reply.Header.Get(provider.EmulatorHeader) != "",
	}
	if root, err := url.Parse(c.account.BaseURL); err == nil && c.service.Engine == nil {
		answer.Host, answer.Relayed = root.Hostname(), !c.service.isOwn && !c.dialect.Traffic.Names(root.Hostname())
	}
	if answer.Response, err = c.classify(reply); err != nil {
		return Exchange{}, err
	}
	answer.Response.Evidence, answer.Response.Date, answer.Response.Source = provider.Live, Released(c.dialect, c.service.options.Version), c.service.Source(c.service.options.Version)
	if answer.Emulated { // a Model answered
		answer.Response.Evidence, answer.Response.Date, answer.Response.Source = provider.Predicted, provider.Today(), "emulator"
	}
	return answer, nil
}
