// Package agent runs agents that others wrote against the emulator, and compares the
// tools of an MCP server with what the agent makes of them. An agent is a row of Clients,
// in a file of its own.
//
// A run changes nothing of the user's. The agent has a home and a working directory of its
// own, which are removed, and an environment with few variables. The server is a stand-in,
// which publishes the tools and does nothing when one is called. Where Linux allows it, the
// agent has no network.
package agent

import (
	"encoding/json"
	"fmt"

	"toolproof/harness/provider"
	"toolproof/internal/program"
)

// Client is an agent: a program that sends the tools of MCP servers to a provider.
type Client struct {
	// Name is a word, such as gemini-cli; Title is how its maker writes it.
	Name, Title string
	// Program is what it is called in the path; Package, in the registry of npm.
	Program, Package string
	// Surfaces are what it can send tools to; the first one is its usual one.
	Surfaces []Surface
	// Habits are what it does to every tool. The report says so once, and not of each tool.
	Habits []Habit
	// Quirks say what one has to know of it, in sentences.
	Quirks []string

	// setup says how it is started for one question.
	setup func(Place) program.Setup
}

// Surface is an API that a client can be configured for.
type Surface struct {
	// Name is a word, such as chat.
	Name string
	API  provider.API
	// Model is what the client asks for.
	Model string
}

// The surfaces by their names. A row may have another model.
var (
	chat      = Surface{Name: "chat", API: provider.ChatCompletions, Model: "gpt-4.1"}
	responses = Surface{Name: "responses", API: provider.Responses, Model: "gpt-5"}
	messages  = Surface{Name: "messages", API: provider.Messages, Model: "claude-sonnet-4-5"}
	gemini    = Surface{Name: "gemini", API: provider.GenerateContent, Model: "gemini-2.5-flash"}
)

// Clients are all that are known, in the order in which they are listed.
var Clients = []*Client{geminiCLI, codex, opencode, qwenCode, continueCLI, cline, claudeCode}

// Named returns the client of a name, or nil.
func Named(name string) *Client {
	for _, client := range Clients {
		if client.Name == name {
			return client
		}
	}
	return nil
}

// Surface returns the surface of a name, or nil.
func (c *Client) Surface(name string) *Surface {
	for i := range c.Surfaces {
		if c.Surfaces[i].Name == name {
			return &c.Surfaces[i]
		}
	}
	return nil
}

// Place is what a client is configured for.
type Place struct {
	// URL is the root of the emulator, without a slash at the end.
	URL string
	// Home is the home directory, and Work the working directory.
	Home, Work string
	// Server is the name of the MCP server, and Command starts it.
	Server  string
	Command []string
	Surface Surface
}

// prompt is what each client is asked. It asks for nothing to be done.
const prompt = "Say hello."

// key is the key that each client has: the emulator takes any.
const key = "toolproof"

// object is a JSON object whose order of members says nothing.
type object = map[string]any

// text returns a configuration as JSON, which is YAML, too.
func text(config object) string {
	written, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		panic(fmt.Errorf("a configuration of our own: %w", err))
	}
	return string(written) + "\n"
}

// entry is what a configuration says of the MCP server, in the form that most clients
// share; servers is the list with the one.
func (p Place) entry() object { return object{"command": p.Command[0], "args": p.Command[1:]} }

func (p Place) servers() object { return object{p.Server: p.entry()} }
