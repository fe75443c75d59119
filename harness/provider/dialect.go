package provider

import (
	"path"
	"slices"
	"strings"

	"toolproof/schema"
)

// Dialect is one surface of one provider: a field of a request that takes a schema,
// with its rules.
type Dialect struct {
	Name  string // such as gemini/parameters
	Doc   string // one line
	Rules []*Rule
	// Kin says why rules hold here whose refusals were all seen on other surfaces. It is
	// empty where there are none, or where this is not decided.
	Kin  string
	API  API    // which it is part of
	Path string // of the URL, with {model} for the model
	// Subject is what a declaration declares.
	Subject Subject
	// Schema is where a declaration has its schema; empty where the declaration is one.
	Schema schema.Pointer
	// MostTools is how many declarations a request holds at most; 0 where no limit is
	// known. A request holds one schema of an answer.
	MostTools int
	// Account names the one of live.Providers that live runs ask about the surface; empty
	// where none is asked.
	Account string
	// Control is the parameters of a tool, as JSON, that are refused on any day. Live runs
	// trust only a provider that refuses them. It is set where Account is.
	Control string
	// Versions are the releases of the software that serves the surface, oldest first. A
	// rule's Since and Until are days of releases then. It is nil for a provider's service,
	// which only days tell apart.
	Versions []Version
	// Aliases are further names of the surface in published evidence. The first name there
	// is that of the surface with a dot: gemini.parameters.
	Aliases []string
	// Traffic is how recorded requests show that they are of the surface's service.
	Traffic Traffic
	// Relative is a surface whose rewrites help on this one too, except for its own rules.
	// It is nil where this one has a target, or where no surface is known to be alike.
	Relative *Dialect
	// Strict is set where functions are declared as strict ones, whose schemas close
	// every object.
	Strict bool
	// Portable is set where the target portable has to satisfy the surface: what its tools
	// may have is narrowed by the surface's rules. It is not set for answers, for strict
	// functions, and for the Model Context Protocol, whose tools portable makes.
	Portable bool
	// Own is what the stages of the surface's package know of it beyond the row; they
	// document the type. It is nil where they know no more.
	Own any
	// Declare makes the declaration of a tool as the surface writes it.
	Declare func(schema.Tool) *schema.Node
	// Envelope makes the body of a request of the declarations.
	Envelope func(declarations []*schema.Node) *schema.Node
	// Render makes the body of the provider's answer.
	Render func(Response) []byte
	// Classify reads the provider's answer. It returns an error for an answer
	// that says nothing about a declaration, such as a missing key.
	Classify func(status int, body []byte) (Response, error)
	// Unordered says that the surface reports one of several violations, whichever it comes
	// to first: which one differs from run to run. The Model's Findings are all of them.
	Unordered bool
	// Canonical writes a message in one way where it has a set, in no order, or an end that
	// is not always there. It is nil where the same request always gets the same words.
	Canonical func(message string) string
	// Echo returns a declaration as the provider understands it on a day, which is
	// how its answer echoes it. It is nil where the provider leaves a declaration
	// as it is, and it never changes its argument.
	Echo func(declaration *schema.Node, day Date) *schema.Node
	// Locate finds the places that a refusal points at, in declarations as Declare makes
	// them. It returns none for a refusal that is not in the words of the surface. It
	// returns places of Nowhere for what it understands and the declarations do not have.
	// It is nil where messages of the surface cannot be read.
	Locate func(refusal Response, declarations []*schema.Node) []Place
}

// Says reports whether words are those that a model of the surface predicts. With isPart
// they are a part of them.
func (d *Dialect) Says(predicted Response, words string, isPart bool) bool {
	spoken := []string{predicted.Message}
	if d.Unordered {
		for _, finding := range predicted.Findings {
			spoken = append(spoken, finding.Message)
		}
	}
	words = d.canonical(words)
	return slices.ContainsFunc(spoken, func(message string) bool {
		message = d.canonical(message)
		return message == words || isPart && strings.Contains(message, words)
	})
}

// canonical returns a message as it is compared with others. Those who publish one lose
// the space around it.
func (d *Dialect) canonical(message string) string {
	message = strings.TrimSpace(message)
	if d.Canonical != nil {
		message = d.Canonical(message)
	}
	return message
}

// API is a method of a provider, which says how requests and answers look.
type API string

// The APIs, by the ends of their paths.
const (
	GenerateContent API = "generateContent"
	CodeAssist      API = "v1internal:generateContent" // wraps a request of GenerateContent
	ChatCompletions API = "chat/completions"
	Responses       API = "responses"
	Messages        API = "messages"
	Converse        API = "converse"
	OllamaChat      API = "api/chat"
	ToolsList       API = "tools/list" // of the Model Context Protocol; a client asks it, not a provider
)

// Version is a release of software that anyone runs.
type Version struct {
	Name string // such as 0.17.4
	Date Date   // of the release
}

// VersionOn returns the newest release that was out on a day, or the first one before
// there was any. It returns the zero Version where none are known.
func (d *Dialect) VersionOn(day Date) Version {
	var newest Version
	for i, version := range d.Versions {
		if i == 0 || version.Date <= day {
			newest = version
		}
	}
	return newest
}

// Traffic is how a recorded request shows whom it asked.
type Traffic struct {
	// Provider is what evidence calls the provider; empty where the host alone tells it.
	Provider string
	// Hosts are patterns of names of hosts, as path.Match has them.
	Hosts []string
	// Path is a part of the path that others at the same hosts lack; empty where none is
	// needed.
	Path string
}

// Names reports whether a host is one of the service.
func (t Traffic) Names(host string) bool {
	return slices.ContainsFunc(t.Hosts, func(pattern string) bool {
		isOne, err := path.Match(pattern, host)
		return err == nil && isOne
	})
}

// ListControl is the Control of most surfaces: arguments that are no object.
const ListControl = `{"type":"array"}`

// OfService returns the surfaces of a service.
func OfService(dialects []*Dialect, service string) []*Dialect {
	var of []*Dialect
	for _, dialect := range dialects {
		if dialect.Service() == service {
			of = append(of, dialect)
		}
	}
	return of
}

// Service returns the part of the name that surfaces of one service share, such as
// gemini.
func (d *Dialect) Service() string {
	service, _, _ := strings.Cut(d.Name, "/")
	return service
}

// Subject is what a schema describes.
type Subject string

// The subjects.
const (
	Arguments Subject = "arguments" // of a function
	Answer    Subject = "answer"    // of the model
)

// SchemaOf returns the schema of a declaration, or nil where it has none.
func (d *Dialect) SchemaOf(declaration *schema.Node) *schema.Node {
	if d.Schema == "" {
		return declaration
	}
	for token := range strings.SplitSeq(string(d.Schema[1:]), "/") { // rows name keywords, without escapes
		declaration = declaration.Get(token)
	}
	return declaration
}

// Encode makes the request that declares the tools.
func (d *Dialect) Encode(tools []schema.Tool) Request {
	request := d.Declared(tools)
	request.Body = d.Envelope(request.Declarations)
	return request
}

// Declared is Encode without a body, for a Model: most make nothing of the body.
func (d *Dialect) Declared(tools []schema.Tool) Request {
	declarations := make([]*schema.Node, len(tools))
	for i, tool := range tools {
		declarations[i] = d.Declare(tool)
	}
	return Request{Dialect: d.Name, Path: d.Path, Declarations: declarations}
}

// Request makes a request of declarations in the surface's own form.
func (d *Dialect) Request(declarations []*schema.Node) Request {
	return Request{Dialect: d.Name, Path: d.Path, Declarations: declarations, Body: d.Envelope(declarations)}
}

// Rule returns the rule of the given name, or nil.
func (d *Dialect) Rule(name string) *Rule {
	for _, rule := range d.Rules {
		if rule.Name == name {
			return rule
		}
	}
	return nil
}

// Without returns a copy of the dialect that lacks the named rule. The checks
// that every rule is needed are made with it.
func (d *Dialect) Without(name string) *Dialect {
	clone := *d
	clone.Rules = nil
	for _, rule := range d.Rules {
		if rule.Name != name {
			clone.Rules = append(clone.Rules, rule)
		}
	}
	return &clone
}
