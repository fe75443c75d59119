package clientconfig

import (
	"slices"

	"toolproof/schema"
)

// geminiCLI tells an address of streamable HTTP, httpUrl, from one of SSE, url, unless a
// type says otherwise. Strings of the file may hold $NAME and ${NAME}. Servers may be
// allowed or excluded by name.
//
// Source: https://geminicli.com/docs/tools/mcp-server and
// https://geminicli.com/docs/cli/configuration, read 2026-11-22.
var geminiCLI = &Client{
	Name: "gemini-cli", Title: "Gemini CLI",
	Files:     []string{"${HOME}/.gemini/settings.json", ".gemini/settings.json"},
	servers:   []string{"mcpServers"},
	variables: dollarVariables,
	form:      form{env: "env", address: []string{"httpUrl"}, events: "url", headers: "headers"},
	special: func(s *scope, _ *schema.Node, server *Server) {
		rules := s.root.Get("mcp")
		allowed := rules.Get("allowed").Strings()
		if slices.Contains(rules.Get("excluded").Strings(), server.Name) || len(allowed) > 0 && !slices.Contains(allowed, server.Name) {
			server.IsDisabled = true
		}
	},
}
