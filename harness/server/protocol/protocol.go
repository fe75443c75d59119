// Package protocol checks whether a server of the Model Context Protocol keeps what the revisions that it speaks say of
// servers. It sends requests that only read, requests that have to be refused, and messages that cannot be read. It
// calls no tool but one that the caller names.
package protocol

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"toolproof/schema"
)

// Level is the key word of a sentence.
type Level string

// The levels. A sentence that States has no key word.
const (
	Must   Level = "must"
	Should Level = "should"
	May    Level = "may"
	States Level = "states"
)

// Revisions are the revisions of the protocol, the oldest first. Those from Stateless on have no handshake.
var Revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", Stateless}

// Stateless is the first revision in which each request says for itself which revision it is of.
const Stateless = "2026-07-28"

// The transports.
const (
	Stdio = "stdio"
	HTTP  = "http"
)

// Check is a sentence of the specification about servers, and how to see whether one keeps it.
type Check struct {
	Name  string // snake_case, unique
	Level Level
	// Since and Until are the first and the last revision that have the sentence; empty means all from there on, or
	// up to there.
	Since, Until string
	// Over is the transport that the sentence is about; empty for both.
	Over string
	// Says is the sentence, in the words of one of these revisions, and Page the page that has it, without the
	// revision, such as basic/lifecycle#version-negotiation. A whole address is a page that belongs to no revision.
	Says, Page string

	judge func(*transcript) sight
}

// Address returns the address of the page in a revision. A revision that has the page under another name has other
// headings, too, so that the address leads to the page as a whole.
func (c *Check) Address(revision string) string {
	if strings.HasPrefix(c.Page, "https://") {
		return c.Page
	}
	page, _, _ := strings.Cut(c.Page, "#")
	switch {
	case revision == "2024-11-05" && page == "basic":
		page = "basic/messages"
	case revision == Stateless && page == "basic/utilities/progress":
		page = "basic/patterns/progress"
	case revision == Stateless && page == "basic/transports" && c.Over == Stdio:
		page = "basic/transports/stdio"
	case revision == Stateless && page == "basic/transports":
		page = "basic/transports/streamable-http"
	default:
		page = c.Page
	}
	return "https://modelcontextprotocol.io/specification/" + revision + "/" + page
}

// holds reports whether the check is for a revision and a transport.
func (c *Check) holds(revision, over string) bool {
	return revision >= c.Since && (c.Until == "" || revision <= c.Until) && (c.Over == "" || c.Over == over)
}

// Outcome is what was seen of a check.
type Outcome string

// The outcomes. Unseen means that the server did nothing that the sentence is about.
const (
	Kept   Outcome = "kept"
	Broken Outcome = "broken"
	Unseen Outcome = "not seen"
)

// sight is an outcome with what was seen.
type sight struct {
	outcome Outcome
	saw     string
}

var (
	kept   = sight{outcome: Kept}
	unseen = sight{outcome: Unseen}
)

// broken returns the sight of a broken sentence.
func broken(saw string) sight { return sight{Broken, saw} }

// Finding is the outcome of a check in a revision. docs/schema/protocol.schema.json describes the JSON of Line.
type Finding struct {
	Check    *Check
	Revision string
	Outcome  Outcome
	// Saw says what the server did; empty for most that is Kept, and for what is Unseen.
	Saw string
}

// Report is what is known of a server.
type Report struct {
	// Over is the transport, and Spoken are the revisions that the server speaks, the oldest first.
	Over     string
	Spoken   []string
	Findings []Finding // by revision, and there in the order of Checks
}

// judge judges a transcript by all checks of its revision.
func (t *transcript) judge() []Finding {
	var findings []Finding
	for _, check := range Checks {
		if check.holds(t.revision, t.over) {
			seen := check.judge(t)
			findings = append(findings, Finding{check, t.revision, seen.outcome, seen.saw})
		}
	}
	return findings
}

// Checks are all checks.
var Checks = slices.Concat(messageChecks, handshakeChecks, listChecks, errorChecks, httpChecks, statelessChecks)

// transcript is everything that was said over the connections of one revision.
type transcript struct {
	revision, over string
	address        string // over HTTP
	exchanges      []*exchange
	// asked has the step of each request by its ID in JSON.
	asked map[string]string
	// strays are the lines that are no messages.
	strays []string
	// ended is the step in which the server ended the connection; empty if it did not.
	ended string
	// exited reports whether the program ended by itself when its input was closed; nil if it was not waited for.
	exited *bool
	spoken []string // the revisions that the server speaks, the oldest first
}

// exchange is one thing that was sent, and what came until it was answered.
type exchange struct {
	step string
	sent string
	// method is the one of HTTP; empty over stdio.
	method string
	// wants is the number of requests in what was sent.
	wants int
	// came are the messages that came, in order, of which answers answer a request of this exchange.
	came, answers []*schema.Node
	// status, header and body are those of the answer of HTTP. body is empty if the answer is a message.
	status int
	header map[string]string
	body   string
	// events are the IDs of its events.
	events []string
	// took is the time until the last message came.
	took time.Duration
	// lost says why an answer is missing; empty if none is. isLast means that the server ended the connection.
	lost   string
	isLast bool
}

// of returns the exchange of a step, or nil.
func (t *transcript) of(step string) *exchange {
	if at := slices.IndexFunc(t.exchanges, func(e *exchange) bool { return e.step == step }); at >= 0 {
		return t.exchanges[at]
	}
	return nil
}

// answer returns the first answer of a step, or nil.
func (t *transcript) answer(step string) *schema.Node {
	if e := t.of(step); e != nil && len(e.answers) > 0 {
		return e.answers[0]
	}
	return nil
}

// result returns the result of a step, or nil.
func (t *transcript) result(step string) *schema.Node { return t.answer(step).Get("result") }

// declared returns the capabilities that the server declares, or nil.
func (t *transcript) declared() *schema.Node {
	return cmp.Or(t.result(initialize), t.result(discover)).Get("capabilities")
}

// declares reports whether the server declares a capability, and that part of it if there is one.
func (t *transcript) declares(capability, part string) bool {
	found := t.declared().Get(capability)
	return found != nil && (part == "" || found.Get(part).IsTrue())
}
