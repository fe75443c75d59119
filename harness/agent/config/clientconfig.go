// Package clientconfig reads the configurations in which clients of the Model Context
// Protocol name their servers. Each client is one file and one row of Clients.
package clientconfig

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"toolproof/schema"
)

// Client is a program that reads a configuration.
type Client struct {
	// Name is a word, such as claude-code; Title is how its maker writes it.
	Name, Title string
	// Files are where its configurations lie. A later one overrides an earlier one. A path
	// begins with a variable of places, or in the folder of the project.
	Files []string
	// servers are the members that lead to the servers, such as mcp/servers.
	servers []string
	// json turns the text of a file into JSON of the same lines; nil means that it is JSON
	// with comments.
	json func([]byte) ([]byte, error)
	// variables resolves the variables in a text.
	variables func(*scope, string) string
	form      form
	// special reads what no other client has; it may be nil.
	special func(*scope, *schema.Node, *Server)
}

// form is the members in which an entry of a client has what a server needs. The command
// and its arguments are called so by all.
type form struct {
	env     string   // variables of the environment
	address []string // an address that speaks streamable HTTP, or else SSE
	events  string   // an address that speaks SSE
	headers string
}

// usual is the form of most clients.
var usual = form{env: "env", address: []string{"url"}, headers: "headers"}

// Clients are the clients whose configurations are read. What a file is called tells whose
// it is; otherwise the members in it do.
var Clients = []*Client{claudeDesktop, claudeCode, vscode, cursor, geminiCLI, codex, opencode, zed, windsurf, otherClient}

// Server is a server as a configuration has it, with its variables resolved.
type Server struct {
	Clients []string // the names of those that start it
	Name    string
	File    string
	// Command is the program with its arguments; empty where the server has an address.
	Command []string
	Env     []string // NAME=value, beyond the environment of the user
	Dir     string   // the folder that it starts in
	Address string
	IsSSE   bool // it speaks SSE, and no streamable HTTP
	Headers map[string]string
	// IsDisabled is set where the client does not start the server.
	IsDisabled bool
	// Err says why the server cannot be asked: what the configuration lacks.
	Err error
	// Secrets are values that are shown to nobody, with the name to show instead.
	Secrets map[string]string
}

// Environment is what configurations depend on beside their text.
type Environment struct {
	// Lookup returns a variable of the environment.
	Lookup func(string) (string, bool)
	// OS is the operating system as runtime.GOOS has it.
	OS string
	// Dir is the working directory, absolute: the project where a file tells of no other.
	Dir string
}

// places are the folders that the paths of clients begin with.
func (e Environment) places(name string) string {
	get := func(name, otherwise string) string {
		if value, ok := e.Lookup(name); ok && value != "" {
			return value
		}
		return otherwise
	}
	home := get("HOME", "")
	if e.OS == "windows" {
		home = get("USERPROFILE", home)
	}
	switch name {
	case "HOME":
		return home
	case "XDG":
		return get("XDG_CONFIG_HOME", home+"/.config")
	case "CONFIG": // where programs with windows keep theirs
		switch e.OS {
		case "windows":
			return get("APPDATA", home+"/AppData/Roaming")
		case "darwin":
			return home + "/Library/Application Support"
		default:
			return get("XDG_CONFIG_HOME", home+"/.config")
		}
	case "CODEX_HOME":
		return get("CODEX_HOME", home+"/.codex")
	case "CLAUDE_CONFIG_DIR":
		return get("CLAUDE_CONFIG_DIR", home)
	default:
		return ""
	}
}

// File is a configuration.
type File struct {
	Client *Client // nil where only the text can tell
	Path   string
	Root   string // the folder of the project
}

// Installed returns where configurations usually lie, those of the user first and then
// those of the project. They need not be there.
func Installed(environment Environment) []File {
	var files []File
	seen := map[string]bool{}
	for _, client := range Clients {
		for _, pattern := range client.Files {
			name := filepath.FromSlash(os.Expand(pattern, environment.places))
			file := File{client, name, environment.Dir}
			if !seen[name] {
				files = append(files, file)
			}
			seen[name] = true
		}
	}
	return files
}

// Of returns a file that the user names, with the client whose files are called so. A file
// of the user has the working directory for its project, one of a project the folder that
// it is in.
func Of(name string, environment Environment) File {
	full := name
	if !filepath.IsAbs(full) {
		full = filepath.Join(environment.Dir, full)
	}
	slashed := filepath.ToSlash(filepath.Clean(full))
	called := File{nil, name, environment.Dir}
	for _, client := range Clients {
		for _, pattern := range client.Files {
			if path.Clean(filepath.ToSlash(os.Expand(pattern, environment.places))) == slashed {
				return File{client, name, environment.Dir}
			}
			_, tail, isUsers := strings.Cut(pattern, "}/")
			if !isUsers {
				tail = pattern
			}
			folder, ok := strings.CutSuffix(slashed, "/"+tail)
			switch {
			case !ok:
			case isUsers:
				called.Client = cmp.Or(called.Client, client)
			default:
				called = File{client, name, filepath.FromSlash(folder)}
			}
		}
	}
	return called
}

// ErrNoServers means that a file names no server in any form.
var ErrNoServers = errors.New("no MCP servers: a configuration has them in mcpServers, servers, mcp, mcp_servers or context_servers")

// maxServers is how many servers one configuration may have: each is a program to start.
const maxServers = 200

// Read reads the servers of a configuration from its text, in the order of the file. An
// error that is ErrNoServers means that it has none; any other, that it cannot be read.
func (f File) Read(text []byte, environment Environment) ([]Server, error) {
	readers := []*Client{f.Client}
	switch {
	case f.Client != nil:
	case strings.EqualFold(filepath.Ext(f.Path), ".toml"):
		readers = []*Client{codex}
	default: // each has members of its own
		readers = []*Client{otherClient, vscode, zed, opencode}
	}
	for _, client := range readers {
		root, err := client.parse(text)
		if err != nil {
			return nil, err
		}
		servers := client.read(f, root, environment)
		if len(servers) > maxServers {
			return nil, fmt.Errorf("more than %d servers", maxServers)
		}
		if len(servers) > 0 {
			return servers, nil
		}
	}
	return nil, ErrNoServers
}

// parse reads the text of a file.
func (c *Client) parse(text []byte) (*schema.Node, error) {
	if c.json == nil {
		return schema.Parse(jsonc.ToJSON(text))
	}
	made, err := c.json(text)
	if err != nil {
		return nil, err
	}
	return schema.Parse(made)
}

// read reads the servers below each of the members that a client has them in.
func (c *Client) read(file File, root *schema.Node, environment Environment) []Server {
	var servers []Server
	for _, members := range c.servers {
		within := root
		for member := range strings.SplitSeq(members, "/") {
			if within = within.Get(strings.ReplaceAll(member, "~", file.Root)); within == nil {
				break
			}
		}
		for _, member := range membersOf(within) {
			if slices.Contains(c.servers, members+"/"+member.Key) {
				continue // it is no server, and has some
			}
			servers = append(servers, c.server(file, root, member, environment))
		}
	}
	return servers
}

// server reads the entry of one server.
func (c *Client) server(file File, root *schema.Node, member schema.Member, environment Environment) Server {
	entry := member.Value
	server := Server{Clients: []string{c.Name}, Name: member.Key, File: file.Path, Dir: file.Root, Headers: map[string]string{}, Secrets: map[string]string{}}
	server.IsDisabled = entry.Get("disabled").IsTrue() || entry.Get("enabled").IsFalse()
	s := &scope{Environment: environment, client: c, root: root, project: file.Root, server: &server}
	s.command(entry)
	for _, member := range membersOf(entry.Get(c.form.env)) {
		value := s.text(member.Value)
		server.Env = append(server.Env, member.Key+"="+value)
		server.Secrets[value] = member.Key
	}
	for _, member := range membersOf(entry.Get(c.form.headers)) {
		server.Headers[member.Key] = s.text(member.Value)
		server.Secrets[server.Headers[member.Key]] = member.Key
	}
	s.address(entry)
	if dir := s.text(entry.Get("cwd")); dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(file.Root, dir)
		}
		server.Dir = dir
	}
	if entry.Has("envFile") {
		s.lacks("the envFile, which is not read here")
	}
	if c.special != nil {
		c.special(s, entry, &server)
	}
	server.Err = s.err()
	return server
}

// Effective returns the servers that the clients of several files start, in order. What a
// later file of a client says of a name takes the place of what an earlier one says. A
// server that several clients start alike is one, with the names of all of them.
func Effective(servers []Server) []Server {
	var effective []Server
	places := map[string]int{}
	for _, server := range servers {
		key := server.Clients[0] + "/" + server.Name
		if i, ok := places[key]; ok {
			effective[i] = server
			continue
		}
		places[key] = len(effective)
		effective = append(effective, server)
	}
	var once []Server
next:
	for _, server := range effective {
		for i, other := range once {
			if server.isLike(other) {
				once[i].Clients = append(once[i].Clients, server.Clients...)
				continue next
			}
		}
		once = append(once, server)
	}
	return once
}

// isLike reports whether two servers are started and asked in the same way.
func (s Server) isLike(other Server) bool {
	return s.Name == other.Name && s.IsDisabled == other.IsDisabled && s.Err == nil && other.Err == nil &&
		slices.Equal(s.Command, other.Command) && slices.Equal(s.Env, other.Env) && s.Dir == other.Dir &&
		s.Address == other.Address && s.IsSSE == other.IsSSE && maps.Equal(s.Headers, other.Headers)
}
