package mcp

import (
	"toolproof/harness/provider"
	"toolproof/schema"
)

// Sampling is a tool that a server lends to a client's model: an entry of tools in sampling/createMessage.
// What providers refuse in the messages around it, package conversation knows.
var Sampling = &provider.Dialect{
	Name:     "mcp/sampling",
	Doc:      "tools in sampling/createMessage, which a server lends to the model of a client of the Model Context Protocol",
	Rules:    sampled(typeRules),
	Path:     string(provider.SamplingCreateMessage),
	API:      provider.SamplingCreateMessage,
	Subject:  provider.Arguments,
	Schema:   "/inputSchema",
	Relative: "mcp",
	Declare:  declare,
	Envelope: func(declarations []*schema.Node) *schema.Node {
		text := provider.Object("type", schema.NewString("text"), "text", schema.NewString("hi"))
		const tokens = 100
		params := provider.Object(
			"messages", schema.NewArray(provider.Object("role", schema.NewString("user"), "content", text)),
			"maxTokens", schema.NewInt(tokens), "tools", schema.NewArray(declarations...),
		)
		return provider.Object("jsonrpc", schema.NewString("2.0"), "id", schema.NewInt(1), "method", schema.NewString(string(provider.SamplingCreateMessage)), "params", params)
	},
	Render:   render,
	Classify: classify,
	Locate:   locate,
}

// samplingTypes is the stage that parses the tools of a request.
var samplingTypes = &provider.Stage{
	Name: "types", All: true, Walk: parse, Compose: issues,
	Shared: "tools/list and sampling/createMessage have tools of one type, ToolSchema of the SDK, which the referee lab/referees/mcp-clients compares",
}

// sampled returns the rules of tools/list as they hold in sampling/createMessage, whose tools the SDK reads since
// 1.23.0, for the specification of 2025-11-25. Since nobody calls these tools through the client, it compiles no
// validator for their results.
func sampled(rules []*provider.Rule) []*provider.Rule {
	clones := make([]*provider.Rule, len(rules))
	for i, rule := range rules {
		clone := *rule
		clone.Stage, clone.Since = samplingTypes, max(clone.Since, sdk23)
		clones[i] = &clone
	}
	return clones
}
