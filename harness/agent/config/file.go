package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tidwall/jsonc"

	"toolproof/harness/agent/client"
	"toolproof/schema"
)

// Environment holds everything besides its text on which the meaning of a configuration depends.
type Environment struct {
	// Lookup returns a variable of the environment.
	Lookup func(string) (string, bool)
	// OS is the operating system, as in runtime.GOOS.
	OS string
	// Dir is the working directory as an absolute path. It stands for the project of a file that
	// is in no project.
	Dir string
}

// places returns the folder for a variable in a path of client.Configuration.
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
	case "CONFIG": // where graphical programs keep their configurations
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
	Client *client.Row // nil if only the text can tell which client's it is
	Path   string
	Root   string // the folder of the project
}

// Installed returns the files that the rows of package client name, in their order. A file
// need not exist.
func Installed(environment Environment) []File {
	var files []File
	seen := map[string]bool{}
	for _, row := range client.Rows {
		for _, pattern := range patterns(row) {
			name := filepath.FromSlash(os.Expand(pattern, environment.places))
			file := File{row, name, environment.Dir}
			if !seen[name] {
				files = append(files, file)
			}
			seen[name] = true
		}
	}
	return files
}

// patterns returns the paths of the configurations of a client, with variables for folders.
func patterns(row *client.Row) []string {
	if row.Configuration == nil {
		return nil
	}
	return row.Configuration.Files
}

// Of returns the file with a name, and the client whose files have that name. The project of
// a file is the folder that the client looks for the file in, and for a file of the user the
// working directory.
func Of(name string, environment Environment) File {
	full := name
	if !filepath.IsAbs(full) {
		full = filepath.Join(environment.Dir, full)
	}
	slashed := filepath.ToSlash(filepath.Clean(full))
	found := File{nil, name, environment.Dir}
	for _, row := range client.Rows {
		for _, pattern := range patterns(row) {
			if path.Clean(filepath.ToSlash(os.Expand(pattern, environment.places))) == slashed {
				return File{row, name, environment.Dir}
			}
			_, tail, isUsers := strings.Cut(pattern, "}/")
			if !isUsers {
				tail = pattern
			}
			folder, ok := strings.CutSuffix(slashed, "/"+tail)
			switch {
			case !ok:
			case isUsers:
				found.Client = cmp.Or(found.Client, row)
			default:
				found = File{row, name, filepath.FromSlash(folder)}
			}
		}
	}
	return found
}

// maxServers is the number of servers that one configuration may have, because each is a program to
// start.
const maxServers = 200

// Read returns the servers in the text of a configuration, in the order of the text. The
// error is ErrNoServers if the text can be read and has none.
func (f File) Read(text []byte, environment Environment) ([]Server, error) {
	for _, row := range f.readers() {
		root, err := parse(text, row.Configuration.IsTOML)
		if err != nil {
			return nil, err
		}
		servers := read(f, row, root, environment)
		if len(servers) > maxServers {
			return nil, fmt.Errorf("more than %d servers", maxServers)
		}
		if len(servers) > 0 {
			return servers, nil
		}
	}
	return nil, ErrNoServers
}

// readers returns the clients to which the file may belong.
func (f File) readers() []*client.Row {
	switch {
	case f.Client != nil:
		return []*client.Row{f.Client}
	case strings.EqualFold(filepath.Ext(f.Path), ".toml"):
		return []*client.Row{client.Named("codex")}
	default: // these clients keep their servers in members with different names
		return []*client.Row{other, client.Named("vscode"), client.Named("zed"), client.Named("opencode")}
	}
}

// other stands for any client that uses the common form in a file with another name. It accepts the
// members and the variables of all clients.
var other = &client.Row{
	Name: "other", Title: "another client",
	Configuration: &client.Configuration{
		Servers:   []string{"mcpServers"},
		Variables: client.AnyVariables,
		Entry:     client.Entry{Address: []string{"httpUrl", "serverUrl", "url"}},
	},
}

// parse parses the text of a configuration, which is TOML or JSON with comments.
func parse(text []byte, isTOML bool) (*schema.Node, error) {
	if !isTOML {
		return schema.Parse(jsonc.ToJSON(text))
	}
	var file struct { // Codex is the only client that writes TOML
		Servers map[string]any `json:"mcp_servers,omitempty" toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("reading TOML: %w", err)
	}
	asJSON, err := json.Marshal(file)
	if err != nil {
		return nil, fmt.Errorf("reading TOML: %w", err)
	}
	return schema.Parse(asJSON)
}

// read returns the servers in the tree of a file.
func read(file File, row *client.Row, root *schema.Node, environment Environment) []Server {
	var servers []Server
	for _, member := range entries(file, row, root) {
		e := &entry{Environment: environment, client: row, root: root, project: file.Root}
		servers = append(servers, e.read(file, member))
	}
	return servers
}

// entries returns the entries of servers below each of the members in which a client keeps them.
func entries(file File, row *client.Row, root *schema.Node) []schema.Member {
	var found []schema.Member
	for _, members := range row.Configuration.Servers {
		within := root
		for name := range strings.SplitSeq(members, "/") {
			within = within.Get(strings.ReplaceAll(name, "~", file.Root))
		}
		for _, member := range membersOf(within) {
			if slices.Contains(row.Configuration.Servers, members+"/"+member.Key) {
				continue // the member holds servers itself
			}
			found = append(found, member)
		}
	}
	return found
}
