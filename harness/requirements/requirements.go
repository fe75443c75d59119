// Package requirements has the rules that Toolproof knew in a month, so that a project can require
// those and no newer ones.
package requirements

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
)

//go:embed sets/*.json
var sets embed.FS

// Set is the rules of a month. A set does not change after its month.
type Set struct {
	Month string `json:"month"`
	// Rules are the names of the rules, sorted, by the surface, or by Conversation or the name of the advice.
	Rules map[string][]string `json:"rules"`
}

// Conversation stands for the rules about requests besides their tools, of any service.
const Conversation = "conversation"

// Months are the months that have a set, the newest last.
func Months() []string {
	entries, err := sets.ReadDir("sets")
	if err != nil {
		panic(err) // embedded in the program
	}
	months := make([]string, len(entries))
	for i, entry := range entries {
		months[i] = strings.TrimSuffix(entry.Name(), ".json")
	}
	return months
}

// Of returns the set of a month.
func Of(month string) (*Set, error) {
	text, err := sets.ReadFile("sets/" + month + ".json")
	if err != nil {
		return nil, fmt.Errorf("there are no requirements of %q: use one of %s", month, strings.Join(Months(), ", "))
	}
	var read Set
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("reading the requirements of %s: %w", month, err)
	}
	return &read, nil
}

// Requires returns what reports whether a project with the set has to satisfy a rule: the set has it, and one of that
// name on the surface, which is /conversation below a service for a request, held before the month was over.
func (s *Set) Requires(dialects []*provider.Dialect) func(surface, rule string) bool {
	last, _ := provider.ParseDate(s.Month) // "" if the month is none, so that nothing is required
	holds := func(surface, rule string) bool {
		for _, dialect := range dialects {
			if dialect.Name == surface {
				return slices.ContainsFunc(dialect.Rules, func(one *provider.Rule) bool { return one.Name == rule && one.Since <= last })
			}
		}
		return true // advice, and rules about requests
	}
	has := func(surface, rule string) bool {
		return slices.Contains(s.Rules[surface], rule) && holds(surface, rule)
	}
	return func(surface, rule string) bool {
		service, isConversation := strings.CutSuffix(surface, "/"+Conversation)
		if !isConversation {
			return has(surface, rule)
		}
		ofService := provider.OfService(dialects, service) // which decodes the rest of a request as it decodes declarations
		return has(Conversation, rule) || slices.ContainsFunc(ofService, func(dialect *provider.Dialect) bool { return has(dialect.Name, rule) })
	}
}
