// Package client has a row for each client of the Model Context Protocol, in a file of its
// own, with everything that is known of the client: how it is run, what it does to tools,
// where it keeps its servers, and which tools of its own it has.
//
// A row is data. Package agent runs the client, package config reads its configuration,
// and package emulator recognizes its requests by its tools.
package client

import "strings"

// Row holds what is known about one client.
type Row struct {
	// Name is the client's name in commands, such as gemini-cli; Title is its name as its
	// maker writes it.
	Name, Title string
	// Introduces are the names with which the client introduces itself to servers, in clientInfo. It
	// may append a hyphen and more. There are none where no source says them.
	//
	// Source: npm package mcp-client-capabilities 0.0.14, read 2026-11-23.
	Introduces []string
	// Run says how the client is run and what was measured, and NotRun why it cannot be.
	// One of the two is set.
	Run    *Run
	NotRun string
	// Configuration says where the client keeps its servers, and NotRead why no command
	// reads that. One of the two is set.
	Configuration *Configuration
	NotRead       string
	// BuiltIn are the client's own tools, and NotBuiltIn says why none is listed. One of the
	// two is set.
	BuiltIn    *BuiltIn
	NotBuiltIn string
	// Limit is the number of tools that the client takes, or nil where no source says it.
	Limit *Limit
}

// Rows are all known clients, in the order in which their configurations are read.
var Rows = []*Row{
	claudeDesktop, claudeCode, vscode, cursor, geminiCLI, codex, opencode, zed, windsurf, qwenCode, continueCLI, cline,
	copilot, kilo, antigravity,
}

// Agents are the rows with a Run, in the order in which they are listed.
var Agents = []*Row{geminiCLI, codex, opencode, qwenCode, continueCLI, cline, claudeCode, copilot, kilo}

// Named returns the row with a name, or nil.
func Named(name string) *Row { return named(Rows, name) }

// AgentNamed returns the row with a name that has a Run, or nil.
func AgentNamed(name string) *Row { return named(Agents, name) }

// Introduced returns the row of the client that introduces itself with a name, or nil.
func Introduced(name string) *Row {
	for _, row := range Rows {
		for _, introduces := range row.Introduces {
			if name == introduces || strings.HasPrefix(name, introduces+"-") {
				return row
			}
		}
	}
	return nil
}

func named(rows []*Row, name string) *Row {
	for _, row := range rows {
		if row.Name == name {
			return row
		}
	}
	return nil
}

// BuiltIn holds the names of the tools that a client declares besides those of MCP servers.
type BuiltIn struct {
	// Commands are the tools with which the client runs commands on the user's machine. A request
	// that declares one of them is taken to be from an agent.
	Commands []string
	// Others are the client's other tools.
	Others []string
}
