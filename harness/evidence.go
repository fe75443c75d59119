package harness

import (
	"slices"

	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
)

// Orphans returns the names of recordings that no rule names as evidence, that no
// fixture asks for and that none is made of: they would be kept without anybody
// noticing whether they hold. A fixture that is made of a recording, by leaving out
// what does not matter, names it as the section of its source.
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
		for _, given := range fixtures {
			for _, recorded := range store.Of(dialect.Encode(given.Tools)) {
				used[recorded.Name()] = true
			}
		}
	}
	var orphans []string
	for _, recorded := range store.All {
		if !used[recorded.Name()] && !slices.Contains(orphans, recorded.Name()) {
			orphans = append(orphans, recorded.Name())
		}
	}
	return orphans
}
