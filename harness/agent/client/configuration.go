package client

// Configuration says where a client keeps its MCP servers, and in which form.
type Configuration struct {
	// Files are the paths of the configurations, each overriding those before it. A path
	// begins with one of the variables ${HOME}, ${XDG}, ${CONFIG}, ${CODEX_HOME} and
	// ${CLAUDE_CONFIG_DIR}, or is relative to the folder of the project.
	Files []string
	// IsTOML is set if the files are TOML. All others are JSON with comments.
	IsTOML bool
	// Servers are the paths of members to the servers, such as mcp/servers, with ~ for the
	// folder of the project.
	Servers []string
	// Variables is the syntax of variables in the texts of an entry.
	Variables Variables
	Entry     Entry
	// Lists is the member of the file that holds the lists allowed and excluded of server names.
	// The client starts only allowed servers, and no excluded ones.
	Lists string
	// HasExtensions is set if an entry without a command and an address may belong to an
	// extension that starts the server.
	HasExtensions bool
}

// Entry holds the names of the members in which a client describes a server. Every client calls the
// command and its arguments command and args.
type Entry struct {
	// Env is the member with variables of the environment; empty means env.
	Env string
	// Address are the members with an address that speaks streamable HTTP, or else SSE; none
	// means url. Events is the member with an address that speaks SSE.
	Address []string
	Events  string
	// Headers is the member with headers; empty means headers. HeaderVariables is the member
	// with headers whose values are names of variables of the environment.
	Headers, HeaderVariables string
	// Bearer is the member with the name of the variable of the environment that has the
	// bearer token.
	Bearer string
}

// Variables is a syntax of variables.
type Variables int

// The syntaxes.
const (
	NoVariables     Variables = iota
	ShellVariables            // ${NAME} and ${NAME:-default}
	DollarVariables           // $NAME beside ShellVariables
	EditorVariables           // those of VS Code: ${env:NAME}, ${input:ID}, ${workspaceFolder}, ${workspaceFolderBasename}, ${userHome}, ${pathSeparator}
	BraceVariables            // {env:NAME} and {file:PATH}
	AnyVariables              // ShellVariables and EditorVariables
)
