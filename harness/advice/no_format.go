package advice

import (
	"cmp"
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// dated are words in names for a day or an instant.
var dated = []string{"date", "datetime", "timestamp", "day"}

// moment are whole names for a day or an instant.
var moment = []string{"since", "until", "start_time", "end_time", "starttime", "endtime", "from_time", "to_time", "created_after", "created_before", "updated_after", "updated_before", "deadline", "due", "expires_at"}

// dateForm matches text that shows how a date is written.
var dateForm = lazy.Compile(`(?i)yy|iso|rfc|unix|epoch|format|\d{2,4}[-/.:]\d{1,2}|\bmm\b|\bdd\b|milliseconds|seconds|\bms\b|e\.g|example|such as|like |natural|relative|"|'|today|tomorrow|\d{6,8}|utc|cron|xsd|w3c`)

// todays drops what a text says of a call without a date, which shows no form of one.
var todays = strings.NewReplacer("default to today's", "", "defaults to today's", "", "today's", "", "default to today", "", "defaults to today", "", "default: today", "")

// noFormat finds dates without a format.
var noFormat = &Rule{
	Name: "no_format",
	Doc: `a date, a language, a currency, a colour or the like has no format

There are many ways to write each of them, such as en, en-US and English, *.log and .*\.log, or
pairs of names and values in one string. Without format, pattern
or an example a model picks one. A time of day without a zone may be in that of the user, in UTC or
in that of the server.`,
	Source: Source{
		"Anthropic asks for unambiguous parameters and for specialised query formats in writing.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "events", "description": "List the events of a calendar.", "parameters": {"type": "object", "properties": {"start_date": {"type": "string", "description": "The first day."}}}}]`,
	Good: `[{"name": "events", "description": "List the events of a calendar.", "parameters": {"type": "object", "properties": {"start_date": {"type": "string", "description": "The first day, as YYYY-MM-DD.", "format": "date"}}}}]`,
	check: func(p *pass, tool *declaration) {
		p.codes(tool)
		p.pairs(tool)
		p.zones(tool)
		p.cells(tool)
		p.selections(tool)
		for _, param := range tool.params {
			if !param.isA("string") || param.isClosed() || hasForm(param.schema) {
				continue
			}
			name := param.words
			if !isDated(param) {
				continue
			}
			if above := tool.above(param); above != nil && dateForm.MatchString(above.lower) {
				continue
			}
			if slices.Contains(switching, name[0]) || hasWord(param.lower, "id") || hasAny(param.lower, "token", "cursor", "commit", "name of") {
				continue
			}
			if isForeign(param.text) || dateForm.MatchString(todays.Replace(param.lower)) || dateForm.MatchString(param.schema.GetString("title")) || hasAny(tool.lower, "yyyy", "iso 8601", "iso-8601", "rfc 3339", "rfc3339", "unix", "date format", "dates are", "iso date") {
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

// switching are first words of names such as sort_date and show_date, which hold no date.
var switching = []string{"track", "log", "enable", "use", "show", "include", "exclude", "sort"}

// isDated reports whether a parameter is a day or an instant by its name.
func isDated(param *parameter) bool {
	isMoment := slices.Contains(moment, strings.Join(param.words, "_"))
	return isMoment || slices.Contains(dated, param.last()) || slices.Contains([]string{"since", "until", "before", "after", "at", "on", "from", "to", "start", "end"}, param.last()) && param.prose.Has(spokenDates...)
}

var spokenDates = prose.Phrases("timestamp", "date", "time", "day", "instant")

// coded are last words of names for what has codes, and ways to write it.
var coded = map[string]string{
	"language": "en or English", "lang": "en or English", "locale": "en-US or en", "country": "DE or Germany", "currency": "USD or usd", "timezone": "Europe/Berlin or +01:00", "zone": "Europe/Berlin or +01:00",
	"color": "#ff0000 or red", "colour": "#ff0000 or red", "palette": "#ff0000 or red", "icon": "an emoji or a name", "phone": "+43 316 123 or 0316 123", "duration": "PT1H or 1h", "coordinates": "47.07,15.44", "latlng": "47.07,15.44",
	"pattern": "*.log or a regular expression", "schedule": "0 9 * * 1", "cron": "0 9 * * 1", "recurrence": "RRULE:FREQ=DAILY", "version": "v1.2.0 or 1.2.0", "path": "root.folder.name or root/folder/name",
	"workspace": aName, "environment": aName, "team": aName, "project": aName, "repository": aName, "cluster": aName, "folder": aName, "board": aName, "calendar": aName, "account": aName, "customer": aName, "segment": aName, "assignee": aName, "region": "eu-west-1 or Ireland",
}

// variable are last words of names for what is written in several ways, of which services take most.
var variable = map[string]string{
	"domain": "example.com or https://example.com", "website": "example.com or https://example.com", "symbol": "AAPL or NASDAQ:AAPL", "ticker": "AAPL or NASDAQ:AAPL", "ref": "main or refs/heads/main",
	"selector": "button.save or //button", "filename": "report or report.pdf", "uri": "https://example.com/a or a", "extension": ".pdf or pdf", "time": "14:30 or 2026-01-31T14:30:00Z", "channel": aName,
	"author": aName, "creator": aName, "reviewer": aName, "user": aName, "member": aName, "milestone": aName, "parent": aName, "group": aName,
}

// namedByForm are words that tell in which of several forms a value is written.
var namedByForm = prose.Phrases("path", "extension", "css", "xpath", "city", "address", "sha", "tag", "without", "with", "coordinates", "country", "storage", "locator", "cloud")

// aName shows the two ways to refer to a thing.
const aName = "its name or its identifier"

// obvious drops what a text says of whether a parameter is needed.
var obvious = strings.NewReplacer("(required)", "", "(optional)", "")

// codes reports codes of which no text says how they are written.
func (p *pass) codes(tool *declaration) {
	var found, others []*parameter
	for _, param := range tool.params {
		if !isCoded(param) || !param.isText() && !isTexts(param) || hasForm(param.schema) || param.hasDefault() || param.schema.Has("maxLength") || isForeign(param.text) || strings.TrimSpace(param.text) == "" {
			continue
		}
		isVariable := variable[param.code()] != ""
		switch {
		case coded[param.code()] == aName && param.prose.Has(pathways...): // which has a base, and no form
		case isVariable && strings.Contains(param.text, "."+param.code()) || isVariable && (param.prose.Has(namedByForm...) || param.prose.HasUnit() || param.schema.Get("items").GetString("description") != ""):
		case !isWritten(param) && (isVariable || hasColor(param) && slices.ContainsFunc(tool.params, func(other *parameter) bool { return hasColor(other) && isWritten(other) })):
			others = append(others, param)
		case !isWritten(param):
			found = append(found, param)
		}
	}
	p.reportCodes(found)
	last := len(p.found)
	p.reportCodes(others)
	p.note(last)
}

// reportCodes reports codes of which no text says how they are written.
func (p *pass) reportCodes(found []*parameter) {
	if len(found) > 0 {
		such := cmp.Or(coded[found[0].code()], variable[found[0].code()])
		p.reportAll(found, "does not say how it is written: say it in the text, such as "+such, "do not say how they are written: say it in the texts, such as "+such)
	}
}

// code returns the last word of a name in the singular.
func (p *parameter) code() string { return singular([]string{p.last()})[0] }

// hasColor reports whether a parameter is a colour by its name.
func hasColor(param *parameter) bool {
	return slices.Contains([]string{"color", "colors", "colour", "palette"}, param.last())
}

// isWritten reports whether a text shows how a code is written.
func isWritten(param *parameter) bool {
	return strings.ContainsAny(obvious.Replace(param.lower), "0123456789\"'`(:#/*") || param.prose.Has(written...)
}

// written are words of texts that say how something is written, or that nothing is to be written.
var written = prose.Phrases("e.g", "example", "examples", "such as", "iso", "iana", "hex", "hexadecimal", "code", "codes", "name", "names", "bcp", "css", "rgb", "programming", "like", "or", "id", "ids", "uuid", "identifier", "identifiers", "gid", "slug", "emoji", "rrule", "cron",
	"glob", "globs", "regular", "regex", "notation", "seconds", "ignored", "any", "from", "title", "login", "handle", "url", "image", "variables", "username", "usernames", "email", "version_id")

// isCoded reports whether a parameter has codes by its name. A path is one if it is of something else than files.
func isCoded(param *parameter) bool {
	if len(param.words) == 0 || slices.Contains(switching, param.words[0]) && param.isText() {
		return false
	}
	switch last := singular(param.words[len(param.words)-1:])[0]; last {
	case "zone":
		return param.hasNameOf("time")
	case "path":
		return param.hasNameOf("instance", "node", "parent", "object", "property", "element")
	default:
		return coded[last] != "" || variable[last] != "" && param.depth == 0 && (len(param.words) == 1 || last == "filename" || last == "time")
	}
}

// paired are names of strings with names and their values.
var paired = []string{"env", "envs", "env_vars", "environment_variables", "build_args", "headers", "http_headers", "cookies", "labels", "attributes", "query_params"}

// pairs reports strings of names and values of which no text says how they are written.
func (p *pass) pairs(tool *declaration) {
	var found []*parameter
	for _, param := range tool.params {
		if (slices.Contains(paired, strings.Join(param.words, "_")) || param.last() == "environment" && strings.Contains(param.lower, "variables")) && param.isText() && !hasForm(param.schema) && !param.hasDefault() && !isForeign(param.text) && param.text != "" &&
			!strings.ContainsAny(param.text, "=:{,`") && !hasAny(param.lower, "json", "yaml", "name", "file", "slug", "id", "e.g", "example", "which", "where") {
			found = append(found, param)
		}
	}
	p.reportAll(found, "does not say how names and values are written: say it in the text, such as KEY=value in lines, or JSON", "do not say how names and values are written: say it in the texts, such as KEY=value in lines, or JSON")
}

// clock matches the form of a time of day.
var clock = lazy.Compile(`(?i)hh?:mm|\b\d{2}:\d{2}\b`)

// zones reports times whose text shows how they are written, without a time zone.
func (p *pass) zones(tool *declaration) {
	var found []*parameter
	for _, param := range tool.params {
		if !strings.Contains(param.text, ":") || strings.Contains(param.text, "Z") || hasAny(param.lower, "zone", "utc", "gmt", "local", "offset", "duration", "+0", "-0", "rfc") || !param.isA("string") || param.isClosed() || param.schema.Get("format").Is("date-time") || param.schema.Get("format").Is("duration") {
			continue
		}
		if param.hasNameOf("time", "date", "at", "start", "end", "from", "to", "since", "until", "before", "after", "datetime", "timestamp", "schedule", "scheduled", "deadline", "due", "begin", "when") && !param.hasNameOf("track", "video", "clip", "audio", "mac") && clock.MatchString(param.text) {
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
}

// cells reports ranges of cells of which no text says whether they begin with the name of a sheet.
func (p *pass) cells(tool *declaration) {
	var found []*parameter
	for _, param := range tool.params {
		if (param.last() == "range" || param.last() == "ranges") && (strings.Contains(param.text, "A1") || cellRange.MatchString(param.text)) && !strings.Contains(param.text, "!") && !strings.Contains(param.lower, "sheet") {
			found = append(found, param)
		}
	}
	if slices.ContainsFunc(tool.params, func(param *parameter) bool { return param.hasNameOf("sheet", "worksheet", "tab") }) {
		return
	}
	last := len(p.found)
	p.reportAll(found, "does not say whether the name of a sheet belongs to it: say it, such as Sheet1!A1:C3", "do not say whether the name of a sheet belongs to them: say it, such as Sheet1!A1:C3")
	p.note(last)
}

// selections reports what selects an option of a page, of which no text says whether it is the label or the value.
func (p *pass) selections(tool *declaration) {
	if !tool.prose.Has(selecting...) {
		return
	}
	var found []*parameter
	for _, param := range tool.params {
		if param.code() == "value" && len(param.words) == 1 && (param.isText() || isTexts(param)) && !param.prose.Has(shownAs...) && !hasAny(tool.lower, "label", "visible text") && !slices.ContainsFunc(tool.params, func(other *parameter) bool { return other.hasNameOf("label", "index") }) {
			found = append(found, param)
		}
	}
	p.reportAll(found, "does not say how an option is selected: say by its value or by its label", "do not say how options are selected: say by their values or by their labels")
}

// selecting are phrases of texts about the options of a page, and shownAs those that say by what one is selected.
var (
	selecting = prose.Phrases("select", "selects", "dropdown")
	shownAs   = prose.Phrases("label", "labels", "visible text", "option value", "value attribute", "attribute", "text")
)

// cellRange matches a range of cells.
var cellRange = lazy.Compile(`\b[A-Z]\d+:[A-Z]+\d+\b`)

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
