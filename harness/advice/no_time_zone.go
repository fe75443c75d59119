package advice

import (
	"strings"

	"toolproof/internal/lazy"
)

// clock matches the form of a time of day in a text.
var clock = lazy.Compile(`(?i)hh?:mm|\b\d{2}:\d{2}\b`)

// noTimeZone finds times of day without a zone.
var noTimeZone = &Rule{
	Name: "no_time_zone",
	Doc: `a time of day has no time zone

A text shows how a time is written, without a zone. A model takes the zone of the user, or UTC,
and the server another one. Say which it is, or ask for an offset such as +01:00.`,
	Source: Source{
		"Anthropic asks for unambiguous parameters and for what an expert would know, such as units, in writing.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "book", "description": "Book a room.", "parameters": {"type": "object", "properties": {"start": {"type": "string", "description": "When it begins, as YYYY-MM-DD HH:MM."}}}}]`,
	Good: `[{"name": "book", "description": "Book a room.", "parameters": {"type": "object", "properties": {"start": {"type": "string", "description": "When it begins in UTC, as YYYY-MM-DD HH:MM."}}}}]`,
	check: func(p *pass, tool *declaration) {
		var found []*parameter
		for _, param := range tool.params {
			if hasAny(param.lower, "zone", "z)", "utc", "gmt", "local", "offset", "duration", "+0", "-0", "rfc") || strings.Contains(param.text, "Z") || !strings.Contains(param.text, ":") || !param.isA("string") || param.isClosed() || param.schema.Get("format").Is("date-time") || param.schema.Get("format").Is("duration") {
				continue
			}
			if clock.MatchString(param.text) && param.hasNameOf("time", "date", "at", "start", "end", "from", "to", "since", "until", "before", "after", "datetime", "timestamp", "schedule", "scheduled", "deadline", "due", "begin", "when") && !param.hasNameOf("track", "video", "clip", "audio", "mac") {
				found = append(found, param)
			}
		}
		if len(found) == 0 || hasAny(tool.lower, "timezone", "time zone", "utc", "gmt") {
			return
		}
		for _, other := range tool.params {
			if hasAny(strings.ToLower(other.name), "zone", "tz", "offset") {
				return
			}
		}
		p.reportAll(found, "is a time without a time zone: say which one it is in", "are times without a time zone: say which one they are in")
	},
}
