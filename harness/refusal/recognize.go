package refusal

import (
	"context"
	"errors"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Recognize returns the surface, of those given, that refused the tools in these words.
// Its model says just that, or else something alike, or else its messages name such
// places. Of several it is the first. It is nil where the words are those of none.
func Recognize(ctx context.Context, refusal provider.Response, tools []schema.Tool, dialects []*provider.Dialect) (*provider.Dialect, error) {
	best, found := 0, (*provider.Dialect)(nil)
	for _, dialect := range dialects {
		request := dialect.Encode(tools)
		predicted, err := (&provider.Model{Dialect: dialect}).Send(ctx, request)
		if budget := (*provider.BudgetError)(nil); err != nil && !errors.As(err, &budget) {
			return nil, err
		}
		if score := likeness(refusal, predicted, dialect, request); score > best {
			best, found = score, dialect
		}
	}
	return found, nil
}

// likeness says how far a refusal is in the words of a surface; 0 means not at all.
func likeness(refusal, predicted provider.Response, dialect *provider.Dialect, request provider.Request) int {
	const same, alike, placed, understood = 4, 3, 2, 1
	if strings.TrimSpace(refusal.Message) == "" {
		return 0
	}
	if predicted.Verdict == provider.Rejected {
		if dialect.Says(predicted, refusal.Message, false) && (refusal.Param == "" || refusal.Param == predicted.Param) {
			return same
		}
		for _, finding := range predicted.Findings {
			if provider.Alike(finding.Message, refusal.Message) {
				return alike
			}
		}
	}
	if dialect.Locate == nil {
		return 0
	}
	score := 0
	for _, place := range dialect.Locate(refusal, request.Declarations) {
		score = max(score, understood)
		if place.Declaration != provider.Nowhere {
			score = placed
		}
	}
	return score
}
