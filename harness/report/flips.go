package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"toolproof/harness/drift"
	"toolproof/internal/escape"
)

// parties describes the guilty parties, in the order in which they are counted.
var parties = []struct {
	guilty drift.Guilty
	words  string
}{
	{drift.Provider, "the provider changed"},
	{drift.Recording, "the recording is stale"},
	{drift.Rule, "our rule is wrong, missing or changed"},
	{drift.Rewrite, "our rewrite changed"},
	{drift.Tools, "the tools are others"},
	{drift.Nobody, "no verdict"},
}

func wordsFor(guilty drift.Guilty) string {
	for _, party := range parties {
		if party.guilty == guilty {
			return party.words
		}
	}
	return string(guilty)
}

// change describes a flip.
func change(flip drift.Flip) string {
	switch flip.Kind {
	case drift.Gone:
		return "gone"
	case drift.New:
		return "new"
	case drift.Inconclusive:
		return "inconclusive: " + flip.Error
	case drift.Loss:
		return fmt.Sprintf("loss %s became %s", flip.Before.Loss, flip.After.Loss)
	default:
		side := "as given"
		if flip.Kind == drift.Normalized {
			side = "normalized"
		}
		return fmt.Sprintf("%s: %s [%s] became %s [%s]", side, flip.Before.Verdict, flip.Before.Evidence, flip.After.Verdict, flip.After.Evidence)
	}
}

// saidIn returns the provider's words in a flip, with the rule that explains them; empty if there
// are none.
func saidIn(flip drift.Flip) string {
	for _, state := range []*drift.State{flip.After, flip.Before} {
		if state == nil || state.Message == "" {
			continue
		}
		message, _, _ := strings.Cut(strings.TrimSpace(state.Message), "\n")
		if state.Rule != "" {
			message += " (" + flip.Dialect + "/" + state.Rule + ")"
		}
		return message
	}
	return ""
}

func subject(flip drift.Flip) string { return cmp.Or(flip.Fixture, flip.Tool) }

// Flip writes one flip.
func (t *Terminal) Flip(flip drift.Flip) {
	code := red
	if flip.Kind == drift.Inconclusive {
		code = yellow
	}
	t.printf("%s: %s for %s, %s: %s\n", escape.Line(flip.Source), t.paint(bold, escape.Line(subject(flip))), escape.Line(flip.Target),
		t.paint(code, escape.Line(change(flip))), wordsFor(flip.Guilty))
	if message := saidIn(flip); message != "" {
		t.printf("    %s\n", t.paint(faint, escape.Line(message)))
	}
}

// Drift writes the counts of a comparison.
func (t *Terminal) Drift(summary drift.Summary) {
	t.printf("%s compared: %s, %d inconclusive\n", Count(summary.Compared, "result"), Count(summary.Flips, "flip"), summary.Inconclusive)
	for _, party := range parties {
		if count := summary.Guilty[party.guilty]; count > 0 {
			t.printf("%6d  %s\n", count, party.words)
		}
	}
}

// FlipLines writes flips as JSON Lines, as docs/schema/flip.schema.json describes them.
type FlipLines struct{ encoder *json.Encoder }

// NewFlipLines returns a FlipLines that writes to out.
func NewFlipLines(out io.Writer) *FlipLines { return &FlipLines{newEncoder(out)} }

// Flip writes one flip.
func (f *FlipLines) Flip(flip drift.Flip) error {
	if err := f.encoder.Encode(flip); err != nil {
		return fmt.Errorf("writing a flip: %w", err)
	}
	return nil
}

// Summary writes the last line.
func (f *FlipLines) Summary(summary drift.Summary) error {
	line := struct {
		Version int           `json:"version"`
		Summary drift.Summary `json:"summary"`
	}{drift.Version, summary}
	if err := f.encoder.Encode(line); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}

// maxRows is the number of rows in a table of failures: GitHub limits the text of a pull request to
// 65,536 characters.
const maxRows = 100

// FlipTable collects flips for a page.
type FlipTable struct {
	flips []drift.Flip
	more  int
}

// Flip adds one flip.
func (f *FlipTable) Flip(flip drift.Flip) {
	if len(f.flips) == maxRows {
		f.more++
		return
	}
	f.flips = append(f.flips, flip)
}

// Page returns the page as Markdown, with the counts before the table.
func (f *FlipTable) Page(summary drift.Summary) string {
	page := &Markdown{}
	page.Text(fmt.Sprintf("%s compared: **%s**, %d inconclusive.", Count(summary.Compared, "result"), Count(summary.Flips, "flip"), summary.Inconclusive))
	if len(f.flips) == 0 {
		return page.String()
	}
	page.Table("Flips", "tool", "target", "what", "who", "words")
	for _, flip := range f.flips {
		what := Text(change(flip))
		if flip.Kind == drift.Inconclusive {
			what = "inconclusive: " + foreign(flip.Error)
		}
		page.Row(foreign(subject(flip)), foreign(flip.Target), what, Text(wordsFor(flip.Guilty)), foreign(saidIn(flip)))
	}
	if f.more > 0 {
		page.Text(fmt.Sprintf("And %d more.", f.more))
	}
	return page.String()
}
