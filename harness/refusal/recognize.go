package refusal

import (
	"context"
	"errors"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Recognize returns the surface that refused the tools in these words, or nil if it is
// none of dialects. It prefers a surface whose model predicts the very words, then one
// whose model predicts similar ones, then one whose messages name such places, and among
// equals the first.
func Recognize(ctx context.Context, refusal provider.Response, tools []schema.Tool, dialects []*provider.Dialect) (*provider.Dialect, error) {
	best, found := 0, (*provider.Dialect)(nil)
	for _, dialect := range dialects {
		if len(tools) == 0 && dialect.Subject == provider.Answer {
			continue // it has no request without a schema
		}
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

// likeness grades how well a refusal fits the words of a surface; 0 means not at all.
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
