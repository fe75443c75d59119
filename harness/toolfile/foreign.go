package toolfile

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolproof/internal/lazy"
)

// ForeignError is the error of a document that is something other than tools.
type ForeignError struct {
	What string // what the document is, such as "the manifest of an npm package"
	// Do tells how to get at its tools, in a clause such as "verify mcp --config FILE asks its
	// servers", in which FILE stands for the name of the document.
	Do string
}

// Error returns what the document is and what to do. It calls the document FILE.
func (f *ForeignError) Error() string { return f.Of("FILE") }

// Of returns the message of Error with the name of the document.
func (f *ForeignError) Of(file string) string {
	return "this is " + f.What + ", not tools: " + strings.ReplaceAll(f.Do, "FILE", file)
}

// The values of Do that several kinds of documents share.
const (
	asksServers = "verify mcp --config FILE asks the servers that it names"
	asksServer  = "verify mcp -- COMMAND asks the server that COMMAND starts"
	exports     = "verify check -- COMMAND checks the tools that COMMAND prints, see docs/export.md"
	checkSchema = "verify check and verify normalize read the schema that a format of type json_schema has"
)

// outline is an object whose members are located but not parsed.
type outline struct {
	data    []byte
	members []span
}

func (d *document) outline(start int) outline {
	return outline{d.data, scanObject(d.data, start).parts}
}

// begins returns the first byte of a member's value, or 0 if there is no such member.
func (o outline) begins(key string) byte {
	for _, member := range o.members {
		if member.key == key {
			return o.data[member.value]
		}
	}
	return 0
}

// has reports whether all keys have a value whose first byte is in begin.
func (o outline) has(begin string, keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool {
		first := o.begins(key)
		return first == 0 || strings.IndexByte(begin, first) < 0
	})
}

// hasOneOf reports whether one of the keys has a value whose first byte is in begin.
func (o outline) hasOneOf(begin string, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return o.has(begin, key) })
}

// text returns a member that is a string, with its escapes, or "".
func (o outline) text(key string) string {
	for _, member := range o.members {
		if member.key == key && o.data[member.value] == '"' && member.end > member.value+1 {
			return string(o.data[member.value+1 : member.end-1])
		}
	}
	return ""
}

// under returns the outline of a member that is an object, or an empty outline.
func (o outline) under(key string) outline {
	for _, member := range o.members {
		if member.key == key && o.data[member.value] == '{' {
			return outline{o.data, scanObject(o.data, member.value).parts}
		}
	}
	return outline{}
}

// each returns the outlines of all members that are objects.
func (o outline) each() []outline {
	var all []outline
	for _, member := range o.members {
		if o.data[member.value] == '{' {
			all = append(all, outline{o.data, scanObject(o.data, member.value).parts})
		}
	}
	return all
}

// form is a kind of document that people take for a file of tools.
type form struct {
	ForeignError

	// is reports whether an object is of this kind. It is called only for objects without
	// tools.
	is func(outline) bool
}

// forms are the known kinds of documents without tools. The first that fits counts.
var forms = []form{
	{ForeignError{"the configuration of an MCP client", asksServers}, isClientConfiguration},
	{ForeignError{"an OpenAPI description", "the program that turns it into tools has them: " + exports}, func(o outline) bool {
		return o.hasOneOf(`"`, "openapi", "swagger", "asyncapi") && o.hasOneOf("{[", "info", "paths", "components", "channels")
	}},
	{ForeignError{"a response format", checkSchema}, isResponseFormat},
	{ForeignError{"a request without tools", "add the member tools, or save a request that has it"}, isRequest},
	{ForeignError{"a call of a tool", "the declaration is in the request that was answered, under tools"}, func(o outline) bool {
		function := o.under("function")
		return o.has(`"`, "name") && o.has(`"`, "arguments") || function.has(`"`, "name", "arguments") ||
			o.text("type") == "tool_use" && o.has("{", "input")
	}},
	{ForeignError{"the functions of a legacy Chat request", "rename the member to tools, as in current requests"}, func(o outline) bool { return o.has("[", "functions") }},
	{ForeignError{"the lock file of a package manager", asksServer}, func(o outline) bool { return o.begins("lockfileVersion") != 0 }},
	{ForeignError{"the description of an MCP server for a registry", "verify check judges a server.json; " + asksServer}, isServer},
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

// interactions is a request that has tools, but to an API of which no refusal is known.
var interactions = form{
	ForeignError{
		"a request to Gemini's Interactions API, of whose refusals nothing is known",
		"to check its functions for another surface, put the list of tools into a file of its own",
	},
	func(o outline) bool {
		isGemini := strings.HasPrefix(strings.TrimPrefix(o.text("model"), "models/"), "gemini-")
		return o.hasOneOf(`"[{`, "input") && (isGemini || o.has(`"`, "agent") || o.has(`"`, "previous_interaction_id"))
	},
}

// bundle is the only known kind of document that lists tools without their schemas.
var bundle = form{ForeignError{"the manifest of an MCP bundle, which has the names of tools alone", asksServer}, func(o outline) bool {
	return o.hasOneOf(`"`, "manifest_version", "dxt_version") && o.has("{", "server")
}}

// isRequest recognizes the requests of Chat Completions, Messages, Converse and Ollama, of
// generateContent, and of Responses, and those of a server of the Model Context Protocol to a client.
func isRequest(o outline) bool {
	return asksClient(o) || o.has("[", "messages") || o.has("[", "contents") || o.has(`"`, "model") && o.hasOneOf(`["`, "input")
}

// asksClient recognizes elicitation/create, of which the parameters may stand alone, and sampling/createMessage.
func asksClient(o outline) bool {
	method := strings.ReplaceAll(o.text("method"), `\/`, "/") // as PHP writes it
	return (method == "elicitation/create" || method == "sampling/createMessage") && o.has("{", "params") || o.has("{", "requestedSchema")
}

// isServer recognizes a server.json, with which MCP servers are published to a registry.
func isServer(o outline) bool {
	return strings.HasSuffix(o.text("$schema"), "/server.schema.json") || o.has(`"`, "name") && o.hasOneOf("[", "packages", "remotes") && o.has(`"`, "description")
}

// isClientConfiguration recognizes the configurations of Claude Desktop, Claude Code, Cursor,
// Windsurf and Gemini CLI (mcpServers), VS Code (servers), Zed (context_servers) and opencode
// (mcp).
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

// isResponseFormat recognizes the response formats of Chat and Responses, alone and in their
// requests, and those of Gemini and Anthropic.
func isResponseFormat(o outline) bool {
	return o.text("type") == "json_schema" || o.has("{", "json_schema") || o.has("{", "response_format") || o.under("text").has("{", "format") ||
		o.has("{", "output_format") || o.under("output_config").has("{", "format") ||
		slices.ContainsFunc([]outline{o, o.under("generationConfig"), o.under("generation_config")}, func(o outline) bool {
			return o.hasOneOf("{", "responseSchema", "responseJsonSchema", "response_schema", "response_json_schema")
		})
}

// foreign returns the error of an object without tools, or nil if its kind is not known.
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

// sources are the kinds of text that are recognized by a line. The first that fits counts.
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

// line returns a pattern for lines that begin with one of the patterns.
func line(beginnings ...string) *lazy.Regexp {
	return lazy.Compile("(?m)^(" + strings.Join(beginnings, "|") + ")")
}

// source returns the error of a text that is neither JSON nor YAML, or nil if its kind is not
// known. It looks only at the beginning of the text.
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

// words returns the error of any other text.
func words(text []byte) *ForeignError {
	const shown = 40
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	letters := []rune(strings.ToValidUTF8(string(line[:min(len(line), 4*shown)]), "\ufffd"))
	return &ForeignError{fmt.Sprintf("text that begins with %q", string(letters[:min(len(letters), shown)])), "tools are JSON or YAML; " + exports}
}
