package cli

import (
	"cmp"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/advice"
	"toolproof/harness/conversation"
	"toolproof/harness/project"
	"toolproof/harness/requirements"
	"toolproof/harness/verdict"
)

// ProjectNames returns the names that a toolproof.json may refer to.
func ProjectNames() project.Names {
	names := project.Names{Targets: append([]string{"all"}, harness.TargetNames...), Months: requirements.Months()}
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules {
			names.Rules = append(names.Rules, rule.Name, dialect.Name+"/"+rule.Name)
		}
	}
	for _, rule := range advice.Rules {
		names.Rules = append(names.Rules, rule.Name, verdict.AdviceTarget+"/"+rule.Name)
	}
	slices.SortFunc(names.Rules, func(a, b string) int { // short names first
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
	})
	names.Rules = slices.Compact(names.Rules)
	return names
}

// Requirements returns the set of a month with all rules of now.
func Requirements(month string) *requirements.Set {
	made := &requirements.Set{Month: month, Rules: map[string][]string{}}
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules {
			made.Rules[dialect.Name] = append(made.Rules[dialect.Name], rule.Name)
		}
	}
	for _, rule := range slices.Concat(conversation.Rules, conversation.Ignoring) {
		made.Rules[requirements.Conversation] = append(made.Rules[requirements.Conversation], rule.Name)
	}
	for _, rule := range advice.Rules {
		made.Rules[verdict.AdviceTarget] = append(made.Rules[verdict.AdviceTarget], rule.Name)
	}
	for surface, names := range made.Rules {
		slices.Sort(names)
		made.Rules[surface] = slices.Compact(names)
	}
	return made
}

// ProjectSchema returns the JSON Schema of toolproof.json with the names of all targets and
// rules. init writes it, and it is published.
func ProjectSchema() string { return string(ProjectNames().Schema().Indented()) + "\n" }
