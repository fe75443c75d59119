package clientconfig

import (
	"errors"

	"toolproof/schema"
)

// zed has the servers in its settings, with comments. A server of an extension has no
// command there.
//
// Source: https://zed.dev/docs/ai/mcp, read 2026-11-22.
var zed = &Client{
	Name: "zed", Title: "Zed",
	Files:   []string{"${XDG}/zed/settings.json", "${CONFIG}/Zed/settings.json", ".zed/settings.json"},
	servers: []string{"context_servers"},
	form:    usual,
	special: func(s *scope, entry *schema.Node, server *Server) {
		if len(server.Command) == 0 && server.Address == "" && (entry.GetString("source") == "extension" || entry.Has("settings")) {
			s.wrong = errors.New("an extension of Zed starts the server: the configuration has no command")
		}
	},
}
