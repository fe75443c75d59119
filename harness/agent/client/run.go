package client

import (
	"slices"
	"strings"

	"toolproof/internal/version"
	"toolproof/schema"
)

// Run says how a client is run against the emulator, and what was learnt by running it.
type Run struct {
	// Program is the name of the client's program, and Package the name of its npm package.
	Program, Package string
	// Version is the version that was measured, and Measured the day of that, such as 2026-11-22.
	// docs/clients.json has what the client made of tricky tools, and docs/clients-portable.json
	// what it made of portable ones.
	Version, Measured string
	// Surfaces are the APIs that the client can send tools to, the usual one first.
	Surfaces []Surface
	// Prefix is what the client puts in front of the name of a tool, with SERVER in place of the
	// name of the server. It is empty if the client adds nothing that counts towards the length of
	// the name.
	Prefix string
	// Names says what else the client makes of the names of tools.
	Names Names
	// Own are the client's own tools in a request to its usual surface.
	Own Own
	// Reserved are the names of servers that the client reserves: it sends none of their tools.
	Reserved []string
	// Treatments are what the client does to the tools of servers. Each surface is in one.
	Treatments []Treatment
	// Habits are changes that the client makes to every tool. A report names them once, and
	// counts no tool as changed for them.
	Habits []Habit
	// HasSearch is set if the client, as it is installed, declares no tool of a server but lets the
	// model search for it. Setup switches that off unless Place.Search is set.
	HasSearch bool
	// Quirks are sentences that a reader of a report has to know about the client.
	Quirks []string
	// Setup returns the files, the environment and the arguments for one question.
	Setup func(Place) Setup
	// Earlier are the versions that are started otherwise, the oldest first.
	Earlier []Earlier
}

// Earlier is how the versions before one are started, if they are not older still.
type Earlier struct {
	Before string
	Setup  func(Place) Setup
	// InPrompt are the names of the surfaces on which these versions declare no tool of a server, but describe
	// them in the prompt.
	InPrompt []string
}

// earlier returns how a version is started if it is not started as Version is.
func (r *Run) earlier(of string) *Earlier {
	for i := range r.Earlier {
		if of != "" && version.Compare(of, r.Earlier[i].Before) < 0 {
			return &r.Earlier[i]
		}
	}
	return nil
}

// SetupOf returns the setup of a version; if version is empty, that of Version.
func (r *Run) SetupOf(place Place, of string) Setup {
	if earlier := r.earlier(of); earlier != nil {
		return earlier.Setup(place)
	}
	return r.Setup(place)
}

// IsInPrompt reports whether a version describes the tools of servers in the prompt on a surface.
func (r *Run) IsInPrompt(surface, of string) bool {
	earlier := r.earlier(of)
	return earlier != nil && slices.Contains(earlier.InPrompt, surface)
}

// SendsNone reports whether Version sends no tool of any server on a surface.
func (r *Run) SendsNone(surface string) bool {
	return slices.ContainsFunc(r.Treatments, func(treatment Treatment) bool { return treatment.SendsNone && slices.Contains(treatment.On, surface) })
}

// Own counts the tools of a client's own that are in its requests besides those of servers.
type Own struct {
	Tools int
	// Tokens is an estimate for all of them together, to the nearest hundred; 0 if it is not known.
	Tokens int
}

// Surface is an API that a client can be configured for.
type Surface struct {
	// Name is chat, responses, messages or gemini.
	Name string
	// Model is the model that the configuration of the client names.
	Model string
	// Window is how many tokens the model takes.
	Window Window
}

// Window is the greatest number of tokens that a model takes; the zero value is not known.
type Window struct {
	Tokens int
	// Says is what the provider says to more tokens, in its words. Source is the address, and Date the
	// day, of a thread that has them.
	Says, Source, Date string
}

// The surfaces with the usual model of each.
var (
	chat      = Surface{Name: "chat", Model: "gpt-4.1"}
	responses = Surface{Name: "responses", Model: "gpt-5", Window: Window{
		Tokens: 272_000, Says: "Input tokens exceed the configured limit of 272000 tokens.",
		Source: "https://github.com/cline/cline/issues/5474", Date: "2025-08-09",
	}}
	messages = Surface{Name: "messages", Model: "claude-sonnet-4-5", Window: Window{
		Tokens: 200_000, Says: "prompt is too long: 208310 tokens > 200000 maximum",
		Source: "https://github.com/anthropics/claude-code/issues/12186", Date: "2025-11-23",
	}}
	gemini = Surface{Name: "gemini", Model: "gemini-2.5-flash", Window: Window{
		Tokens: 1_048_576, Says: "The input token count (1485530) exceeds the maximum number of tokens allowed (1048576).",
		Source: "https://github.com/google-gemini/gemini-cli/issues/5432", Date: "2025-08-02",
	}}
)

// Surface returns the surface with a name, or nil.
func (r *Run) Surface(name string) *Surface {
	for i := range r.Surfaces {
		if r.Surfaces[i].Name == name {
			return &r.Surfaces[i]
		}
	}
	return nil
}

// Treatment is what a client does to the tools of servers on some of its surfaces, limited to what
// a portable tool has to allow for.
type Treatment struct {
	// On are the names of the surfaces.
	On []string
	// SendsNone is set if the client sends no tool of any server. The other fields then say
	// nothing.
	SendsNone bool
	// NeedsDescription is set if the client does not send a tool without a description.
	NeedsDescription bool
	// NeedsType is set if the client does not send a tool with a schema that lacks a single
	// type, such as a union.
	NeedsType bool
	// StripsEmpty is set if the client takes an empty set of properties away from parameters that
	// have another constraint or a default, so that OpenAI refuses them.
	StripsEmpty bool
	// Strips are the keywords of portable tools that the client removes from every schema, and
	// StripsAtRoot those that it removes only from the parameters.
	Strips, StripsAtRoot []string
	// Describes is set if the client writes what it strips into the descriptions.
	Describes bool
}

// Changes reports whether the client changes or leaves out tools that a provider takes.
func (t Treatment) Changes() bool {
	return t.SendsNone || t.NeedsDescription || t.NeedsType || t.StripsEmpty || len(t.Strips) > 0 || len(t.StripsAtRoot) > 0
}

// Treated returns a tool as the client declares it on a surface, but for its name: without the keywords
// that it strips, and with what it adds to every tool.
func (r *Run) Treated(surface string, tool schema.Tool) schema.Tool {
	for _, treatment := range r.Treatments {
		if slices.Contains(treatment.On, surface) && len(treatment.Strips)+len(treatment.StripsAtRoot) > 0 {
			tool.Parameters = tool.Parameters.Clone()
			tool.Parameters.Each(func(subschema *schema.Node) bool {
				treatment.strip(subschema, treatment.Strips)
				return true
			})
			treatment.strip(tool.Parameters, treatment.StripsAtRoot)
		}
	}
	for _, habit := range r.Habits {
		tool = habit.Do(tool)
	}
	return tool
}

// strip removes keywords from a schema, and writes them into its description if the client does so.
func (t Treatment) strip(subschema *schema.Node, keywords []string) {
	var told []string
	for _, keyword := range keywords {
		if value := subschema.Delete(keyword); value != nil {
			told = append(told, keyword+": "+value.String())
		}
	}
	if t.Describes && len(told) > 0 {
		words := "{" + strings.Join(told, ", ") + "}"
		if text := subschema.GetString("description"); text != "" {
			words = text + " " + words
		}
		subschema.Set("description", schema.NewString(words))
	}
}

// Place is the environment that a client is set up for.
type Place struct {
	// URL is the root of the emulator, without a slash at the end.
	URL string
	// Home is the home directory, and Work the working directory.
	Home, Work string
	// Server is the name of the MCP server, and Command starts it.
	Server  string
	Command []string
	Surface Surface
	// Search is set if the client's search for tools is left on. It is set only for a client with
	// HasSearch.
	Search bool
}

// Setup says how a client is started.
type Setup struct {
	// Files are the configurations, by their paths below the home directory, with slashes. A
	// file that ends in .toml is written as TOML, and any other as JSON, which is YAML too.
	Files map[string]Object
	// Env are environment variables, as NAME=value, in addition to those that every program gets.
	Env []string
	// Args are the arguments of the program.
	Args []string
}

// Object is an object of a configuration. The order of its members has no meaning.
type Object = map[string]any

// Prompt is the question that each client is asked. It asks for nothing to be done.
const Prompt = "Say hello."

// Key is the API key that each client gets. The emulator accepts any key.
const Key = "toolproof"

// entry returns the MCP server's entry in a configuration, in the form that most clients share.
// servers returns the list with only this server.
func (p Place) entry() Object   { return Object{"command": p.Command[0], "args": p.Command[1:]} }
func (p Place) servers() Object { return Object{p.Server: p.entry()} }
