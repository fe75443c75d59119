// Package gateway sends tools through gateways that others wrote to the emulator, and compares
// the tools that arrive with those that were sent. Each known gateway is a row of Gateways,
// in a file of its own.
//
// A gateway accepts requests in the form of one provider, and sends them on to another. It
// may refuse a tool, lose a part of the tool, hide a refusal of the provider, or change a
// call. The package looks for all four.
package gateway

import (
	"toolproof/harness/provider"
	"toolproof/harness/provider/anthropic"
	"toolproof/harness/provider/openai"
	"toolproof/internal/program"
)

// Gateway is a server between a program and a provider.
type Gateway struct {
	// Name is the gateway's name in commands, such as portkey; Title is its name as its maker
	// writes it.
	Name, Title string
	// Program is the name of the gateway's program, and Package that of its npm package.
	Program, Package string
	// Ways are the ways through the gateway, the usual one first.
	Ways []Way
	// Quirks are sentences about what a reader of a report has to know of the gateway.
	Quirks []string

	// setup returns the files, the environment and the arguments that the gateway is started
	// with.
	setup func(Place) program.Setup
}

// Way is a route through a gateway: the API that its clients speak, and the model that answers.
type Way struct {
	// Name names the route in commands, such as chat-to-gemini.
	Name string
	// In is the API that clients speak to the gateway: chat, responses or messages.
	In string
	// Path is the path of requests to the gateway; empty means the usual path of the API, such
	// as /v1/chat/completions.
	Path string
	// Model is the model that requests name.
	Model string
	// Headers are added to each request, with the address of the emulator for {upstream} in a
	// value.
	Headers map[string]string
}

// Place is what a gateway is set up for.
type Place struct {
	// Upstream is the root of the emulator, without a slash at the end.
	Upstream string
	// Port is the port of loopback that the gateway is to listen on, in decimal digits.
	Port string
	// Home is the home directory.
	Home string
}

// Gateways are the rows, in the order in which they are listed.
var Gateways = []*Gateway{portkey, claudeCodeRouter}

// Named returns the gateway with a name, or nil.
func Named(name string) *Gateway {
	for _, gateway := range Gateways {
		if gateway.Name == name {
			return gateway
		}
	}
	return nil
}

// Way returns the way with a name, or nil.
func (g *Gateway) Way(name string) *Way {
	for i := range g.Ways {
		if g.Ways[i].Name == name {
			return &g.Ways[i]
		}
	}
	return nil
}

// in is an API that a gateway may be asked in, with its usual path.
type in struct {
	dialect *provider.Dialect
	path    string
}

// apis are the APIs that a gateway may be asked in, by their names in commands.
var apis = map[string]in{
	"chat":      {openai.Chat, "/v1/chat/completions"},
	"responses": {openai.Responses, "/v1/responses"},
	"messages":  {anthropic.Tools, "/v1/messages"},
}

// IsAPI reports whether a gateway may be asked in the API with a name.
func IsAPI(name string) bool { return apis[name].dialect != nil }
