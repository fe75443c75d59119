package evidence

import (
	"fmt"
	"io/fs"

	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/refusal"
)

// Explainer returns what explains the messages of surfaces. The fixtures, and the recordings that the
// rules name, show what the rules say.
func Explainer(dialects []*provider.Dialect, fixtures, recordings fs.FS) (*refusal.Explainer, error) {
	loaded, err := fixture.Load(fixtures)
	if err != nil {
		return nil, fmt.Errorf("reading the fixtures: %w", err)
	}
	explainer := &refusal.Explainer{Dialects: dialects, Of: func(rule *provider.Rule) []refusal.Shown {
		return append(refusalsOf(rule, recordings), judge.Bodies(harness.Dialects, rule, loaded)...)
	}}
	for _, example := range loaded {
		explainer.Tools = append(explainer.Tools, example.Tools)
	}
	return explainer, nil
}

// refusalsOf returns the requests of the recordings that a rule names, as far as they were refused.
func refusalsOf(rule *provider.Rule, recordings fs.FS) []refusal.Shown {
	named, err := recording.Named(recordings, rule.Evidence)
	if err != nil {
		return nil // the program's own files, which tests read
	}
	var shown []refusal.Shown
	for _, recorded := range named {
		if !recorded.Accepted() {
			request := provider.Request{Dialect: recorded.Dialect, Declarations: recorded.Request.Declarations}
			shown = append(shown, refusal.Shown{Request: request, Day: recorded.Date})
		}
	}
	return shown
}
