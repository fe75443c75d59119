package config_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/agent/config"
)

// front is what the tests put in front of commands.
var front = []string{"/p \"q\"/verify", "wrap", "--"}

func putInFront(_ string, command []string) []string { return slices.Concat(front, command) }

func takeOff(_ string, command []string) []string {
	if len(command) > len(front) && slices.Equal(command[:len(front)], front) {
		return command[len(front):]
	}
	return command
}

// TestRewrite puts words in front of the commands in configurations of the nine clients and takes them
// off again. Everything else stays byte for byte, and the text becomes what it was.
func TestRewrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, text, want string }{
		"Claude Desktop": {
			"/home/u/.config/Claude/claude_desktop_config.json",
			`{"mcpServers":{"a":{"command":"npx","args":["-y","x"],"env":{"K":"1"}},"far":{"url":"https://x/"}},"theme":"dark"}`,
			`{"mcpServers":{"a":{"command":SELF,"args":["wrap", "--", "npx", "-y","x"],"env":{"K":"1"}},"far":{"url":"https://x/"}},"theme":"dark"}`,
		},
		"Claude Code": {
			"/home/u/.claude.json",
			"{\n\t\"projects\": {\"/w\": {\"mcpServers\": {\"a\": {\n\t\t\"args\": [\n\t\t\t\"x\"\n\t\t],\n\t\t\"command\": \"np\\u0078\"}}}}\n}",
			"{\n\t\"projects\": {\"/w\": {\"mcpServers\": {\"a\": {\n\t\t\"args\": [\n\t\t\t\"wrap\",\n\t\t\t\"--\",\n\t\t\t\"np\\u0078\",\n\t\t\t\"x\"\n\t\t],\n\t\t\"command\": SELF}}}}\n}",
		},
		"VS Code": {
			".vscode/mcp.json",
			"// é\n{\"servers\": {/* a */ \"a\": {\"command\": \"x\", // x\n\"args\": [ ],},}, \"inputs\": [],}",
			"// é\n{\"servers\": {/* a */ \"a\": {\"command\": SELF, // x\n\"args\": [\"wrap\", \"--\", \"x\" ],},}, \"inputs\": [],}",
		},
		"Cursor, no arguments": {
			".cursor/mcp.json",
			"{\"mcpServers\": {\r\n  \"a\": {\r\n    \"command\": \"x\"\r\n  }, \"b\": {\"command\": \"y\"}}}",
			"{\"mcpServers\": {\r\n  \"a\": {\r\n    \"args\": [\"wrap\", \"--\", \"x\"],\r\n    \"command\": SELF\r\n  }, \"b\": {\"args\": [\"wrap\", \"--\", \"y\"], \"command\": SELF}}}",
		},
		"Gemini CLI": {
			".gemini/settings.json",
			`{"mcpServers":{"a":{"command":"$KEY","args":["${KEY}"],"trust":true},"h":{"httpUrl":"https://x/"}}}`,
			`{"mcpServers":{"a":{"command":SELF,"args":["wrap", "--", "$KEY", "${KEY}"],"trust":true},"h":{"httpUrl":"https://x/"}}}`,
		},
		"Codex": {
			"/home/u/.codex/config.toml",
			"m = \"é\" # mine\n[mcp_servers.a] # a\ncommand = 'npx' # program\nargs = [ # none\n  \"-y\", # yes\n]\n[mcp_servers.\"b.c\"]\n  command = \"\"\"\ny\"\"\"\n[mcp_servers]\nd = {command = \"d\", args = []}\ne = {command = \"e\"}\nf.\"args\" = [\"]\"]\nf.command = \"f\"\n" +
				"[mcp_servers.far]\nurl = \"https://x/\"\n[[profiles]]\ncommand = 1\n",
			"m = \"é\" # mine\n[mcp_servers.a] # a\ncommand = SELF # program\nargs = [ # none\n  \"wrap\", \"--\", 'npx', \"-y\", # yes\n]\n[mcp_servers.\"b.c\"]\n  args = [\"wrap\", \"--\", \"\"\"\ny\"\"\"]\n  command = SELF\n[mcp_servers]\n" +
				"d = {command = SELF, args = [\"wrap\", \"--\", \"d\"]}\ne = {args = [\"wrap\", \"--\", \"e\"], command = SELF}\nf.\"args\" = [\"wrap\", \"--\", \"f\", \"]\"]\nf.command = SELF\n" +
				"[mcp_servers.far]\nurl = \"https://x/\"\n[[profiles]]\ncommand = 1\n",
		},
		"opencode": {
			"opencode.jsonc",
			`{"mcp":{"a":{"type":"local","command":["bun", 1],"enabled":false},"r":{"type":"remote","url":"https://x"}}}`,
			`{"mcp":{"a":{"type":"local","command":[SELF, "wrap", "--", "bun", 1],"enabled":false},"r":{"type":"remote","url":"https://x"}}}`,
		},
		"Zed": {
			".zed/settings.json",
			`{"context_servers":{"a":{"command":"x","args":["1"]},"b":{"command":{"path":"y","args":["2"]}},"c":{"command":{"path":"z"}},"e":{"source":"extension","settings":{}}}}`,
			`{"context_servers":{"a":{"command":SELF,"args":["wrap", "--", "x", "1"]},"b":{"command":{"path":SELF,"args":["wrap", "--", "y", "2"]}},"c":{"command":{"args": ["wrap", "--", "z"], "path":SELF}},"e":{"source":"extension","settings":{}}}}`,
		},
		"Windsurf": {
			"/home/u/.codeium/windsurf/mcp_config.json",
			`{"mcpServers":{"b":{"command":"x","args":["${env:KEY}"]},"c":{"serverUrl":"https://x/"}}}`,
			`{"mcpServers":{"b":{"command":SELF,"args":["wrap", "--", "x", "${env:KEY}"]},"c":{"serverUrl":"https://x/"}}}`,
		},
	} {
		t.Run(strings.NewReplacer(" ", "_", ",", "").Replace(name), func(t *testing.T) {
			t.Parallel()
			file := config.Of(test.file, environment("linux"))
			got, err := file.Rewrite([]byte(test.text), environment("linux"), putInFront)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(test.want, "SELF", `"/p \"q\"/verify"`)
			if difference := cmp.Diff(want, string(got)); difference != "" {
				t.Error(difference)
			}
			back, err := file.Rewrite(got, environment("linux"), takeOff)
			if err != nil || string(back) != test.text {
				t.Errorf("it becomes %s, %v", back, err)
			}
			same, err := file.Rewrite([]byte(test.text), environment("linux"), takeOff)
			if err != nil || !bytes.Equal(same, back) {
				t.Errorf("without the words it becomes %s, %v", same, err)
			}
		})
	}
}

// TestNotRewritten: a form that is not known well enough is left alone, with the reason.
func TestNotRewritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"mcpServers": {"a": {"command": "x", "args": "y"}}}`:     `server "a": its command is not made of words`,
		`{"mcpServers": {"a": {"command": "x", "args": [["y"]]}}}`: `server "a": its command is not made of words`,
		`{"mcpServers": {"a": {"command": {"path": ["x"]}}}}`:      `server "a": its command is not made of words`,
		`{"mcpServers": {}}`:                                            config.ErrNoServers.Error(),
		"[mcp_servers]\na.command = \"x\"\n":                            "its form is not known well enough to change it",
		"mcp_servers.a.command = \"x\"\n":                               "its form is not known well enough to change it",
		"[mcp_servers.a]\ncommand = \"x\"\nargs = [{a = 1}, [\"1\"]]\n": `server "a": its command is not made of words`,
	} {
		name := "servers.json"
		if !strings.HasPrefix(text, "{") {
			name = "config.toml"
		}
		got, err := config.Of(name, environment("linux")).Rewrite([]byte(text), environment("linux"), putInFront)
		if err == nil || err.Error() != want {
			t.Errorf("%s becomes %s, %v", text, got, err)
		}
	}
}
