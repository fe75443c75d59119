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

// Entry is a known finding, one line of a baseline.
type Entry struct {
	Source string         `json:"source"`
	ID     string         `json:"id"`
	Tool   string         `json:"tool"`
	Target string         `json:"target"`
	Rule   string         `json:"rule"`
	At     schema.Pointer `json:"at"`
}

// Baseline is the set of findings that a project had when it began to check its tools, so that only
// new findings fail.
type Baseline struct {
	// Named maps the source of a result to its name in the baseline; nil means that the names are
	// the same.
	Named func(source string) string

	entries map[Entry]bool // whether a result had the finding
	order   []Entry
	looked  map[lookedAt]bool
}

// lookedAt is a document and a target that a run covers.
type lookedAt struct{ source, target string }

// ReadBaseline reads a baseline in JSON Lines, as docs/schema/baseline.schema.json describes it. An
// error begins with the number of the line.
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
		if _, isKnown := baseline.entries[entry]; !isKnown {
			baseline.order = append(baseline.order, entry)
		}
		baseline.entries[entry] = false
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%d: reading a baseline: %w", lines.Number()+1, err)
	}
	return baseline, nil
}

// Excuse turns a failure into a known one if the baseline has all of its findings. raw says which
// side of the tool had to be accepted.
func (b *Baseline) Excuse(result *verdict.Result, raw bool) {
	b.looked[lookedAt{b.named(result.Source), result.Target}] = true
	for _, finding := range result.Findings() { // of either side, as the baseline may have been written for the other
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

// entryOf returns the entry of a finding, with the source as the baseline names it.
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

// Stale returns the entries that excuse nothing: their document was checked for their target, and
// the finding is gone.
func (b *Baseline) Stale() []Entry {
	return slices.DeleteFunc(slices.Clone(b.order), func(entry Entry) bool {
		return b.entries[entry] || !b.looked[lookedAt{entry.Source, entry.Target}]
	})
}

// Entries returns the findings that make a result fail, on the side that raw selects, and all
// advice whether it fails or not. Findings that the project excuses are left out.
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

// WriteBaseline writes entries as sorted JSON Lines without duplicates, so that two baselines can
// be compared line by line.
func WriteBaseline(out io.Writer, entries []Entry) error {
	lines := make([]string, len(entries))
	for i, entry := range entries {
		var line strings.Builder
		if err := newEncoder(&line).Encode(entry); err != nil {
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
