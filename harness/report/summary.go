// Package report writes results for people and machines.
package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolproof/harness/construct"
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Summary counts results. Its JSON is the last line of a result stream.
type Summary struct {
	// Shard is the part i/n of a run that the results are of; empty for a whole run.
	Shard string `json:"shard,omitempty"`
	// Tools were found in the documents, Read could be read, and Judged got a verdict for every
	// target.
	Tools  int `json:"tools"`
	Read   int `json:"read"`
	Judged int `json:"judged"`
	// Conversations are the requests that were judged as wholes.
	Conversations int `json:"conversations,omitempty"`
	// Calls are the calls of tools that were answered and judged.
	Calls int `json:"calls,omitempty"`
	// Servers are the counts of servers; nil if no servers were asked.
	Servers *Servers `json:"servers,omitempty"`
	// Targets are the counts by target.
	Targets map[string]*Counts `json:"targets"`
	// Evidence counts the verdicts by the grade of their evidence.
	Evidence map[string]int `json:"evidence"`
	// Seen says how many constructs of the predicted acceptances recordings show, by surface.
	Seen map[string]*Seen `json:"seen,omitempty"`
	// Requests counts the requests of several tools that are refused although each tool alone is
	// accepted, once for each target.
	Requests int `json:"requests_refused,omitempty"`
	// Passed are the entries of lists of tools that declare no schema; nil if there are none.
	Passed *passedOver `json:"not_judged,omitempty"`
	// Requirements is the month of the rules that the project requires; empty for all rules.
	Requirements string `json:"requirements,omitempty"`
	// Waived counts the findings that the project ignores, and Warnings those that it lowers to
	// warnings.
	Waived   int `json:"waived,omitempty"`
	Warnings int `json:"warnings,omitempty"`
	// Advice are the counts of the advice; nil if no advice was wanted.
	Advice *advice `json:"advice,omitempty"`
	// Ignores are the ignores of the project that need a change.
	Ignores []Ignore `json:"ignores,omitempty"`
	// Recordings counts the recordings that were compared with the models.
	Recordings int `json:"recordings,omitempty"`
	// Disagreements counts those of Recordings that a model contradicts.
	Disagreements int  `json:"disagreements,omitempty"`
	Conforms      bool `json:"conforms"`
	// Shown are the constructs that Seen counts, by surface; only in the summary of a part.
	Shown map[string]*shown `json:"shown,omitempty"`

	isPart bool     // parts were joined
	order  []string // targets in the order of their first results
	// constructs are the constructs that Seen counts, by surface, and whether recordings show them.
	constructs map[string]map[string]bool
	counted    map[string]map[*construct.Known]bool // those of constructs, which are found sooner by these
}

// shown are constructs that recordings show, and those that they do not, in order.
type shown struct {
	Accepted []string `json:"accepted,omitempty"`
	Missing  []string `json:"missing,omitempty"`
}

// passedOver counts the entries of lists of tools that declare no schema.
type passedOver struct {
	Count int      `json:"count"`
	Kinds []string `json:"kinds"` // each once, in the order of the entries
}

// String names the kinds.
func (p *passedOver) String() string {
	verb := "are"
	if p.Count == 1 {
		verb = "is"
	}
	return escape.Line(fmt.Sprintf("%s of the provider's own (%s) %s not judged", Count(p.Count, "tool"), strings.Join(p.Kinds, ", "), verb))
}

// Pass counts an entry of a list of tools that declares no schema. The kind says what it is.
func (s *Summary) Pass(kind string) {
	if s.Passed == nil {
		s.Passed = &passedOver{}
	}
	if s.Passed.Count++; !slices.Contains(s.Passed.Kinds, kind) {
		s.Passed.Kinds = append(s.Passed.Kinds, kind)
	}
}

// Seen is how much of the tools that a surface is predicted to accept its recordings show.
type Seen struct {
	verdict.Seen // each construct once, however many tools use it

	Tools int `json:"tools"`
	// Whole are the tools each of whose constructs is shown.
	Whole int `json:"whole"`
	// Uses counts the constructs of each tool, and UsesAccepted those of them that are shown.
	Uses         int `json:"uses"`
	UsesAccepted int `json:"uses_accepted"`
}

// Ignore is an entry of toolproof.json that excuses nothing.
type Ignore struct {
	// Problem is Expired if the last day of the ignore is over, or Unused if no finding matches
	// it.
	Problem string         `json:"problem"`
	File    string         `json:"file"`
	Line    int            `json:"line"`
	At      schema.Pointer `json:"at"` // in the file
	Tool    string         `json:"tool"`
	Rule    string         `json:"rule"`
	Until   string         `json:"until"`
}

// The problems of an Ignore.
const (
	Expired = "expired"
	Unused  = "unused"
)

// String names the ignore and says what is wrong with it.
func (i Ignore) String() string {
	why := "excuses nothing: remove it"
	if i.Problem == Expired {
		why = "excuses nothing since its last day, " + i.Until + ": mend the tool, or set a later day"
	}
	return escape.Line(fmt.Sprintf("%s: the ignore of %s for %s %s", i.At, i.Rule, i.Tool, why))
}

// Counts are the numbers of one target.
type Counts struct {
	RawAccepted int `json:"raw_accepted"`
	RawRejected int `json:"raw_rejected"`
	Accepted    int `json:"accepted"`
	Rejected    int `json:"rejected"`
	// Fallbacks counts the tools that a strict target sends as not strict.
	Fallbacks int `json:"fallbacks"`
	// Exact, Widens, Closes, WidensCloses, Narrows and Both count the normalized tools by their loss.
	Exact   int `json:"exact"`
	Widens  int `json:"widens"`
	Narrows int `json:"narrows"`
	Both    int `json:"both"`

	Closes       int `json:"closes,omitempty"`
	WidensCloses int `json:"widens_closes,omitempty"`

	Passed int `json:"passed"`
	Known  int `json:"known"`
	// Excused counts those of Known that the project excuses, rather than only the baseline.
	Excused      int `json:"excused,omitempty"`
	Failed       int `json:"failed"`
	Inconclusive int `json:"inconclusive"`
	Errors       int `json:"errors"`

	// AsGiven counts the tools without a normalized form, which are judged as given.
	AsGiven int `json:"as_given,omitempty"`

	// RawIgnored and Ignored count the tools, as given and normalized, that are accepted although
	// the surface ignores a part of them.
	RawIgnored int `json:"raw_ignored,omitempty"`
	Ignored    int `json:"ignored,omitempty"`
}

// NewSummary returns an empty summary.
func NewSummary() *Summary {
	return &Summary{
		Targets: map[string]*Counts{}, Evidence: map[string]int{}, Conforms: true,
		Seen: map[string]*Seen{}, constructs: map[string]map[string]bool{}, counted: map[string]map[*construct.Known]bool{},
	}
}

// Of returns the counts of a target.
func (s *Summary) Of(target string) *Counts {
	counts := s.Targets[target]
	if counts == nil {
		counts = &Counts{}
		s.Targets[target] = counts
		s.order = append(s.order, target)
	}
	return counts
}

// targets returns the names of the targets in the order of their first results, without advice.
func (s *Summary) targets() []string {
	return slices.DeleteFunc(slices.Clone(s.order), func(name string) bool { return name == verdict.AdviceTarget })
}

// width returns the width of the first column of the summary.
func (s *Summary) width() int {
	width := len("recordings")
	for _, target := range s.order {
		width = max(width, len(target))
	}
	return width
}

// Add counts one result.
func (s *Summary) Add(result verdict.Result) {
	counts := s.Of(result.Target)
	switch result.Status {
	case verdict.Pass:
		counts.Passed++
	case verdict.KnownFailure:
		counts.Known++
		if isExcused(result) {
			counts.Excused++
		}
	case verdict.Fail:
		counts.Failed++
	case verdict.Inconclusive:
		counts.Inconclusive++
	case verdict.Error:
		counts.Errors++
	default: // NotApplicable is not counted
	}
	if result.Status > verdict.KnownFailure {
		s.Conforms = false
	}
	s.addExcused(result)
	switch kind := result.Kind.(type) {
	case *verdict.Advice:
		s.addAdvice(result, kind)
	case *verdict.Request:
		s.Requests++
		s.Evidence[kind.Evidence.String()]++
	case *verdict.Conversation:
		if kind.Verdict != "" {
			s.Evidence[kind.Evidence.String()]++
		}
	case *verdict.Call:
		if kind.Verdict != "" {
			s.Calls++
			s.Evidence[kind.Evidence.String()]++
		}
	default:
		s.addSides(counts, result.Sides())
	}
}

// addSides counts the answers about the sides of a tool.
func (s *Summary) addSides(counts *Counts, sides *verdict.Sides) {
	s.addSeen(sides)
	if raw := sides.Raw; raw != nil {
		s.Evidence[raw.Evidence.String()]++
		if raw.Verdict == provider.Accepted {
			counts.RawAccepted++
		} else {
			counts.RawRejected++
		}
		if raw.Loses() {
			counts.RawIgnored++
		}
	}
	if sides.AsGiven != "" {
		counts.AsGiven++
	}
	if sides.Normalized != nil {
		s.Evidence[sides.Normalized.Evidence.String()]++
		counts.addNormalized(sides.Normalized)
	}
}

// addSeen counts the constructs of a tool that are not counted yet.
func (s *Summary) addSeen(sides *verdict.Sides) {
	var seen *verdict.Seen
	if sides.Normalized != nil {
		seen = sides.Normalized.Seen
	}
	if sides.Raw != nil && sides.Raw.Seen != nil {
		seen = sides.Raw.Seen
	}
	if seen == nil || seen.Surface == "" {
		return
	}
	counted, all := s.counted[seen.Surface], s.seenOn(seen.Surface)
	if counted == nil {
		counted = map[*construct.Known]bool{}
		s.counted[seen.Surface] = counted
	}
	all.Tools++
	all.Uses += seen.Constructs
	all.UsesAccepted += seen.Accepted
	if seen.IsWhole() {
		all.Whole++
	}
	for _, missing := range seen.Missing {
		if !counted[missing] {
			counted[missing] = true
			s.constructs[seen.Surface][missing.String()] = false
		}
	}
	for _, found := range seen.Found {
		if !counted[found] { // it is not missing
			counted[found] = true
			s.constructs[seen.Surface][found.String()] = true
		}
	}
}

// seenOn returns the counts of a surface.
func (s *Summary) seenOn(surface string) *Seen {
	if s.Seen[surface] == nil {
		s.Seen[surface], s.constructs[surface] = &Seen{}, map[string]bool{}
	}
	return s.Seen[surface]
}

// Finish counts what can only be counted at the end: the constructs. It has to be called before the summary is
// written.
func (s *Summary) Finish() {
	for surface, constructs := range s.constructs {
		if len(constructs) == 0 {
			continue
		}
		all, names := s.Seen[surface], &shown{}
		for _, name := range slices.Sorted(maps.Keys(constructs)) {
			if constructs[name] {
				names.Accepted = append(names.Accepted, name)
			} else {
				names.Missing = append(names.Missing, name)
			}
		}
		all.Constructs, all.Accepted = len(constructs), len(names.Accepted)
		all.Unseen = names.Missing[:min(len(names.Missing), verdict.MaxUnseen)]
		if s.Shard != "" {
			if s.Shown == nil {
				s.Shown = map[string]*shown{}
			}
			s.Shown[surface] = names
		}
	}
}

// addExcused counts the findings that the project excuses.
func (s *Summary) addExcused(result verdict.Result) {
	for _, finding := range result.Findings() {
		switch {
		case finding.Waived != nil:
			s.Waived++
		case finding.Level == verdict.Warning:
			s.Warnings++
		}
	}
}

// isExcused reports whether the project excuses a finding of the result.
func isExcused(result verdict.Result) bool {
	return slices.ContainsFunc(result.Findings(), verdict.Finding.IsExcused)
}

// ignores says how many ignores of the project need a change; empty if none does.
func (s *Summary) ignores() string {
	count := map[string]int{}
	for _, ignore := range s.Ignores {
		count[ignore.Problem]++
	}
	var parts []string
	for _, problem := range []string{Expired, Unused} {
		if count[problem] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[problem], problem))
		}
	}
	return strings.Join(parts, ", ")
}

// passed says how many findings the project excuses; empty if there are none.
func (s *Summary) passed() string {
	var parts []string
	if s.Waived > 0 {
		parts = append(parts, fmt.Sprintf("%d waived", s.Waived))
	}
	if s.Warnings > 0 {
		parts = append(parts, Count(s.Warnings, "warning"))
	}
	if problems := s.ignores(); problems != "" {
		parts = append(parts, problems)
	}
	return strings.Join(parts, ", ")
}

func (c *Counts) addNormalized(normalized *verdict.Normalized) {
	if normalized.Verdict == provider.Accepted {
		c.Accepted++
	} else {
		c.Rejected++
	}
	if normalized.Loses() {
		c.Ignored++
	}
	if normalized.Fallback != "" {
		c.Fallbacks++
	}
	switch normalized.Loss {
	case rewrite.Exact:
		c.Exact++
	case rewrite.Widens:
		c.Widens++
	case rewrite.Closes:
		c.Closes++
	case rewrite.Widens | rewrite.Closes:
		c.WidensCloses++
	case rewrite.Narrows:
		c.Narrows++
	case rewrite.Both:
		c.Both++
	}
}

// Join adds the parts of another summary that Add does not count: those about the run as a whole. Both runs had the same
// Requirements.
func (s *Summary) Join(other *Summary) {
	s.Requirements = other.Requirements
	s.Tools, s.Read, s.Judged = s.Tools+other.Tools, s.Read+other.Read, s.Judged+other.Judged
	s.Conversations += other.Conversations
	s.Calls += other.Calls
	if other.Shard != "" {
		s.Recordings, s.Disagreements = s.Recordings+other.Recordings, s.Disagreements+other.Disagreements
	} else { // each run compared all of them
		s.Recordings, s.Disagreements = max(s.Recordings, other.Recordings), max(s.Disagreements, other.Disagreements)
	}
	if other.Passed != nil {
		if s.Passed == nil {
			s.Passed = &passedOver{}
		}
		s.Passed.Count += other.Passed.Count
		s.Passed.Kinds = slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.Passed.Kinds, other.Passed.Kinds))))
	}
	if other.Servers != nil {
		joined := *other.Servers
		if s.Servers != nil {
			joined.Asked, joined.Answered, joined.Disabled = joined.Asked+s.Servers.Asked, joined.Answered+s.Servers.Answered, joined.Disabled+s.Servers.Disabled
			joined.Changing = slices.Concat(s.Servers.Changing, joined.Changing)
			joined.Lists = slices.Concat(s.Servers.Lists, joined.Lists)
		}
		s.Servers = &joined
	}
	if s.Advice != nil && other.Advice != nil && len(other.Advice.Forms) > 0 {
		forms := maps.Clone(other.Advice.Forms)
		for target, tokens := range s.Advice.Forms {
			forms[target] += tokens
		}
		s.Advice.Forms = forms
	}
	s.joinSeen(other)
	s.joinIgnores(other)
	s.Conforms = s.Conforms && other.Conforms
}

// joinSeen joins what recordings show. The constructs themselves are only in the summaries of parts; of whole runs
// the one with the most counts.
func (s *Summary) joinSeen(other *Summary) {
	for surface, seen := range other.Seen {
		if other.Shown == nil {
			if s.Seen[surface] == nil || s.Seen[surface].Constructs < seen.Constructs {
				s.Seen[surface] = seen
			}
			continue
		}
		all := s.seenOn(surface)
		all.Tools, all.Whole = all.Tools+seen.Tools, all.Whole+seen.Whole
		all.Uses, all.UsesAccepted = all.Uses+seen.Uses, all.UsesAccepted+seen.UsesAccepted
		if names := other.Shown[surface]; names != nil {
			for _, name := range names.Accepted {
				s.constructs[surface][name] = true
			}
			for _, name := range names.Missing {
				s.constructs[surface][name] = false
			}
		}
	}
}

// joinIgnores joins the ignores that need a change. One that a part does not use may be used by another.
func (s *Summary) joinIgnores(other *Summary) {
	if other.Shard == "" {
		s.Ignores = append(s.Ignores, other.Ignores...)
		return
	}
	if s.isPart {
		isThere := func(ignore Ignore) bool { return ignore.Problem == Expired || slices.Contains(other.Ignores, ignore) }
		s.Ignores = slices.DeleteFunc(s.Ignores, func(ignore Ignore) bool { return !isThere(ignore) })
	}
	for _, ignore := range other.Ignores {
		if !slices.Contains(s.Ignores, ignore) && (!s.isPart || ignore.Problem == Expired) {
			s.Ignores = append(s.Ignores, ignore)
		}
	}
	s.isPart = true
}

// conclusion returns the conclusion of a run. It is inconclusive if nothing fails but the evidence
// does not suffice.
func (s *Summary) conclusion() (text, code string) {
	switch {
	case s.Conforms:
		return "conforms", green
	case s.Worst() == verdict.Inconclusive && s.Disagreements == 0:
		return "inconclusive", yellow
	default:
		return "does not conform", red
	}
}

// Worst returns the worst outcome that was counted.
func (s *Summary) Worst() verdict.Status {
	worst := verdict.NotApplicable
	for _, counts := range s.Targets {
		worst = max(worst, counts.Worst())
	}
	return worst
}

// Worst returns the worst outcome of one target.
func (c *Counts) Worst() verdict.Status {
	worst := verdict.NotApplicable
	for _, outcome := range []struct {
		count  int
		status verdict.Status
	}{
		{c.Passed, verdict.Pass},
		{c.Known, verdict.KnownFailure},
		{c.Inconclusive, verdict.Inconclusive},
		{c.Failed, verdict.Fail},
		{c.Errors, verdict.Error},
	} {
		if outcome.count > 0 {
			worst = max(worst, outcome.status)
		}
	}
	return worst
}
