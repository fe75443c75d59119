package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/agent/client"
	"toolproof/harness/agent/config"
)

// environment returns a machine with some variables.
func environment(system string) config.Environment {
	variables := map[string]string{
		"HOME": "/home/u", "USERPROFILE": "C:/Users/u", "APPDATA": "C:/Users/u/AppData/Roaming",
		"KEY": "key-of-the-environment", "EMPTY": "",
	}
	return config.Environment{OS: system, Dir: "/w", Lookup: func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}}
}

// read returns the servers in a file with a name and a text.
func read(t *testing.T, name, text string) []config.Server {
	t.Helper()
	servers, err := config.Of(name, environment("linux")).Read([]byte(text), environment("linux"))
	if err != nil {
		t.Fatal(err)
	}
	return servers
}

const key = "key-of-the-environment"

// TestForms reads what the documentation of each client shows: programs, addresses,
// variables, and what is disabled.
func TestForms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file, text string
		want       []config.Server
	}{
		"Claude Desktop": {
			"/home/u/.config/Claude/claude_desktop_config.json",
			`{"mcpServers": {"files": {"command": "npx", "args": ["-y", "x", "${KEY}"], "env": {"A": "1"}}}}`,
			[]config.Server{{
				Clients: []string{"claude-desktop"}, Name: "files", Command: []string{"npx", "-y", "x", "${KEY}"}, Env: []string{"A=1"}, Dir: "/w",
			}},
		},
		"Claude Code": {
			"p/.mcp.json",
			`{"mcpServers": {
				"a": {"type": "stdio", "command": "${NONE:-node}", "args": ["${KEY}"], "env": {"B": "${EMPTY:-b}"}},
				"b": {"type": "http", "url": "https://x/${KEY}", "headers": {"Authorization": "Bearer ${KEY}"}},
				"c": {"type": "sse", "url": "https://x/sse"}}}`,
			[]config.Server{
				{Clients: []string{"claude-code"}, Name: "a", Command: []string{"node", key}, Env: []string{"B=b"}, Dir: "/w/p"},
				{Clients: []string{"claude-code"}, Name: "b", Address: "https://x/" + key, Headers: map[string]string{"Authorization": "Bearer " + key}, Dir: "/w/p"},
				{Clients: []string{"claude-code"}, Name: "c", Address: "https://x/sse", IsSSE: true, Dir: "/w/p"},
			},
		},
		"Claude Code, of the user": {
			"/home/u/.claude.json",
			`{"numStartups": 3, "mcpServers": {"mine": {"command": "a"}}, "projects": {"/other": {"mcpServers": {"no": {"command": "c"}}}, "/w": {"mcpServers": {"here": {"command": "b"}}}}}`,
			[]config.Server{
				{Clients: []string{"claude-code"}, Name: "mine", Command: []string{"a"}, Dir: "/w"},
				{Clients: []string{"claude-code"}, Name: "here", Command: []string{"b"}, Dir: "/w"},
			},
		},
		"VS Code": {
			"p/.vscode/mcp.json",
			`{
				// of the team
				"inputs": [{"id": "level", "type": "pickString", "default": "info"}],
				"servers": {
					"a": {"type": "stdio", "command": "node", "args": ["${workspaceFolder}/s.js", "${workspaceFolderBasename}", "${userHome}", "${input:level}"], "env": {"K": "${env:KEY}", "N": 3, "Z": null}, "cwd": "sub"},
					/* far */ "b": {"type": "http", "url": "https://x/mcp"},
				},
			}`,
			[]config.Server{
				{Clients: []string{"vscode"}, Name: "a", Command: []string{"node", "/w/p/s.js", "p", "/home/u", "info"}, Env: []string{"K=" + key, "N=3", "Z="}, Dir: "/w/p/sub"},
				{Clients: []string{"vscode"}, Name: "b", Address: "https://x/mcp", Dir: "/w/p"},
			},
		},
		"VS Code, settings": {
			".vscode/settings.json", `{"editor.tabSize": 4, "mcp": {"servers": {"a": {"command": "x"}}}}`,
			[]config.Server{{Clients: []string{"vscode"}, Name: "a", Command: []string{"x"}, Dir: "/w"}},
		},
		"Cursor": {
			"/home/u/.cursor/mcp.json", `{"mcpServers": {"a": {"url": "https://x/mcp", "headers": {"X-Key": "${env:KEY}"}}}}`,
			[]config.Server{{Clients: []string{"cursor"}, Name: "a", Address: "https://x/mcp", Headers: map[string]string{"X-Key": key}, Dir: "/w"}},
		},
		"Gemini CLI": {
			".gemini/settings.json",
			`{"mcp": {"excluded": ["c"]}, "mcpServers": {
				"a": {"httpUrl": "https://x/mcp", "headers": {"K": "$KEY"}}, "b": {"url": "https://x/sse"}, "c": {"command": "$KEY", "cwd": "/tmp"}, "d": {"url": "https://x/mcp", "type": "http"}}}`,
			[]config.Server{
				{Clients: []string{"gemini-cli"}, Name: "a", Address: "https://x/mcp", Headers: map[string]string{"K": key}, Dir: "/w"},
				{Clients: []string{"gemini-cli"}, Name: "b", Address: "https://x/sse", IsSSE: true, Dir: "/w"},
				{Clients: []string{"gemini-cli"}, Name: "c", Command: []string{key}, Dir: "/tmp", IsDisabled: true},
				{Clients: []string{"gemini-cli"}, Name: "d", Address: "https://x/mcp", Dir: "/w"},
			},
		},
		"Codex": {
			"/home/u/.codex/config.toml",
			"model = \"x\"\n[mcp_servers.a]\ncommand = \"node\"\nargs = [\"${KEY}\"]\nenabled = false\n[mcp_servers.a.env]\nA = \"1\"\n" +
				"[mcp_servers.b]\nurl = \"https://x/mcp\"\nbearer_token_env_var = \"KEY\"\nhttp_headers = { \"X-A\" = \"1\" }\nenv_http_headers = { \"X-B\" = \"KEY\" }\n",
			[]config.Server{
				{Clients: []string{"codex"}, Name: "a", Command: []string{"node", "${KEY}"}, Env: []string{"A=1"}, Dir: "/w", IsDisabled: true},
				{Clients: []string{"codex"}, Name: "b", Address: "https://x/mcp", Headers: map[string]string{"Authorization": "Bearer " + key, "X-A": "1", "X-B": key}, Dir: "/w"},
			},
		},
		"opencode": {
			"opencode.jsonc",
			`{"mcp": {"a": {"type": "local", "command": ["bun", "x", "{env:KEY}"], "environment": {"A": "1"}, "enabled": false}, // off
				"b": {"type": "remote", "url": "https://x/mcp", "headers": {"K": "{env:KEY}"}}}}`,
			[]config.Server{
				{Clients: []string{"opencode"}, Name: "a", Command: []string{"bun", "x", key}, Env: []string{"A=1"}, Dir: "/w", IsDisabled: true},
				{Clients: []string{"opencode"}, Name: "b", Address: "https://x/mcp", Headers: map[string]string{"K": key}, Dir: "/w"},
			},
		},
		"opencode 2": {
			"opencode.json", `{"mcp": {"servers": {"a": {"type": "local", "command": ["x"]}}}}`,
			[]config.Server{{Clients: []string{"opencode"}, Name: "a", Command: []string{"x"}, Dir: "/w"}},
		},
		"Zed": {
			"/home/u/.config/zed/settings.json",
			`{"context_servers": {"a": {"source": "custom", "command": "x", "args": ["1"], "env": {}}, "b": {"command": {"path": "y", "args": ["2"], "env": {"A": "1"}}}, "c": {"url": "https://x/mcp"}}}`,
			[]config.Server{
				{Clients: []string{"zed"}, Name: "a", Command: []string{"x", "1"}, Dir: "/w"},
				{Clients: []string{"zed"}, Name: "b", Command: []string{"y", "2"}, Env: []string{"A=1"}, Dir: "/w"},
				{Clients: []string{"zed"}, Name: "c", Address: "https://x/mcp", Dir: "/w"},
			},
		},
		"Windsurf": {
			"/home/u/.codeium/windsurf/mcp_config.json",
			`{"mcpServers": {"a": {"serverUrl": "https://x/mcp", "headers": {"K": "${env:KEY}"}}, "b": {"command": "x", "disabled": true}}}`,
			[]config.Server{
				{Clients: []string{"windsurf"}, Name: "a", Address: "https://x/mcp", Headers: map[string]string{"K": key}, Dir: "/w"},
				{Clients: []string{"windsurf"}, Name: "b", Command: []string{"x"}, Dir: "/w", IsDisabled: true},
			},
		},
		"another name": {
			"servers.json", `{"mcpServers": {"a": {"command": "${KEY}", "args": ["${env:KEY}", "${NONE:-1}"]}, "b": {"serverUrl": "https://x/"}}}`,
			[]config.Server{
				{Clients: []string{"other"}, Name: "a", Command: []string{key, key, "1"}, Dir: "/w"},
				{Clients: []string{"other"}, Name: "b", Address: "https://x/", Dir: "/w"},
			},
		},
		"another name, by its members": {
			"servers.json", `{"context_servers": {"a": {"command": "x"}}}`,
			[]config.Server{{Clients: []string{"zed"}, Name: "a", Command: []string{"x"}, Dir: "/w"}},
		},
		"another name, TOML": {
			"servers.toml", "[mcp_servers.a]\ncommand = \"x\"\n",
			[]config.Server{{Clients: []string{"codex"}, Name: "a", Command: []string{"x"}, Dir: "/w"}},
		},
	} {
		t.Run(strings.NewReplacer(" ", "_", ",", "").Replace(name), func(t *testing.T) {
			t.Parallel()
			servers := read(t, test.file, test.text)
			for i := range servers {
				if servers[i].Err != nil || servers[i].File != test.file {
					t.Errorf("%s: %v", servers[i].File, servers[i].Err)
				}
				servers[i].File, servers[i].Secrets = "", nil
				if len(servers[i].Headers) == 0 {
					servers[i].Headers = nil
				}
			}
			if difference := cmp.Diff(test.want, servers); difference != "" {
				t.Error(difference)
			}
		})
	}
}

// TestMissing reads entries that lack something: the error names it.
func TestMissing(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		`{"command": "x", "args": ["${env:NONE}", "${env:NONE}", "${env:OTHER}"]}`: "the configuration needs the environment variable NONE, the environment variable OTHER",
		`{"command": "x", "env": {"K": "${input:token}"}}`:                         "the configuration needs the input token, which the client asks for",
		`{"command": "x", "args": ["${config:a.b}"]}`:                              "the configuration needs the variable ${config:a.b}",
		`{"command": "x", "envFile": ".env"}`:                                      "the configuration needs the envFile, which is not read here",
		`{"type": "ws", "url": "wss://x"}`:                                         `servers of the type "ws" are not asked`,
		`{"args": ["x"]}`:                                                          "the configuration has neither a command nor an address",
		`{"command": ""}`:                                                          "the configuration has neither a command nor an address",
		`{"command": []}`:                                                          "the configuration has neither a command nor an address",
		`[]`:                                                                       "the configuration has neither a command nor an address",
		`"x"`:                                                                      "the configuration has neither a command nor an address",
		`null`:                                                                     "the configuration has neither a command nor an address",
	} {
		servers := read(t, ".vscode/mcp.json", `{"servers": {"a": `+entry+`}}`)
		if len(servers) != 1 || servers[0].Err == nil || servers[0].Err.Error() != want {
			t.Errorf("%s: %v, want %s", entry, servers[0].Err, want)
		}
	}
	zed := read(t, ".zed/settings.json", `{"context_servers": {"a": {"source": "extension", "settings": {}}}}`)
	if err := zed[0].Err; err == nil || !strings.Contains(err.Error(), "an extension of Zed") {
		t.Errorf("%v", err)
	}
}

// TestSecrets checks that values from the environment, and those of env and headers, count as
// secrets.
func TestSecrets(t *testing.T) {
	t.Parallel()
	servers := read(t, ".cursor/mcp.json", `{"mcpServers": {"a": {"command": "x", "args": ["${env:KEY}"], "env": {"A": "in the file"}}, "b": {"url": "https://x", "headers": {"H": "in the header"}}}}`)
	want := []map[string]string{{key: "KEY", "in the file": "A"}, {"in the header": "H"}}
	if difference := cmp.Diff(want, []map[string]string{servers[0].Secrets, servers[1].Secrets}); difference != "" {
		t.Error(difference)
	}
}

// TestUnreadable reads texts that are not configurations: each is an error.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a.json":      `{"mcpServers": `,
		"b.json":      strings.Repeat("[", 1<<20),
		"c.json":      "/*" + strings.Repeat("*", 1<<20),
		"config.toml": "[mcp_servers",
		"d.toml":      "[mcp_servers]\na = " + strings.Repeat("[", 1<<20),
		"e.toml":      "[mcp_servers.a]\nx = nan\n",
	} {
		if _, err := config.Of(name, environment("linux")).Read([]byte(text), environment("linux")); err == nil || errors.Is(err, config.ErrNoServers) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{`{}`, `{"mcpServers": {}}`, `{"mcpServers": []}`, `[]`, `{"name": "x"}`} {
		if _, err := config.Of("a.json", environment("linux")).Read([]byte(text), environment("linux")); !errors.Is(err, config.ErrNoServers) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestInstalled checks where configurations lie on each system.
func TestInstalled(t *testing.T) {
	t.Parallel()
	for system, want := range map[string][]string{
		"linux": {
			"/home/u/.config/Claude/claude_desktop_config.json", "/home/u/.claude.json", ".mcp.json", "/home/u/.config/Code/User/mcp.json", ".vscode/mcp.json",
			"/home/u/.cursor/mcp.json", ".cursor/mcp.json", "/home/u/.gemini/settings.json", "/home/u/.codex/config.toml",
			"/home/u/.config/opencode/opencode.json", "opencode.jsonc", "/home/u/.config/zed/settings.json", ".zed/settings.json",
			"/home/u/.codeium/windsurf/mcp_config.json",
		},
		"darwin": {
			"/home/u/Library/Application Support/Claude/claude_desktop_config.json", "/home/u/Library/Application Support/Code/User/mcp.json",
			"/home/u/.config/opencode/opencode.json", "/home/u/.config/zed/settings.json",
		},
		"windows": {
			"C:/Users/u/AppData/Roaming/Claude/claude_desktop_config.json", "C:/Users/u/AppData/Roaming/Code/User/mcp.json",
			"C:/Users/u/AppData/Roaming/Zed/settings.json", "C:/Users/u/.cursor/mcp.json", "C:/Users/u/.claude.json",
		},
	} {
		var found []string
		for _, file := range config.Installed(environment(system)) {
			found = append(found, filepath.ToSlash(file.Path))
		}
		for _, name := range want {
			if !slices.Contains(found, name) {
				t.Errorf("%s: %s is missing in %q", system, name, found)
			}
		}
	}
}

// TestEffective checks that a later file overrides an earlier one, and that servers that are
// started alike are one.
func TestEffective(t *testing.T) {
	t.Parallel()
	server := func(client, name, command string) config.Server {
		return config.Server{Clients: []string{client}, Name: name, Command: []string{command}}
	}
	got := config.Effective([]config.Server{
		server("a", "x", "old"), server("a", "y", "y"), server("a", "x", "new"), server("b", "y", "y"), server("b", "x", "old"),
	})
	want := []config.Server{server("a", "x", "new"), server("a", "y", "y"), server("b", "x", "old")}
	want[1].Clients = []string{"a", "b"}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Error(difference)
	}
}

// TestDocumentation checks that docs/servers.md has each client with its files.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/servers.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range client.Rows {
		if row.Configuration == nil {
			continue
		}
		if line := "| " + row.Title + " | `" + strings.Join(row.Configuration.Files, "`, `") + "` |\n"; !strings.Contains(string(text), line) {
			t.Errorf("docs/servers.md lacks %s", line)
		}
	}
}
