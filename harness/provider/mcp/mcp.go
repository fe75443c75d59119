// Package mcp models the surfaces of the Model Context Protocol that have schemas: the result of
// tools/list with which servers publish tools, as clients read it, and what servers ask of clients, which
// are forms for users and tools for models. A client refuses a whole list if one of its tools is
// faulty. Verdicts and words are those of the protocol's TypeScript SDK 1.x, which most clients
// use, unless a surface says otherwise.
package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/metaschema"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Dialects are the surfaces, in the order in which they are listed.
var Dialects = []*provider.Dialect{InputSchema, Client2, Stateless, StreamableHTTP, Elicitation, Sampling, claudeDirectory, chatGPTDirectory}

// InputSchema is a tool with inputSchema and all its other members.
var InputSchema = &provider.Dialect{
	Name:     "mcp/inputSchema",
	Doc:      "tools of the Model Context Protocol, as clients read tools/list",
	Versions: releases1,
	Rules:    slices.Concat(typeRules, outputRules, []*provider.Rule{draft2020}),
	Path:     "tools/list",
	API:      provider.ToolsList,
	Subject:  provider.Arguments,
	Schema:   "/inputSchema",
	Declare:  declare,
	Envelope: envelope,
	Render:   render,
	Classify: classify, Locate: locate,
}

// declare makes the entry of a tool in the list.
func declare(tool schema.Tool) *schema.Node {
	tool.Members = nil
	node := tool.Whole()
	for i := range node.Members {
		if node.Members[i].Key == "parameters" {
			node.Members[i].Key = "inputSchema"
		}
	}
	return node
}

// envelope makes a server's response with the tools.
func envelope(declarations []*schema.Node) *schema.Node {
	result := provider.Object("tools", schema.NewArray(declarations...))
	return provider.Object("jsonrpc", schema.NewString("2.0"), "id", schema.NewInt(1), "result", result)
}

// schemaStage is the stage that reads each inputSchema as a JSON Schema.
var schemaStage = &provider.Stage{
	Name: "schema",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		for i, declaration := range request.Declarations {
			if visitor.Visit(&provider.Pass{Request: request, Declaration: i, Node: declaration}) {
				return
			}
		}
	},
}

// draft2020 reports an inputSchema that the metaschema of draft 2020-12 refuses.
var draft2020 = &provider.Rule{
	Name:   "draft_2020_12",
	Effect: provider.Rejects,
	Stage:  schemaStage,
	Since:  "2025-11-25",
	Doc: `an inputSchema is a schema of JSON Schema draft 2020-12, unless it names another

The words are this model's own: each client has those of its validator.`,
	Source: "specification of 2025-11-25, SEP-1613: https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1613",
	Check: func(p *provider.Pass) {
		input := p.Node.Get("inputSchema")
		if dialect := input.GetString("$schema"); input == nil || dialect != "" && !strings.Contains(dialect, "2020-12") {
			return
		}
		if fault, at := metaschema.Invalid(input, p.Charge); fault != nil {
			p.Node, p.At = fault, []byte("/parameters"+string(at))
			p.Reportf("tools[%d].inputSchema%s: not valid against JSON Schema draft 2020-12", p.Declaration, at)
		}
	},
}

// render makes the error that a client reports for a list that it refuses.
func render(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	return provider.AnswerBody(map[string]string{"name": "ZodError", "message": response.Message})
}

// aboutTool matches refusals of a tool: the path of an issue, or the words of the
// validator of output schemas.
var aboutTool = lazy.Compile(`"path":\s*\[\s*(?:"params",\s*)?"tools",|^tools\[\d+\]\.|^Invalid result for tools/list: tools\.\d+\.|^Tool '.*' has an invalid outputSchema: |` +
	`^Invalid regular expression: /|^can't resolve reference |^type must be JSONType |` +
	`^(?:\$?\w+) (?:value must be \[|must have non-empty array)|^"nullable" cannot be used without "type"|^NOT SUPPORTED: keyword "id"`)

// classify reads what a client reports. A status of 200 stands for a list that the client
// accepts.
func classify(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(data, &body); err != nil || !aboutTool.MatchString(body.Message) {
		return provider.Response{}, provider.ErrNothingLearnt
	}
	return provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Message}, nil
}
