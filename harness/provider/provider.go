// Package provider is the vocabulary of surfaces: a Dialect is one surface with its
// Rules, a Request is sent to it, and a Response comes back. A Model applies the rules
// offline. The package itself knows no provider; google, openai and others describe
// theirs in its terms.
package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolproof/schema"
)

// Provider answers requests. A Model predicts the answer, a replay returns a recorded one, and
// a live client asks the service.
type Provider interface {
	// Send asks the provider. A refusal is an answer and not an error; an error
	// means that nothing was learnt.
	Send(ctx context.Context, request Request) (Response, error)
}

// ErrNothingLearnt means that an answer says nothing about a declaration.
var ErrNothingLearnt = errors.New("the answer says nothing about a declaration")

// envelopeVersion is part of every digest. It changes whenever the parts of a request around
// its declarations change, so that an old answer is never served for a new request.
const envelopeVersion = "envelope 1"

// EmulatorHeader marks each answer of the emulator, so that none is ever taken for
// evidence of what a provider does.
const EmulatorHeader = "X-Toolproof-Emulator"

// Request is what a client sends: declarations in the body of a request to one surface.
type Request struct {
	Dialect string // the surface, such as gemini/parameters
	Path    string // of the URL, with {model} for the model
	// Declarations are the parts of the body that are judged, in their order: function
	// declarations, or one response schema.
	Declarations []*schema.Node
	// Indices are the positions of the declarations in the request's list of tools. It is nil
	// if the list has no other entries, such as built-in tools.
	Indices []int
	// Places are the paths of those declarations in the body that are not simply elements of
	// the list of tools, such as tools[2].tools[0]. An empty path, or a nil Places, means that
	// the declaration is the element at its index.
	Places []string
	// Body is the whole body. It may be nil in a request to a Model, which makes the body from
	// the declarations if a rule needs it.
	Body *schema.Node
}

// Index returns the position of a declaration in the list of the request.
func (r Request) Index(declaration int) int {
	if declaration < len(r.Indices) {
		return r.Indices[declaration]
	}
	return declaration
}

// Place returns the path of a declaration in the body in OpenAI's notation, such as
// tools[2].
func (r Request) Place(declaration int) string {
	if declaration < len(r.Places) && r.Places[declaration] != "" {
		return r.Places[declaration]
	}
	return "tools[" + strconv.Itoa(r.Index(declaration)) + "]"
}

// Digest identifies the request by its surface, envelopeVersion and the exact text of its
// declarations.
func (r Request) Digest() string {
	return schema.NewArray(r.Declarations...).Digest(r.Dialect, envelopeVersion)
}

// Verdict is how a provider decides about a request.
type Verdict string

// The verdicts. There is no third one: if a provider reaches no verdict, an error says why.
const (
	Accepted Verdict = "accepted"
	Rejected Verdict = "rejected"
)

// Grade says what a verdict rests on; higher grades overrule lower ones.
type Grade uint8

// The evidence ladder, lowest first.
const (
	NoEvidence Grade = iota
	Predicted        // by the rules of a Model
	Reported         // a public thread shows declaration and answer
	Recorded         // the provider answered this very declaration, on a known date
	Live             // the provider answered just now
)

var grades = [...]string{"none", "predicted", "reported", "recorded", "live"}

// String returns the name of the grade as files have it.
func (g Grade) String() string { return grades[g] }

// MarshalText writes the name of the grade.
func (g Grade) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText reads the name of a grade.
func (g *Grade) UnmarshalText(text []byte) error {
	parsed, err := ParseGrade(string(text))
	if err == nil {
		*g = parsed
	}
	return err
}

// ParseGrade reads the name of a grade.
func ParseGrade(name string) (Grade, error) {
	for i, grade := range grades {
		if grade == name {
			return Grade(i), nil
		}
	}
	return NoEvidence, fmt.Errorf("unknown evidence grade %q: use one of %s", name, strings.Join(grades[1:], ", "))
}

// Response is a provider's answer.
type Response struct {
	Verdict Verdict
	Status  int    // of HTTP
	Message string // the provider's words; empty when accepted
	Param   string // what OpenAI's error calls param; empty for null or absent
	Code    string // what OpenAI's error calls code; empty for null or absent
	// Findings are the individual violations, as far as they can be told apart.
	Findings []Finding
	// Behind are the violations that wait behind a refusal, as Model.Behind predicts them. A provider
	// does not report them yet, so that Send leaves them out.
	Behind []Finding
	// Ignored are the parts of an accepted request that the surface does not pass to the
	// model or does not enforce, as far as a Model knows.
	Ignored []Finding

	// Unknown are the parts of an accepted request of which a Model does not know whether the surface
	// accepts them.
	Unknown []Finding

	// Steps is how many steps a Model took, which depends on the request alone. It is 0 for
	// an answer that no Model gave.
	Steps int

	Evidence Grade
	Date     Date   // of the answer, or the day that a prediction is for
	Source   string // where the answer is published, or the recording's name
}

// Finding is one violation.
type Finding struct {
	// Rule is nil if no rule explains the answer.
	Rule    *Rule
	Message string // the provider's words for this violation
	// Declaration counts from 0; -1 when the finding is about the request.
	Declaration int
	// At leads from the tool to the value: "/parameters/properties/x/type".
	At       schema.Pointer
	Node     *schema.Node    // the value that violates the rule; may be nil
	Key      string          // the name of the member that has the value, if the stage judges members
	Position schema.Position // of the value or its name, when known
	// Location is the place in the provider's own syntax.
	Location string
	Code     string // what OpenAI's error calls code
	Status   int    // of HTTP, if it differs from that of the stage
	// Surface names the surface that ignores the part, if the response combines the answers
	// of several surfaces; otherwise it is empty.
	Surface string
}

// Severity returns critical if the request fails, medium if the provider changes the
// meaning, and low if it passes over a part.
func (f Finding) Severity() string {
	switch {
	case f.Rule == nil || f.Rule.Effect == Rejects:
		return "critical"
	case f.Rule.Effect == Rewrites:
		return "medium"
	default:
		return "low"
	}
}

// Settled returns an *UnknownError if a Model predicts an acceptance without knowing all parts of the
// request.
func (r Response) Settled() error {
	if r.Evidence != Predicted || len(r.Unknown) == 0 {
		return nil
	}
	return &UnknownError{r.Unknown}
}

// UnknownError means that no answer shows whether a surface accepts the parts of a request.
type UnknownError struct{ Findings []Finding }

// Error has the messages of the findings.
func (e *UnknownError) Error() string {
	messages := make([]string, len(e.Findings))
	for i, finding := range e.Findings {
		messages[i] = finding.Message
	}
	slices.Sort(messages)
	return strings.Join(slices.Compact(messages), "; ")
}

// Date is a day in the form 2006-01-02, or "" for an open end.
type Date string

// Today returns the current day in UTC.
func Today() Date { return Date(time.Now().UTC().Format(time.DateOnly)) }

// Before returns the day before a day.
func (d Date) Before() Date {
	day, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return d
	}
	return Date(day.AddDate(0, 0, -1).Format(time.DateOnly))
}

// ParseDate reads a day, a month, a year or a range of years. It returns the last day of the
// period, because what a source of that period reports held at some time before its end.
func ParseDate(text string) (Date, error) {
	if from, to, ok := strings.Cut(text, "-"); ok && len(from) == 4 && len(to) == 4 {
		text = to
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		day, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		switch layout {
		case "2006-01":
			day = day.AddDate(0, 1, -1)
		case "2006":
			day = day.AddDate(1, 0, -1)
		}
		return Date(day.Format(time.DateOnly)), nil
	}
	return "", fmt.Errorf("%q is not a date: use 2026-01-31, 2026-01 or 2026", text)
}
