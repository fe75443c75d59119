package facts

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/conversation"
	"toolproof/harness/evidence"
	"toolproof/harness/listing"
	"toolproof/harness/provider"
	"toolproof/harness/provider/mcp"
	"toolproof/harness/recording"
	"toolproof/harness/server/calls"
	"toolproof/harness/server/protocol"
	"toolproof/packages/data"
)

// What rules are about that are not about the schemas of a surface.
const (
	Requests = "conversation" // requests besides their tools
	Results  = "mcp/result"   // results of calls
	Servers  = "mcp/server"   // what an MCP server says
)

// OnRule is a rule with what it is about.
type OnRule struct {
	data.Rule

	// Surface is the name of a surface, or Requests, Results, Servers or the name of the registry.
	Surface string `json:"surface"`
	// Note says more of who refuses.
	Note string `json:"note,omitempty"`
	// API is the method of a rule about requests, Services are those that refuse, and Words are what they say, with verbs of
	// package fmt for what differs from request to request.
	API      string   `json:"api,omitempty"`
	Services []string `json:"services,omitempty"`
	Words    string   `json:"words,omitempty"`
	// Refused is a request that a rule about requests refuses, and Accepted a near miss.
	Refused  json.RawMessage `json:"refused,omitempty"`
	Accepted json.RawMessage `json:"accepted,omitempty"`
	// Level is how a sentence of the protocol demands something, such as MUST. Over are the transports to which the sentence
	// applies, and Revisions the revisions that contain it.
	Level     string   `json:"level,omitempty"`
	Over      []string `json:"over,omitempty"`
	Revisions []string `json:"revisions,omitempty"`
	// Instead says what to write or send instead.
	Instead string `json:"instead,omitempty"`
	// Answers are the recorded answers that the rule was made from.
	Answers []Answer `json:"answers,omitempty"`
}

// ID returns the name of the rule behind that of what it is about.
func (r OnRule) ID() string { return r.Surface + "/" + r.Name }

// Period returns the period in which the rule holds, in words that follow its name, or "" if it always does.
func (r OnRule) Period() string {
	days := &provider.Rule{Since: provider.Date(r.Since), Until: provider.Date(r.Until)}
	if dialect, err := harness.DialectNamed(r.Surface); err == nil {
		return evidence.Period(dialect, days)
	}
	return evidence.Period(&provider.Dialect{}, days)
}

// Answer is a recorded answer.
type Answer struct {
	data.Source

	// Recording is its name.
	Recording string `json:"recording"`
	// NearMiss says that the rule does not fire on the declaration, although it is like one on which it does.
	NearMiss bool `json:"near_miss,omitempty"`
	// Declaration is the last of those that were sent.
	Declaration json.RawMessage `json:"declaration"`
}

// WithAnswers returns a rule of a surface with its answers, those on which it fires first.
func WithAnswers(ctx context.Context, dialect *provider.Dialect, rule *provider.Rule, store *recording.Store) (OnRule, error) {
	known, err := Rule(ctx, dialect, rule, store)
	if err != nil {
		return OnRule{}, err
	}
	on := OnRule{Rule: *known, Surface: dialect.Name}
	for _, recorded := range evidence.RecordingsOf(rule, store) {
		of, err := harness.DialectNamed(recorded.Dialect)
		if err != nil {
			return on, err
		}
		source, err := answer(of, recorded)
		if err != nil {
			return on, err
		}
		if of != dialect {
			source.Surface = of.Name
		}
		last := recorded.Request.Declarations[len(recorded.Request.Declarations)-1]
		on.Answers = append(on.Answers, Answer{source.Source, recorded.Name(), !evidence.Shows(ctx, rule, recorded), json.RawMessage(last.String())})
	}
	slices.SortStableFunc(on.Answers, func(a, b Answer) int {
		switch {
		case a.NearMiss == b.NearMiss:
			return 0
		case a.NearMiss:
			return 1
		default:
			return -1
		}
	})
	return on, nil
}

// OnRequest returns what is known of a rule about requests.
func OnRequest(rule *conversation.Rule) OnRule {
	on := OnRule{
		Rule:    data.Rule{Name: rule.Name, Support: data.Refused, Title: rule.Doc, Since: string(rule.Since), Until: string(rule.Until), Models: rule.Models},
		Surface: Requests, API: string(rule.API), Services: rule.Services, Words: rule.Words,
		Refused: json.RawMessage(rule.Refused), Accepted: json.RawMessage(rule.Accepted),
	}
	if slices.Contains(conversation.Ignoring, rule) {
		on.Support = data.Ignored
	}
	for _, source := range rule.Sources {
		on.Sources = append(on.Sources, data.Source{Day: string(source.Date), Where: source.URL})
	}
	return on
}

// Beside returns the rules that are not about schemas: of requests, of results of calls, of the protocol of MCP and of
// its registry.
func Beside() []OnRule {
	var all []OnRule
	for _, rule := range slices.Concat(conversation.Rules, conversation.Ignoring) {
		all = append(all, OnRequest(rule))
	}
	for _, rule := range calls.Rules {
		on := OnRule{Rule: saying(rule.Name, rule.Doc, rule.Since, rule.Source), Surface: Results, Instead: rule.Instead, Note: "refused by " + rule.Client}
		if rule.Client == "" {
			on.Support, on.Note = data.Accepted, "a warning, which makes no call fail"
		}
		all = append(all, on)
	}
	for _, check := range protocol.Checks {
		revisions := slices.DeleteFunc(slices.Clone(protocol.Revisions), func(revision string) bool {
			return revision < check.Since || check.Until != "" && revision > check.Until
		})
		on := OnRule{
			Rule: saying(check.Name, check.Says, "", check.Address(revisions[len(revisions)-1])), Surface: Servers, Note: "verify mcp --conformance sees whether a server keeps it",
			Level: string(check.Level), Over: strings.Split(cmp.Or(check.Over, protocol.Stdio+","+protocol.HTTP), ","), Revisions: revisions,
		}
		on.Support = data.Unknown
		all = append(all, on)
	}
	return append(all, Registry()...)
}

// Registry returns the rules of the registry of MCP about server.json files.
func Registry() []OnRule {
	notes := [...]string{
		listing.Reading: "refused by mcp-publisher", listing.Request: "refused by the API of the registry", listing.Validation: "refused by the registry",
		listing.Packages: "refused by the registry, which looks at packages last", listing.Remark: "published all the same",
	}
	var all []OnRule
	for _, rule := range listing.Rules {
		on := OnRule{Rule: saying(rule.Name, rule.Doc, rule.Since, rule.Source), Surface: mcp.Registry.Name, Note: notes[rule.Stage], Instead: rule.Instead}
		if rule.Stage == listing.Remark {
			on.Support = data.Accepted
		}
		all = append(all, on)
	}
	return all
}

// saying returns a rule that refuses.
func saying(name, doc, since, source string) data.Rule {
	title, text, _ := strings.Cut(doc, "\n\n")
	return data.Rule{Name: name, Support: data.Refused, Title: title, Text: text, Since: since, Sources: []data.Source{{Where: source}}}
}
