package provider

import (
	"path"
	"slices"
	"strings"

	"toolproof/schema"
)

// Dialect is one surface of one provider: a field of a request that takes a schema, with
// the rules that the provider applies to it.
type Dialect struct {
	Name  string // such as gemini/parameters
	Doc   string // one line
	Rules []*Rule
	// Kin says why rules hold on this surface although all their refusals were seen on
	// others. It is empty where no rule is of that kind, or where this is undecided.
	Kin  string
	API  API    // the method that the surface belongs to
	Path string // of the URL, with {model} for the model
	// Subject is what the schema describes.
	Subject Subject
	// Schema is where a declaration has its schema; empty if the declaration is the
	// schema.
	Schema schema.Pointer
	// MostTools is how many declarations a request may hold; 0 if no limit is known. For
	// an answer it is 1.
	MostTools int
	// Account names the entry of live.Providers that live runs ask about the surface;
	// empty if none is asked.
	Account string
	// Control is a tool's parameters, as JSON, that the surface refuses on any day. Live
	// runs trust a provider only while it refuses them. Control is set where Account is.
	Control string
	// Versions are the releases of the software that serves the surface, oldest first; a
	// rule's Since and Until are then days of releases. It is nil for a hosted service,
	// whose states only dates tell apart.
	Versions []Version
	// Aliases are further names of the surface in published evidence, after the first
	// such name, which is Name with a dot in place of the slash: gemini.parameters.
	Aliases []string
	// Traffic says how to recognize recorded requests to the surface's service.
	Traffic Traffic
	// Relative is the name of the target whose normalizer makes schemas for this surface as
	// well, such as openai. It is empty if the surface has a target of its own, and if
	// AsGiven is set.
	Relative string
	// RelativeDay is the day on which the target Relative had the limits of this surface, which
	// it may have dropped since; empty for today.
	RelativeDay Date
	// AsGiven says why no normalizer makes schemas for the surface, which are judged as they
	// are given.
	AsGiven string
	// NameLength and DescriptionLength are how many characters the surface allows the name
	// and the description of a function if the target Relative allows more; 0 otherwise.
	NameLength, DescriptionLength int
	// Strict is set where functions are declared as strict ones, whose schemas close
	// every object.
	Strict bool
	// Portable is set where the target portable has to satisfy the surface: what its tools
	// may have is narrowed by the surface's rules. It is not set for answers, for strict
	// functions, and for the Model Context Protocol, whose tools portable makes.
	Portable bool
	// Own is what the stages of the surface's package need to know of it beyond this row;
	// the package documents its type. It may be nil.
	Own any
	// Declare makes the declaration of a tool in the surface's own form.
	Declare func(schema.Tool) *schema.Node
	// Envelope makes the body of a request around declarations.
	Envelope func(declarations []*schema.Node) *schema.Node
	// Render makes the body of the provider's answer from a response.
	Render func(Response) []byte
	// Classify reads the provider's answer. It returns an error if the answer says
	// nothing about the declarations, as when the key is missing.
	Classify func(status int, body []byte) (Response, error)
	// Unordered says that the surface reports only the first of several violations that
	// it comes upon, and that this one differs from run to run. A Model's Findings list
	// all of them.
	Unordered bool
	// Canonical brings a message into one form, where the provider lists names in varying
	// order or sometimes adds an ending. It is nil if the same request always gets the
	// same words.
	Canonical func(message string) string
	// Echo returns a declaration as the provider understands it on a day, which is how
	// its answer echoes it. It never changes its argument. It is nil if the provider
	// leaves declarations as they are.
	Echo func(declaration *schema.Node, day Date) *schema.Node
	// Locate finds the places that a refusal points at, in declarations made by Declare.
	// It returns no place for a refusal that is not in the words of the surface, and a
	// place with Declaration Nowhere for one that it understands but cannot find in the
	// declarations. It is nil if the messages of the surface name no places.
	Locate func(refusal Response, declarations []*schema.Node) []Place
}

// Says reports whether words are those that a Model predicts for the surface. With isPart
// it suffices that they are a part of them.
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

// canonical returns a message in the form in which messages are compared: without
// surrounding space, which published messages lose.
func (d *Dialect) canonical(message string) string {
	message = strings.TrimSpace(message)
	if d.Canonical != nil {
		message = d.Canonical(message)
	}
	return message
}

// API is a method of a provider. It decides what requests and answers look like.
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

// VersionOn returns the newest release that was out on a day, or the oldest one if none
// was. It returns the zero Version if the surface has no releases.
func (d *Dialect) VersionOn(day Date) Version {
	var newest Version
	for i, version := range d.Versions {
		if i == 0 || version.Date <= day {
			newest = version
		}
	}
	return newest
}

// Traffic says how to recognize the requests to a service among recorded ones.
type Traffic struct {
	// Provider is what evidence calls the provider; empty if the host suffices.
	Provider string
	// Hosts are patterns of host names, in the syntax of path.Match.
	Hosts []string
	// Path is a part of the URL's path that tells the service from others at the same
	// hosts; empty if there are none.
	Path string
}

// Names reports whether a host belongs to the service.
func (t Traffic) Names(host string) bool {
	return slices.ContainsFunc(t.Hosts, func(pattern string) bool {
		isOne, err := path.Match(pattern, host)
		return err == nil && isOne
	})
}

// ListControl is the Control of most surfaces: arguments that are an array.
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

// Service returns the part of the name before the slash, such as gemini, which all
// surfaces of one service share.
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

// SchemaOf returns the schema of a declaration, or nil if it has none.
func (d *Dialect) SchemaOf(declaration *schema.Node) *schema.Node {
	if d.Schema == "" {
		return declaration
	}
	for token := range strings.SplitSeq(string(d.Schema[1:]), "/") { // the pointers in rows need no unescaping
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

// Declared is Encode without the body, for a Model: most rules need only the
// declarations.
func (d *Dialect) Declared(tools []schema.Tool) Request {
	declarations := make([]*schema.Node, len(tools))
	for i, tool := range tools {
		declarations[i] = d.Declare(tool)
	}
	return Request{Dialect: d.Name, Path: d.Path, Declarations: declarations}
}

// Request makes a request of declarations that are already in the surface's own form.
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

// Without returns a copy of the surface that lacks the named rule. Tests use it to show
// that every rule is needed.
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
