package report

import (
	"math"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// Located writes what a pasted refusal says about a tool: each place with the rewrite that answers
// it, and the outcome of the rewritten tool.
func (t *Terminal) Located(result verdict.Result) {
	if request := result.Request(); request != nil {
		t.findings(result, result.Dialect, "", request.Findings, nil)
		t.wrap("    ", t.paint(faint, escape.Line(request.Findings[0].About)))
		t.linef("%s: the tools are not to blame", escape.Line(result.Source))
		return
	}
	if kind := result.Conversation(); kind != nil {
		t.findings(result, result.Dialect, "", kind.Findings, nil)
		if about := kind.Findings[0].About; about != "" {
			t.wrap("    ", t.paint(faint, escape.Line(about)))
		}
		return
	}
	place := placeOfTool(result.Source, result.Line)
	sides := result.Sides()
	for _, finding := range sides.Raw.Findings {
		t.findings(result, sides.RawDialect, "", []verdict.Finding{finding}, nil)
		if finding.Until != "" {
			t.wrap("    ", t.paint(faint, "refused until "+finding.Until+", as far as is known"))
		}
		for _, answer := range finding.Answers {
			advice, more := edited(answer, math.MaxInt)
			t.wrap("    ", t.paint(bold, advice)+more)
		}
		switch {
		case len(finding.Answers) > 0:
		case sides.Normalized != nil && sides.Normalized.Fallback != "":
			t.wrap("    ", t.paint(faint, "strict false answers it: "+escape.Line(sides.Normalized.Fallback)))
		case sides.Normalized != nil && sides.Normalized.Evidence == provider.Predicted && sides.Normalized.Verdict == provider.Rejected:
			t.wrap("    ", t.paint(faint, "no rewrite for "+result.Target+" is accepted here"))
		default:
			t.wrap("    ", t.paint(faint, "no rewrite is made here"))
		}
	}
	switch {
	case result.Status == verdict.Error || result.Status == verdict.Inconclusive:
		t.broken(place, result)
	case sides.Normalized == nil && sides.AsGiven != "":
		t.linef("%s: %s for %s: refused as given, %s", place, t.paint(bold, escape.Line(result.Tool)), result.Target, withoutNormalizer(sides))
	case sides.Normalized == nil:
		t.linef("%s: %s: refused as given, and no target serves %s", place, t.paint(bold, escape.Line(result.Tool)), sides.RawDialect)
	case sides.Normalized.Evidence == provider.Reported && sides.Normalized.Verdict == provider.Rejected:
		t.linef("%s: %s for %s: %s: refused as given, and still refused after %s",
			place, t.paint(bold, escape.Line(result.Tool)), result.Target, t.paint(red, "FAIL"), changesOf(sides.Normalized))
	default:
		t.findings(result, result.Dialect, "after the rewrite: ", sides.Normalized.Findings, nil)
		t.linef("%s: %s for %s: %s", place, t.paint(bold, escape.Line(result.Tool)), result.Target, t.outcome(result))
	}
}
