// Package config reads the configurations in which clients of the Model Context Protocol
// name their servers, as the rows of package client describe them.
package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Server is a server of a configuration, with its variables resolved.
type Server struct {
	Clients []string // the names of the clients that start it
	Name    string
	File    string
	// Command is the program with its arguments; empty if the server has an address.
	Command []string
	Env     []string // NAME=value, in addition to the user's environment
	Dir     string   // working directory
	Address string
	IsSSE   bool // it speaks SSE, not streamable HTTP
	Headers map[string]string
	// IsDisabled is set if the client does not start the server.
	IsDisabled bool
	// Err says what the configuration lacks, so that the server cannot be asked; nil if nothing is
	// missing.
	Err error
	// Secrets maps each value that must not appear in any output to the name that is shown
	// instead.
	Secrets map[string]string
}

// ErrNoServers means that a file names no server in any known form.
var ErrNoServers = errors.New("no MCP servers: a configuration has them in mcpServers, servers, mcp, mcp_servers or context_servers")

// Effective returns the servers that the clients of several files start, in order. Within the files
// of one client, a later server replaces an earlier one of the same name. A server that several
// clients start in the same way is returned once, with the names of all these clients.
func Effective(servers []Server) []Server {
	var effective []Server
	places := map[string]int{}
	for _, server := range servers {
		key := server.Clients[0] + "/" + server.Name
		if i, ok := places[key]; ok {
			effective[i] = server
			continue
		}
		places[key] = len(effective)
		effective = append(effective, server)
	}
	var distinct []Server
next:
	for _, server := range effective {
		for i, other := range distinct {
			if server.isLike(other) {
				distinct[i].Clients = append(distinct[i].Clients, server.Clients...)
				continue next
			}
		}
		distinct = append(distinct, server)
	}
	return distinct
}

// isLike reports whether two servers can be started and asked, and that in the same way.
func (s Server) isLike(other Server) bool { return s.Err == nil && other.Err == nil && s.isAs(other) }

// isAs reports whether the entries of two servers say the same.
func (s Server) isAs(other Server) bool {
	return s.Name == other.Name && s.IsDisabled == other.IsDisabled && fmt.Sprint(s.Err) == fmt.Sprint(other.Err) &&
		slices.Equal(s.Command, other.Command) && slices.Equal(s.Env, other.Env) && s.Dir == other.Dir &&
		s.Address == other.Address && s.IsSSE == other.IsSSE && maps.Equal(s.Headers, other.Headers)
}
