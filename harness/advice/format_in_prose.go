package advice

import (
	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// formatInProse finds forms of strings that the schema does not have.
var formatInProse = &Rule{
	Name: "format_in_prose",
	Doc: `a text has the form of a string, and the schema has no format

Programs that check calls know format, and refuse a wrong date before the server does. A sentence
such as YYYY-MM-DD serves the model alone.`,
	Source: Source{
		"Anthropic: make the arguments such that mistakes are hard to make.",
		"https://www.anthropic.com/engineering/building-effective-agents", "2024-12-19",
	},
	Bad:    `[{"name": "events", "description": "List the events of a calendar.", "parameters": {"type": "object", "properties": {"day": {"type": "string", "description": "The day (YYYY-MM-DD)."}}}}]`,
	Good:   `[{"name": "events", "description": "List the events of a calendar.", "parameters": {"type": "object", "properties": {"day": {"type": "string", "description": "The day (YYYY-MM-DD).", "format": "date"}}}}]`,
	IsNote: true,
	check: func(p *pass, tool *declaration) {
		var edits []Edit
		for _, param := range tool.params {
			if !param.isText() || hasForm(param.schema) || hasAny(param.lower, " or ", "<", "prefix", "relative", "range", "optional time") {
				continue
			}
			if form := formOf(param); form != "" {
				edits = append(edits, adding(param, "other forms are refused where formats are checked", schema.Member{Key: "format", Value: schema.NewString(form)}))
			}
		}
		p.reportEdits(edits, "has a form in its text alone", "have a form in their texts alone")
	},
}

// formOf returns the format that the text of a parameter states, or "".
func formOf(param *parameter) string {
	switch {
	case param.prose.Has(days...) && !hasAny(param.lower, "hh", "t00", "time"):
		return "date"
	case param.prose.Has(uuids...) && param.hasNameOf("id", "uuid", "guid"):
		return "uuid"
	case param.prose.Has(mails...) && param.hasNameOf("email", "mail"):
		return "email"
	case param.prose.Has(addresses...) && param.hasNameOf("url", "uri", "webhook", "link", "href"):
		return "uri"
	default:
		return ""
	}
}

var (
	days      = prose.Phrases("yyyy-mm-dd")
	uuids     = prose.Phrases("uuid", "guid")
	addresses = prose.Phrases("https url", "full url", "absolute url", "valid url", "complete url", "http url", "public url")
	mails     = prose.Phrases("email address")
)
