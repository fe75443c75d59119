package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolproof/schema"
)

// examplesIn returns the examples of the registry's documentation.
func examplesIn(registry string) ([]*schema.Node, error) {
	var examples []*schema.Node
	for _, name := range []string{"generic-server-json.md", "official-registry-requirements.md"} {
		text, err := os.ReadFile(filepath.Join(registry, "docs", "reference", "server-json", name)) //nolint:gosec // a file of this run
		if err != nil {
			return nil, fmt.Errorf("reading the examples: %w", err)
		}
		for block := range bytes.SplitSeq(text, []byte("```json\n")) {
			block, _, _ = bytes.Cut(block, []byte("```"))
			if example, err := schema.Parse(block); err == nil && example.Has("name") {
				examples = append(examples, example)
			}
		}
	}
	const fewest = 10
	if len(examples) < fewest {
		return nil, errors.New("the documentation has no examples")
	}
	return append(examples, parsed(full)), nil
}

// full has every member of a server.json.
const full = `{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json","name":"io.github.user/weather",
	"title":"Weather","description":"Weather of a city","version":"1.0.2","websiteUrl":"https://example.com/weather",
	"repository":{"url":"https://github.com/user/weather","source":"github","id":"1","subfolder":"packages/server"},
	"icons":[{"src":"https://example.com/icon.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"light"}],
	"packages":[
		{"registryType":"npm","registryBaseUrl":"https://registry.npmjs.org","identifier":"@user/weather","version":"1.0.2","runtimeHint":"npx","transport":{"type":"stdio"},
			"runtimeArguments":[{"type":"positional","value":"-y"},{"type":"named","name":"--port","value":"{port}","isRepeated":true,
				"variables":{"port":{"description":"p","format":"number","default":"80","choices":["80","81"],"isRequired":true,"isSecret":false,"placeholder":"80"}}}],
			"packageArguments":[{"type":"positional","valueHint":"path","default":"/tmp"}],
			"environmentVariables":[{"name":"KEY","value":"{key}","isSecret":true,"variables":{"key":{"isSecret":true}}}]},
		{"registryType":"pypi","identifier":"weather","version":"1.0.2","transport":{"type":"streamable-http","url":"http://localhost:{PORT}/mcp","headers":[{"name":"X"}]},
			"environmentVariables":[{"name":"PORT"}]},
		{"registryType":"nuget","identifier":"Weather","version":"1.0.2","transport":{"type":"sse","url":"http://localhost/sse"}},
		{"registryType":"cargo","identifier":"weather","version":"1.0.2","transport":{"type":"stdio"}},
		{"registryType":"oci","identifier":"ghcr.io/user/weather:1.0.2","transport":{"type":"stdio"}},
		{"registryType":"mcpb","identifier":"https://github.com/user/weather/releases/download/v1/weather-mcp.mcpb","version":"1",
			"fileSha256":"fe333e598595000ae021bd27117db32ec69af6987f507ba7a63c90638ff633ce","transport":{"type":"stdio"}}],
	"remotes":[{"type":"streamable-http","url":"https://{tenant}.example.com/mcp","headers":[{"name":"Authorization","isSecret":true}],"variables":{"tenant":{"isRequired":true}}},
		{"type":"sse","url":"https://example.com/sse"}],
	"_meta":{"io.modelcontextprotocol.registry/publisher-provided":{"tool":"ci","deep":{"a":[1,null]}}}}`

func parsed(text string) *schema.Node {
	node, err := schema.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return node
}

// values are what the place of a pointer into full gets in turn.
var values = map[schema.Pointer][]string{
	"": {`{}`},
	"/$schema": {
		`""`, `"hello"`, `"::"`, `"https://static.modelcontextprotocol.io/schemas/2025-07-09/server.schema.json"`,
		`"https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json"`,
		`"https://static.modelcontextprotocol.io/schemas/draft/server.schema.json"`, `"https://static.modelcontextprotocol.io/schemas/2025-01-01/server.schema.json"`,
		`"/schemas/2025-12-11/server.schema.json"`,
	},
	"/name": {
		`""`, `"a"`, `"weather"`, `"a/b"`, `"io.github.user/weather/x"`, `"-io/ab"`, `"io-/ab"`, `"io.x/.ab"`, `"io.x/ab_"`, `"io.x/a b"`, `"io.x/ä"`, `"io_x/ab"`, `"IO.X/Ab"`,
		`"io.x/` + strings.Repeat("a", 195) + `"`, `"io.x/` + strings.Repeat("a", 196) + `"`,
	},
	"/title":       {`""`, `" "`, `"` + strings.Repeat("ä", 100) + `"`, `"` + strings.Repeat("a", 101) + `"`},
	"/description": {`""`, `" "`, `"` + strings.Repeat("ä", 100) + `"`, `"` + strings.Repeat("a", 101) + `"`},
	"/version": {
		`""`, `"latest"`, `"^1.2.3"`, `"~1.2"`, `">=1.0.0"`, `"1.x"`, `"1.2.*"`, `"1.2 - 1.4"`, `"1.2 || 1.3"`, `"x"`, `"*"`, `"v1.0"`, `"2026-11-28"`, `"1.0.0-x"`,
		`" latest"`, `"1.0.0-rc.1+x"`,
		`"` + strings.Repeat("1", 256) + `"`,
	},
	"/websiteUrl": {`""`, `"example.com"`, `"http://example.com"`, `"https://example.com/a b"`, `"https://example.com/\"x"`, `"mailto:a@b"`, `"::"`, `"https://"`},
	"/repository": {`{}`, `{"url":"https://github.com/a/b"}`, `{"source":"github"}`, `{"url":"","source":""}`, `null`},
	"/repository/url": {
		`"https://github.com/user"`, `"http://www.github.com/user/weather/"`, `"git@github.com:user/weather.git"`, `"https://github.com/user/weather/tree/main"`,
		`"https://gitlab.com/a/b"`, `"https://bitbucket.org/a/b"`, `"https://github.com/user/weather.git"`, `"::"`,
	},
	"/repository/source":    {`"gitlab"`, `"bitbucket"`, `"GitHub"`},
	"/repository/subfolder": {`""`, `"/a"`, `"a/"`, `"a//b"`, `"../a"`, `"a b"`, `"a/./b"`, `"a.b"`},
	"/icons/0":              {`{}`, `null`},
	"/icons/0/src": {
		`""`, `"http://example.com/a.png"`, `"data:image/png;base64,AA=="`, `"icon.png"`, `"::"`, `"https://example.com/` + strings.Repeat("a", 255) + `"`,
	},
	"/icons/0/mimeType":           {`""`, `"image/gif"`, `"image/svg+xml"`},
	"/icons/0/theme":              {`""`, `"blue"`},
	"/icons/0/sizes":              {`[]`, `["48"]`, `[null]`, `"48x48"`, `["48x48","48x48"]`},
	"/packages":                   {`[]`, `null`, `{}`, `[null]`, `[{}]`},
	"/packages/0/registryType":    {`""`, `"NPM"`, `"docker"`, `"github"`, `"mcpb"`, `"oci"`, `"pypi"`},
	"/packages/0/registryBaseUrl": {`""`, `"https://registry.npmjs.org/"`, `"https://npm.example.com"`, `"::"`},
	"/packages/0/identifier":      {`""`, `"@user/weather --port 1"`},
	"/packages/0/version":         {`""`, `"latest"`, `"^1.0.0"`, `"1.x"`},
	"/packages/0/fileSha256":      {`"fe33"`, `"` + strings.Repeat("A", 64) + `"`, `"` + strings.Repeat("a", 64) + `"`},
	"/packages/0/transport": {
		`{}`, `null`, `{"type":"stdio","url":"http://localhost"}`, `{"type":"http","url":"http://localhost"}`, `{"type":"sse"}`,
		`{"type":"sse","url":"localhost:1"}`,
	},
	"/packages/0/runtimeArguments/0": {
		`{}`, `{"type":"positional"}`, `{"type":"positional","value":""}`, `{"type":"positional","valueHint":""}`, `{"type":"positional","value":null}`,
		`{"type":"flag","value":"a"}`, `{"type":"named"}`,
		`{"type":"named","name":"--port <p>"}`, `{"type":"named","name":"--port","value":"--port=1"}`, `{"type":"named","name":"--port","default":"--port 1"}`,
		`{"type":"named","name":"--p $X"}`,
	},
	"/packages/0/runtimeArguments/1/variables/port/format": {`""`, `"int"`, `"filepath"`},
	"/packages/0/runtimeArguments/1/isRepeated":            {`"true"`, `1`, `null`},
	"/packages/0/environmentVariables/0":                   {`{}`, `{"name":""}`, `{"name":"A","is_required":true}`, `"KEY"`, `{"name":"A","format":"int"}`},
	"/packages/1/transport/url": {
		`""`, `"http://localhost:{OTHER}/mcp"`, `"{PORT}"`, `"https://{PORT}/mcp"`, `"ftp://localhost"`, `"http://"`, `"http://a b/"`, `"http://localhost:{port}/mcp"`,
	},
	"/packages/2/version": {`""`},
	"/packages/3/version": {`""`},
	"/packages/4/identifier": {
		`"user/weather"`, `"docker.io/user/weather"`, `"weather:1"`, `"example.com/user/weather"`, `"https://ghcr.io/user/weather"`, `"ghcr.io/User/weather"`,
		`"ghcr.io/user/weather:"`, `"ghcr.io/user/weather:a b"`,
		`"us-docker.pkg.dev/a/b/c:1"`, `"x.azurecr.io/a"`, `"localhost/a"`, `"localhost:5000/ab"`, `"ghcr.io/user/weather@sha256:` + strings.Repeat("a", 64) + `"`,
		`"ghcr.io/user/weather@sha256:aa"`, `"gcr.io/a/b"`,
	},
	"/packages/4/version":         {`"1.0.2"`},
	"/packages/4/registryBaseUrl": {`"https://docker.io"`},
	"/packages/4/fileSha256":      {`"` + strings.Repeat("a", 64) + `"`},
	"/packages/5/fileSha256":      {`""`},
	"/packages/5/registryBaseUrl": {`"https://github.com"`},
	"/packages/5/identifier": {
		`"https://example.com/mcp.mcpb"`, `"http://github.com/user/weather/releases/download/v1/mcp.mcpb"`, `"https://github.com/user/weather/releases/download/v1/weather.zip"`,
		`"https://github.com/user/weather/raw/main/mcp.mcpb"`, `"https://gitlab.com/a/b/c/-/releases/v1/downloads/mcp.mcpb"`, `"https://gitlab.com/a/b/-/package_files/12/download"`,
		`"https://gitlab.com/mcp/b/-/package_files/12/download"`, `"https://www.github.com/user/weather/releases/download/v1/MCP.mcpb"`, `"weather-mcp"`,
	},
	"/remotes":        {`[]`, `null`, `[null]`, `[{"type":"streamable-http","url":"https://a.b"}]`},
	"/remotes/0/type": {`""`, `"stdio"`, `"http"`, `"sse"`},
	"/remotes/0/url": {
		`""`, `"http://example.com"`, `"https://localhost/mcp"`, `"https://127.0.0.1/mcp"`, `"https://a.localhost"`, `"https://{other}.example.com"`, `"{tenant}"`,
		`"https://example.com:{tenant}/mcp"`, `"example.com"`,
	},
	"/remotes/0/extra": {`1`},
	"/_meta": {
		`{}`, `null`, `{"a":1}`, `[]`, `{"io.modelcontextprotocol.registry/publisher-provided":null}`,
		`{"io.modelcontextprotocol.registry/publisher-provided":[]}`,
	},
	"/_meta/io.modelcontextprotocol.registry~1publisher-provided": {
		`{"a":"` + strings.Repeat("x", 4088) + `"}`, `{"a":"` + strings.Repeat("x", 4089) + `"}`, `{"a":"` + strings.Repeat("<", 700) + `"}`,
		`{"a":"` + strings.Repeat("ä", 2044) + `"}`, `{}`,
	},
	"/Title": {`"Weather"`, `" "`},
	"/extra": {`{"a":1}`},
}

// written returns the examples and full with each of the values, and without each member.
func written(examples []*schema.Node) []*schema.Node {
	all := slices.Clone(examples)
	whole := parsed(full)
	var places []schema.Pointer
	for at := range values {
		places = append(places, at)
	}
	slices.Sort(places)
	for _, at := range places {
		for _, value := range values[at] {
			if at == "" {
				all = append(all, parsed(value))
				continue
			}
			all = append(all, with(whole, at, parsed(value)))
		}
	}
	for at := range pointers(whole) {
		all = append(all, with(whole, at, nil))
	}
	return all
}

// pointers returns the places of the members in a value.
func pointers(node *schema.Node) map[schema.Pointer]bool {
	places := map[schema.Pointer]bool{}
	var walk func(node *schema.Node, at schema.Pointer)
	walk = func(node *schema.Node, at schema.Pointer) {
		for _, member := range node.Members {
			places[at.Child(member.Key)] = true
			walk(member.Value, at.Child(member.Key))
		}
		for i, element := range node.Elements {
			walk(element, at.Element(i))
		}
	}
	walk(node, "")
	return places
}

// with returns a copy in which a place has another value, or in which the member is left out for nil.
func with(node *schema.Node, at schema.Pointer, value *schema.Node) *schema.Node {
	changed := node.Clone()
	slash := strings.LastIndex(string(at), "/")
	within, token := changed.Find(at[:slash]), at[slash:].Tokens()[0]
	switch {
	case within.Kind == schema.Array:
		*within.Step(token) = *value
	case value == nil:
		within.Delete(token)
	default:
		within.Set(token, value)
	}
	return changed
}

// others take the place of a value.
var others = []string{
	`null`, `1`, `1.5`, `true`, `false`, `""`, `"text"`, `" "`, `[]`, `{}`, `["a"]`, `[null]`, `{"a":1}`, `[{}]`, `[1]`, `"latest"`, `"https://example.com"`,
	`"http://localhost:1/mcp"`, `"https://{a}.example.com"`,
	`"npm"`, `"oci"`, `"mcpb"`, `"stdio"`, `"sse"`, `"named"`, `"positional"`, `"a b"`, `"<x>"`, `"::"`,
}

// spoilt returns examples with one to three random faults: a member is left out, or renamed, a value is replaced, or
// doubled in its list.
func spoilt(examples []*schema.Node, seed uint64, number int) []*schema.Node {
	random := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // no secret
	all := make([]*schema.Node, number)
	for i := range all {
		all[i] = examples[random.IntN(len(examples))].Clone()
		for range 1 + random.IntN(3) {
			spoil(all[i], random)
		}
	}
	return all
}

// spoil changes one place of a value.
func spoil(node *schema.Node, random *rand.Rand) {
	for {
		children := slices.Clone(node.Elements)
		for _, member := range node.Members {
			children = append(children, member.Value)
		}
		if len(children) == 0 {
			return
		}
		i := random.IntN(len(children))
		if random.IntN(5) > 0 && len(children[i].Elements)+len(children[i].Members) > 0 {
			node = children[i]
			continue
		}
		switch kind := random.IntN(8); {
		case kind < 2 && node.Kind == schema.Object:
			node.Delete(node.Members[i].Key)
		case kind == 2 && node.Kind == schema.Object && !node.Has(strings.ToUpper(node.Members[i].Key)):
			node.Members[i].Key = strings.ToUpper(node.Members[i].Key)
		case kind == 3 && node.Kind == schema.Array:
			node.Elements = append(node.Elements, node.Elements[i])
		default:
			*children[i] = *parsed(others[random.IntN(len(others))])
		}
		return
	}
}
