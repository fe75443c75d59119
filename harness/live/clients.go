package live

import (
	"context"
	"net/http"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Clients are the providers' official clients, either in this process (package sdk) or in another
// program (package remote). They link so much code that only programs that ask providers should
// contain them.
type Clients interface {
	// Open returns the client for an account. It opens no connection. An error says what
	// the account lacks, and never contains the key.
	Open(ctx context.Context, account Account) (Caller, error)
}

// Caller is a provider's official client for one API.
type Caller interface {
	// Post makes the client send exactly the bytes of a body, once. An error means that
	// there was no answer.
	Post(ctx context.Context, body []byte) (Reply, error)
}

// Account is whom a client asks, and through which API.
type Account struct {
	Provider string `json:"provider"` // one of Providers
	// API is one that an official client supports.
	API provider.API `json:"api"`
	// Path is what the client adds to the root of the host, such as /v1/, for APIs that
	// several providers have.
	Path string `json:"path,omitempty"`
	// Model is the one that the client puts into the URL, if the API has it there.
	Model string `json:"model,omitempty"`
	// Key never leaves the process: another program finds it by KeyName in its own
	// environment.
	Key     string `json:"-"`
	KeyName string `json:"key_name,omitempty"`
	// Project and Location are those of Vertex AI.
	Project  string `json:"project,omitempty"`
	Location string `json:"location,omitempty"`
	// BaseURL is the root of the host. It is required, because clients look for another one in the
	// environment.
	BaseURL string `json:"base_url,omitempty"`
	// Insecure allows sending requests, with the key, unencrypted to other machines.
	Insecure bool `json:"insecure,omitempty"`
	// Connections is the number of requests that may be under way.
	Connections int `json:"connections,omitempty"`
}

// Reply is an answer as it was on the wire, with what the client made of it.
type Reply struct {
	Status int         `json:"status"`
	Header http.Header `json:"header,omitempty"`
	Body   []byte      `json:"body,omitempty"`
	// Read is what the client made of the body.
	Read Reading `json:"read"`
}

// Reading is what a provider's client makes of an answer.
type Reading string

// The readings.
const (
	ReadSuccess Reading = "success"
	ReadRefusal Reading = "refusal" // an error in the provider's form
	ReadGarbage Reading = "garbage" // anything else
)

// api is what this package knows about an API.
type api struct {
	// complete adds the model to a body, and limits the answer to as little output as
	// possible, without calls.
	complete func(body *schema.Node, options Options)
	// members are those of which every success has at least one; a success of the
	// emulator has the first.
	members []string
}

var apis = map[provider.API]api{
	provider.GenerateContent: {
		complete: func(body *schema.Node, _ Options) {
			body.Set("toolConfig", object("functionCallingConfig", object("mode", schema.NewString("NONE"))))
			body.Set("generationConfig", object("maxOutputTokens", schema.NewInt(1)))
		},
		members: []string{"candidates", "promptFeedback", "usageMetadata"},
	},
	provider.ChatCompletions: {
		complete: func(body *schema.Node, options Options) {
			limit := "max_completion_tokens"
			if options.Provider != "openai" {
				limit = "max_tokens" // the former name, which every server knows
			}
			body.Set("model", schema.NewString(options.Model))
			if !options.isEngine() { // an engine makes a grammar of the tools that may be called
				body.Set("tool_choice", schema.NewString("none"))
			}
			body.Set(limit, schema.NewInt(least))
		},
		members: []string{"choices"},
	},
	provider.Responses: {
		complete: func(body *schema.Node, options Options) {
			body.Set("model", schema.NewString(options.Model))
			body.Set("tool_choice", schema.NewString("none"))
			body.Set("max_output_tokens", schema.NewInt(least))
			body.Set("store", schema.NewBool(false))
		},
		members: []string{"output"},
	},
	provider.Messages: {
		complete: func(body *schema.Node, options Options) {
			body.Set("model", schema.NewString(options.Model))
			body.Set("max_tokens", schema.NewInt(1))
			body.Set("tool_choice", object("type", schema.NewString("none")))
		},
		members: []string{"content"},
	},
	provider.OllamaChat: {
		complete: func(body *schema.Node, options Options) {
			body.Set("model", schema.NewString(options.Model))
			body.Set("options", object("num_predict", schema.NewInt(1)))
		},
		members: []string{"message"},
	},
}

// least is the lowest limit of tokens that OpenAI accepts.
const least = 16

// object makes an object with one member.
func object(key string, value *schema.Node) *schema.Node {
	return schema.NewObject(schema.Member{Key: key, Value: value})
}

// account returns whom the service asks about a surface.
func (s *Service) account(dialect *provider.Dialect) Account {
	account := Account{
		Provider: s.Name, API: dialect.API, Model: s.options.Model, Key: s.options.Key, KeyName: s.options.KeyName, Project: s.options.Project, Location: s.options.Location,
		BaseURL: s.options.BaseURL, Insecure: s.options.Insecure, Connections: s.options.Concurrency,
	}
	if dialect.API == provider.ChatCompletions || dialect.API == provider.Responses {
		account.Path = strings.TrimSuffix(dialect.Path, string(dialect.API))
	}
	return account
}
