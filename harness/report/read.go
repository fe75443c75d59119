package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/internal/bounded"
)

// The largest sizes of a result line and of all result lines together, in bytes.
const (
	maxLine    = 16 << 20
	maxResults = 1 << 40
)

// Stream reads result lines one at a time.
type Stream struct {
	lines   *bounded.Lines
	text    []byte
	summary *Summary
}

// Read returns a stream of the result lines in reader, which may be compressed.
func Read(reader io.Reader) (*Stream, error) {
	lines, err := bounded.NewLines(reader, maxLine, maxResults)
	if err != nil {
		return nil, err
	}
	return &Stream{lines: lines}, nil
}

// errCutShort means that a stream has no summary, which is its last line.
var errCutShort = errors.New("the results are cut short: there is no summary at the end")

// ErrNoResult means that a line is something other than a result.
var ErrNoResult = errors.New("this is no result of a run")

// Next returns the next result, and io.EOF after the last.
func (s *Stream) Next() (verdict.Result, error) {
	for s.lines.Next() {
		text := s.lines.Text()
		if s.summary != nil {
			return verdict.Result{}, fmt.Errorf("line %d: there is more after the summary: give the files of several runs one by one", s.lines.Number())
		}
		var line struct {
			verdict.Line

			Summary *Summary `json:"summary"`
		}
		err := json.Unmarshal(text, &line)
		switch {
		case err != nil && s.lines.Number() == 1:
			return verdict.Result{}, fmt.Errorf("line 1: %w: %w", ErrNoResult, err)
		case err != nil:
			return verdict.Result{}, fmt.Errorf("line %d: reading a result: %w", s.lines.Number(), err)
		case line.Version == 0:
			return verdict.Result{}, fmt.Errorf("line %d: %w", s.lines.Number(), ErrNoResult)
		case line.Version != verdict.Version:
			return verdict.Result{}, fmt.Errorf("line %d: format version %d, this program reads %d", s.lines.Number(), line.Version, verdict.Version)
		case line.Summary != nil:
			s.summary = line.Summary
			continue
		case line.Target == "" || line.Source == "":
			return verdict.Result{}, fmt.Errorf("line %d: a result has a source and a target", s.lines.Number())
		case !isWhole(line.Line):
			return verdict.Result{}, fmt.Errorf("line %d: an answer has a verdict, and a normalized tool is one", s.lines.Number())
		}
		s.text = text
		return line.Result(), nil
	}
	if err := s.lines.Err(); err != nil {
		return verdict.Result{}, fmt.Errorf("line %d: %w", s.lines.Number()+1, err)
	}
	if s.summary == nil {
		return verdict.Result{}, errCutShort
	}
	return verdict.Result{}, io.EOF
}

// isWhole reports whether the answers of a line can be compared and shown.
func isWhole(line verdict.Line) bool {
	isVerdict := func(answered provider.Verdict) bool {
		return answered == provider.Accepted || answered == provider.Rejected
	}
	if line.Raw != nil && !isVerdict(line.Raw.Verdict) {
		return false
	}
	return line.Normalized == nil || isVerdict(line.Normalized.Verdict) && line.Normalized.Tool != nil
}

// Text returns the line of the latest result as it was read. It is valid until the next call of
// Next.
func (s *Stream) Text() []byte { return s.text }

// Summary returns the last line; nil until all results are read.
func (s *Stream) Summary() *Summary { return s.summary }
