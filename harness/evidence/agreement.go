package evidence

import (
	"context"
	"slices"

	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/verdict"
)

// Agreement is the comparison of a model with one recording.
type Agreement struct {
	Recording *recording.Recording
	Status    verdict.Status
	Error     string
}

// CrossExamine asks each dialect's model about the request of each recording, as of the
// recording's date. A failure that a fixture of the recording expects is a known failure.
func CrossExamine(ctx context.Context, store *recording.Store, dialects []*provider.Dialect, fixtures []*fixture.Fixture) []Agreement {
	agreements := make([]Agreement, 0, len(store.All))
	for _, recorded := range store.All {
		agreement := Agreement{Recording: recorded}
		agreement.Status, agreement.Error = crossExamine(ctx, recorded, dialects)
		if agreement.Status == verdict.Fail && isKnown(recorded, dialects, fixtures) {
			agreement.Status = verdict.KnownFailure
		}
		agreements = append(agreements, agreement)
	}
	return agreements
}

// isKnown reports whether a fixture of the recording expects the model to fail.
func isKnown(recorded *recording.Recording, dialects []*provider.Dialect, fixtures []*fixture.Fixture) bool {
	return slices.ContainsFunc(fixtures, func(candidate *fixture.Fixture) bool {
		return candidate.Knows(recorded.Dialect, "raw") && slices.ContainsFunc(dialects, func(dialect *provider.Dialect) bool {
			return dialect.Name == recorded.Dialect && dialect.Encode(candidate.Tools).Digest() == recorded.Digest
		})
	})
}

func crossExamine(ctx context.Context, recorded *recording.Recording, dialects []*provider.Dialect) (verdict.Status, string) {
	i := slices.IndexFunc(dialects, func(dialect *provider.Dialect) bool { return dialect.Name == recorded.Dialect })
	if i < 0 {
		return verdict.Error, "no model of the dialect " + recorded.Dialect
	}
	answer, err := recorded.Answer(dialects[i])
	if err != nil {
		return verdict.Error, err.Error()
	}
	model := recorded.Asked(dialects[i])
	predicted, err := model.Send(ctx, dialects[i].Request(recorded.Request.Declarations))
	if err != nil {
		return verdict.Error, err.Error()
	}
	return verdict.Agree(dialects[i], predicted, answer, recorded.Response.Fragment != "")
}
