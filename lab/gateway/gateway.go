// Package gateway sends tools through a gateway that others wrote, with the emulator
// behind it, and compares what arrives with what was sent. A gateway that is known is a row
// of Gateways, in a file of its own.
//
// A gateway takes requests in the form of one provider, and asks another one. So it may
// refuse a tool, lose a part of it, hide the refusal of the provider, or change a call. All
// four are looked for.
package gateway

import (
	"toolproof/harness/provider"
	"toolproof/harness/provider/anthropic"
	"toolproof/harness/provider/openai"
	"toolproof/internal/program"
)

// Gateway is a server between a program and a provider.
type Gateway struct {
	// Name is a word, such as portkey; Title is how its maker writes it.
	Name, Title string
	// Program is what it is called in the path; Package, in the registry of npm.
	Program, Package string
	// Ways lead through it; the first one is its usual one.
	Ways []Way
	// Quirks say what one has to know of it, in sentences.
	Quirks []string

	// setup says how it is started.
	setup func(Place) program.Setup
}

// Way is a way through a gateway.
type Way struct {
	// Name is a word, such as chat-to-gemini.
	Name string
	// In is the API that the gateway is asked in: chat, responses or messages.
	In string
	// Path is where it is asked; empty means where the API has it, such as
	// /v1/chat/completions.
	Path string
	// Model is the one that requests name.
	Model string
	// Headers are sent with each request; {upstream} in a value is the address of the emulator.
	Headers map[string]string
}

// Place is what a gateway is configured for.
type Place struct {
	// Upstream is the root of the emulator, without a slash at the end.
	Upstream string
	// Port is the one of loopback that the gateway is to listen at, in decimal digits.
	Port string
	// Home is the home directory.
	Home string
}

// Gateways are all that are known, in the order in which they are listed.
var Gateways = []*Gateway{portkey, claudeCodeRouter}

// Named returns the gateway of a name, or nil.
func Named(name string) *Gateway {
	for _, gateway := range Gateways {
		if gateway.Name == name {
			return gateway
		}
	}
	return nil
}

// Way returns the way of a name; nil where there is none.
func (g *Gateway) Way(name string) *Way {
	for i := range g.Ways {
		if g.Ways[i].Name == name {
			return &g.Ways[i]
		}
	}
	return nil
}

// in is an API that a gateway may be asked in.
type in struct {
	dialect *provider.Dialect
	path    string
}

// apis are those that a gateway may be asked in, by the words for them.
var apis = map[string]in{
	"chat":      {openai.Chat, "/v1/chat/completions"},
	"responses": {openai.Responses, "/v1/responses"},
	"messages":  {anthropic.Tools, "/v1/messages"},
}

// IsAPI reports whether a gateway may be asked in the API of a name.
func IsAPI(name string) bool { return apis[name].dialect != nil }
