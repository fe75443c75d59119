package normalizers

import "strings"

// Client is what an agent does to the tools of a server on its way to a provider. A portable
// tool allows for it.
type Client struct {
	// Name is that of the agent, and Surfaces are those of its surfaces that this is about.
	Name     string
	Surfaces []string
	// Version is the one that was measured, on the day Measured. docs/clients.json has what
	// it does to tricky tools, and docs/clients-portable.json what to portable ones.
	Version, Measured string
	// Prefix is what stands before the name of a tool, in which SERVER is the name of the
	// server; empty where nothing does that counts towards the length.
	Prefix string
	// NeedsDescription is set where a tool without a description is not sent.
	NeedsDescription bool
	// NeedsType is set where a tool is not sent that has a schema without exactly one type,
	// such as a union.
	NeedsType bool
	// Strips are the keywords of portable tools that it takes away, and StripsAtRoot those
	// that it takes from the parameters alone.
	Strips, StripsAtRoot []string
}

// Clients are the agents that were measured, one row for surfaces that are alike.
var Clients = []Client{
	{Name: "gemini-cli", Surfaces: []string{"gemini"}, Version: "0.61.0", Measured: "2026-11-22", Prefix: "mcp_SERVER_"},
	{
		Name: "codex", Surfaces: []string{"responses"}, Version: "0.169.0", Measured: "2026-11-22",
		Strips: []string{"title", "default", "minimum", "maximum", "minLength", "maxLength", "pattern", "format", "maxItems", "minProperties", "maxProperties"},
	},
	{Name: "opencode", Surfaces: []string{"chat", "messages"}, Version: "1.18.33", Measured: "2026-11-22", Prefix: "SERVER_"},
	{
		Name: "opencode", Surfaces: []string{"responses"}, Version: "1.18.33", Measured: "2026-11-22", Prefix: "SERVER_",
		Strips: []string{
			"title", "default", "minimum", "maximum", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "minProperties", "maxProperties",
		},
	},
	{
		Name: "opencode", Surfaces: []string{"gemini"}, Version: "1.18.33", Measured: "2026-11-22", Prefix: "SERVER_",
		Strips: []string{"title", "default", "minimum", "maximum", "maxLength", "pattern", "minItems", "maxItems", "minProperties", "maxProperties"},
	},
	{Name: "qwen-code", Surfaces: []string{"chat", "gemini"}, Version: "0.24.4", Measured: "2026-11-22", Prefix: "mcp__SERVER__"},
	{Name: "qwen-code", Surfaces: []string{"messages"}, Version: "0.24.4", Measured: "2026-11-22", Prefix: "mcp__SERVER__", NeedsDescription: true},
	{Name: "continue", Surfaces: []string{"chat", "messages"}, Version: "1.5.47", Measured: "2026-11-22", StripsAtRoot: []string{"title", "description"}},
	{
		Name: "continue", Surfaces: []string{"gemini"}, Version: "1.5.47", Measured: "2026-11-22", NeedsType: true,
		Strips:       []string{"default", "minLength", "maxLength", "pattern", "format", "minProperties", "maxProperties"},
		StripsAtRoot: []string{"title", "description"},
	},
	{Name: "cline", Surfaces: []string{"chat", "responses", "messages"}, Version: "3.0.65", Measured: "2026-11-22", Prefix: "SERVER__"},
	{Name: "claude-code", Surfaces: []string{"messages"}, Version: "2.1.197", Measured: "2026-11-22", Prefix: "mcp__SERVER__"},
}

// The longest name that a tool can have everywhere, and the longest name of a server that a
// portable tool leaves room for.
const (
	longestName   = 64
	longestServer = 13
)

// longestName returns how long the name of a tool may be so that it fits behind the prefix.
func (c Client) longestName() int {
	return longestName - len(strings.Replace(c.Prefix, "SERVER", strings.Repeat("s", longestServer), 1))
}
