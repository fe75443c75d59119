package toolfile_test

import (
	"errors"
	"strings"
	"testing"

	"toolproof/harness/toolfile"
)

// TestShapes reads documents that are tools and documents that only look like tools, each with
// a near miss on the other side.
func TestShapes(t *testing.T) {
	t.Parallel()
	const (
		tool, bare = "a tool", "a schema"
		fault      = "a tool that cannot be read"
		foreign    = "this is " // followed by what it is
		object     = foreign + "an object, "
		pkg        = foreign + "the manifest of an npm package, "
		config     = foreign + "the configuration of an MCP client, "
		format     = foreign + "a response format, "
		openAPI    = foreign + "an OpenAPI description, "
		python     = foreign + "Python source, "
		script     = foreign + "TypeScript or JavaScript source, "
	)
	for text, want := range map[string]string{
		// A name alone is a tool without parameters unless it has a member that tools never
		// have.
		`{"name": "f"}`:                        tool,
		`{"name": "f", "description": "Does"}`: tool,
		`{"name": "f", "title": "F", "annotations": {"readOnlyHint": true}}`:             tool,
		`{"type": "function", "name": "f", "strict": false}`:                             tool,
		`{"name": "f", "version": "1.0.0"}`:                                              object,
		`{"name": "city", "type": "string", "description": "A city"}`:                    object,
		`{"name": "city", "in": "query", "schema": {"type": "string"}}`:                  tool, // as {"name", "schema"} is
		`{"tools": [{"name": "f", "version": "1.0.0"}]}`:                                 tool, // a tool by its place
		`[{"name": "f", "version": "1.0.0"}]`:                                            foreign + "a list of values, ",
		`[{"name": "f"}]`:                                                                tool,
		`{"name": "f", "arguments": [{"name": "a"}]}`:                                    object,
		`{"name": "f", "arguments": "{}"}`:                                               foreign + "a call of a tool, ",
		`{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}`:  foreign + "a call of a tool, ",
		`{"id": "1", "type": "function", "function": {"name": "f", "description": "d"}}`: tool,

		// The schema of a tool has a name of one of the forms; a similar name is misspelt.
		`{"name": "f", "inputSchema": {"a": "..."}}`:                                    tool, // occurs, and is refused
		`{"name": "f", "inputschema": {"a": "..."}}`:                                    fault,
		`{"name": "f", "InputSchema": {}}`:                                              fault,
		`{"tools": [{"name": "f", "input-schema": {"type": "object"}}]}`:                fault,
		`{"tools": [{"name": "f", "argsSchema": {"type": "object"}}]}`:                  fault,
		`{"tools": [{"name": "f", "inputs": {"city": {"type": "string"}}}]}`:            fault,
		`{"tools": [{"name": "f", "outputSchema": {"type": "object"}}]}`:                tool,
		`{"tools": [{"name": "f", "output_schemas": {"type": "object"}}]}`:              tool,
		`{"tools": [{"name": "f", "inputs": {"city": "x"}}]}`:                           tool,
		`{"name": "f", "inputSchema": {}, "inputschema": {"type": "object"}}`:           tool,
		`{"type": "function", "function": {"name": "f", "paramSchema": {"$ref": "#"}}}`: fault,
		`{"name": "f", "parameters": {"city": {"type": "string"}}}`:                     tool,
		`{"name": "f", "parameters": {"type": "dict", "properties": {}}}`:               tool,
		`{"name": "f", "parameters": []}`:                                               tool,
		`{"name": "f", "parameters": ["a"]}`:                                            object,
		`{"name": "deploy", "parameters": {"environment": "prod"}}`:                     object,
		`{"name": "deploy", "description": "Deploys", "parameters": {"a": "b"}}`:        tool,
		`{"name": "db", "schema": "prisma/schema.prisma"}`:                              object,
		`{"name": "db", "schema": {"type": "object"}}`:                                  tool,

		// A bare schema has a keyword that fits.
		`{"type": "object"}`:                                      bare,
		`{"type": "OBJECT", "nullable": true}`:                    bare,
		`{"type": ["string", "null"]}`:                            bare,
		`{"type": "module"}`:                                      object,
		`{"type": "commonjs", "description": "x"}`:                object,
		`{"type": "dict", "properties": {"a": {"type": "int"}}}`:  bare,
		`{"type": "Feature", "properties": {}, "geometry": null}`: object,
		`{"type": "Feature", "properties": {"name": "x"}}`:        object,
		`{"properties": {}}`:                                      bare,
		`{"properties": {"a": {"description": "A"}}}`:             bare,
		`{"properties": {"a": {"value": 1}}}`:                     object,
		`{"properties": {"a": "b"}}`:                              object,
		`{"properties": ["a"]}`:                                   object,
		`{"$ref": "#/$defs/a", "$defs": {"a": {}}}`:               bare,
		`{"$ref": 1}`: object,
		`{"definitions": {"a": {"type": "string"}}}`:                               bare,
		`{"swagger": "2.0", "info": {}, "definitions": {"a": {"type": "string"}}}`: openAPI,
		`{"definitions": {"a": {"steps": []}}}`:                                    object,
		`{"anyOf": [{"type": "string"}, {"type": "null"}]}`:                        bare,
		`{"anyOf": ["a"]}`:                                                          object,
		`{"items": [{"id": 1}], "total": 1}`:                                        object,
		`{"items": {"type": "string"}, "total": 1}`:                                 bare,
		`{"enum": ["a"]}`:                                                           bare,
		`{"enum": "a"}`:                                                             object,
		`{"minLength": 1, "pattern": "a"}`:                                          bare,
		`{"pattern": "**/*.ts", "files": []}`:                                       object,
		`{"required": ["a"]}`:                                                       bare,
		`{"required": ["a"], "optional": ["b"]}`:                                    object,
		`{"title": "T", "description": "D"}`:                                        object,
		`{"$schema": "https://json-schema.org/draft/2020-12/schema"}`:               bare,
		`{"$schema": "https://json.schemastore.org/prettierrc", "semi": false}`:     object,
		`{"type": "object", "properties": {}, "name": "n", "version": "1"}`:         bare,
		`{"type": "object", "dependencies": {"a": ["b"]}, "properties": {"a": {}}}`: bare,
		`{"type": "object", "parameters": {"type": "string"}}`:                      bare,

		// Documents that people pass.
		`{"name": "w", "type": "module", "scripts": {}, "dependencies": {}}`:                                                                           pkg,
		`{"private": true, "workspaces": ["a"]}`:                                                                                                       pkg,
		`{"name": "w", "version": "1", "lockfileVersion": 3, "packages": {}}`:                                                                          foreign + "the lock file of a package manager, ",
		`{"name": "main", "description": "d", "inputSchema": {}, "main": "x"}`:                                                                         tool,
		`{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", "name": "io.x/w", "description": "d"}`:            foreign + "the description of an MCP server for a registry, ",
		`{"model": "gemini-3-flash-preview", "input": "hi", "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}}]}`:           foreign + "a request to Gemini's Interactions API, of whose refusals nothing is known, ",
		`{"agent": "deep-research-pro-preview", "input": [], "previous_interaction_id": "a", "tools": [{"type": "google_search"}]}`:                    foreign + "a request to Gemini's Interactions API, ",
		`{"model": "gpt-5", "input": "hi", "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}}]}`:                            tool,
		`{"model": "models/gemini-2.5-flash", "contents": [], "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "object"}}]}]}`: tool,
		`{"manifest_version": "0.3", "name": "w", "server": {}, "tools": [{"name": "f", "description": "d"}]}`:                                         foreign + "the manifest of an MCP bundle, which has the names of tools alone, ",
		`{"manifest_version": "0.3", "tools": [{"name": "f", "description": "d"}]}`:                                                                    tool,
		`{"mcpServers": {}}`:                                                                            config,
		`{"amp.mcpServers": {"w": {"command": "x"}}}`:                                                   config,
		`{"servers": {"w": {"type": "http", "url": "x"}}, "inputs": []}`:                                config,
		`{"servers": {"w": {"weight": 1}}}`:                                                             object,
		`{"mcp": {"w": {"type": "local", "command": ["x"]}}}`:                                           config,
		`{"mcp": {"servers": {"w": {"command": "x"}}}}`:                                                 config,
		`{"context_servers": {"w": {}}, "theme": "x"}`:                                                  config,
		"# of Codex\n[mcp_servers.w]\ncommand = \"x\"\n":                                                config,
		"[mcp_servers.w]\ncommand = \"x\"\n":                                                            config,
		"[\"f\"]\n":                                                                                     foreign + "a list of values, ",
		"title = \"x\"\n[owner]\nname = \"y\"\n":                                                        foreign + "TOML or another configuration, ",
		"{\n// of VS Code\n\"compilerOptions\": {\"a\": 1,},\n}":                                        foreign + "the configuration of the TypeScript compiler, ",
		"// first\n{\"name\": \"f\", /* second */ \"inputSchema\": {\"pattern\": \"//\"}}":              tool,
		`{"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}`:           format,
		`{"type": "json_schema", "name": "x", "strict": true, "schema": {"type": "object"}}`:            format,
		`{"name": "x", "strict": true, "schema": {"type": "object"}}`:                                   tool,
		`{"model": "m", "messages": [], "response_format": {"type": "json_schema"}}`:                    format,
		`{"model": "m", "messages": [], "response_format": {"type": "text"}, "tools": [{"name": "f"}]}`: tool,
		`{"contents": [], "generationConfig": {"responseSchema": {"type": "OBJECT"}}}`:                  format,
		`{"model": "m", "messages": []}`:                                                                foreign + "a request without tools, ",
		`{"messages": [], "functions": [{"name": "f", "parameters": {}}]}`:                              foreign + "a request without tools, ",
		`{"functions": [{"name": "f", "parameters": {}}]}`:                                              foreign + "the functions of a legacy Chat request, ",
		`{"Tools": [{"name": "f"}]}`:                                                                    foreign + `an object with a list of tools under "Tools", `,
		`{"tool": [{"name": "f"}]}`:                                                                     foreign + `an object with a list of tools under "tool", `,
		`{"tools": {"f": {"parameters": {}}}}`:                                                          foreign + "an object with tools by name, ",
		`{"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}`:                                             foreign + "an error that a server answered, ",
		`{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`:                                           foreign + "a message of the Model Context Protocol, ",
		`{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "f"}]}}`:                             tool,
		`{"openapi": "3.1.0", "info": {"title": "x"}, "paths": {}}`:                                     openAPI,
		"openapi: 3.1.0\ninfo: {title: x}\npaths: {}\n":                                                 openAPI,
		"services:\n  web:\n    image: nginx\n":                                                         foreign + "a configuration of Docker Compose, ",
		"name: CI\non: push\njobs:\n  build: {runs-on: x}\n":                                            foreign + "a workflow of GitHub, ",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n":                                              foreign + "a resource of Kubernetes, ",
		"import { z } from \"zod\";\nexport const a = z.object({});\n":                                  script,
		"import { McpServer } from \"@modelcontextprotocol/sdk/server/mcp.js\";\n":                      foreign + "the source of an MCP server in TypeScript, ",
		"export const tools = [\n  {name: 'f'},\n];\n":                                                  script,
		"// tools\ninterface A {\n}\n":                                                                  script,
		"from pydantic import BaseModel\n\nclass A(BaseModel):\n    a: int\n":                           python,
		"\"\"\"Tools.\"\"\"\nimport json\n\ndef f(a: int) -> int:\n    return a\n":                      python,
		"from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\n":                                  foreign + "the source of an MCP server in Python, ",
		"import: {a: b}\n": object,
		"- name: f\n  description: |\n    from a import b\n": tool,
		"<!doctype html>\n": foreign + "HTML or XML, ",
		"Dear tools,\n":     foreign + `text that begins with "Dear tools,", `,
		"key: [\n":          "not YAML: ",
	} {
		tools, err := toolfile.Read(strings.NewReader(text))
		var got string
		switch {
		case err != nil && len(tools) == 0:
			got = err.Error()
		case err != nil || len(tools) != 1:
			t.Errorf("%s: %d tools, %v", text, len(tools), err)
			continue
		case tools[0].Err != nil:
			got = fault
		case tools[0].IsBare():
			got = bare
		default:
			got = tool
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s\n  is %s\n  and should be %s", text, got, want)
		}
	}
}

// TestForeign checks that the hint names the document.
func TestForeign(t *testing.T) {
	t.Parallel()
	_, err := toolfile.Read(strings.NewReader(`{"mcpServers": {}}`))
	foreign, ok := errors.AsType[*toolfile.ForeignError](err)
	if want := "this is the configuration of an MCP client, not tools: verify mcp --config a.json asks the servers that it names"; !ok || foreign.Of("a.json") != want {
		t.Errorf("%v", err)
	}
}

// TestYAML reads the forms of tools in YAML, with their positions.
func TestYAML(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"list": {"# tools\ntools:\n- name: f\n  inputSchema:\n    type: object\n- name: g\n", []string{`3 f {"type":"object"}`, "6 g <none>"}},
		"flow": {"tools: [{name: f, parameters: {type: object}}]", []string{`1 f {"type":"object"}`}},
		"bare": {"type: object\nproperties:\n  z: {}\n  a: true\n", []string{`1 f {"type":"object","properties":{"z":{},"a":true}}`}},
		"documents": {
			"---\nname: f\n---\nname: g\nparameters: {}\n...\n", []string{"2 f <none>", "4 g {}"},
		},
		"alias":   {"- name: f\n  parameters: &p\n    type: object\n- name: g\n  parameters: *p\n", []string{`1 f {"type":"object"}`, `4 g {"type":"object"}`}},
		"merge":   {"- &f\n  name: f\n  description: d\n  parameters: {}\n- <<: *f\n  name: g\n- <<: [*f, {strict: true}]\n  name: h\n", []string{"1 f {}", "5 g {}", "7 h {}"}},
		"numbers": {"enum: [1.0, 0x10, 1_000, 0o7, .5, 1e3, +2, 12345678901234567890]\n", []string{`1 f {"enum":[1.0,16,1000,7,0.5,1e3,2,12345678901234567890]}`}},
		"words": {
			"enum: [yes, 'no', ~, null, True, 2020-01-01, \"\\u00e9\", 1.2.3]\n", []string{`1 f {"enum":["yes","no",null,null,true,"2020-01-01","é","1.2.3"]}`},
		},
		"duplicate":   {"name: f\nparameters: {}\nname: g\n", []string{"1! 3:1: duplicate member name: name"}},
		"misspelt":    {"tools:\n- name: f\n  inputschema:\n    type: object\n", []string{`2! 4:5: the schema of the tool is not found: no form of a tool has it in "inputschema"; use one of inputSchema, parameters, parametersJsonSchema, parameters_json_schema, input_schema, schema`}},
		"no number":   {"enum:\n- é\n- .inf\n", []string{`3:3: not JSON: the number ".inf" has no JSON equivalent`}},
		"other lines": {"title: \"a\u2028b\"\nenum: [1]\nmaximum: .nan\n", []string{`3:10: not JSON: the number ".nan" has no JSON equivalent`}},
		"letters":     {"enum: [é, ю, .nan]\n", []string{`1:16: not JSON: the number ".nan" has no JSON equivalent`}},
		"tag":         {"type: !Ref x\n", []string{`1:7: not JSON: the tag "!Ref" has no JSON equivalent`}},
		"name":        {"type: object\n[a]: b\n", []string{"2:1: not JSON: the name of a member is not a string"}},
		"merge of":    {"type: object\n<<: [1]\n", []string{"2:6: not JSON: only mappings can be merged"}},
		"itself":      {"a: &a [*a]\n", []string{"1:4: nested too deep: more than 1000 levels"}},
		"merges itself": {
			"a: &a\n  <<: *a\n", []string{"1:4: nested too deep: mappings that merge one another"},
		},
		"cut": {"tools:\n- name: \"f\n", []string{"not YAML: yaml: line 2: found unexpected end of stream"}},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			equal(t, linesOf(test.text), test.want)
		})
	}
}

// TestYAMLBombs checks that a document whose aliases expand too far is refused before they are
// expanded.
func TestYAMLBombs(t *testing.T) {
	t.Parallel()
	var laughs, merges strings.Builder
	laughs.WriteString("a: &a0 [x]\n")
	merges.WriteString("a: &a0 {x: 1}\n")
	for i := range 60 {
		last, next := string(rune('0'+i%10)), string(rune('0'+(i+1)%10))
		laughs.WriteString("b" + strings.Repeat("b", i) + ": &a" + next + " [*a" + last + ", *a" + last + "]\n")
		merges.WriteString("b" + strings.Repeat("b", i) + ": &a" + next + " {<<: [*a" + last + ", *a" + last + "]}\n")
	}
	for name, text := range map[string]string{
		"values": laughs.String(),
		"merges": merges.String(),
		"texts":  "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a, ", 100) + "]\n",
		"signs":  "a: [" + strings.Repeat("a,", 3_000_000) + "]\n",
		"size":   "a: " + strings.Repeat("x", 17<<20) + "\n",
	} {
		if got := linesOf(text); len(got) != 1 || !strings.Contains(got[0], "too many values") {
			t.Errorf("%s: %.200q", name, got)
		}
	}
	deep := "a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	if got := linesOf(deep); len(got) != 1 || !strings.Contains(got[0], "nested too deep") {
		t.Errorf("%.200q", got)
	}
}
