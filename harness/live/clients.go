package live

import (
	"context"
	"net/http"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Clients are the providers' official clients: those of package sdk, or the ones that
// another program holds, which package remote reaches. They link so much that only who
// asks a provider should pay for them.
type Clients interface {
	// Open returns the client of an account. It opens no connection. An error says what
	// the account lacks, and holds no key.
	Open(ctx context.Context, account Account) (Caller, error)
}

// Caller is a provider's client for one API.
type Caller interface {
	// Post makes the client send exactly the bytes of a body, once. An error means that
	// no answer came back.
	Post(ctx context.Context, body []byte) (Reply, error)
}

// Account is whom a client asks, and on which API.
type Account struct {
	Provider string `json:"provider"` // one of Providers
	API      API    `json:"api"`
	// Path is what the client adds to the root of the host, for APIs that several
	// providers have, such as /v1/.
	Path string `json:"path,omitempty"`
	// Model is the one that the client puts into the URL, where the API has it there.
	Model string `json:"model,omitempty"`
	// Key is the account's. It never leaves the process: another program finds it by
	// KeyName in its own environment.
	Key     string `json:"-"`
	KeyName string `json:"key_name,omitempty"`
	// Project and Location are those of Vertex AI.
	Project  string `json:"project,omitempty"`
	Location string `json:"location,omitempty"`
	// BaseURL is the root of the host; empty means the provider's own.
	BaseURL string `json:"base_url,omitempty"`
	// Connections is how many requests may be under way.
	Connections int `json:"connections,omitempty"`
}

// API is what an official client speaks.
type API string

// The APIs.
const (
	GenerateContent API = "generateContent"
	ChatCompletions API = "chat/completions"
	Responses       API = "responses"
	Messages        API = "messages"
)

// Reply is what came back, as it was on the wire, and what the client made of it.
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

// api is what this package knows of an API.
type api struct {
	// complete adds to a body the model, and that as little as can be is to be written
	// and no function called.
	complete func(body *schema.Node, options Options)
	// members are those of which an answer that is no refusal has one.
	members []string
}

var apis = map[API]api{
	GenerateContent: {
		complete: func(body *schema.Node, _ Options) {
			body.Set("toolConfig", object("functionCallingConfig", object("mode", schema.NewString("NONE"))))
			body.Set("generationConfig", object("maxOutputTokens", schema.NewInt(1)))
		},
		members: []string{"candidates", "promptFeedback", "usageMetadata"},
	},
	ChatCompletions: {
		complete: func(body *schema.Node, options Options) {
			limit := "max_completion_tokens"
			if options.Provider != "openai" {
				limit = "max_tokens" // the older name, which every server knows
			}
			body.Set("model", schema.NewString(options.Model))
			body.Set("tool_choice", schema.NewString("none"))
			body.Set(limit, schema.NewInt(least))
		},
		members: []string{"choices"},
	},
	Responses: {
		complete: func(body *schema.Node, options Options) {
			body.Set("model", schema.NewString(options.Model))
			body.Set("tool_choice", schema.NewString("none"))
			body.Set("max_output_tokens", schema.NewInt(least))
			body.Set("store", schema.NewBool(false))
		},
		members: []string{"output"},
	},
	Messages: {
		complete: func(body *schema.Node, options Options) {
			body.Set("model", schema.NewString(options.Model))
			body.Set("max_tokens", schema.NewInt(1))
			body.Set("tool_choice", object("type", schema.NewString("none")))
		},
		members: []string{"content"},
	},
}

// least is how many tokens an answer of OpenAI has at least where it is limited.
const least = 16

// object makes an object of one member.
func object(key string, value *schema.Node) *schema.Node {
	return schema.NewObject(schema.Member{Key: key, Value: value})
}

// account returns whom the service asks on a surface.
func (s *Service) account(dialect *provider.Dialect) Account {
	account := Account{
		Provider: s.Name, Model: s.options.Model, Key: s.options.Key, KeyName: s.options.KeyName, Project: s.options.Project, Location: s.options.Location,
		BaseURL: s.options.BaseURL, Connections: s.options.Concurrency,
	}
	switch path := dialect.Path; {
	case strings.HasSuffix(path, ":generateContent"):
		account.API = GenerateContent
	case strings.HasSuffix(path, "/chat/completions"):
		account.API, account.Path = ChatCompletions, strings.TrimSuffix(path, "chat/completions")
	case path == "/v1/responses":
		account.API, account.Path = Responses, "/v1/"
	default:
		account.API = Messages
	}
	return account
}
