package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolproof/harness/verdict"
	"toolproof/internal/bounded"
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
	// Named returns the source of a result as the baseline calls it; nil means that it has
	// the same name.
	Named func(source string) string

	entries map[Entry]bool // whether it was met
	order   []Entry
	looked  map[lookedAt]bool
}

// lookedAt is a document and a target that a run is about.
type lookedAt struct{ source, target string }

// ReadBaseline reads a baseline of JSON Lines, as docs/schema/baseline.schema.json
// says. An error begins with the line.
func ReadBaseline(reader io.Reader) (*Baseline, error) {
	baseline := &Baseline{entries: map[Entry]bool{}, looked: map[lookedAt]bool{}}
	const longest, most = 1 << 20, 64 << 20
	lines, err := bounded.NewLines(reader, longest, most)
	if err != nil {
		return nil, fmt.Errorf("reading a baseline: %w", err)
	}
	for lines.Next() {
		var entry Entry
		decoder := json.NewDecoder(bytes.NewReader(lines.Text()))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&entry)
		switch {
		case err != nil:
		case decoder.More():
			err = errors.New("more than one entry on a line")
		case entry.Source == "" || entry.Target == "":
			err = errors.New("an entry needs a source and a target")
		}
		if err != nil {
			return nil, fmt.Errorf("%d: reading a baseline: %w", lines.Number(), err)
		}
		if _, twice := baseline.entries[entry]; !twice {
			baseline.order = append(baseline.order, entry)
		}
		baseline.entries[entry] = false
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%d: reading a baseline: %w", lines.Number()+1, err)
	}
	return baseline, nil
}

// Excuse turns a failure into a known one when the baseline has each of its
// findings.
func (b *Baseline) Excuse(result *verdict.Result, raw bool) {
	b.looked[lookedAt{b.named(result.Source), result.Target}] = true
	for _, finding := range result.Findings() { // whichever had to be accepted when it was written
		if entry := b.entryOf(*result, finding); b.Has(*result, finding) {
			b.entries[entry] = true
		}
	}
	findings := slices.DeleteFunc(slices.Clone(result.Failures(raw)), verdict.Finding.IsExcused)
	isNew := func(finding verdict.Finding) bool { return !b.Has(*result, finding) }
	if result.Status == verdict.Fail && len(findings) > 0 && !slices.ContainsFunc(findings, isNew) {
		result.Status = verdict.KnownFailure
	}
}

// Has reports whether the baseline has a finding of a result.
func (b *Baseline) Has(result verdict.Result, finding verdict.Finding) bool {
	_, ok := b.entries[b.entryOf(result, finding)]
	return ok
}

// entryOf returns a finding as the baseline has it.
func (b *Baseline) entryOf(result verdict.Result, finding verdict.Finding) Entry {
	result.Source = b.named(result.Source)
	return entryOf(result, finding)
}

func (b *Baseline) named(source string) string {
	if b.Named == nil {
		return source
	}
	return b.Named(source)
}

// Stale returns the entries without a finding although their document was checked for
// their target: they excuse nothing.
func (b *Baseline) Stale() []Entry {
	return slices.DeleteFunc(slices.Clone(b.order), func(entry Entry) bool {
		return b.entries[entry] || !b.looked[lookedAt{entry.Source, entry.Target}]
	})
}

// Entries returns the findings that a result fails for: with raw of the tool as given,
// else of the normalized tool. Advice is among them whether it fails or not. What the
// project lets pass is not.
func Entries(result verdict.Result, raw bool) []Entry {
	findings := result.Failures(raw)
	if advice := result.Advice(); advice != nil {
		findings = advice.Findings
	}
	entries := make([]Entry, 0, len(findings))
	for _, finding := range findings {
		if !finding.IsExcused() {
			entries = append(entries, entryOf(result, finding))
		}
	}
	return entries
}

func entryOf(result verdict.Result, finding verdict.Finding) Entry {
	return Entry{Source: result.Source, ID: result.ID, Tool: result.Tool, Target: result.Target, Rule: finding.Rule, At: finding.At}
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
