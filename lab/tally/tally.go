// Package tally counts what surfaces do to many tools. A tally has numbers, and names of
// this project and of JSON Schema: nothing that a tool says is in it, so that counts of
// private tools can be shown.
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
	"toolproof/harness/provider"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Version is that of the JSON, which docs/schema/stats.schema.json describes.
const Version = 1

// Tally is the counts of one set of tools.
type Tally struct {
	Version int `json:"version"`
	// Label says what the tools are; the caller gives it.
	Label string `json:"label,omitempty"`
	// AsOf is the day that the models were asked about.
	AsOf  provider.Date `json:"as_of"`
	Tools int           `json:"tools"` // that were read
	// Unread are those that are no tools.
	Unread int `json:"unread"`
	// Keywords are in how many tools a keyword of JSON Schema or OpenAPI is, the most
	// frequent first.
	Keywords []Count   `json:"keywords"`
	Surfaces []Surface `json:"surfaces"`
}

// MostCauses is how many keywords and rules are listed of a kind.
const MostCauses = 15

// Count is how many tools have something.
type Count struct {
	Name  string `json:"name"`
	Tools int    `json:"tools"`
}

// Surface is what one surface does to the tools as they are given: each is one of Refused,
// Ignored, Whole and Unjudged.
type Surface struct {
	Name     string `json:"name"`
	Refused  int    `json:"refused"`
	Ignored  int    `json:"ignored"`  // accepted, but for a part
	Whole    int    `json:"whole"`    // accepted
	Unjudged int    `json:"unjudged"` // it takes too many steps
	// Causes are the keywords at whose places tools are refused, or in the end the rules,
	// and Losses those that are ignored; a tool may have several. The most frequent is
	// first.
	Causes []Count `json:"causes"`
	Losses []Count `json:"losses"`
	// Normalized is what becomes of them by the normalizer of the surface; nil where there
	// is none.
	Normalized *Normalized `json:"normalized,omitempty"`
}

// Normalized is what becomes of tools on the way through a normalizer: each is one of Exact,
// Changed, Refused and Failed.
type Normalized struct {
	Target  string `json:"target"`
	Exact   int    `json:"exact"`   // accepted, and means the same
	Changed int    `json:"changed"` // accepted, and accepts other arguments, as is reported
	Refused int    `json:"refused"`
	Failed  int    `json:"failed"` // the normalizer gives up
	// Fallback are those among them that are sent as functions that are not strict.
	Fallback int `json:"fallback"`
}

// Counter counts tools one after the other.
type Counter struct {
	tally    Tally
	keywords map[string]int
	surfaces []*counting
}

// counting is a surface while it is counted.
type counting struct {
	Surface

	dialect        *provider.Dialect
	causes, losses map[string]int
}

// New returns a Counter for the surfaces, as of a day; empty means today.
func New(label string, asOf provider.Date, surfaces []*provider.Dialect) *Counter {
	c := &Counter{tally: Tally{Version: Version, Label: label, AsOf: cmp.Or(asOf, provider.Today())}, keywords: map[string]int{}}
	for _, dialect := range surfaces {
		one := &counting{Surface: Surface{Name: dialect.Name}, dialect: dialect, causes: map[string]int{}, losses: map[string]int{}}
		if target := harness.Serving(dialect); target.Dialect == dialect && target.Normalizer != nil {
			one.Normalized = &Normalized{Target: target.Name()}
		}
		c.surfaces = append(c.surfaces, one)
	}
	return c
}

// Unread counts what is no tool.
func (c *Counter) Unread() { c.tally.Unread++ }

// Add counts a tool. It errs when the context ends.
func (c *Counter) Add(ctx context.Context, tool schema.Tool) error {
	c.tally.Tools++
	for name := range keywordsOf(tool.Parameters) {
		c.keywords[name]++
	}
	for _, one := range c.surfaces {
		if err := one.add(ctx, c.tally.AsOf, tool); err != nil {
			return err
		}
	}
	return nil
}

// keywordsOf returns the keywords in a schema: a name that is none could be anybody's.
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
	if s.Normalized == nil {
		return nil
	}
	return s.normalized(ctx, day, tool)
}

// normalized counts what the normalizer makes of a tool.
func (s *counting) normalized(ctx context.Context, day provider.Date, tool schema.Tool) error {
	target := harness.Serving(s.dialect)
	made, err := target.Normalizer.Normalize(ctx, tool)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.Normalized.Failed++
		return nil //nolint:nilerr // it is counted
	}
	surface := target.Surface(made.Strict)
	if surface != s.dialect {
		s.Normalized.Fallback++
	}
	answer, err := s.ask(ctx, surface, day, made.Tool)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.Normalized.Failed++
	case answer.Verdict == provider.Rejected:
		s.Normalized.Refused++
	case made.Loss() == rewrite.Exact:
		s.Normalized.Exact++
	default:
		s.Normalized.Changed++
	}
	return nil
}

// errTooLarge is for a tool that takes more steps than any may.
var errTooLarge = errors.New("the tool takes too many steps")

func (s *counting) ask(ctx context.Context, dialect *provider.Dialect, day provider.Date, tool schema.Tool) (provider.Response, error) {
	answer, err := (&provider.Model{Dialect: dialect, AsOf: day}).Send(ctx, dialect.Encode([]schema.Tool{tool}))
	if budget := (*provider.BudgetError)(nil); errors.As(err, &budget) {
		return answer, errTooLarge
	}
	return answer, err
}

// countEach counts the causes of findings, each once.
func countEach(counts map[string]int, findings []provider.Finding) {
	seen := map[string]bool{}
	for _, finding := range findings {
		if cause := causeOf(finding); !seen[cause] {
			seen[cause] = true
			counts[cause]++
		}
	}
}

// causeOf names the keyword that a finding is about, or else its rule.
func causeOf(finding provider.Finding) string {
	tokens := finding.At.Tokens()
	if len(tokens) > 1 && schema.ClassOf(tokens[len(tokens)-1]) != schema.Unknown && !isProperty(tokens) {
		return tokens[len(tokens)-1]
	}
	return "rule " + finding.Rule.Name
}

// isProperty reports whether the last step of a pointer is a name that a tool chose: one in
// properties, and not the keyword of that name.
func isProperty(tokens []string) bool {
	inNames := false
	for _, token := range tokens[:len(tokens)-1] {
		inNames = !inNames && schema.ClassOf(token) == schema.SchemaMap
	}
	return inNames
}

// Read reads tallies as they are written, one object after the other.
func Read(in io.Reader) ([]Tally, error) {
	var tallies []Tally
	decoder := json.NewDecoder(in)
	for {
		var one Tally
		switch err := decoder.Decode(&one); {
		case errors.Is(err, io.EOF):
			return tallies, nil
		case err != nil:
			return nil, fmt.Errorf("reading counts: %w", err)
		case one.Version != Version:
			return nil, fmt.Errorf("reading counts: version %d is not known", one.Version)
		}
		tallies = append(tallies, one)
	}
}

// Tally returns the counts.
func (c *Counter) Tally() Tally {
	tally := c.tally
	tally.Keywords, tally.Surfaces = sorted(c.keywords), []Surface{}
	for _, one := range c.surfaces {
		one.Causes, one.Losses = sorted(one.causes), sorted(one.losses)
		tally.Surfaces = append(tally.Surfaces, one.Surface)
	}
	return tally
}

// sorted returns counts, the largest first.
func sorted(counts map[string]int) []Count {
	list := []Count{}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, Count{name, counts[name]})
	}
	slices.SortStableFunc(list, func(a, b Count) int { return cmp.Compare(b.Tools, a.Tools) })
	return list[:min(len(list), MostCauses)]
}
