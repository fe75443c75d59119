package verdict

import (
	"bytes"
	"encoding/json"
	"fmt"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Version is the format version of the result lines.
const Version = 1

// Line is the JSON of a Result: a result line, as docs/schema/result.schema.json describes it. It
// does not name the kind of the result, which follows from the members that are set.
type Line struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Tool    string `json:"tool"`
	Source  string `json:"source"`
	Line    int    `json:"line"`
	Target  string `json:"target"`
	Dialect string `json:"dialect"`
	// Fixture, Side and Normalizer are set only for a Fixture.
	Fixture    string `json:"fixture,omitempty"`
	Side       string `json:"side,omitempty"`
	Normalizer string `json:"normalizer,omitempty"`
	// Subject is OfResponse for the schema of a model's answer, OfConversation for a whole request, OfCall for the
	// answer to a call of a tool, and otherwise empty.
	Subject string `json:"subject,omitempty"`
	// Judged is OfNormalized for a Tool of which the normalized side had to be accepted; otherwise empty.
	Judged string `json:"judged,omitempty"`

	Raw        *Answer     `json:"raw,omitempty"`
	Normalized *Normalized `json:"normalized,omitempty"`
	AsGiven    string      `json:"as_given,omitempty"`
	Status     Status      `json:"status"`
	Error      string      `json:"error"`

	// Together is set for a Request, and for a Tool with a finding about its request.
	Together int `json:"together,omitempty"`
	// Advice and Tokens are set only for Advice.
	Advice []Finding `json:"advice,omitempty"`
	Tokens int       `json:"tokens,omitempty"`

	Understood *schema.Node `json:"understood,omitempty"`

	// API, Turns, Differs and Unknown are set only for a Conversation.
	API     provider.API `json:"api,omitempty"`
	Turns   int          `json:"turns,omitempty"`
	Differs string       `json:"differs,omitempty"`
	Unknown []string     `json:"unknown,omitempty"`

	// Arguments, How and Took are set only for a Call.
	Arguments string `json:"arguments,omitempty"`
	How       string `json:"how,omitempty"`
	Took      int64  `json:"took_ms,omitempty"`
}

// The subjects of lines that are not about a tool: the schema of a model's answer, a whole request, and
// the answer of a server to a call.
const (
	OfResponse     = "response"
	OfConversation = "conversation"
	OfCall         = "call"
)

// LineOf returns the line of a result.
func LineOf(result Result) Line {
	line := Line{
		Version: Version, ID: result.ID, Tool: result.Tool, Source: result.Source, Line: result.Line,
		Target: result.Target, Dialect: result.Dialect, Status: result.Status, Error: result.Error,
		Together: result.Together(),
	}
	switch kind := result.Kind.(type) {
	case *Tool:
		if kind.IsResponse {
			line.Subject = OfResponse
		}
		if kind.IsNormalized && kind.Normalized != nil {
			line.Judged = OfNormalized
		}
	case *Fixture:
		line.Fixture, line.Side, line.Normalizer = kind.ID, kind.Side, kind.Normalizer
	case *Request:
		line.Raw = &kind.Answer
	case *Conversation:
		line.Subject, line.API, line.Turns, line.Differs, line.Unknown = OfConversation, kind.API, kind.Turns, kind.Differs, kind.Unknown
		if kind.Verdict != "" {
			line.Raw = &kind.Answer
		}
	case *Call:
		line.Subject, line.Arguments, line.How, line.Took = OfCall, kind.Arguments, kind.How, kind.Took
		if kind.Verdict != "" {
			line.Raw = &kind.Answer
		}
	case *Advice:
		line.Advice, line.Tokens = kind.Findings, kind.Tokens
	}
	if sides := result.Sides(); line.Raw == nil {
		line.Raw, line.Normalized, line.AsGiven, line.Understood = sides.Raw, sides.Normalized, sides.AsGiven, sides.Understood
	}
	return line
}

// Result returns the result that was written as a line. A line names only one dialect, which
// becomes that of the raw side, too.
func (l Line) Result() Result {
	result := Result{ID: l.ID, Tool: l.Tool, Source: l.Source, Line: l.Line, Target: l.Target, Dialect: l.Dialect, Status: l.Status, Error: l.Error}
	sides := Sides{Raw: l.Raw, RawDialect: l.Dialect, Normalized: l.Normalized, AsGiven: l.AsGiven, Understood: l.Understood}
	switch {
	case l.Target == AdviceTarget:
		result.Kind = &Advice{l.Advice, l.Tokens}
	case l.Fixture != "":
		result.Kind = &Fixture{Sides: sides, ID: l.Fixture, Side: l.Side, Normalizer: l.Normalizer}
	case l.Subject == OfConversation:
		kind := &Conversation{API: l.API, Turns: l.Turns, Differs: l.Differs, Unknown: l.Unknown}
		if l.Raw != nil {
			kind.Answer = *l.Raw
		}
		result.Kind = kind
	case l.Subject == OfCall:
		kind := &Call{Arguments: l.Arguments, How: l.How, Took: l.Took}
		if l.Raw != nil {
			kind.Answer = *l.Raw
		}
		result.Kind = kind
	case l.Tool == "" && l.Together > 0 && l.Raw != nil:
		result.Kind = &Request{*l.Raw, l.Together}
	case l.Tool == "" && l.ID == "" && l.Raw == nil && l.Normalized == nil:
		result.Kind = Source{}
	default:
		result.Kind = &Tool{sides, l.Together, l.Subject == OfResponse, l.Judged == OfNormalized}
	}
	return result
}

// MarshalJSON writes the line of the result. It does not escape < and >, because a line is not part
// of a page.
func (r Result) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(LineOf(r))
	return out.Bytes(), err
}

// UnmarshalJSON reads a line.
func (r *Result) UnmarshalJSON(text []byte) error {
	var line Line
	if err := json.Unmarshal(text, &line); err != nil {
		return fmt.Errorf("reading a result line: %w", err)
	}
	*r = line.Result()
	return nil
}
