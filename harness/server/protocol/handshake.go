package protocol

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolproof/schema"
)

// lastHandshake is the last revision that begins with initialize.
const lastHandshake = "2025-11-25"

// handshakeChecks are about initialize and about what is negotiated in it.
var handshakeChecks = []*Check{
	{
		Name: "initialize_result", Level: Must, Since: "2024-11-05", Until: lastHandshake, Page: "basic/lifecycle#initialization",
		Says: "The server MUST respond with its own capabilities and information.",
		judge: func(t *transcript) sight {
			result := t.result(initialize)
			for _, name := range []string{"name", "version"} {
				if found := result.Get("serverInfo").Get(name); found == nil || found.Kind != schema.String {
					return broken("serverInfo." + name + " is " + shortly(found))
				}
			}
			if capabilities := result.Get("capabilities"); capabilities == nil || capabilities.Kind != schema.Object {
				return broken("capabilities is " + shortly(capabilities))
			}
			return kept
		},
	},
	{
		Name: "another_version", Level: Must, Since: "2024-11-05", Until: lastHandshake, Page: "basic/lifecycle#version-negotiation",
		Says: "If the server supports the requested protocol version, it MUST respond with the same version. " +
			"Otherwise, the server MUST respond with another protocol version it supports.",
		judge: func(t *transcript) sight {
			e := t.of(unknownVersion)
			switch offered := t.result(unknownVersion).Get("protocolVersion"); {
			case e == nil:
				return unseen
			case len(e.answers) == 0:
				return broken("to initialize with the revision 1900-01-01 it does not answer: " + e.lost)
			case e.answers[0].Has("error"):
				return kept // the same page has such an error as its example
			case offered.Is("1900-01-01"):
				return broken("it agrees to the revision 1900-01-01, which there is not")
			case offered == nil || !slices.Contains(t.spoken, offered.Text):
				return broken("to 1900-01-01 it answers with " + shortly(offered) + ", and it agrees to " + strings.Join(t.spoken, ", ") + " alone")
			}
			return kept
		},
	},
	{
		Name: "latest_version", Level: Should, Since: "2024-11-05", Until: lastHandshake, Page: "basic/lifecycle#version-negotiation",
		Says: "This SHOULD be the latest version supported by the server.",
		judge: func(t *transcript) sight {
			offered, latest := t.result(unknownVersion).Get("protocolVersion"), ""
			for _, spoken := range t.spoken {
				if spoken < Stateless {
					latest = spoken
				}
			}
			switch {
			case offered == nil || !slices.Contains(t.spoken, offered.Text):
				return unseen
			case offered.Text != latest:
				return broken("it offers " + offered.Text + ", and it speaks " + latest)
			}
			return kept
		},
	},
	{
		Name: "waits_for_initialized", Level: Should, Since: "2024-11-05", Until: lastHandshake, Page: "basic/lifecycle#initialization",
		Says: "The server SHOULD NOT send requests other than pings and logging before receiving the initialized notification.",
		judge: func(t *transcript) sight {
			if e := t.of(initialize); e != nil {
				for _, came := range e.came {
					if came.Has("id") && came.Has("method") && !came.Get("method").Is("ping") {
						return broken("it sends " + shortly(came.Get("method")) + " before notifications/initialized")
					}
				}
			}
			return kept
		},
	},
	{
		Name: "negotiated_capabilities", Level: Must, Since: "2025-06-18", Until: lastHandshake, Page: "basic/lifecycle#operation",
		Says:  "Both parties MUST only use capabilities that were successfully negotiated.",
		judge: usesNegotiated,
	},
	{
		Name: "negotiated_capabilities_before", Level: Should, Since: "2024-11-05", Until: "2025-03-26", Page: "basic/lifecycle#operation",
		Says:  "Both parties SHOULD only use capabilities that were successfully negotiated.",
		judge: usesNegotiated,
	},
	{
		Name: "declares_logging", Level: Must, Since: "2024-11-05", Until: lastHandshake, Page: "server/utilities/logging#capabilities",
		Says: "Servers that emit log message notifications MUST declare the logging capability.",
		judge: all(func(t *transcript, _ *exchange, came *schema.Node) string {
			if came.GetString("method") == "notifications/message" && !t.declares("logging", "") {
				return "it sends notifications/message, and does not declare logging"
			}
			return ""
		}),
	},
	{
		Name: "ping", Level: Must, Since: "2024-11-05", Until: lastHandshake, Page: "basic/utilities/ping#behavior-requirements",
		Says: "The receiver MUST respond promptly with an empty response.",
		judge: func(t *transcript) sight {
			answer, result := t.answer(ping), t.result(ping)
			switch e := t.of(ping); {
			case e == nil || e.isLast:
				return unseen
			case answer == nil:
				return broken(e.lost)
			case result == nil:
				return broken("it answers with " + shortly(answer.Get("error")))
			case result.Kind == schema.Object && slices.ContainsFunc(result.Members, func(m schema.Member) bool { return m.Key != "_meta" }):
				return broken("it answers with " + shortly(result))
			}
			return kept
		},
	},
	{
		Name: "ignores_cancellations", Level: Should, Since: "2024-11-05", Until: lastHandshake, Page: "basic/utilities/cancellation#error-handling",
		Says: "Invalid cancellation notifications SHOULD be ignored: unknown request IDs, already completed requests.",
		judge: func(t *transcript) sight {
			for _, step := range []string{cancelUnknown, cancelAnswered} {
				e := t.of(step)
				switch {
				case t.ended == step:
					return broken("it ends at " + step)
				case e == nil || e.lost != "":
					return unseen
				case e.status >= 400:
					return broken(fmt.Sprintf("it answers to %s with the status %d", step, e.status))
				}
			}
			return kept
		},
	},
	{
		Name: "cancels", Level: Should, Since: "2024-11-05", Until: lastHandshake, Over: Stdio, Page: "basic/utilities/cancellation#behavior-requirements",
		Says: "Receivers of cancellation notifications SHOULD stop processing the cancelled request, free associated resources, and not send a response for the cancelled request.",
		judge: func(t *transcript) sight {
			const slow = 300 * time.Millisecond // a faster call may be over before the notification is read
			whole, e := t.of(callTool), t.of(cancelCall)
			if whole == nil || e == nil || e.isLast || whole.took < slow {
				return unseen
			}
			for _, came := range e.came {
				if id := came.Get("id"); id != nil && !came.Has("method") && t.asked[id.String()] == cancelCall && e.took > whole.took/2 {
					return broken(fmt.Sprintf("it answers to a call that was cancelled at once, %v later", e.took.Round(time.Millisecond)))
				}
			}
			return kept
		},
	},
	{
		Name: "progress_increases", Level: Must, Since: "2024-11-05", Page: "basic/utilities/progress#progress-flow",
		Says: "The progress value MUST increase with each notification, even if the total is unknown.",
		judge: func(t *transcript) sight {
			e, seen, last := t.of(callTool), unseen, math.Inf(-1)
			if e == nil {
				return unseen
			}
			for _, came := range e.came {
				if came.GetString("method") != "notifications/progress" {
					continue
				}
				value := came.Get("params").Get("progress")
				if value == nil || value.Kind != schema.Number {
					return broken("progress is " + shortly(value))
				}
				if now, err := strconv.ParseFloat(value.Text, 64); err == nil {
					if now <= last {
						return broken(fmt.Sprintf("progress is %v after %v", now, last))
					}
					last, seen = now, kept
				}
			}
			return seen
		},
	},
	{
		Name: "progress_tokens", Level: Must, Since: "2024-11-05", Page: "basic/utilities/progress#behavior-requirements",
		Says: "Progress notifications MUST only reference tokens that were provided in an active request.",
		judge: all(func(t *transcript, e *exchange, came *schema.Node) string {
			token := came.Get("params").Get("progressToken")
			call := t.of(callTool)
			isOfCall := e.step == callTool || e.step == cancelCall || call != nil && call.lost != "" // which may go on
			isActive := e.step == listToolsAgain && token.Is("progress") || isOfCall && token.Is("call")
			if came.GetString("method") == "notifications/progress" && !isActive {
				return "it reports progress for the token " + shortly(token) + ", which no active request has"
			}
			return ""
		}),
	},
}

// usesNegotiated judges whether the server uses capabilities that it or the client does not declare.
var usesNegotiated = all(func(t *transcript, _ *exchange, came *schema.Node) string {
	method := came.GetString("method")
	capability, part := "", "listChanged"
	switch method {
	case "sampling/createMessage", "roots/list", "elicitation/create":
		return "it sends " + method + ", and the client declares no capabilities"
	case "notifications/tools/list_changed":
		capability = "tools"
	case "notifications/prompts/list_changed":
		capability = "prompts"
	case "notifications/resources/list_changed":
		capability = "resources"
	case "notifications/resources/updated":
		capability, part = "resources", "subscribe"
	}
	if capability != "" && !t.declares(capability, part) {
		return "it sends " + method + ", and does not declare " + capability + "." + part
	}
	return ""
})
