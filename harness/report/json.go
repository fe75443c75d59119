package report

import (
	"encoding/json"
	"fmt"
	"io"

	"toolproof/harness/verdict"
)

// JSON writes results as JSON Lines, as docs/schema/result.schema.json says.
type JSON struct{ encoder *json.Encoder }

// NewJSON returns a writer of result lines.
func NewJSON(out io.Writer) *JSON {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &JSON{encoder}
}

// Result writes one result.
func (j *JSON) Result(result verdict.Result) error {
	if err := j.encoder.Encode(result); err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	return nil
}

// Summary writes the last line.
func (j *JSON) Summary(summary *Summary) error {
	line := struct {
		Version int      `json:"version"`
		Summary *Summary `json:"summary"`
	}{verdict.Version, summary}
	if err := j.encoder.Encode(line); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}
