// Package tally counts what surfaces do to many tools. A tally contains only numbers and names
// from this project and JSON Schema, and no text of a tool, so that counts of private tools can
// be published.
package tally

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"toolproof/harness"
	"toolproof/harness/construct"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Version is the version of the JSON, which docs/schema/stats.schema.json describes.
const Version = 1

// Tally holds the counts for one set of tools.
type Tally struct {
	Version int `json:"version"`
	// Label is the caller's description of the tools.
	Label string `json:"label,omitempty"`
	// AsOf is the day as of which the models answer.
	AsOf  provider.Date `json:"as_of"`
	Tools int           `json:"tools"` // number of tools read
	// Unread is the number of entries that are not tools.
	Unread int `json:"unread"`
	// Keywords holds the number of tools with each keyword of JSON Schema or OpenAPI, the most
	// frequent first.
	Keywords []Count   `json:"keywords"`
	Surfaces []Surface `json:"surfaces"`
}

// MostCauses is the largest number of entries in a list of counts.
const MostCauses = 15

// Count is the number of tools with something.
type Count struct {
	Name  string `json:"name"`
	Tools int    `json:"tools"`
}

// Surface counts what one surface does to the original tools: each is one of Refused, Ignored,
// Whole and Unjudged.
type Surface struct {
	Name     string `json:"name"`
	Refused  int    `json:"refused"`
	Ignored  int    `json:"ignored"`  // accepted, with a part ignored
	Whole    int    `json:"whole"`    // accepted
	Unjudged int    `json:"unjudged"` // takes too many steps
	// Causes counts tools by the keywords at which they are refused, or by rules for findings
	// without a keyword, and Losses by those that are ignored. A tool may count for several.
	// The most frequent come first.
	Causes []Count `json:"causes"`
	Losses []Count `json:"losses"`
	// Normalized counts the tools after the surface's normalizer; nil if it has none.
	Normalized *Normalized `json:"normalized,omitempty"`
	// Seen counts what accepted recordings show of the tools that the surface accepts, as given
	// or else normalized.
	Seen *Seen `json:"seen,omitempty"`
}

// Seen counts constructs: each once, and by the tools that use it.
type Seen struct {
	Constructs   int `json:"constructs"`
	Accepted     int `json:"accepted"`
	Uses         int `json:"uses"`
	UsesAccepted int `json:"uses_accepted"`
}

// Normalized counts the outcomes of a normalizer: each tool is one of Exact, Changed, Refused
// and Failed.
type Normalized struct {
	Target  string `json:"target"`
	Exact   int    `json:"exact"`   // accepted, with the same meaning
	Changed int    `json:"changed"` // accepted, with a reported loss
	// Closed counts those of Changed of which objects were closed, and no more was lost.
	Closed  int `json:"closed,omitempty"`
	Refused int `json:"refused"`
	Failed  int `json:"failed"` // the normalizer returns an error
	// Fallback counts those among them that are sent as non-strict functions.
	Fallback int `json:"fallback"`
}

// Counter counts tools one by one.
type Counter struct {
	tally    Tally
	keywords map[string]int
	surfaces []*counting
}

// counting is a Surface with unsorted counts.
type counting struct {
	Surface

	dialect        *provider.Dialect
	causes, losses map[string]int
	shown          map[construct.Construct]bool
	used           map[construct.Construct]bool
}

// New returns a Counter for the surfaces as of a day; "" means today. The recordings say which
// constructs were seen accepted.
func New(ctx context.Context, label string, asOf provider.Date, surfaces []*provider.Dialect, store *recording.Store) *Counter {
	c := &Counter{tally: Tally{Version: Version, Label: label, AsOf: cmp.Or(asOf, provider.Today())}, keywords: map[string]int{}}
	for _, dialect := range surfaces {
		surface := &counting{Surface: Surface{Name: dialect.Name}, dialect: dialect, causes: map[string]int{}, losses: map[string]int{}}
		surface.Seen, surface.used = &Seen{}, map[construct.Construct]bool{}
		surface.shown = judge.Shown(ctx, judge.Offline{Dialect: dialect, Store: store, AsOf: asOf})
		if target := harness.Serving(dialect); target.Dialect == dialect && target.Normalizer != nil {
			surface.Normalized = &Normalized{Target: target.Name()}
		}
		c.surfaces = append(c.surfaces, surface)
	}
	return c
}

// Unread counts an entry that is not a tool.
func (c *Counter) Unread() { c.tally.Unread++ }

// Add counts a tool. It returns an error only if the context ends.
func (c *Counter) Add(ctx context.Context, tool schema.Tool) error {
	c.tally.Tools++
	for name := range keywordsOf(tool.Parameters) {
		c.keywords[name]++
	}
	for _, counted := range c.surfaces {
		if err := counted.add(ctx, c.tally.AsOf, tool); err != nil {
			return err
		}
	}
	return nil
}

// keywordsOf returns the keywords in a schema. Other names are the tool's own and are left out.
func keywordsOf(root *schema.Node) map[string]bool {
	used := map[string]bool{}
	root.Each(func(subschema *schema.Node) bool {
		for _, member := range subschema.Members {
			if schema.ClassOf(member.Key) != schema.Unknown {
				used[member.Key] = true
			}
		}
		return true
	})
	return used
}

// add counts a tool on the surface.
func (s *counting) add(ctx context.Context, day provider.Date, tool schema.Tool) error {
	answer, err := s.ask(ctx, s.dialect, day, tool)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.Unjudged++
	case answer.Verdict == provider.Rejected:
		s.Refused++
		countEach(s.causes, answer.Findings)
	case len(answer.Ignored) > 0:
		s.Ignored++
		countEach(s.losses, answer.Ignored)
	default:
		s.Whole++
	}
	isAccepted := err == nil && answer.Verdict == provider.Accepted
	if isAccepted {
		s.see(tool)
	}
	if s.Normalized == nil {
		return nil
	}
	return s.normalized(ctx, day, tool, isAccepted)
}

// see counts the constructs of a tool that the surface accepts.
func (s *counting) see(tool schema.Tool) {
	for _, found := range construct.Of(s.dialect.SchemaOf(s.dialect.Declare(tool))) {
		s.Seen.Uses++
		if s.shown[found] {
			s.Seen.UsesAccepted++
		}
		if s.used[found] {
			continue
		}
		s.used[found] = true
		s.Seen.Constructs++
		if s.shown[found] {
			s.Seen.Accepted++
		}
	}
}

// normalized counts the outcome of normalizing a tool. isSeen is set for a tool whose
// constructs are counted already.
func (s *counting) normalized(ctx context.Context, day provider.Date, tool schema.Tool, isSeen bool) error {
	target := harness.Serving(s.dialect)
	normalized, err := target.Normalizer.Normalize(ctx, tool)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.Normalized.Failed++
		return nil //nolint:nilerr // counted as failed
	}
	surface := target.Surface(normalized.Strict)
	if surface != s.dialect {
		s.Normalized.Fallback++
	}
	answer, err := s.ask(ctx, surface, day, normalized.Tool)
	if !isSeen && err == nil && answer.Verdict == provider.Accepted && surface == s.dialect {
		s.see(normalized.Tool)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.Normalized.Failed++
	case answer.Verdict == provider.Rejected:
		s.Normalized.Refused++
	case normalized.Loss() == rewrite.Exact:
		s.Normalized.Exact++
	default:
		s.Normalized.Changed++
		if normalized.Loss() == rewrite.Closes {
			s.Normalized.Closed++
		}
	}
	return nil
}

// errTooLarge is the error of a tool that takes too many steps.
var errTooLarge = errors.New("the tool takes too many steps")

func (s *counting) ask(ctx context.Context, dialect *provider.Dialect, day provider.Date, tool schema.Tool) (provider.Response, error) {
	answer, err := (&provider.Model{Dialect: dialect, AsOf: day}).Send(ctx, dialect.Encode([]schema.Tool{tool}))
	if budget := (*provider.BudgetError)(nil); errors.As(err, &budget) {
		return answer, errTooLarge
	}
	return answer, err
}

// countEach counts each cause of findings once.
func countEach(counts map[string]int, findings []provider.Finding) {
	seen := map[string]bool{}
	for _, finding := range findings {
		if cause := causeOf(finding); !seen[cause] {
			seen[cause] = true
			counts[cause]++
		}
	}
}

// causeOf returns the keyword that a finding is about, or else its rule.
func causeOf(finding provider.Finding) string {
	tokens := finding.At.Tokens()
	if len(tokens) > 1 && schema.ClassOf(tokens[len(tokens)-1]) != schema.Unknown && !isProperty(tokens) {
		return tokens[len(tokens)-1]
	}
	return "rule " + finding.Rule.Name
}

// isProperty reports whether the last token of a pointer is a property name chosen by the tool
// and not a keyword.
func isProperty(tokens []string) bool {
	inNames := false
	for _, token := range tokens[:len(tokens)-1] {
		inNames = !inNames && schema.ClassOf(token) == schema.SchemaMap
	}
	return inNames
}

// Read reads a sequence of tallies in JSON.
func Read(in io.Reader) ([]Tally, error) {
	var tallies []Tally
	decoder := json.NewDecoder(in)
	for {
		var tally Tally
		switch err := decoder.Decode(&tally); {
		case errors.Is(err, io.EOF):
			return tallies, nil
		case err != nil:
			return nil, fmt.Errorf("reading counts: %w", err)
		case tally.Version != Version:
			return nil, fmt.Errorf("reading counts: version %d is not known", tally.Version)
		}
		tallies = append(tallies, tally)
	}
}

// Tally returns the counts.
func (c *Counter) Tally() Tally {
	tally := c.tally
	tally.Keywords, tally.Surfaces = sorted(c.keywords), []Surface{}
	for _, counted := range c.surfaces {
		counted.Causes, counted.Losses = sorted(counted.causes), sorted(counted.losses)
		tally.Surfaces = append(tally.Surfaces, counted.Surface)
	}
	return tally
}

// sorted returns the largest counts, the largest first.
func sorted(counts map[string]int) []Count {
	list := []Count{}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, Count{name, counts[name]})
	}
	slices.SortStableFunc(list, func(a, b Count) int { return cmp.Compare(b.Tools, a.Tools) })
	return list[:min(len(list), MostCauses)]
}
