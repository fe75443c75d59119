package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Entry is a finding that is known and let pass: a line of a baseline.
type Entry struct {
	Source string         `json:"source"`
	ID     string         `json:"id"`
	Tool   string         `json:"tool"`
	Target string         `json:"target"`
	Rule   string         `json:"rule"`
	At     schema.Pointer `json:"at"`
}

// Baseline is the findings that were there when a gate was put up, so that only
// new ones fail.
type Baseline struct {
	entries map[Entry]bool // whether it was met
	order   []Entry
}

// ReadBaseline reads a baseline of JSON Lines.
func ReadBaseline(reader io.Reader) (*Baseline, error) {
	baseline := &Baseline{entries: map[Entry]bool{}}
	lines := bufio.NewScanner(reader)
	const longest = 1 << 20
	lines.Buffer(nil, longest)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var entry Entry
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&entry); err != nil {
			return nil, fmt.Errorf("reading a baseline: line %d: %w", number, err)
		}
		if _, twice := baseline.entries[entry]; !twice {
			baseline.order = append(baseline.order, entry)
		}
		baseline.entries[entry] = false
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading a baseline: %w", err)
	}
	return baseline, nil
}

// Excuse turns a failure into a known one when the baseline has each of its
// findings.
func (b *Baseline) Excuse(result *verdict.Result, raw bool) {
	entries := Entries(*result, raw)
	known := true
	for _, entry := range entries {
		if _, ok := b.entries[entry]; ok {
			b.entries[entry] = true
		} else {
			known = false
		}
	}
	if result.Status == verdict.Fail && known && len(entries) > 0 {
		result.Status = verdict.KnownFailure
	}
}

// Stale returns the entries that were not met: what they excuse is mended, or is
// no longer looked at.
func (b *Baseline) Stale() []Entry {
	return slices.DeleteFunc(slices.Clone(b.order), func(entry Entry) bool { return b.entries[entry] })
}

// Entries returns the findings that a result fails for: those of the normalized
// tool, with raw also those of the tool as given.
func Entries(result verdict.Result, raw bool) []Entry {
	var findings []verdict.Finding
	if raw && result.Raw != nil && result.Raw.Verdict == provider.Rejected {
		findings = append(findings, result.Raw.Findings...)
	}
	if result.Normalized != nil && result.Normalized.Verdict == provider.Rejected {
		findings = append(findings, result.Normalized.Findings...)
	}
	entries := make([]Entry, len(findings))
	for i, finding := range findings {
		entries[i] = Entry{
			Source: result.Source, ID: result.ID, Tool: result.Tool, Target: result.Target, Rule: finding.Rule, At: finding.At,
		}
	}
	return entries
}

// WriteBaseline writes entries as JSON Lines, sorted and each once, so that two
// baselines can be compared line by line.
func WriteBaseline(out io.Writer, entries []Entry) error {
	lines := make([]string, len(entries))
	for i, entry := range entries {
		var line strings.Builder
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(entry); err != nil {
			return fmt.Errorf("writing a baseline: %w", err)
		}
		lines[i] = line.String()
	}
	slices.Sort(lines)
	var problems []error
	for _, line := range slices.Compact(lines) {
		_, err := io.WriteString(out, line)
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}
