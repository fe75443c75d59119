// Package calibrate measures how far models agree with what providers really answered. Evidence
// comes as JSON Lines in four shapes: a recorded request with its answer, a published refusal
// or acceptance with its schema, a live probe, and a tool with the tool that the answer echoed.
// Each becomes cases, which models answer as of their day.
package calibrate

import (
	"encoding/json"
	"fmt"
	"io"

	"toolproof/harness/provider"
	"toolproof/internal/bounded"
	"toolproof/schema"
)

// Row is one line of evidence. Which members it has depends on its shape.
type Row struct {
	ID       string `json:"id"`
	Provider string `json:"provider"`
	Status   int    `json:"status"`
	Source   string `json:"source"`
	URL      string `json:"url"`
	Line     int    `json:"-"` // line in the file, from 1

	// A schema published with its answer.
	Path         string          `json:"path"`    // such as gemini.parameters
	Surface      string          `json:"surface"` // the same, in a probe
	Message      string          `json:"message"`
	Completeness string          `json:"message_completeness"` // "complete" or "partial"
	Param        string          `json:"param"`
	Date         string          `json:"date"`
	Confidence   string          `json:"confidence"`
	Schema       json.RawMessage `json:"schema"`
	Declaration  json.RawMessage `json:"declaration"`
	Declarations json.RawMessage `json:"declarations"`
	Accepted     string          `json:"accepted"` // what was accepted; empty for a refusal

	// A probe.
	Verdict   string `json:"verdict"`
	Construct string `json:"construct"`
	Evidence  string `json:"evidence"` // "live-probed", or another kind of evidence

	// A tool with the provider's rewrite of it.
	Tool           string          `json:"name"`
	ReqStrict      json.RawMessage `json:"req_strict"` // "omitted" if absent
	ReqParameters  json.RawMessage `json:"req_parameters"`
	EchoStrict     json.RawMessage `json:"echo_strict"`
	EchoParameters json.RawMessage `json:"echo_parameters"`

	// A recorded request.
	Host          string          `json:"host"`
	Model         string          `json:"model"`
	Request       json.RawMessage `json:"request"`
	ResponseError json.RawMessage `json:"response_error"`
	RecordedAt    string          `json:"recorded_at"`
	CommittedAt   string          `json:"committed_at"`
	License       string          `json:"license"`       // of the repository
	Repository    string          `json:"source_repo"`   // in place of Source
	Commit        string          `json:"source_commit"` // likewise
	File          string          `json:"source_path"`   // likewise
}

// Name returns the row's id, or its line in the file if it has none.
func (r *Row) Name() string {
	if r.ID != "" {
		return r.ID
	}
	return fmt.Sprintf("line %d", r.Line)
}

// askedOf names what a row is about: the host of a recorded request, or else the surface or
// provider.
func (r *Row) askedOf(dialects []*provider.Dialect) string {
	switch {
	case r.Host != "":
		return r.Host
	case r.Path+r.Surface != "":
		return r.Dialect(dialects)
	default:
		return r.Provider
	}
}

// The largest size of a row, and of a file, in bytes.
const (
	maxLine     = 16 << 20
	maxEvidence = 256 << 20
)

// Read reads rows, one a line, decompressing gzip.
func Read(reader io.Reader) ([]*Row, error) {
	lines, err := bounded.NewLines(reader, maxLine, maxEvidence)
	if err != nil {
		return nil, fmt.Errorf("reading evidence: %w", err)
	}
	var rows []*Row
	for lines.Next() {
		row := &Row{Line: lines.Number()}
		if err := json.Unmarshal(lines.Text(), row); err != nil {
			return nil, fmt.Errorf("reading evidence, line %d: %w", lines.Number(), err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading evidence, line %d: %w", lines.Number()+1, err)
	}
	return rows, nil
}

// Case is a question with the provider's answer.
type Case struct {
	Name  string // name of the row
	Parts []Part
	// Date is the day of the answer, and Model the provider's model; "" if unknown.
	Date  provider.Date
	Model string
	// First is the first day of the month or the year of the answer, and Date the last one, if the
	// day is not known; otherwise it is empty.
	First   provider.Date
	Verdict provider.Verdict
	// Message is the provider's message in a refusal, as far as it is known. Whole means that
	// it is complete.
	Message string
	Whole   bool
	Param   string // "" if unknown
	// Echo is the declaration in the provider's answer, if the case is about that.
	Echo *schema.Node
}

// Part is the part of a request that declares something on one surface.
type Part struct {
	Dialect      string
	Declarations []*schema.Node
	Indices      []int    // as in provider.Request
	Places       []string // likewise
	// Body is the whole body of the request; nil if only its declarations are known.
	Body *schema.Node
}

// known returns the first of the dates that can be parsed, or "".
func known(dates ...string) provider.Date {
	for _, date := range dates {
		if day, err := parseDate(date); err == nil {
			return day
		}
	}
	return ""
}
