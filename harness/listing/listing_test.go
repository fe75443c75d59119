package listing_test

import (
	"slices"
	"strings"
	"testing"

	"toolproof/harness/listing"
	"toolproof/schema"
)

// fine is a server.json that is published, with a package and a remote.
const fine = `{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json","name":"io.github.user/weather","title":"Weather","description":"Weather of a city",
	"version":"1.0.2","websiteUrl":"https://example.com/weather","repository":{"url":"https://github.com/user/weather","source":"github","subfolder":"server"},
	"icons":[{"src":"https://example.com/icon.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}],
	"packages":[{"registryType":"npm","identifier":"@user/weather","version":"1.0.2","transport":{"type":"streamable-http","url":"http://localhost:{PORT}/mcp"},
		"packageArguments":[{"type":"named","name":"--port","value":"{port}","variables":{"port":{"format":"number","isRequired":true}}}],"environmentVariables":[{"name":"PORT"}]}],
	"remotes":[{"type":"streamable-http","url":"https://{tenant}.example.com/mcp","variables":{"tenant":{}}}],
	"_meta":{"io.modelcontextprotocol.registry/publisher-provided":{"tool":"ci"}}}`

// planted has for each rule a place of fine, a value that the rule reports there, and one that it takes. Empty values leave
// the member out.
var planted = []struct {
	rule            string
	at              schema.Pointer
	bad, near, says string
}{
	{"wrong_type", "/packages/0/packageArguments/0/variables/port/isRequired", `"true"`, `false`, "cannot unmarshal string into Go struct field"},
	{"wrong_type", "/packages/0/environmentVariables/0", `"PORT"`, `{"name":"PORT"}`, "Go struct field Package.packages.environmentVariables of type model.KeyValueInput"},
	{"wrong_type", "/_meta", `[]`, `null`, "Go struct field ServerJSON._meta of type v0.ServerMeta"},
	{"length", "/description", `"` + strings.Repeat("ä", 101) + `"`, `"` + strings.Repeat("ä", 100) + `"`, "body.description: expected length <= 100"},
	{"length", "/description", ``, `"d"`, "body.description: expected length >= 1"},
	{"length", "/title", `"` + strings.Repeat("a", 101) + `"`, `""`, "body.title: expected length <= 100"},
	{"length", "/icons/0/src", `"https://example.com/` + strings.Repeat("a", 240) + `"`, `"https://example.com/a"`, "body.icons[0].src: expected length <= 255"},
	{"pattern", "/name", `"weather"`, `"io.github.user/weather"`, "expected string to match pattern ^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
	{"choice", "/packages/0/packageArguments/0/variables/port/format", `"integer"`, `""`, `expected value to be one of "string, number, boolean, filepath"`},
	{"address", "/repository/url", `"git@github.com:user/weather.git"`, `"https://github.com/user/weather.git"`, "first path segment in URL cannot contain colon"},
	{
		"schema_version", "/$schema", `"https://static.modelcontextprotocol.io/schemas/draft/server.schema.json"`,
		`"https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json"`, "schema version draft not available",
	},
	{"schema_version", "/$schema", `"https://example.com/schema.json"`, `"https://static.modelcontextprotocol.io/schemas/2026-12-24/server.schema.json"`, "failed to extract schema version"},
	{"server_name", "/name", `"io.github.user/-weather"`, `"io.github.user/we-ather"`, "name '-weather' is invalid"},
	{"server_name", "/name", `"io.github./weather"`, `"Io.GitHub/weather"`, "namespace 'io.github.' is invalid"},
	{"not_one_version", "/version", `"1.x"`, `"1.0"`, `not a range: "1.x"`},
	{"not_one_version", "/packages/0/version", `"latest"`, `"2026-11-28"`, "version string 'latest' is reserved"},
	{"title_blank", "/title", `" "`, `" a"`, "title cannot be only whitespace"},
	{"repository", "/repository/source", ``, `"github"`, "repository source is required when repository is provided"},
	{"repository", "/repository/url", `"https://bitbucket.org/user/weather"`, `"http://www.github.com/user/weather/"`, "invalid repository URL: https://bitbucket.org/user/weather"},
	{"repository", "/repository/subfolder", `"../server"`, `"packages/server.d"`, "invalid subfolder path: ../server"},
	{"website_url", "/websiteUrl", `"http://example.com"`, `"https://example.com"`, "websiteUrl must use https scheme"},
	{"website_url", "/websiteUrl", `"https://example.com/a b"`, `"https://example.com/a%20b"`, "invalid character ' ' at position 21"},
	{"icon_source", "/icons/0/src", `"data:image/png;base64,AA=="`, `"https://example.com/a.png"`, "icon src must use https scheme (got data)"},
	{"icon_source", "/icons/0/src", `"icon.png"`, `"https://a.b"`, "icon src must be an absolute URL"},
	{"spaced_identifier", "/packages/0/identifier", `"weather --port 1"`, `"weather"`, "package name cannot contain spaces"},
	{"argument", "/packages/0/packageArguments/0", `{"type":"positional"}`, `{"type":"positional","value":""}`, "positional argument must provide a value or a valueHint"},
	{"argument", "/packages/0/packageArguments/0/type", `"flag"`, `"named"`, `argument type must be 'positional' or 'named': "flag"`},
	{"argument", "/packages/0/packageArguments/0/name", `"--port <port>"`, `"--the-port"`, "invalid named argument name format"},
	{"argument", "/packages/0/packageArguments/0/value", `"--port=1"`, `"1"`, "argument value cannot start with the argument name: value starts with argument name '--port': --port=1"},
	{"package_transport", "/packages/0/transport", `{"type":"stdio","url":"http://localhost"}`, `{"type":"stdio"}`, "url must be empty for stdio transport type"},
	{"package_transport", "/packages/0/transport/url", `"http://localhost:{port}/mcp"`, `"http://localhost:{--port}/mcp"`, "reference undefined variables. Available variables: [PORT --port]"},
	{"package_transport", "/packages/0/transport/type", `"http"`, `"sse"`, "unsupported transport type: http"},
	{"remote_transport", "/remotes/0/url", `"https://localhost/mcp"`, `"https://a.localhost.example.com/mcp"`, "invalid remote URL: https://localhost/mcp"},
	{"remote_transport", "/remotes/0/variables", ``, `{"tenant":{"default":"a"}}`, "template variables in URL https://{tenant}.example.com/mcp reference undefined variables"},
	{"remote_transport", "/remotes/0/type", `"stdio"`, `"sse"`, "unsupported transport type for remotes: stdio"},
	{
		"extension_size", "/_meta/io.modelcontextprotocol.registry~1publisher-provided", `{"a":"` + strings.Repeat("<", 682) + `"}`,
		`{"a":"` + strings.Repeat("<", 681) + `"}`, "extension exceeds 4KB limit (4100 bytes)",
	},
	{"package", "/packages/0/version", ``, `"1"`, "registry validation failed for package 0 (@user/weather): package version is required for NPM packages"},
	{"package", "/packages/0/registryType", `"docker"`, `"cargo"`, "unsupported registry type: docker"},
	{"package", "/packages/0/registryBaseUrl", `"https://registry.npmjs.org/"`, `"https://registry.npmjs.org"`, "Expected: https://registry.npmjs.org"},
	{"package", "/packages/0", `{"registryType":"oci","identifier":"example.com/a/b:1","transport":{"type":"stdio"}}`, image("us-docker.pkg.dev/a/b:1"), "unsupported OCI registry: example.com"},
	{"package", "/packages/0", image("ghcr.io/User/weather"), image("weather"), "invalid OCI reference: could not parse reference: ghcr.io/User/weather"},
	{"package", "/packages/0", bundle("https://example.com/mcp.mcpb"), bundle("https://github.com/a/b/releases/download/v1/mcp.mcpb"), "Host 'example.com' is not allowed"},
	{"package", "/packages/0", bundle("https://github.com/a/b/releases/download/v1/x.mcpb?raw"), bundle("https://gitlab.com/a/b/c/-/package_files/1/download?mcp"), ""},
	{"package", "/packages/0", bundle("https://gitlab.com/a/b/raw/mcp.mcpb"), bundle("https://gitlab.com/a/b/-/releases/v1/downloads/mcp.mcpb"), "GitLab MCPB packages must be release assets"},
	{"member_dropped", "/icon", `"https://example.com/icon.png"`, ``, "mcp-publisher does not send icon"},
	{"member_dropped", "/_meta/tool", `"ci"`, ``, "mcp-publisher does not send tool"},
	{"member_dropped", "/packages/0/registry_type", `"npm"`, ``, "mcp-publisher does not send registry_type"},
	{
		"schema_old", "/$schema", `"https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json"`,
		`"https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"`, "schema version 2025-09-29 is not the current version (2025-12-11)",
	},
	{"schema_refuses", "/icons/0/sizes/0", `"48"`, `"any"`, "the published JSON Schema refuses it"},
	{"schema_refuses", "/packages/0/environmentVariables/0", `{"value":"a"}`, `{"name":"PORT"}`, "missing property 'name'"},
}

func image(identifier string) string {
	return `{"registryType":"oci","identifier":"` + identifier + `","transport":{"type":"stdio"}}`
}

func bundle(address string) string {
	return `{"registryType":"mcpb","identifier":"` + address + `","fileSha256":"` + strings.Repeat("a", 64) + `","transport":{"type":"stdio"}}`
}

// with returns fine with a value at a place.
func with(t *testing.T, at schema.Pointer, value string) *schema.Node {
	t.Helper()
	server, err := schema.Parse([]byte(fine))
	if err != nil {
		t.Fatal(err)
	}
	slash := strings.LastIndex(string(at), "/")
	within, token := server.Find(at[:slash]), at[slash:].Tokens()[0]
	node, err := schema.Parse([]byte(value))
	switch {
	case value == "":
		within.Delete(token)
	case err != nil:
		t.Fatal(err)
	case within.Kind == schema.Array:
		*within.Step(token) = *node
	default:
		within.Set(token, node)
	}
	return server
}

// TestPlanted lets each rule find its planted fault, and nothing in a near miss.
func TestPlanted(t *testing.T) {
	t.Parallel()
	isFound := map[string]bool{}
	for _, test := range planted {
		isOfRule := func(finding listing.Finding) bool { return finding.Rule.Name == test.rule }
		if test.says != "" {
			found := listing.Judge(with(t, test.at, test.bad), listing.Rules)
			at := slices.IndexFunc(found, isOfRule)
			switch {
			case at < 0:
				t.Errorf("%s does not find %s at %s: %v", test.rule, test.bad, test.at, found)
				continue
			case !strings.Contains(found[at].Message, test.says):
				t.Errorf("%s of %s: %q, want %q", test.rule, test.bad, found[at].Message, test.says)
			case found[at].Instead == "":
				t.Errorf("%s of %s does not say what to write", test.rule, test.bad)
			}
			isFound[test.rule] = true
		}
		for _, finding := range listing.Judge(with(t, test.at, test.near), listing.Rules) {
			if isOfRule(finding) {
				t.Errorf("%s refuses the near miss %s at %s: %s", test.rule, test.near, test.at, finding.Message)
			}
		}
	}
	for _, rule := range listing.Rules {
		if !isFound[rule.Name] {
			t.Errorf("no fault is planted for %s", rule.Name)
		}
		title, text, isLong := strings.Cut(rule.Doc, "\n\n")
		if !isLong || title == "" || text == "" || rule.Since == "" || rule.Source == "" || rule.Instead == "" {
			t.Errorf("%s lacks a part of its documentation", rule.Name)
		}
	}
}

// TestFine finds nothing in a server.json that is published, and says what is looked up.
func TestFine(t *testing.T) {
	t.Parallel()
	server := with(t, "/version", `"1.0.2"`)
	if found := listing.Judge(server, listing.Rules); len(found) > 0 {
		t.Errorf("%v", found)
	}
	want := []string{
		"not asked: whether io.github.user is yours",
		"not asked: whether the npm package @user/weather has the member mcpName with the value io.github.user/weather in its package.json",
	}
	if got := listing.Unknown(server); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	newer := listing.Unknown(with(t, "/$schema", `"https://static.modelcontextprotocol.io/schemas/2026-12-24/server.schema.json"`))
	if !slices.ContainsFunc(newer, func(said string) bool { return strings.Contains(said, "the schema of 2026-12-24") }) {
		t.Errorf("a newer schema is not mentioned: %q", newer)
	}
}

// TestSteps reports the faults of later steps as behind those of the first, and none at a place that is refused already.
func TestSteps(t *testing.T) {
	t.Parallel()
	server, err := schema.Parse([]byte(`{"description":"", "name":"/", "version":1, "title":" ", "packages":[{"registryType":"x"}], "extra":null}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, finding := range listing.Judge(server, listing.Rules) {
		behind := ""
		if finding.IsBehind {
			behind = " behind"
		}
		got = append(got, finding.Rule.Name+" "+string(finding.At)+behind)
	}
	want := []string{
		"wrong_type /version",
		"length /$schema behind", "length /name behind", "length /packages/0/identifier behind", "length /description behind",
		"pattern /name behind", "title_blank /title behind", "package_transport /packages/0/transport/type behind", "package /packages/0/registryType behind", "member_dropped /extra",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestHostile judges values of other kinds at every place, and large ones, without a panic and soon.
func TestHostile(t *testing.T) {
	t.Parallel()
	var places []schema.Pointer
	var walk func(node *schema.Node, at schema.Pointer)
	walk = func(node *schema.Node, at schema.Pointer) {
		if at != "" {
			places = append(places, at)
		}
		for _, member := range node.Members {
			walk(member.Value, at.Child(member.Key))
		}
		for i, element := range node.Elements {
			walk(element, at.Element(i))
		}
	}
	walk(with(t, "/version", `"1"`), "")
	for _, at := range places {
		for _, value := range []string{`null`, `1e9`, `true`, `""`, `[]`, `{}`, `[null]`, `[[]]`, `{"":null}`, `"` + strings.Repeat("{a}", 10_000) + `"`} {
			listing.Judge(with(t, at, value), listing.Rules)
			listing.Unknown(with(t, at, value))
		}
	}
	packages := strings.TrimSuffix(strings.Repeat(`{"registryType":"oci","identifier":"`+strings.Repeat("a/", 100)+`:","transport":{"type":"sse","url":"{x}"}},`, 5_000), ",")
	if found := listing.Judge(with(t, "/packages", "["+packages+"]"), listing.Rules); len(found) < 10_000 {
		t.Errorf("%d findings in 5,000 packages with two faults each", len(found))
	}
	for _, text := range []string{`[]`, `null`, `1`, `{}`, `""`} {
		node, err := schema.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(listing.Judge(node, listing.Rules)) == 0 {
			t.Errorf("%s is a server", text)
		}
		listing.Unknown(node)
	}
}
