package advice

import (
	"slices"
	"strings"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// dated are words in names for a day or an instant.
var dated = []string{"date", "datetime", "timestamp", "day"}

// moment are whole names for a day or an instant.
var moment = []string{"since", "until", "start_time", "end_time", "starttime", "endtime", "from_time", "to_time", "created_after", "created_before", "updated_after", "updated_before", "deadline", "due", "expires_at"}

// dateForm matches text that shows how a date is written.
var dateForm = lazy.Compile(`(?i)yy|iso|rfc|unix|epoch|timestamp|format|\d{2,4}[-/.:]\d{1,2}|\bmm\b|\bdd\b|milliseconds|seconds|e\.g|example|such as|like |natural|relative|"|'|today|tomorrow|\d{6,8}|utc|cron|xsd|w3c`)

// noFormat finds dates without a format.
var noFormat = &Rule{
	Name: "no_format",
	Doc: `a date has no format

There are many ways to write a date. Without format, pattern or an example a model picks one.`,
	Source: Source{
		"Anthropic asks for unambiguous parameters and for specialised query formats in writing.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "events", "description": "List the events of a calendar.", "parameters": {"type": "object", "properties": {"start_date": {"type": "string", "description": "The first day."}}}}]`,
	Good: `[{"name": "events", "description": "List the events of a calendar.", "parameters": {"type": "object", "properties": {"start_date": {"type": "string", "description": "The first day, as YYYY-MM-DD.", "format": "date"}}}}]`,
	check: func(p *pass, tool *declaration) {
		for _, param := range tool.params {
			if !param.isA("string") || param.isClosed() || hasForm(param.schema) {
				continue
			}
			name := param.words
			if len(name) == 0 || !slices.Contains(dated, name[len(name)-1]) && !slices.Contains(moment, strings.Join(name, "_")) {
				continue
			}
			if slices.Contains([]string{"track", "log", "enable", "use", "show", "include", "exclude", "sort"}, name[0]) || hasWord(param.lower, "id") || hasAny(param.lower, "token", "cursor", "commit") {
				continue
			}
			if isForeign(param.text) || dateForm.MatchString(param.text) || dateForm.MatchString(param.schema.GetString("title")) || hasAny(tool.lower, "yyyy", "iso 8601", "iso-8601", "rfc 3339", "rfc3339", "unix", "date format", "dates are", "iso date") {
				continue
			}
			what := "such as 2026-01-31T12:00:00Z, and add the format date-time"
			if last := name[len(name)-1]; last == "date" || last == "day" { // a name alone does not say which of the two is meant
				what = "such as 2026-01-31 or 2026-01-31T12:00:00Z, and add the format that fits, date or date-time"
			}
			p.reportText(param, param.path+" does not say how a date is written: say it in the text, "+what)
		}
	},
}

// hasForm reports whether a schema, or a branch of it, says how its values are written.
func hasForm(node *schema.Node) bool {
	if slices.ContainsFunc([]string{"format", "pattern", "examples", "example"}, node.Has) {
		return true
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := node.Get(keyword); branches != nil && slices.ContainsFunc(branches.Elements, hasForm) {
			return true
		}
	}
	return false
}
