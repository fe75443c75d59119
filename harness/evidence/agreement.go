package evidence

import (
	"context"
	"slices"

	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/verdict"
)

// Agreement is how a model compares with one recording.
type Agreement struct {
	Recording *recording.Recording
	Status    verdict.Status
	Error     string
}

// CrossExamine asks each dialect's model what each recording was an answer to, as
// of the recording's date. A model that fails as a fixture of the recording knows is
// a known failure.
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

// isKnown reports whether a fixture of the recording knows that the model fails.
func isKnown(recorded *recording.Recording, dialects []*provider.Dialect, fixtures []*fixture.Fixture) bool {
	return slices.ContainsFunc(fixtures, func(given *fixture.Fixture) bool {
		return given.Knows(recorded.Dialect, "raw") && slices.ContainsFunc(dialects, func(dialect *provider.Dialect) bool {
			return dialect.Name == recorded.Dialect && dialect.Encode(given.Tools).Digest() == recorded.Digest
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
	model := provider.Model{Dialect: dialects[i], AsOf: recorded.Date, ModelName: recorded.Model}
	predicted, err := model.Send(ctx, dialects[i].Request(recorded.Request.Declarations))
	if err != nil {
		return verdict.Error, err.Error()
	}
	return verdict.Agree(dialects[i], predicted, answer, recorded.Response.Fragment != "")
}
