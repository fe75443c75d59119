package toolfile

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolproof/internal/lazy"
)

// ForeignError is the error of a document that has no tools because it is something else.
type ForeignError struct {
	What string // such as "the manifest of an npm package"
	// Do is what leads to its tools, a clause such as "verify mcp --config FILE asks
	// its servers"; FILE is the name of the document.
	Do string
}

// Error returns what the document is and what to do. It calls the document FILE.
func (f *ForeignError) Error() string { return f.Of("FILE") }

// Of is Error for a document of the given name.
func (f *ForeignError) Of(file string) string {
	return "this is " + f.What + ", not tools: " + strings.ReplaceAll(f.Do, "FILE", file)
}

// What leads to the tools of more than one kind of document.
const (
	asksServers = "verify mcp --config FILE asks the servers that it names"
	asksServer  = "verify mcp -- COMMAND asks the server that COMMAND starts"
	exports     = "verify check -- COMMAND checks the tools that COMMAND prints, see docs/export.md"
	checkSchema = "save the schema in it as a file of its own, and run verify check with --target gemini-response or openai-strict"
)

// outline is an object whose members are known and not read.
type outline struct {
	data    []byte
	members []span
}

func (d *document) outline(start int) outline {
	return outline{d.data, scanObject(d.data, start).parts}
}

// begins returns the first byte of a member, or 0 where there is none.
func (o outline) begins(key string) byte {
	for _, member := range o.members {
		if member.key == key {
			return o.data[member.value]
		}
	}
	return 0
}

// has reports whether all keys have a value that begins with one of the bytes.
func (o outline) has(begin string, keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool {
		first := o.begins(key)
		return first == 0 || strings.IndexByte(begin, first) < 0
	})
}

// hasOneOf reports whether one of the keys has such a value.
func (o outline) hasOneOf(begin string, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return o.has(begin, key) })
}

// text returns a member that is a string, as it is spelt, or "".
func (o outline) text(key string) string {
	for _, member := range o.members {
		if member.key == key && o.data[member.value] == '"' && member.end > member.value+1 {
			return string(o.data[member.value+1 : member.end-1])
		}
	}
	return ""
}

// under returns a member that is an object.
func (o outline) under(key string) outline {
	for _, member := range o.members {
		if member.key == key && o.data[member.value] == '{' {
			return outline{o.data, scanObject(o.data, member.value).parts}
		}
	}
	return outline{}
}

// each returns the members that are objects.
func (o outline) each() []outline {
	var all []outline
	for _, member := range o.members {
		if o.data[member.value] == '{' {
			all = append(all, outline{o.data, scanObject(o.data, member.value).parts})
		}
	}
	return all
}

// form is a kind of document that people take for tools, or for a file of tools.
type form struct {
	ForeignError

	// is reports whether an object is one. Objects that have tools are not asked.
	is func(outline) bool
}

// forms are the kinds of documents that are no tools and are known, the first that fits.
var forms = []form{
	{ForeignError{"the configuration of an MCP client", asksServers}, isClientConfiguration},
	{ForeignError{"an OpenAPI description", "the program that makes tools of it has them: " + exports}, func(o outline) bool {
		return o.hasOneOf(`"`, "openapi", "swagger", "asyncapi") && o.hasOneOf("{[", "info", "paths", "components", "channels")
	}},
	{ForeignError{"a response format", checkSchema}, isResponseFormat},
	{ForeignError{"a request without tools", "add the member tools, or save the request of a call that has it"}, func(o outline) bool {
		return o.has("[", "messages") || o.has("[", "contents") || o.has(`"`, "model") && o.hasOneOf(`["`, "input")
	}},
	{ForeignError{"a call of a tool", "the declaration is in the request that was answered, under tools"}, func(o outline) bool {
		function := o.under("function")
		return o.has(`"`, "name") && o.has(`"`, "arguments") || function.has(`"`, "name", "arguments") ||
			o.text("type") == "tool_use" && o.has("{", "input")
	}},
	{ForeignError{"functions of an old Chat request", "call the member tools, as the requests of today do"}, func(o outline) bool { return o.has("[", "functions") }},
	{ForeignError{"the lock file of a package manager", asksServer}, func(o outline) bool { return o.begins("lockfileVersion") != 0 }},
	{ForeignError{"the description of an MCP server for a registry", asksServer}, func(o outline) bool {
		return strings.Contains(o.text("$schema"), "modelcontextprotocol") || o.has(`"`, "name") && o.hasOneOf("[", "packages", "remotes") && o.has(`"`, "description")
	}},
	{ForeignError{"the manifest of an npm package", asksServer}, func(o outline) bool {
		return o.hasOneOf(`"tf`, "name", "version", "private") && !o.hasOneOf("{", append([]string{"properties"}, schemaKeys...)...) &&
			o.hasOneOf(`{["`, "scripts", "dependencies", "devDependencies", "peerDependencies", "engines", "bin", "main", "exports", "workspaces", "packageManager")
	}},
	{ForeignError{"the configuration of the TypeScript compiler", exports}, func(o outline) bool { return o.has("{", "compilerOptions") }},
	{ForeignError{"an error that a server answered", "ask for tools/list once more: " + asksServer}, func(o outline) bool {
		return o.has(`"`, "jsonrpc") && o.has("{", "error")
	}},
	{ForeignError{"a message of the Model Context Protocol", "the tools are in the answer to tools/list: " + asksServer}, func(o outline) bool {
		return o.has(`"`, "jsonrpc") && (o.begins("method") != 0 || o.has("{", "result"))
	}},
	{ForeignError{"a workflow of GitHub", exports}, func(o outline) bool { return o.has("{", "jobs") && o.hasOneOf(`{["`, "on", "true") }},
	{ForeignError{"a configuration of Docker Compose", exports}, func(o outline) bool {
		return slices.ContainsFunc(o.under("services").each(), func(service outline) bool { return service.hasOneOf(`"{`, "image", "build") })
	}},
	{ForeignError{"a resource of Kubernetes", exports}, func(o outline) bool { return o.has(`"`, "apiVersion", "kind") }},
}

// bundle is the one kind of document that has a list of tools without their schemas.
var bundle = form{ForeignError{"the manifest of an MCP bundle, which has the names of tools alone", asksServer}, func(o outline) bool {
	return o.hasOneOf(`"`, "manifest_version", "dxt_version") && o.has("{", "server")
}}

// isClientConfiguration knows the configurations of Claude Desktop, Claude Code, Cursor,
// Windsurf and Gemini CLI (mcpServers), VS Code (servers), Zed (context_servers) and
// opencode (mcp).
func isClientConfiguration(o outline) bool {
	if slices.ContainsFunc(o.members, func(member span) bool {
		return o.data[member.value] == '{' && (member.key == "context_servers" || strings.HasSuffix(member.key, "mcpServers"))
	}) {
		return true
	}
	isServer := func(server outline) bool { return server.hasOneOf(`"[`, "command", "url", "httpUrl") }
	mcp := o.under("mcp")
	return slices.ContainsFunc(slices.Concat(o.under("servers").each(), mcp.each(), mcp.under("servers").each()), isServer)
}

// isResponseFormat knows the response formats of Chat and of Responses, alone and in
// their requests, and those of Gemini and Anthropic.
func isResponseFormat(o outline) bool {
	return o.text("type") == "json_schema" || o.has("{", "json_schema") || o.has("{", "response_format") || o.under("text").has("{", "format") ||
		o.has("{", "output_format") || o.under("output_config").has("{", "format") ||
		slices.ContainsFunc([]outline{o, o.under("generationConfig"), o.under("generation_config")}, func(o outline) bool {
			return o.hasOneOf("{", "responseSchema", "responseJsonSchema", "response_schema", "response_json_schema")
		})
}

// foreign returns what an object without tools is, or nil where it is not known.
func (o outline) foreign() *ForeignError {
	for _, form := range forms {
		if form.is(o) {
			return &form.ForeignError
		}
	}
	for _, member := range o.members {
		for _, known := range listKeys {
			if o.data[member.value] == '[' && (fold(member.key) == fold(known) || fold(member.key)+"s" == fold(known)) {
				return &ForeignError{"an object with a list of tools under " + strconv.Quote(member.key), "call the member " + known}
			}
		}
		if o.data[member.value] == '{' && slices.Contains(listKeys, member.key) {
			return &ForeignError{"an object with tools by name", "the member " + member.key + " must be a list, whose entries have their names inside"}
		}
	}
	return nil
}

// sources are the kinds of text that are known by a line, the first that fits.
var sources = []struct {
	ForeignError

	line *lazy.Regexp
}{
	{ForeignError{"the source of an MCP server in Python", "verify mcp -- python FILE asks the server for its tools"}, line(`(from|import) +(fastmcp|mcp)\b`)},
	{ForeignError{"Python source", exports}, line(
		`from [\w.]+ import `, `import [\w.]+( as \w+)?(, [\w.]+)*$`, `(async )?def \w+ *\(`, `class \w+.*:$`, `@[\w.]+(\(|$)`, `if __name__ ==`, `#! ?/\S*python`,
	)},
	{
		ForeignError{"the source of an MCP server in TypeScript", "verify mcp -- npx tsx FILE asks the server for its tools"},
		line(`import\b.* from ["']@modelcontextprotocol/`),
	},
	{ForeignError{"TypeScript or JavaScript source", exports}, line(
		`import [^:\n]*["'];?$`, `import [{*]`, `export `, `(const|let|var) \w+ *[:=]`, `(async )?function\b`, `(interface|type|class|enum|namespace) \w+.*[{=|]$`,
		`declare `, `module\.exports`, `["']use strict["']`, `#! ?/\S*node`,
	)},
	{ForeignError{"the source of a program", exports}, line(`package \w+$`, `func .*\{$`, `pub (fn|struct|mod) `, `#include `)},
	{ForeignError{"the configuration of an MCP client", asksServers}, line(`\[\[?(mcp_servers|mcpServers)\.`)},
	{ForeignError{"TOML or another configuration", exports}, line(`[\w."-]+ *= *\S`)},
	{ForeignError{"HTML or XML", exports}, lazy.Compile(`^<`)},
}

// line returns a pattern of lines that begin in one of these ways.
func line(beginnings ...string) *lazy.Regexp {
	return lazy.Compile("(?m)^(" + strings.Join(beginnings, "|") + ")")
}

// source returns what a text is that is neither JSON nor YAML. It looks at the beginning.
func source(text []byte) *ForeignError {
	const enough = 64 << 10
	text = text[:min(len(text), enough)]
	for _, source := range sources {
		if source.line.Match(text) {
			return &source.ForeignError
		}
	}
	return nil
}

// words returns what can be said of any other text.
func words(text []byte) *ForeignError {
	const shown = 40
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	letters := []rune(strings.ToValidUTF8(string(line[:min(len(line), 4*shown)]), "\ufffd"))
	return &ForeignError{fmt.Sprintf("text that begins with %q", string(letters[:min(len(letters), shown)])), "tools are JSON or YAML; " + exports}
}
