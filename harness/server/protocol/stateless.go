package protocol

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// statelessChecks are about the revision in which each request says which revision it is of.
var statelessChecks = []*Check{
	{
		Name: "discover", Level: Must, Since: Stateless, Page: "basic/versioning#protocol-version-negotiation",
		Says: "Servers MUST implement server/discover.",
		judge: func(t *transcript) sight {
			result := t.result(discover)
			switch versions := result.Get("supportedVersions"); {
			case result == nil:
				return broken("it answers to server/discover with " + shortly(t.answer(discover)))
			case len(versions.Strings()) == 0:
				return broken("supportedVersions is " + shortly(versions))
			case result.Get("capabilities") == nil:
				return broken("capabilities is missing")
			}
			return kept
		},
	},
	{
		Name: "first_request", Level: Must, Since: Stateless, Page: "basic#statelessness",
		Says: "Servers MUST NOT rely on prior requests over the same connection to establish context (e.g., capabilities, protocol version, client identity).",
		judge: func(t *transcript) sight {
			switch e := t.of(fresh); {
			case e == nil || t.result(listTools).Get("tools") == nil:
				return unseen
			case t.result(fresh).Get("tools") == nil:
				return broken("to " + fresh + " it answers with " + shortly(t.answer(fresh)) + e.lost)
			}
			return kept
		},
	},
	{
		Name: "result_type", Level: Must, Since: Stateless, Page: "basic#result-responses",
		Says: "The result MUST include a resultType field to indicate the type of the result.",
		judge: all(func(_ *transcript, e *exchange, came *schema.Node) string {
			kind := came.Get("result").Get("resultType")
			if e.step != otherRevision && came.Has("result") && !came.Has("method") && (kind == nil || kind.Kind != schema.String) {
				return "resultType is " + shortly(kind)
			}
			return ""
		}),
	},
	{
		Name: "caching", Level: Must, Since: Stateless, Page: "server/utilities/caching#cacheable-results",
		Says: "Servers MUST include caching hints on results of tools/list, prompts/list, resources/list, resources/templates/list: " +
			"ttlMs, which is >= 0, and cacheScope, which is \"public\" or \"private\".",
		judge: func(t *transcript) sight {
			seen := unseen
			for _, list := range listed {
				result := t.result(list.step)
				if result == nil {
					continue
				}
				seen = kept
				if ttl := result.Get("ttlMs"); isNegative(ttl) {
					return broken("the ttlMs of " + list.step + " is " + shortly(ttl))
				}
				if scope := result.Get("cacheScope"); !scope.Is("public") && !scope.Is("private") {
					return broken("the cacheScope of " + list.step + " is " + shortly(scope))
				}
			}
			return seen
		},
	},
	{
		Name: "server_info", Level: Should, Since: Stateless, Page: "basic#meta",
		Says: "Servers SHOULD include io.modelcontextprotocol/serverInfo in every result's _meta, unless specifically configured not to do so.",
		judge: all(func(_ *transcript, e *exchange, came *schema.Node) string {
			if e.step != otherRevision && came.Has("result") && came.Get("result").Get("_meta").Get("io.modelcontextprotocol/serverInfo") == nil {
				return "it is missing"
			}
			return ""
		}),
	},
	{
		Name: "unsupported_version", Level: Must, Since: Stateless, Page: "basic/versioning#protocol-version-negotiation",
		Says: "If the server does not implement the requested version, it MUST respond with an UnsupportedProtocolVersionError listing the versions it does support.",
		judge: func(t *transcript) sight {
			if seen := refusesOver(otherRevision, "-32022", 400)(t); seen.outcome != Kept {
				return seen
			}
			if supported := t.answer(otherRevision).Get("error").Get("data").Get("supported"); len(supported.Strings()) == 0 {
				return broken("data.supported is " + shortly(supported))
			}
			return kept
		},
	},
	{
		Name: "required_meta", Level: Must, Since: Stateless, Page: "basic#meta",
		Says: "A request missing any required field is malformed; the server MUST reject it with JSON-RPC error code -32602 (Invalid params). " +
			"On HTTP, the response status MUST be 400 Bad Request.",
		judge: refusesOver(noCapabilities, "-32602", 400),
	},
	{
		Name: "method_status", Level: Must, Since: Stateless, Over: HTTP, Page: "basic/transports/streamable-http#protocol-version-header",
		Says:  "If the server does not implement the requested RPC method, it MUST respond with 404 Not Found and a JSON-RPC error with code -32601.",
		judge: refusesOver(unknownMethod, "-32601", 404),
	},
	{
		Name: "header_mismatch", Level: Must, Since: Stateless, Over: HTTP, Page: "basic/transports/streamable-http#server-validation",
		Says: "Servers that process the request body MUST reject requests where the values specified in the headers do not match " +
			"the corresponding values in the request body, with 400 Bad Request and -32020.",
		judge: func(t *transcript) sight {
			for _, step := range []string{otherMethod, noMethod, otherVersion} {
				if seen := refusesOver(step, "-32020", 400)(t); seen.outcome != Kept {
					return seen
				}
			}
			return kept
		},
	},
	{
		Name: "no_requests", Level: Must, Since: Stateless, Page: "basic/transports/streamable-http#receiving-messages",
		Says: "The server MUST NOT send independent JSON-RPC requests on this stream.",
		judge: all(func(_ *transcript, _ *exchange, came *schema.Node) string {
			if came.Has("method") && came.Has("id") {
				return "it sends the request " + shortly(came.Get("method"))
			}
			return ""
		}),
	},
	{
		Name: "no_logging", Level: Must, Since: Stateless, Page: "changelog#major-changes",
		Says: "Log level is now set per-request via io.modelcontextprotocol/logLevel in _meta; servers MUST NOT emit notifications/message for requests that did not include this field.",
		judge: all(func(_ *transcript, _ *exchange, came *schema.Node) string {
			if came.GetString("method") == "notifications/message" {
				return "it sends notifications/message"
			}
			return ""
		}),
	},
	{
		Name: "reserved_codes", Level: Must, Since: Stateless, Page: "basic#error-codes",
		Says: "Implementations MUST NOT emit any code from -32020 to -32099 that is not defined by this specification, nor -32002 and -32042, which earlier protocol versions defined.",
		judge: all(func(_ *transcript, _ *exchange, came *schema.Node) string {
			code := came.Get("error").Get("code")
			if code == nil {
				return ""
			}
			text := code.String()
			isReserved := len(text) == len("-32020") && text >= "-32020" && text <= "-32099" && !slices.Contains([]string{"-32020", "-32021", "-32022"}, text)
			if isReserved || text == "-32002" {
				return "it answers with the code " + text
			}
			return ""
		}),
	},
	{
		Name: "no_sessions", Level: Should, Since: Stateless, Over: HTTP, Page: "basic/transports/streamable-http#earlier-streamable-http-revisions",
		Says: "A server that supports only this revision SHOULD [...] not mint or echo session IDs, and respond to HTTP GET or DELETE with 405 Method Not Allowed.",
		judge: func(t *transcript) sight {
			if strings.Join(t.spoken, "") != Stateless {
				return unseen // it speaks others, too
			}
			for _, e := range t.exchanges {
				if e.header["mcp-session-id"] != "" {
					return broken("it assigns a session at " + e.step)
				}
			}
			return status(get, 405)(t)
		},
	},
}
