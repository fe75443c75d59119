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

// useNormalized marks the recordings of normalized fixtures, which live runs send, as used. It
// normalizes only for targets whose dialects have unused recordings.
func useNormalized(used, unused map[string]bool, store *recording.Store, fixtures []*fixture.Fixture) {
	for _, target := range harness.Targets {
		if !unused[target.Dialect.Name] && (target.Fallback == nil || !unused[target.Fallback.Name]) {
			continue
		}
		for _, fixture := range fixtures {
			for _, tool := range fixture.Tools {
				normalized, err := target.Normalizer.Normalize(context.Background(), tool)
				if err != nil || fixture.WireOnly {
					continue
				}
				for _, recorded := range store.Of(target.Surface(normalized.Strict).Encode([]schema.Tool{normalized.Tool})) {
					used[recorded.Name()] = true
				}
			}
		}
	}
}

// Orphans returns the names of recordings that no rule names as evidence, that no fixture asks
// for and from which no fixture was made, so that nobody would notice if they no longer hold. A
// fixture made from a recording by minimization names it as the section of its source.
// Recordings of explorations, and reduced ones, are never orphans: they show what a surface
// accepts.
func Orphans(store *recording.Store, dialects []*provider.Dialect, fixtures []*fixture.Fixture) []string {
	used := map[string]bool{}
	for _, fixture := range fixtures {
		if fixture.Source.Kind == "recording" {
			used[fixture.Source.Section] = true
		}
	}
	for _, dialect := range dialects {
		for _, rule := range dialect.Rules {
			for _, name := range rule.Evidence {
				used[name] = true
			}
		}
	}
	unused := map[string]bool{} // dialects that still have unused recordings
	for _, recorded := range store.All {
		if recorded.Reduced || strings.HasPrefix(recorded.Source, recording.Explored) {
			used[recorded.Name()] = true
		}
		unused[recorded.Dialect] = unused[recorded.Dialect] || !used[recorded.Name()]
	}
	for _, dialect := range dialects {
		if !unused[dialect.Name] {
			continue
		}
		for _, fixture := range fixtures {
			for _, recorded := range store.Of(dialect.Encode(fixture.Tools)) {
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
