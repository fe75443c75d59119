package clientconfig

import (
	"encoding/json"
	"fmt"

	"github.com/pelletier/go-toml/v2"

	"toolproof/schema"
)

// codex has TOML and no variables in it: env_vars, env_http_headers and
// bearer_token_env_var name variables of the environment.
//
// Source: https://developers.openai.com/codex/mcp, read 2026-11-22, and
// https://github.com/openai/codex, codex-rs/config/src/mcp_types.rs at 00b17c2.
var codex = &Client{
	Name: "codex", Title: "Codex",
	Files:   []string{"${CODEX_HOME}/config.toml", ".codex/config.toml"},
	servers: []string{"mcp_servers"},
	json:    serversOfTOML,
	form:    form{env: "env", address: []string{"url"}, headers: "http_headers"},
	special: func(s *scope, entry *schema.Node, server *Server) {
		for _, member := range membersOf(entry.Get("env_http_headers")) {
			server.Headers[member.Key] = s.variable(plain(member.Value), "", false)
		}
		if name := entry.GetString("bearer_token_env_var"); name != "" {
			server.Headers["Authorization"] = "Bearer " + s.variable(name, "", false)
		}
	},
}

// serversOfTOML returns the servers of a configuration as JSON.
func serversOfTOML(text []byte) ([]byte, error) {
	var file struct {
		Servers map[string]any `json:"mcp_servers,omitempty" toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("reading TOML: %w", err)
	}
	made, err := json.Marshal(file)
	if err != nil {
		return nil, fmt.Errorf("reading TOML: %w", err)
	}
	return made, nil
}
