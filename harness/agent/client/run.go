package client

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
}

// Surface is an API that a client can be configured for.
type Surface struct {
	// Name is chat, responses, messages or gemini.
	Name string
	// Model is the model that the configuration of the client names.
	Model string
}

// The surfaces with the usual model of each.
var (
	chat      = Surface{Name: "chat", Model: "gpt-4.1"}
	responses = Surface{Name: "responses", Model: "gpt-5"}
	messages  = Surface{Name: "messages", Model: "claude-sonnet-4-5"}
	gemini    = Surface{Name: "gemini", Model: "gemini-2.5-flash"}
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
}

// Changes reports whether the client changes or leaves out tools that a provider takes.
func (t Treatment) Changes() bool {
	return t.SendsNone || t.NeedsDescription || t.NeedsType || t.StripsEmpty || len(t.Strips) > 0 || len(t.StripsAtRoot) > 0
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
