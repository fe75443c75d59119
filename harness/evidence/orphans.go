package evidence

import (
	"context"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/schema"
)

// useNormalized marks the recordings of what the targets make of the fixtures, which
// is what live runs send. It asks the targets of the dialects that have unused ones.
func useNormalized(used, unused map[string]bool, store *recording.Store, fixtures []*fixture.Fixture) {
	for _, target := range harness.Targets {
		if !unused[target.Dialect.Name] && (target.Fallback == nil || !unused[target.Fallback.Name]) {
			continue
		}
		for _, given := range fixtures {
			for _, tool := range given.Tools {
				normalized, err := target.Normalizer.Normalize(context.Background(), tool)
				if err != nil || given.WireOnly {
					continue
				}
				for _, recorded := range store.Of(target.Surface(normalized.Strict).Encode([]schema.Tool{normalized.Tool})) {
					used[recorded.Name()] = true
				}
			}
		}
	}
}

// Orphans returns the names of recordings that no rule names as evidence, that no
// fixture asks for and that none is made of: they would be kept without anybody
// noticing whether they hold. A fixture that is made of a recording, by leaving out
// what does not matter, names it as the section of its source. What was recorded to find
// out what is unknown is used as it is: it says what a surface takes.
func Orphans(store *recording.Store, dialects []*provider.Dialect, fixtures []*fixture.Fixture) []string {
	used := map[string]bool{}
	for _, given := range fixtures {
		if given.Source.Kind == "recording" {
			used[given.Source.Section] = true
		}
	}
	for _, dialect := range dialects {
		for _, rule := range dialect.Rules {
			for _, name := range rule.Evidence {
				used[name] = true
			}
		}
	}
	unused := map[string]bool{} // the dialects of those that are not used yet
	for _, recorded := range store.All {
		if strings.HasPrefix(recorded.Source, recording.Explored) {
			used[recorded.Name()] = true
		}
		unused[recorded.Dialect] = unused[recorded.Dialect] || !used[recorded.Name()]
	}
	for _, dialect := range dialects {
		if !unused[dialect.Name] {
			continue
		}
		for _, given := range fixtures {
			for _, recorded := range store.Of(dialect.Encode(given.Tools)) {
				used[recorded.Name()] = true
			}
		}
	}
	if slices.ContainsFunc(store.All, func(recorded *recording.Recording) bool { return !used[recorded.Name()] }) {
		useNormalized(used, unused, store, fixtures)
	}
	var orphans []string
	for _, recorded := range store.All {
		if !used[recorded.Name()] && !slices.Contains(orphans, recorded.Name()) {
			orphans = append(orphans, recorded.Name())
		}
	}
	return orphans
}
