package report

import (
	"fmt"

	"toolproof/harness/drift"
	"toolproof/internal/escape"
)

// htmlFlips are the flips between two runs.
type htmlFlips struct {
	Rows []htmlFlip
	More int
}

// htmlFlip is one flip.
type htmlFlip struct{ Tool, Source, Target, What, Who, Words string }

// HTML writes the flips as a self-contained page.
func (f *FlipTable) HTML(options Options, summary drift.Summary) error {
	tag := htmlTag{"bad", Count(summary.Flips, "flip")}
	switch {
	case summary.Flips == 0 && summary.Compared == 0:
		tag = htmlTag{"bad", "nothing was compared"}
	case summary.Flips == 0 && summary.Inconclusive > 0:
		tag.State = "warn"
	case summary.Flips == 0:
		tag.State = "good"
	}
	view := htmlView{
		Title: "What flipped", Name: "What flipped", Tag: tag, Version: options.Version, Flips: &htmlFlips{More: f.more},
		Facts: []htmlFact{{Text: Count(summary.Compared, "result") + " compared"}, {Text: fmt.Sprintf("%d inconclusive", summary.Inconclusive)}},
	}
	for _, flip := range f.flips {
		view.Flips.Rows = append(view.Flips.Rows, htmlFlip{
			escape.Line(subject(flip)), escape.Line(flip.Source), escape.Line(flip.Target), escape.Line(change(flip)), wordsFor(flip.Guilty), escape.Line(saidIn(flip)),
		})
	}
	return writeHTML(options, view)
}
