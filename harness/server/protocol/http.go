package protocol

import (
	"fmt"
	"net/url"
	"strings"

	"toolproof/schema"
)

// firstHTTP is the first revision with streamable HTTP, and firstHeader the first one with MCP-Protocol-Version.
const (
	firstHTTP   = "2025-03-26"
	firstHeader = "2025-06-18"
)

// httpChecks are about streamable HTTP.
var httpChecks = []*Check{
	{
		Name: "content_type", Level: Must, Since: firstHTTP, Over: HTTP, Page: "basic/transports#sending-messages-to-the-server",
		Says: "If the input is a JSON-RPC request, the server MUST either return Content-Type: text/event-stream, " +
			"to initiate an SSE stream, or Content-Type: application/json, to return one JSON object.",
		judge: func(t *transcript) sight {
			return t.first(func(e *exchange) string {
				kind := e.header["content-type"]
				if e.wants == 0 || len(e.answers) == 0 || e.isStream() || strings.HasPrefix(kind, "application/json") {
					return ""
				}
				return "it answers to " + e.step + " with the Content-Type " + quoted(kind)
			})
		},
	},
	{
		Name: "accepted", Level: Must, Since: firstHTTP, Over: HTTP, Page: "basic/transports#sending-messages-to-the-server",
		Says: "If the input is a JSON-RPC response or notification: if the server accepts the input, the server MUST return HTTP status code 202 Accepted with no body.",
		judge: func(t *transcript) sight {
			e := t.of(initialized)
			switch {
			case e == nil || e.lost != "" || e.status/100 == 4:
				return unseen
			case e.status != 202:
				return broken(fmt.Sprintf("it answers to %s with the status %d", e.step, e.status))
			case len(e.came) > 0 || e.body != "":
				return broken("it answers to " + e.step + " with a body")
			}
			return kept
		},
	},
	{
		Name: "unreadable_body", Level: States, Since: firstHTTP, Over: HTTP, Page: "basic/transports#sending-messages-to-the-server",
		Says: "If the server cannot accept the input, it MUST return an HTTP error status code (e.g., 400 Bad Request). " +
			"(The page says this of responses and notifications; of other input it says nothing.)",
		judge: func(t *transcript) sight {
			e := t.of(unreadable)
			switch {
			case e == nil || e.status == 0:
				return unseen
			case e.status < 400:
				return broken(fmt.Sprintf("it answers to %s with the status %d", e.step, e.status))
			}
			return kept
		},
	},
	{
		Name: "get_stream", Level: Must, Since: firstHTTP, Until: lastHandshake, Over: HTTP, Page: "basic/transports#listening-for-messages-from-the-server",
		Says: "The server MUST either return Content-Type: text/event-stream in response to this HTTP GET, or else return HTTP 405 Method Not Allowed.",
		judge: func(t *transcript) sight {
			e := t.of(get)
			switch {
			case e == nil || e.status == 0:
				return unseen
			case e.status == 405 || e.status/100 == 2 && e.isStream():
				return kept
			}
			return broken(fmt.Sprintf("it answers to GET with the status %d and the Content-Type %s", e.status, quoted(e.header["content-type"])))
		},
	},
	{
		Name: "version_header", Level: Must, Since: firstHeader, Until: lastHandshake, Over: HTTP, Page: "basic/transports#protocol-version-header",
		Says:  "If the server receives a request with an invalid or unsupported MCP-Protocol-Version, it MUST respond with 400 Bad Request.",
		judge: status(badVersion, 400),
	},
	{
		Name: "origin", Level: Must, Since: "2025-11-25", Over: HTTP, Page: "basic/transports#security-warning",
		Says: "If the Origin header is present and invalid, servers MUST respond with HTTP 403 Forbidden.",
		judge: func(t *transcript) sight {
			if !isLoopback(t.address) {
				return unseen // which origins are valid is known of a local server alone
			}
			return status(foreignOrigin, 403)(t)
		},
	},
	{
		Name: "session_form", Level: Must, Since: firstHTTP, Until: lastHandshake, Over: HTTP, Page: "basic/transports#session-management",
		Says: "The session ID MUST only contain visible ASCII characters (ranging from 0x21 to 0x7E).",
		judge: func(t *transcript) sight {
			session := t.session()
			switch {
			case session == "":
				return unseen
			case strings.ContainsFunc(session, func(letter rune) bool { return letter < 0x21 || letter > 0x7e }):
				return broken("its session ID is " + quoted(session))
			}
			return kept
		},
	},
	{
		Name: "session_required", Level: Should, Since: firstHTTP, Until: lastHandshake, Over: HTTP, Page: "basic/transports#session-management",
		Says: "Servers that require a session ID SHOULD respond to requests without an MCP-Session-Id header (other than initialization) with HTTP 400 Bad Request.",
		judge: func(t *transcript) sight {
			e := t.of(noSession)
			switch {
			case e == nil || e.status/100 == 2:
				return unseen // it does not require the session
			case e.status != 400:
				return broken(fmt.Sprintf("it answers to %s with the status %d", e.step, e.status))
			}
			return kept
		},
	},
	{
		Name: "session_ended", Level: Must, Since: firstHTTP, Until: lastHandshake, Over: HTTP, Page: "basic/transports#session-management",
		Says:  "The server MAY terminate the session at any time, after which it MUST respond to requests containing that session ID with HTTP 404 Not Found.",
		judge: status(afterDelete, 404),
	},
	{
		Name: "session", Level: May, Since: firstHTTP, Until: lastHandshake, Over: HTTP, Page: "basic/transports#session-management",
		Says: "A server using the Streamable HTTP transport MAY assign a session ID at initialization time.",
		judge: func(t *transcript) sight {
			if t.session() == "" {
				return unseen
			}
			return sight{Kept, "it assigns a session"}
		},
	},
	{
		Name: "delete", Level: May, Since: firstHTTP, Until: lastHandshake, Over: HTTP, Page: "basic/transports#session-management",
		Says: "The server MAY respond to this request [DELETE] with HTTP 405 Method Not Allowed, indicating that the server does not allow clients to terminate sessions.",
		judge: func(t *transcript) sight {
			if e := t.of(deleted); e != nil && e.status == 405 {
				return sight{Kept, "it lets no client end a session"}
			}
			return unseen
		},
	},
	{
		Name: "event_ids", Level: Must, Since: firstHTTP, Until: lastHandshake, Over: HTTP, Page: "basic/transports#resumability-and-redelivery",
		Says: "If present, the ID MUST be globally unique across all streams within that session.",
		judge: func(t *transcript) sight {
			seen, steps := unseen, map[string]string{}
			for _, e := range t.exchanges {
				if e.step == resume || e.step == unknownVersion {
					continue // a repetition, and another session
				}
				for _, id := range e.events {
					if before, isDouble := steps[id]; isDouble {
						return broken("the streams of " + before + " and " + e.step + " both have an event with the id " + quoted(id))
					}
					steps[id], seen = e.step, kept
				}
			}
			return seen
		},
	},
	{
		Name: "resumes", Level: Must, Since: firstHTTP, Until: lastHandshake, Over: HTTP, Page: "basic/transports#resumability-and-redelivery",
		Says: "The server MUST NOT replay messages that would have been delivered on a different stream.",
		judge: func(t *transcript) sight {
			e := t.of(resume)
			if e == nil || e.status/100 != 2 || len(e.came) == 0 {
				return unseen
			}
			for _, came := range e.came {
				if id := came.Get("id"); id != nil && !came.Has("method") && t.asked[id.String()] != listTools {
					return broken("behind the first event of tools/list it repeats the answer to " + t.asked[id.String()])
				}
			}
			return sight{Kept, "it repeats the messages of a broken stream"}
		},
	},
}

// session returns the ID of the session that the server assigns; empty if there is none.
func (t *transcript) session() string {
	if e := t.of(initialize); e != nil {
		return e.header["mcp-session-id"]
	}
	return ""
}

// status returns a judge of a request that has to be answered with a status of HTTP.
func status(step string, want int) func(*transcript) sight {
	return func(t *transcript) sight {
		e := t.of(step)
		switch {
		case e == nil || e.status == 0:
			return unseen
		case e.status != want:
			return broken(fmt.Sprintf("it answers to %s with the status %d, and not %d", step, e.status, want))
		}
		return kept
	}
}

// isLoopback reports whether an address is of this machine.
func isLoopback(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := parsed.Hostname()
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

// refusesOver returns a judge of a request that has to be refused with a code and, over HTTP, a status.
func refusesOver(step, code string, want int) func(*transcript) sight {
	return func(t *transcript) sight {
		if t.over == HTTP {
			if seen := status(step, want)(t); seen.outcome != Kept {
				return seen
			}
		}
		return refuses(step, code)(t)
	}
}

// isNegative reports whether a number is less than 0, or none.
func isNegative(node *schema.Node) bool {
	return node == nil || node.Kind != schema.Number || strings.HasPrefix(node.Text, "-")
}
