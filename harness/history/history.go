// Package history reads measurements of programs that others wrote, each of one version at one place, and finds what
// changed between versions and since when something holds.
package history

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/version"
)

// Format is the version of the format of a Record in JSON, which docs/schema/history.schema.json describes.
const Format = 1

// Record is what was measured of one version of a subject at one place.
type Record struct {
	Format int `json:"version"`
	// Kind is what the subject is, such as sdk or server: the name of the file without .jsonl.
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	Version string `json:"subject_version"`
	// Published is a day on which the version was there: it was published on that day or before. Of a Go module it is the
	// day of the commit. Empty if that is not known.
	Published provider.Date `json:"published,omitempty"`
	// Date is the day of the measurement.
	Date provider.Date `json:"date"`
	// Environment is what the measurement ran on and with, such as node 20.20.2.
	Environment string `json:"environment"`
	// Place is the surface that the facts are about, or the way through a gateway; empty if there is only one.
	Place string `json:"place,omitempty"`
	// Facts says for each thing that was measured what was found, in words.
	Facts map[string]string `json:"facts,omitempty"`
	// Like is set only in a file. It names the version of an earlier line with the same place. The facts of that line hold
	// here too, unless Facts has another value; an empty value in Facts removes the fact. Read fills Facts and clears Like.
	Like string `json:"like,omitempty"`
	// Unmeasured is the reason why nothing was found out; Facts is empty then.
	Unmeasured string `json:"unmeasured,omitempty"`
}

// at is a place of a version.
type at struct{ kind, subject, version, place string }

// Read returns the records of all files of a folder, in the order of each file.
func Read(folder fs.FS) ([]Record, error) {
	names, err := fs.Glob(folder, "*.jsonl")
	if err != nil {
		return nil, fmt.Errorf("reading the history: %w", err)
	}
	var all []Record
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("reading the history: %w", err)
		}
		facts := map[at]map[string]string{}
		number := 0
		for line := range bytes.Lines(text) {
			number++
			read, err := parse(line, facts)
			if err != nil {
				return nil, fmt.Errorf("reading line %d of %s: %w", number, name, err)
			}
			all = append(all, read)
		}
	}
	return all, nil
}

// parse reads a line, given the facts of the lines before it, to which it adds its own.
func parse(line []byte, facts map[at]map[string]string) (Record, error) {
	var read Record
	if err := json.Unmarshal(line, &read); err != nil {
		return read, err //nolint:wrapcheck // Read names the line
	}
	if read.Format != Format {
		return read, fmt.Errorf("version %d is not known: this program reads version %d", read.Format, Format)
	}
	if read.Like != "" {
		base, isThere := facts[at{read.Kind, read.Subject, read.Like, read.Place}]
		if !isThere {
			return read, fmt.Errorf("no line before it has version %s of %s at %q", read.Like, read.Subject, read.Place)
		}
		whole := maps.Clone(base)
		maps.Copy(whole, read.Facts)
		maps.DeleteFunc(whole, func(_, value string) bool { return value == "" })
		read.Facts, read.Like = whole, ""
	}
	facts[at{read.Kind, read.Subject, read.Version, read.Place}] = read.Facts
	return read, nil
}

// Shorten returns the record for a line behind those of the others. Its Like names the version whose facts are closest to
// the record's, if the reference saves half of the facts.
func Shorten(record Record, others []Record) Record {
	newest := map[string]map[string]string{}
	for _, other := range others {
		if other.Kind == record.Kind && other.Subject == record.Subject && other.Place == record.Place {
			newest[other.Version] = other.Facts
		}
	}
	short := record
	for _, version := range slices.Sorted(maps.Keys(newest)) {
		if len(newest[version]) == 0 || len(record.Facts) == 0 {
			continue // one of them was not measured
		}
		changes := differing(newest[version], record.Facts)
		if len(changes) > len(record.Facts)/2 || len(changes) >= len(short.Facts) {
			continue
		}
		short.Facts, short.Like = map[string]string{}, version
		for _, change := range changes {
			short.Facts[change.What] = change.After
		}
	}
	return short
}

// Subject is a program with its versions, the oldest first.
type Subject struct {
	Kind, Name string
	Versions   []Version
}

// Version is what is known of one version of a subject.
type Version struct {
	Name      string
	Published provider.Date
	// Places are the newest records of the version, one for each place, sorted by place.
	Places []Record
}

// record returns the record of a place, or nil if the version was not measured there.
func (v Version) record(place string) *Record {
	i := slices.IndexFunc(v.Places, func(record Record) bool { return record.Place == place && record.Unmeasured == "" })
	if i < 0 {
		return nil
	}
	return &v.Places[i]
}

// Subjects groups records. Of several records of one version and place, the last one counts.
func Subjects(records []Record) []Subject {
	newest := map[at]Record{}
	for _, record := range records {
		newest[at{record.Kind, record.Subject, record.Version, record.Place}] = record
	}
	byName := map[[2]string]map[string]*Version{}
	for _, record := range newest {
		name := [2]string{record.Kind, record.Subject}
		if byName[name] == nil {
			byName[name] = map[string]*Version{}
		}
		version := byName[name][record.Version]
		if version == nil {
			version = &Version{Name: record.Version}
			byName[name][record.Version] = version
		}
		version.Published = max(version.Published, record.Published)
		version.Places = append(version.Places, record)
	}
	var subjects []Subject
	for name, versions := range byName {
		subject := Subject{Kind: name[0], Name: name[1]}
		for _, version := range versions {
			slices.SortFunc(version.Places, func(a, b Record) int { return strings.Compare(a.Place, b.Place) })
			subject.Versions = append(subject.Versions, *version)
		}
		slices.SortFunc(subject.Versions, func(a, b Version) int { return version.Compare(a.Name, b.Name) })
		subjects = append(subjects, subject)
	}
	slices.SortFunc(subjects, func(a, b Subject) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
	})
	return subjects
}

// Change is a fact that two versions of a subject differ in. Before is empty if the older version lacks the fact, and
// After if the newer one does.
type Change struct {
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Step is what changed at a place from one version to a newer one that was measured there.
type Step struct {
	Place    string
	From, To Version
	Changes  []Change // empty if nothing did
}

// Between returns what changed from one version to another at the places where both were measured.
func Between(from, to Version) []Step {
	var steps []Step
	for _, after := range to.Places {
		if before := from.record(after.Place); before != nil && after.Unmeasured == "" {
			steps = append(steps, Step{after.Place, from, to, differing(before.Facts, after.Facts)})
		}
	}
	return steps
}

func differing(before, after map[string]string) []Change {
	var changes []Change
	both := maps.Clone(before)
	maps.Copy(both, after)
	for _, what := range slices.Sorted(maps.Keys(both)) {
		if was, is := before[what], after[what]; was != is {
			changes = append(changes, Change{what, was, is})
		}
	}
	return changes
}

// Steps returns what changed from version to version at each place, the oldest first. Versions that were not measured
// at the place are passed over, and the first that was has no step.
func (s Subject) Steps() []Step {
	var steps []Step
	before := map[string]Version{}
	for _, version := range s.Versions {
		for _, record := range version.Places {
			if record.Unmeasured != "" {
				continue
			}
			if from, isThere := before[record.Place]; isThere {
				steps = append(steps, Step{record.Place, from, version, differing(from.record(record.Place).Facts, record.Facts)})
			}
			before[record.Place] = version
		}
	}
	return steps
}

// Span is a run of versions that agree on a fact. Versions that were not measured at the place are passed over.
type Span struct {
	Value       string // empty if the versions lack the fact
	First, Last Version
}

// First returns the first version that was measured at a place.
func (s Subject) First(place string) Version {
	at := slices.IndexFunc(s.Versions, func(version Version) bool { return version.record(place) != nil })
	return s.Versions[at]
}

// Spans returns what versions say of a fact at a place, the oldest first. It returns none if no version has the fact.
func (s Subject) Spans(place, what string) []Span {
	var spans []Span
	isKnown := false
	for _, version := range s.Versions {
		record := version.record(place)
		if record == nil {
			continue
		}
		value, has := record.Facts[what]
		isKnown = isKnown || has
		if last := len(spans) - 1; last >= 0 && spans[last].Value == value {
			spans[last].Last = version
			continue
		}
		spans = append(spans, Span{value, version, version})
	}
	if !isKnown {
		return nil
	}
	return spans
}

// Places returns the places where any version was measured, sorted.
func (s Subject) Places() []string {
	var places []string
	for _, version := range s.Versions {
		for _, record := range version.Places {
			if record.Unmeasured == "" {
				places = append(places, record.Place)
			}
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// Facts returns the facts of the newest version that was measured at a place, sorted; and that version.
func (s Subject) Facts(place string) ([]string, Version) {
	for _, version := range slices.Backward(s.Versions) {
		if record := version.record(place); record != nil {
			return slices.Sorted(maps.Keys(record.Facts)), version
		}
	}
	return nil, Version{}
}
