// Package data has what is known of LLM tool schemas as plain data: which construct of JSON Schema each
// surface of each provider takes, since when and by which evidence; how much a request may hold; what
// clients do to tools; and how tools are rewritten.
//
// The same file is in the npm package. Its JSON Schema is data.schema.json.
package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Major is the major version of the data that the package reads.
const Major = "1"

// Data is all that is known on a day.
type Data struct {
	// Version is that of the package. The first number changes if a member changes its meaning or goes away, or
	// the name of a surface, construct, client or rewrite does; the second if a member is added; the third is the Day
	// in digits.
	Version string `json:"version"`
	// Day is the day that the data is for.
	Day string `json:"day"`
	// Constructs are what tools are made of, with an example of each.
	Constructs []Construct `json:"constructs"`
	Surfaces   []Surface   `json:"surfaces"`
	Clients    []Client    `json:"clients"`
	// Rewrites are what normalizers do to tools that a surface refuses.
	Rewrites []Rewrite `json:"rewrites"`
	// Requirements are the frozen sets of rules, by month.
	Requirements []Requirements `json:"requirements"`
}

// Construct is a keyword of JSON Schema or OpenAPI as authors use it, or one form of a keyword.
type Construct struct {
	// Name is the keyword, such as oneOf, or names the form, such as "enum of integers".
	Name string `json:"name"`
	// Keyword is empty for a form of a whole schema, such as true.
	Keyword string `json:"keyword,omitempty"`
	// Example is the schema of a tool's parameters with the construct.
	Example json.RawMessage `json:"example"`
}

// Surface is a field of a provider's API that takes a schema, in one mode.
type Surface struct {
	// Name is such as gemini/parameters; the part before the slash is the service.
	Name string `json:"name"`
	// Doc is one line.
	Doc string `json:"doc"`
	// Subject is what the schemas describe: arguments of a function, answer of the model, or annotations for a directory
	// of servers, which reads no schema.
	Subject string `json:"subject"`
	// Strict says that functions are declared as strict.
	Strict bool `json:"strict,omitempty"`
	// API is the method that the surface belongs to, such as chat/completions.
	API string `json:"api,omitempty"`
	// Releases are those of software that users run themselves, the oldest first. A hosted service has none.
	Releases []Release `json:"releases,omitempty"`
	// Support has statements by the name of the construct. The first is about today, and each further one about the time
	// before.
	Support map[string][]Statement `json:"support"`
	Limits  []Limit                `json:"limits"`
	Rules   []Rule                 `json:"rules"`
}

// Release is a version of software, and the day on which it came out.
type Release struct {
	Name string `json:"name"`
	Day  string `json:"day"`
}

// Support is what a surface does with a construct.
type Support string

// The kinds of support.
const (
	Accepted  Support = "accepted"
	Refused   Support = "refused"   // the whole request fails
	Ignored   Support = "ignored"   // accepted, and neither enforced nor passed on to the model
	Rewritten Support = "rewritten" // accepted, and passed on as something else
	Unknown   Support = "unknown"
)

// Statement is what a surface does with a construct in a time.
type Statement struct {
	Support Support `json:"support"`
	// Note limits the statement: "not always", "seen in another form", or "as a rule says".
	Note string `json:"note,omitempty"`
	// Since is the first day on which the statement is known to hold, and Until the first on which it no longer
	// does. Empty means that no such day is known.
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
	// Grade is the best evidence: live, recorded, reported or predicted; empty if the support is unknown.
	Grade string `json:"grade,omitempty"`
	// Rule is the name of the rule of the surface that refuses, ignores or rewrites the construct.
	Rule string `json:"rule,omitempty"`
	// Words are those with which the surface refuses the example, as its model predicts them.
	Words string `json:"words,omitempty"`
	// Sources are the answers that the statement rests on.
	Sources []Source `json:"sources,omitempty"`
}

// Source is where an answer, or a text, is published.
type Source struct {
	// Outcome is accepted or refused; empty for a text.
	Outcome string `json:"outcome,omitempty"`
	Day     string `json:"day,omitempty"`
	Grade   string `json:"grade,omitempty"`
	// Surface is that which answered, if it is another.
	Surface string `json:"surface,omitempty"`
	// Model is the language model that was asked.
	Model string `json:"model,omitempty"`
	// Where is an address, or names the source.
	Where string `json:"where"`
	// Words are those of the provider.
	Words string `json:"words,omitempty"`
}

// Limit is how much a surface takes of something.
type Limit struct {
	// Of is what is counted, such as "tools in a request".
	Of string `json:"of"`
	// Most is the largest number that the surface takes.
	Most int `json:"most"`
	// Rule refuses more, in these Words for one more than Most.
	Rule  string `json:"rule"`
	Words string `json:"words"`
}

// Rule is one thing that a surface does. A surface that has changed may have two of one name.
type Rule struct {
	Name string `json:"name"`
	// Support is what the rule does with the part that it is about.
	Support Support `json:"support"`
	// Title is one line, and Text says more.
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
	// Models are patterns of the language models for which the rule holds; one that begins with ! excludes. Without
	// patterns it holds for all.
	Models  []string `json:"models,omitempty"`
	Sources []Source `json:"sources,omitempty"`
}

// Client is a program that passes the tools of MCP servers on to a language model.
type Client struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Introduces are the names that the client gives itself in clientInfo.
	Introduces []string `json:"introduces,omitempty"`
	// Measured is what was seen when the client ran; nil if it was not run.
	Measured *Measured `json:"measured,omitempty"`
	// NotMeasured says why the client was not run.
	NotMeasured string `json:"not_measured,omitempty"`
	// MostTools is how many tools of servers the client takes; nil if no source says it.
	MostTools *MostTools `json:"most_tools,omitempty"`
	// Tools are the names of the client's own tools, as far as they are known.
	Tools []string `json:"tools,omitempty"`
}

// Measured is what was seen of a version of a client.
type Measured struct {
	Package string `json:"package"`
	Version string `json:"version"`
	Day     string `json:"day"`
	// APIs are those that the client can send tools to, the usual one first: chat, responses, messages or gemini.
	APIs []string `json:"apis"`
	// Prefix stands before the name of each tool, with SERVER for the name of the server.
	Prefix string `json:"prefix,omitempty"`
	Names  Names  `json:"names"`
	// OwnTools counts the client's own tools in a request to its usual API, and OwnTokens estimates their tokens, to the
	// nearest hundred.
	OwnTools  int `json:"own_tools,omitempty"`
	OwnTokens int `json:"own_tokens,omitempty"`
	// ReservedServers are names of servers of which the client sends no tool.
	ReservedServers []string `json:"reserved_servers,omitempty"`
	// Treatments are what the client does to tools, by API.
	Treatments []Treatment `json:"treatments"`
	// Searches says that the client, as it is installed, declares no tool of a server but lets the model search.
	Searches bool `json:"searches,omitempty"`
	// Habits are changes to every tool: predicates whose subject is the client.
	Habits []string `json:"habits,omitempty"`
	// Notes are sentences.
	Notes []string `json:"notes,omitempty"`
}

// Names is what a client makes of the names of tools.
type Names struct {
	// Keeps are the characters that stay as they are besides ASCII letters and digits; any other becomes For. Without For
	// all stay.
	Keeps string `json:"keeps,omitempty"`
	For   string `json:"for,omitempty"`
	// Longest is the number of characters after which a name is cut; 0 if it never is.
	Longest int `json:"longest,omitempty"`
	// CutsMiddle says that the middle is cut out, and Hashes that a changed name ends in a hash.
	CutsMiddle bool `json:"cuts_middle,omitempty"`
	Hashes     bool `json:"hashes,omitempty"`
	// Namespace is that in which the tools are declared, with SERVER for the name of the server; empty if none is used.
	Namespace string `json:"namespace,omitempty"`
	// SendsEqual says that the client sends all tools that come to have one name, and not one of them.
	SendsEqual bool `json:"sends_equal,omitempty"`
	// Servers are the characters that the name of a server may have besides ASCII letters and digits: the client sends no
	// tool of another server. Without them it takes all.
	Servers string `json:"servers,omitempty"`
	// Order is the order in which tools are sent: as_listed by the configuration and by their servers, by_server with the
	// names of the servers sorted, or by_name with the names of all tools sorted; empty if it is not known.
	Order string `json:"order,omitempty"`
}

// Treatment is what a client does to the tools that it sends to some APIs.
type Treatment struct {
	APIs []string `json:"apis"`
	// SendsNone says that no tool of a server is sent.
	SendsNone bool `json:"sends_none,omitempty"`
	// NeedsDescription and NeedsType say which tools are not sent: those without a description, and those with a schema that
	// has no single type.
	NeedsDescription bool `json:"needs_description,omitempty"`
	NeedsType        bool `json:"needs_type,omitempty"`
	// StripsEmpty says that empty properties are removed from parameters that have a constraint or a default.
	StripsEmpty bool `json:"strips_empty,omitempty"`
	// Strips are the keywords that are removed, and StripsAtRoot those that are removed from the parameters alone, of tools
	// that every provider takes.
	Strips       []string `json:"strips,omitempty"`
	StripsAtRoot []string `json:"strips_at_root,omitempty"`
}

// MostTools is how many tools of servers a client takes.
type MostTools struct {
	Most   int    `json:"most"`
	Says   string `json:"says"`
	Source string `json:"source"`
	Day    string `json:"day"`
}

// Rewrite is a change that makes a surface take a tool.
type Rewrite struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	// Loss is the worst that it does to the accepted arguments: exact, widens, closes, widens_closes, narrows or both.
	Loss string `json:"loss"`
	// Before and After are an example: a schema, or a tool.
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	// Targets are the normalizers that use it.
	Targets []string `json:"targets"`
}

// Requirements are the rules that were known in a month. A set does not change after its month.
type Requirements struct {
	Month string `json:"month"`
	// Rules are the names of rules by the surface.
	Rules map[string][]string `json:"rules"`
}

// Parse reads data of this major version.
func Parse(text []byte) (*Data, error) {
	var read Data
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("reading the data: %w", err)
	}
	if len(read.Version) < 2 || read.Version[:2] != Major+"." {
		return nil, errors.New("the data has version " + read.Version + ", and the package reads " + Major)
	}
	return &read, nil
}

// Construct returns the construct with a name, or nil.
func (d *Data) Construct(name string) *Construct {
	return named(d.Constructs, func(one *Construct) bool { return one.Name == name })
}

// Surface returns the surface with a name, or nil.
func (d *Data) Surface(name string) *Surface {
	return named(d.Surfaces, func(one *Surface) bool { return one.Name == name })
}

// Client returns the client with a name, or nil.
func (d *Data) Client(name string) *Client {
	return named(d.Clients, func(one *Client) bool { return one.Name == name })
}

// Who returns the names of the surfaces with a support for a construct today, in the order of the data.
func (d *Data) Who(construct string, support Support) []string {
	var names []string
	for i := range d.Surfaces {
		if today := d.Surfaces[i].Today(construct); today != nil && today.Support == support {
			names = append(names, d.Surfaces[i].Name)
		}
	}
	return names
}

// Today returns the statement of today about a construct, or nil if there is none of that name.
func (s *Surface) Today(construct string) *Statement { return s.On(construct, "9999-12-31") }

// On returns the statement of a day, such as 2025-03-01, about a construct; nil if there is none.
func (s *Surface) On(construct, day string) *Statement {
	return named(s.Support[construct], func(one *Statement) bool {
		return one.Since <= day && (one.Until == "" || day < one.Until)
	})
}

// Limit returns the limit of something, such as "tools in a request", or nil if none is known.
func (s *Surface) Limit(of string) *Limit {
	return named(s.Limits, func(one *Limit) bool { return one.Of == of })
}

// named returns the first element that is wanted, or nil.
func named[T any](all []T, isWanted func(*T) bool) *T {
	at := slices.IndexFunc(all, func(one T) bool { return isWanted(&one) })
	if at < 0 {
		return nil
	}
	return &all[at]
}
