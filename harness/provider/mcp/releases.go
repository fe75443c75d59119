package mcp

import "toolproof/harness/provider"

// The days of releases of the SDK 1.x, with what each began to check.
const (
	sdk12 = "2025-05-23" // 1.12.0: outputSchema, and required of both schemas
	sdk13 = "2025-06-20" // 1.13.0: title and _meta
	sdk18 = "2025-09-11" // 1.18.0: icons
	sdk19 = "2025-10-02" // 1.19.1: the sizes of an icon are a list
	sdk21 = "2025-11-03" // 1.21.0: a validator of an outputSchema that fails to compile fails the list
	sdk22 = "2025-11-13" // 1.22.0: the properties of both schemas
	sdk23 = "2025-11-26" // 1.23.0: zod 4 parses, in other words
	sdk24 = "2025-12-02" // 1.24.0: execution
	sdk25 = "2025-12-15" // 1.25.0: the theme of icons
)

// releases1 are the releases of the npm package @modelcontextprotocol/sdk that began to check something, and the
// newest one.
var releases1 = []provider.Version{
	{Name: "1.12.0", Date: sdk12},
	{Name: "1.13.0", Date: sdk13},
	{Name: "1.18.0", Date: sdk18},
	{Name: "1.19.1", Date: sdk19},
	{Name: "1.21.0", Date: sdk21},
	{Name: "1.22.0", Date: sdk22},
	{Name: "1.23.0", Date: sdk23},
	{Name: "1.24.0", Date: sdk24},
	{Name: "1.25.0", Date: sdk25},
	{Name: "1.32.2", Date: "2026-10-23"},
}

// The days of releases of the client 2.x that read lists otherwise than the one before.
const (
	alpha2 = "2026-04-01" // 2.0.0-alpha.2
	alpha3 = "2026-06-25" // 2.0.0-alpha.3: issues in one line
	beta1  = "2026-06-30" // 2.0.0-beta.1: the protocol of 2026-07-28, and draft 2020-12 alone, when a tool is called
	final  = "2026-07-28" // 2.0.0: drafts 2019-09, 7 and 6 again
	minor4 = "2026-10-23" // 2.4.0: x-mcp-header of a number
)

// releases2 are the releases of the npm package @modelcontextprotocol/client. Its days are also those of the packages
// core, node and fastify, which are published with it; 2.0.0 is in use since https://github.com/apify/mcpc/pull/337.
var releases2 = []provider.Version{
	{Name: "2.0.0-alpha.2", Date: alpha2},
	{Name: "2.0.0-alpha.3", Date: alpha3},
	{Name: "2.0.0-beta.1", Date: beta1},
	{Name: "2.0.0-beta.2", Date: "2026-07-02"},
	{Name: "2.0.0-beta.3", Date: "2026-07-09"},
	{Name: "2.0.0-beta.4", Date: "2026-07-13"},
	{Name: "2.0.0-beta.5", Date: "2026-07-21"},
	{Name: "2.0.0", Date: final},
	{Name: "2.1.0", Date: "2026-09-23"},
	{Name: "2.2.0", Date: "2026-09-28"},
	{Name: "2.3.0", Date: "2026-10-02"},
	{Name: "2.3.1", Date: "2026-10-05"},
	{Name: "2.4.0", Date: minor4},
}

// modern are those of releases2 that speak the protocol of 2026-07-28.
var modern = releases2[2:]
