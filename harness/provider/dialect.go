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
	// Kin says why rules hold on this surface whose refusals were seen on other surfaces
	// only. It is empty if there are no such rules, or if the reason is not known.
	Kin  string
	API  API    // the method that the surface belongs to
	Path string // of the URL, with {model} for the model
	// Subject is what the schema describes.
	Subject Subject
	// Members are the members of a tool, beside its name, description and schema, that the surface
	// reads.
	Members []string
	// Schema is where a declaration has its schema; empty if the declaration is the
	// schema.
	Schema schema.Pointer
	// Keyword is the only keyword whose schemas the rules of the surface read; empty if they read all. What
	// recordings show of other keywords is then that of the surface with the same declarations.
	Keyword string
	// MostTools is how many declarations a request may hold; 0 if no limit is known. For
	// an answer it is 1.
	MostTools int
	// Account names the entry of live.Providers through which live runs ask the surface. It
	// is empty if they cannot ask it.
	Account string
	// Control are the parameters of a tool, as JSON, that the surface refuses on any day. A
	// live run trusts an acceptance only if the provider also refuses the Control. It is set
	// if Account is.
	Control string
	// Versions are the releases of the software that serves the surface, oldest first. The
	// Since and Until of its rules are then days of releases. It is nil for a hosted service,
	// whose changes are known by their dates alone.
	Versions []Version
	// Aliases are the names of the surface in published evidence besides the usual one, which
	// is Name with a dot in place of the slash, such as gemini.parameters.
	Aliases []string
	// Traffic says how to recognize recorded requests to the surface's service.
	Traffic Traffic
	// Relative is the name of the target, such as openai, whose normalizer also makes schemas
	// for this surface. It is empty if the surface has a target of its own or AsGiven is set.
	Relative string
	// RelativeDay is the day on which the target Relative had the limits of this surface, if it
	// has dropped some of them since; otherwise it is empty.
	RelativeDay Date
	// AsGiven says why no normalizer makes schemas for the surface, so that they are judged
	// without changes.
	AsGiven string
	// Wider is the surface of the same declarations that takes their schema in another member and
	// more of JSON Schema, such as gemini/parametersJsonSchema of gemini/parameters; nil if there is
	// none. The name of that member is the part of the Wider's name after the slash.
	Wider *Dialect
	// NameLength and DescriptionLength limit the characters in the name and the description
	// of a function. They are 0 unless the surface allows fewer than the target Relative.
	NameLength, DescriptionLength int
	// JudgesCustom is set if rules judge the custom tools in the body of a request, which have no
	// schema.
	JudgesCustom bool
	// Strict is set if functions are declared as strict, so that every object in their
	// schemas has to be closed.
	Strict bool
	// Portable says whether the target portable asks the surface, which then has to accept
	// its tools. It is not set for answers, for strict functions, for the Model Context
	// Protocol, in whose form portable makes tools, and for surfaces that are not known to
	// refuse anything today, whose rows say so.
	Portable bool
	// Parameters are the members of a body beside the declarations that rules of the surface
	// read, such as reasoning_effort, each with a value that a rule refuses. It is nil if there
	// are none.
	Parameters *schema.Node
	// Needs returns the members of a body, as an object, without which a model takes no
	// declarations at all, or nil if there are none. It is nil if no model needs any.
	Needs func(model string) *schema.Node
	// Own is what the stages of the surface's package need to know about the surface beyond
	// this row. The package documents its type. It may be nil.
	Own any
	// Declare makes the declaration of a tool in the surface's own form, without the Members, which
	// Declaration adds.
	Declare func(schema.Tool) *schema.Node
	// Envelope makes the body of a request around declarations.
	Envelope func(declarations []*schema.Node) *schema.Node
	// Render makes the body of the provider's answer from a response.
	Render func(Response) []byte
	// Classify reads the provider's answer. It returns an error if the answer says
	// nothing about the declarations, as when the key is missing.
	Classify func(status int, body []byte) (Response, error)
	// Unordered says that the surface reports only one of several violations, and not always
	// the same one. The Findings of a Model list all of them.
	Unordered bool
	// Canonical returns a message in a form that is the same whenever the request is the same,
	// for a provider that lists names in varying order or sometimes adds an ending. It is nil
	// if the provider's words do not vary.
	Canonical func(message string) string
	// Echo returns a declaration as the provider understood it on a day and echoes it in its
	// answer. It never changes its argument. It is nil if the provider leaves declarations
	// as they are.
	Echo func(declaration *schema.Node, day Date) *schema.Node
	// Locate finds the places that a refusal points at, in declarations made by Declare. It
	// returns no places if the refusal is not in the words of the surface, and a place with
	// Declaration Nowhere if it understands the words but the declarations do not have the
	// place. It is nil if the messages of the surface name no places.
	Locate func(refusal Response, declarations []*schema.Node) []Place
}

// Says reports whether words are the message that a Model predicted for the surface or, if
// isPart is set, a part of that message.
func (d *Dialect) Says(predicted Response, words string, isPart bool) bool {
	messages := []string{predicted.Message}
	if d.Unordered {
		for _, finding := range predicted.Findings {
			messages = append(messages, finding.Message)
		}
	}
	words = d.canonical(words)
	return slices.ContainsFunc(messages, func(message string) bool {
		message = d.canonical(message)
		return message == words || isPart && strings.Contains(message, words)
	})
}

// NeededBy returns the members of a body, as an object, without which a model takes no declarations
// at all, or nil if there are none.
func (d *Dialect) NeededBy(model string) *schema.Node {
	if d.Needs == nil {
		return nil
	}
	return d.Needs(model)
}

// ParametersOf returns the members of a body that rules of the surface read, as an object, or nil
// if the body has none of them.
func (d *Dialect) ParametersOf(body *schema.Node) *schema.Node {
	if d.Parameters == nil {
		return nil
	}
	var parameters *schema.Node
	for _, parameter := range d.Parameters.Members {
		if value := body.Get(parameter.Key); value != nil {
			if parameters == nil {
				parameters = schema.NewObject()
			}
			parameters.Set(parameter.Key, value)
		}
	}
	return parameters
}

// canonical returns a message in the form in which messages are compared. It has no space
// around it, because published messages lose that.
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
	Publish         API = "v0/publish" // of the registry of the Model Context Protocol, which takes a server.json and no tools
	// ElicitationCreate and SamplingCreateMessage are what a server of that protocol asks of a client.
	ElicitationCreate     API = "elicitation/create"
	SamplingCreateMessage API = "sampling/createMessage"
)

// Version is a release of software that users run themselves.
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
	// Models are patterns of the names that the service alone has for models, in the syntax of path.Match.
	Models []string
}

// Names reports whether a host belongs to the service.
func (t Traffic) Names(host string) bool { return matchesOne(t.Hosts, host) }

// Has reports whether only the service has a model of a name.
func (t Traffic) Has(model string) bool { return matchesOne(t.Models, model) }

func matchesOne(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		matched, err := path.Match(pattern, name)
		return err == nil && matched
	})
}

// ListControl is the Control of most surfaces: arguments that are an array.
const ListControl = `{"type":"array"}`

// OfService returns the surfaces of a service.
func OfService(dialects []*Dialect, service string) []*Dialect {
	var surfaces []*Dialect
	for _, dialect := range dialects {
		if dialect.Service() == service {
			surfaces = append(surfaces, dialect)
		}
	}
	return surfaces
}

// Service returns the name of the surface's service, such as gemini, which is the part of the
// surface's name before the slash.
func (d *Dialect) Service() string {
	service, _, _ := strings.Cut(d.Name, "/")
	return service
}

// Subject is what a schema describes.
type Subject string

// The subjects.
const (
	Arguments Subject = "arguments" // of a function
	Answer    Subject = "answer"    // of the model, or of a user to a form
	// Annotations is the subject of a directory of servers, which reads what tools say of themselves and not
	// their schemas.
	Annotations Subject = "annotations"
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

// Declared is like Encode but leaves out the body, which few rules of a Model need.
func (d *Dialect) Declared(tools []schema.Tool) Request {
	declarations := make([]*schema.Node, len(tools))
	for i, tool := range tools {
		declarations[i] = d.Declaration(tool)
	}
	return Request{Dialect: d.Name, Path: d.Path, Declarations: declarations}
}

// Declaration makes the declaration of a tool with the Members that it has.
func (d *Dialect) Declaration(tool schema.Tool) *schema.Node {
	declaration := d.Declare(tool)
	if read, _ := d.Reads(tool); len(read) > 0 {
		declaration.Members = append(declaration.Members, read...)
	}
	return declaration
}

// Reads divides the members of a tool into those that the surface reads and the others.
func (d *Dialect) Reads(tool schema.Tool) (read, others []schema.Member) {
	if tool.Members == nil {
		return nil, nil
	}
	for _, member := range tool.Members.Members {
		if slices.Contains(d.Members, member.Key) {
			read = append(read, member)
		} else {
			others = append(others, member)
		}
	}
	return read, others
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

// Without returns a copy of the surface that lacks the named rule, which tests use to show that
// every rule is needed.
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
