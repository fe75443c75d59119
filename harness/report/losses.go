package report

import (
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/normalizers/rewrite"
)

// Loses reports whether a normalized tool takes or refuses other arguments than the tool as given, once
// they are restored.
func Loses(result verdict.Result) bool {
	normalized := result.Sides().Normalized
	return normalized != nil && slices.ContainsFunc(normalized.Changes, func(change verdict.Change) bool { return lossLeft(change) != rewrite.Exact })
}

// Restored returns the rules of the rewrites of a tool that have to be undone in the arguments of its calls.
func Restored(result verdict.Result) []string {
	normalized := result.Sides().Normalized
	if normalized == nil {
		return nil
	}
	var rules []string
	for _, change := range normalized.Changes {
		if change.Restored && !slices.Contains(rules, change.Rule) {
			rules = append(rules, change.Rule)
		}
	}
	return rules
}

// lossLeft returns the loss of a change that remains although arguments are restored.
func lossLeft(change verdict.Change) rewrite.Loss {
	if change.Restored {
		return change.Remains
	}
	return change.Loss
}

// Losses says in lines what a normalized tool loses at which place, and what has to be undone in the
// arguments of its calls.
func Losses(result verdict.Result) []string {
	const mostLines, mostPlaces = 12, 3
	normalized := result.Sides().Normalized
	if normalized == nil {
		return nil
	}
	var lines []string
	places := map[string][]string{}
	for _, change := range normalized.Changes {
		place := string(change.From)
		if place == "" {
			place = "the tool"
		}
		if loss := lossLeft(change); loss != rewrite.Exact {
			lines = append(lines, fmt.Sprintf("%s %s: %s (%s)", escape.Line(place), loss, rewritten(change, maxText), change.Rule))
		}
		if change.Restored {
			places[change.Rule] = append(places[change.Rule], place)
		}
	}
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("and %d more", more))
	}
	for _, rule := range Restored(result) {
		text := strings.Join(places[rule][:min(len(places[rule]), mostPlaces)], ", ")
		if more := len(places[rule]) - mostPlaces; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, fmt.Sprintf("calls need Restore: %s at %s", rule, escape.Line(text)))
	}
	return lines
}
