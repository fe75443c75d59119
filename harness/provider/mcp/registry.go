package mcp

import "toolproof/harness/provider"

// Registry is the official registry, to which servers are published with a server.json. It takes no tools and is not one
// of Dialects; package listing has its rules.
var Registry = &provider.Dialect{
	Name: "mcp-registry/server_json",
	Doc:  "server.json files that are published to the official registry of the Model Context Protocol",
	Path: "v0/publish", API: provider.Publish,
}
