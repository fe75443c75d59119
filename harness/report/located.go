package report

import (
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/schema"
)

// Located writes what a pasted refusal says about a tool: each place with the rewrite that answers
// it, and the outcome of the rewritten tool.
func (t *Terminal) Located(result verdict.Result) {
	place := placeOfTool(result.Source, result.Line)
	sides := result.Sides()
	var changes []verdict.Change
	if sides.Normalized != nil {
		changes = sides.Normalized.Changes
	}
	byPlace := placesOf(sides.Raw.Findings, changes)
	for _, finding := range sides.Raw.Findings {
		near := byPlace[finding.At]
		if len(near) == 0 {
			near = nearest(finding.At, changes)
			for i := range near {
				near[i].From = finding.At
			}
		}
		t.findings(result, sides.RawDialect, "", []verdict.Finding{finding}, near)
		if len(near) == 0 {
			t.printf("    %s\n", t.paint(faint, "no rewrite is made here"))
		}
	}
	switch {
	case result.Status == verdict.Error || result.Status == verdict.Inconclusive:
		t.broken(place, result)
	case sides.Normalized == nil && sides.AsGiven != "":
		t.printf("%s: %s for %s: refused as given, %s\n", place, t.paint(bold, escape.Line(result.Tool)), result.Target, withoutNormalizer(sides))
	case sides.Normalized == nil:
		t.printf("%s: %s: refused as given, and no target serves %s\n", place, t.paint(bold, escape.Line(result.Tool)), sides.RawDialect)
	default:
		t.findings(result, result.Dialect, "after the rewrite: ", sides.Normalized.Findings, nil)
		t.printf("%s: %s for %s: %s\n", place, t.paint(bold, escape.Line(result.Tool)), result.Target, t.outcome(result))
	}
}

// nearest returns the changes to the smallest changed schema that contains a place.
func nearest(at schema.Pointer, changes []verdict.Change) []verdict.Change {
	var found []verdict.Change
	for _, change := range changes {
		switch {
		case !at.Under(change.From) || isSpelling(change):
		case len(found) == 0 || len(change.From) > len(found[0].From):
			found = []verdict.Change{change}
		case len(change.From) == len(found[0].From):
			found = append(found, change)
		}
	}
	return found
}
