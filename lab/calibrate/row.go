// Package calibrate measures how far models agree with what providers really
// answered. Evidence comes as lines of JSON in four shapes: a recorded request
// with its answer, a published refusal or acceptance with the schema that it is
// about, a live probe, and a tool beside the tool that the answer echoed. Each becomes Cases, which a model answers as of their
// own day.
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
	Line     int    `json:"-"` // of the file, from 1

	// Of a schema that was published with its answer.
	Path         string          `json:"path"`    // such as gemini.parameters
	Surface      string          `json:"surface"` // the same in a probe
	Message      string          `json:"message"`
	Completeness string          `json:"message_completeness"` // complete or partial
	Param        string          `json:"param"`
	Date         string          `json:"date"`
	Confidence   string          `json:"confidence"`
	Schema       json.RawMessage `json:"schema"`
	Declaration  json.RawMessage `json:"declaration"`
	Declarations json.RawMessage `json:"declarations"`
	Accepted     string          `json:"accepted"` // what was accepted; empty in a refusal

	// Of a probe.
	Verdict   string `json:"verdict"`
	Construct string `json:"construct"`
	Evidence  string `json:"evidence"` // live-probed, or how else it is known

	// Of a tool beside what the provider's answer made of it.
	Tool           string          `json:"name"`
	ReqStrict      json.RawMessage `json:"req_strict"` // "omitted" where it was absent
	ReqParameters  json.RawMessage `json:"req_parameters"`
	EchoStrict     json.RawMessage `json:"echo_strict"`
	EchoParameters json.RawMessage `json:"echo_parameters"`

	// Of a recorded request.
	Host          string          `json:"host"`
	Model         string          `json:"model"`
	Request       json.RawMessage `json:"request"`
	ResponseError json.RawMessage `json:"response_error"`
	RecordedAt    string          `json:"recorded_at"`
	CommittedAt   string          `json:"committed_at"`
}

// Name returns the row's id, or its line in the file where it has none.
func (r *Row) Name() string {
	if r.ID != "" {
		return r.ID
	}
	return fmt.Sprintf("line %d", r.Line)
}

// askedOf names what a row was asked of: the host of a recorded request, or else the
// surface.
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

// How long a row may be, and all of a file together, in bytes.
const (
	maxLine     = 16 << 20
	maxEvidence = 256 << 20
)

// Read reads rows, one a line, also when they are compressed with gzip.
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
	Name  string // of the row
	Parts []Part
	// Date is the day that the answer speaks for, and Model the provider's model;
	// each is empty where it is not known.
	Date    provider.Date
	Model   string
	Verdict provider.Verdict
	// Message is the provider's words for a refusal, as far as they are known;
	// Whole says that these are all.
	Message string
	Whole   bool
	Param   string // where it is known
	// Echo is the declaration as the provider's answer had it, where that is what
	// is asked about.
	Echo *schema.Node
}

// Part is what a request declares on one surface.
type Part struct {
	Dialect      string
	Declarations []*schema.Node
	Indices      []int    // as provider.Request has them
	Places       []string // the same
}

// known returns the day that the first readable of the dates means, or "".
func known(dates ...string) provider.Date {
	for _, date := range dates {
		if day, err := parseDate(date); err == nil {
			return day
		}
	}
	return ""
}
