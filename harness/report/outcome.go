package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// maxNamed is the number of changes that a line names for each kind of loss.
const maxNamed = 3

// meaning compares a normalized tool with the given one: it means the same, or which changes make it
// accept more, less or no further properties, and which changes are undone in arguments.
func meaning(normalized *verdict.Normalized) string {
	var parts []string
	for _, kind := range []struct {
		word string
		of   rewrite.Loss
		loss rewrite.Loss
	}{
		{meanings[rewrite.Widens].one, rewrite.Widens, rewrite.Widens},
		{meanings[rewrite.Narrows].one, rewrite.Narrows, rewrite.Narrows},
		{meanings[rewrite.Closes].one, rewrite.Narrows, rewrite.Closes},
	} {
		isMeant := func(change verdict.Change) bool {
			return !change.Restored && change.Loss&kind.of == kind.loss || change.Remains&kind.of == kind.loss
		}
		if named := named(normalized.Changes, isMeant, nameOf); named != "" {
			parts = append(parts, kind.word+": "+named)
		}
	}
	if len(parts) == 0 {
		parts = append(parts, meanings[rewrite.Exact].one)
	}
	isUndone := func(change verdict.Change) bool { return change.Restored }
	if named := named(normalized.Changes, isUndone, nameOf); named != "" {
		parts = append(parts, "undone in arguments: "+named)
	}
	return strings.Join(parts, "; ")
}

// named lists what the changes selected by isMeant are about, without duplicates.
func named(changes []verdict.Change, isMeant func(verdict.Change) bool, nameOf func(verdict.Change) string) string {
	var first []string
	seen := map[string]bool{}
	for _, change := range changes {
		if !isMeant(change) {
			continue
		}
		if name := nameOf(change); !seen[name] {
			seen[name] = true
			if len(first) < maxNamed {
				first = append(first, name)
			}
		}
	}
	if len(seen) > maxNamed {
		first = append(first, fmt.Sprintf("and %d more", len(seen)-maxNamed))
	}
	return strings.Join(first, ", ")
}

// nameOf says which keywords a change affects, and where.
func nameOf(change verdict.Change) string {
	return escape.Line(fmt.Sprintf("%s of %s", keywordsOf(change), strings.TrimPrefix(placeOf(change.From), "parameters/")))
}

func placeOf(at schema.Pointer) string {
	if place := strings.TrimPrefix(string(at), "/"); place != "" {
		return place
	}
	return "the tool"
}

// keywordsOf returns the keywords whose values a change affects, or only that it affects parts if these are
// none or many.
func keywordsOf(change verdict.Change) string {
	const most = 2
	var keywords []string
	for _, key := range append(change.Before.Node().Keys(), change.After.Node().Keys()...) {
		before, after := change.Before.Node().Get(key), change.After.Node().Get(key)
		if key != "description" && !slices.Contains(keywords, key) && (before == nil || after == nil || !schema.Equal(before, after)) {
			keywords = append(keywords, key)
		}
	}
	if len(keywords) == 0 || len(keywords) > most {
		return "parts"
	}
	return strings.Join(keywords, " and ")
}

// isSpelling reports whether a change only affects upper and lower case, which is not worth
// showing.
func isSpelling(change verdict.Change) bool {
	before, after := change.Before.Node(), change.After.Node()
	return before != nil && after != nil && bytes.EqualFold(before.JSON(), after.JSON())
}

// Renamed says under which name a tool is sent; empty if the normalized tool keeps its name.
func Renamed(result verdict.Result) string {
	if name := result.Sides().Normalized.Tool.GetString("name"); name != result.Tool {
		return "renamed " + escape.Line(name)
	}
	return ""
}

// Outcome is the result of a tool on one target, in a few words. It holds no reference to the tool.
type Outcome struct {
	target, text, code string
	isFailure          bool
}

// OutcomeOf returns the outcome of a result. asGiven says which side had to be accepted.
func OutcomeOf(result verdict.Result, asGiven bool) Outcome {
	text, code := cell(result, asGiven)
	return Outcome{result.Target, text, code, result.Status > verdict.KnownFailure}
}

// Outcomes writes the outcomes of one tool on several targets. Targets with the same outcome share
// a line.
func (t *Terminal) Outcomes(source string, line int, tool string, outcomes []Outcome) {
	if t.Quiet && !slices.ContainsFunc(outcomes, func(outcome Outcome) bool { return outcome.isFailure }) {
		return
	}
	t.linef("%s: %s", placeOfTool(source, line), t.paint(bold, escape.Line(tool)))
	for i, first := range outcomes {
		if slices.ContainsFunc(outcomes[:i], func(outcome Outcome) bool { return outcome.text == first.text }) {
			continue
		}
		var targets []string
		for _, outcome := range outcomes[i:] {
			if outcome.text == first.text {
				targets = append(targets, outcome.target)
			}
		}
		t.wrap("    ", fmt.Sprintf("%s: %s", t.paint(first.code, strings.Join(targets, ", ")), first.text))
	}
}

// cell says in a few words what a target makes of a tool.
func cell(result verdict.Result, asGiven bool) (text, code string) {
	if result.Status == verdict.Error {
		return "ERROR", red
	}
	raw, normalized := result.Sides().Raw, result.Sides().Normalized
	if result.Status == verdict.Inconclusive || raw == nil || normalized == nil && result.Sides().AsGiven == "" {
		return "inconclusive", yellow
	}
	answer, _ := result.Required(asGiven)
	switch {
	case result.Status == verdict.KnownFailure:
		what := "refused"
		if answer.Loses() {
			what = "ignored in part"
		}
		if isExcused(result) {
			return what + ", and let pass by toolproof.json", yellow
		}
		return what + ", as the baseline says", yellow
	case result.Status == verdict.Fail && answer.Loses():
		return "IGNORED in part", red
	case normalized == nil && result.Status == verdict.Fail:
		return "REFUSED as given, " + withoutNormalizer(result.Sides()), red
	case normalized == nil:
		return "accepted as given" + withIgnored(raw) + ", " + withoutNormalizer(result.Sides()), green
	case normalized.Verdict == provider.Rejected:
		return "REFUSED after the rewrite", red
	case result.Status == verdict.Fail:
		return "REFUSED as given", red
	case raw.Verdict == provider.Accepted && len(normalized.Changes) == 0:
		return "accepted as given" + withIgnored(raw), green
	}
	text, code = "rewritten: "+meaning(normalized), green
	if raw.Verdict == provider.Accepted {
		text = "accepted as given" + withIgnored(raw) + "; " + text
	}
	text += withIgnored(&normalized.Answer)
	if normalized.Fallback != "" {
		text, code = text+"; sent with strict false: "+escape.Line(normalized.Fallback), yellow
	}
	return text, code
}

// withIgnored says if a surface ignores a part of a tool that it accepts.
func withIgnored(answer *verdict.Answer) string {
	if !answer.Loses() {
		return ""
	}
	return ", with ignored parts"
}
