// Package scan asks many MCP servers for their tools: those of a registry's export, of configurations, and of lists of
// addresses and npm packages. Results are appended to a file as they come, so that a scan that was killed goes on
// where it was.
package scan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// Server is a server to ask.
type Server struct {
	// Key tells the server from all others: its address, or the package with its version, or the name that a
	// configuration gives it. It has no secrets.
	Key string
	// Name and Version are those of the registry; empty for others.
	Name, Version string
	// Updated is the day or the time at which the registry says that the entry changed; empty if it is not known.
	Updated string
	// Address is that of a server that runs; Package is one of npm, as NAME or NAME@VERSION.
	Address string
	IsSSE   bool
	Package string
	// Command starts a server that is installed; Arguments are added to the program of a Package.
	Command   []string
	Arguments []string
	Env       []string // NAME=value
	Headers   map[string]string
	// Why says why the server cannot be asked; empty if it can.
	Why string
	// Secrets are what must not be shown, with what stands in its place.
	Secrets *strings.Replacer
}

// host returns what several servers may have in common that are not to be asked at the same time.
func (s Server) host() string {
	if address, err := url.Parse(s.Address); err == nil && address.Host != "" {
		return address.Host
	}
	return s.Key
}

// entry is a server of a registry: a server.json, alone or as the registry's API wraps it.
type entry struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Remotes []struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	} `json:"remotes"`
	Packages []struct {
		RegistryType string `json:"registryType"` //nolint:tagliatelle // the registry writes it so
		Identifier   string `json:"identifier"`
		Version      string `json:"version"`
		Transport    struct {
			Type string `json:"type"`
		} `json:"transport"`
	} `json:"packages"`
	Server *entry `json:"server"`
	Meta   struct {
		Official struct {
			UpdatedAt string `json:"updatedAt"` //nolint:tagliatelle // the registry writes it so
		} `json:"io.modelcontextprotocol.registry/official"` //nolint:tagliatelle // the registry writes it so
	} `json:"_meta"` //nolint:tagliatelle // the registry writes it so
	Servers []entry `json:"servers"`
}

// ErrNoList means that a text is neither an export of a registry nor a list of addresses and packages.
var ErrNoList = errors.New("this is no list of servers")

// ReadList returns the servers of a text: JSON values that are each a server.json, a page of a registry's API or a list
// of them; or else lines with an address or npm:NAME@VERSION each, where # begins a comment.
func ReadList(text []byte) ([]Server, error) {
	if start := bytes.TrimSpace(text); len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		return readEntries(text)
	}
	var servers []Server
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line, _, _ = strings.Cut(line, " #")
		line = strings.TrimSpace(line)
		name, isPackage := strings.CutPrefix(line, "npm:")
		switch {
		case line == "" || line[0] == '#':
		case isPackage && name != "":
			servers = append(servers, Server{Key: line, Package: name})
		case strings.HasPrefix(line, "https://") || strings.HasPrefix(line, "http://"):
			servers = append(servers, remote(line, false))
		default:
			return nil, fmt.Errorf("%w: line %d is neither an address nor npm:NAME@VERSION: %.60q", ErrNoList, number, line)
		}
	}
	return servers, nil
}

func readEntries(text []byte) ([]Server, error) {
	var servers []Server
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		var value json.RawMessage
		switch err := decoder.Decode(&value); {
		case errors.Is(err, io.EOF):
			return servers, nil
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrNoList, err)
		}
		var entries []entry
		if value[0] == '{' {
			value = append(append([]byte{'['}, value...), ']')
		}
		if err := json.Unmarshal(value, &entries); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoList, err)
		}
		for _, found := range entries {
			for _, one := range append(found.Servers, found) {
				servers = append(servers, one.units()...)
			}
		}
	}
}

// units returns what an entry has to ask: its addresses and packages.
func (e entry) units() []Server {
	updated := e.Meta.Official.UpdatedAt
	if e.Server != nil {
		e = *e.Server
	}
	var servers []Server
	add := func(server Server) {
		server.Name, server.Version, server.Updated = e.Name, e.Version, updated
		servers = append(servers, server)
	}
	for _, found := range e.Remotes {
		add(remote(found.URL, found.Type == "sse"))
	}
	for _, found := range e.Packages {
		name := found.Identifier
		if found.Version != "" {
			name += "@" + found.Version
		}
		server := Server{Key: found.RegistryType + ":" + name, Package: name}
		switch {
		case found.RegistryType != "npm":
			server.Why = "packages of " + found.RegistryType + " are not started"
		case found.Transport.Type != "" && found.Transport.Type != "stdio":
			server.Why = "the package serves " + found.Transport.Type + ", at an address that is not known before"
		}
		add(server)
	}
	return servers
}

func remote(address string, isSSE bool) Server {
	server := Server{Key: address, Address: address, IsSSE: isSSE}
	switch parsed, err := url.Parse(address); {
	case strings.ContainsAny(address, "{}"):
		server.Why = "the address has a variable"
	case err != nil || parsed.Host == "":
		server.Why = "the address is none"
	case parsed.User != nil:
		server.Key, server.Why = parsed.Scheme+"://"+parsed.Host+parsed.Path, "the address has a password"
	}
	return server
}
