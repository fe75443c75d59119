package harness

import (
	"context"
	"errors"

	"toolproof/harness/provider"
	"toolproof/harness/recording"
)

// Offline answers without a network, from the best evidence there is: a recording
// of exactly the request, or else the model.
type Offline struct {
	Dialect *provider.Dialect
	Store   *recording.Store // nil means no recordings
	AsOf    provider.Date    // empty means today
}

// Send answers the request. A recorded refusal that a dated rule explains does
// not hold any longer than the rule: the model of the day outranks it then.
func (o Offline) Send(ctx context.Context, request provider.Request) (provider.Response, error) {
	model := provider.Model{Dialect: o.Dialect, AsOf: o.AsOf}
	predicted, err := model.Send(ctx, request)
	if err != nil || o.Store == nil {
		return predicted, err
	}
	recorded, err := recording.Replay{Store: o.Store, Dialect: o.Dialect}.Send(ctx, request)
	switch {
	case errors.Is(err, recording.ErrNotRecorded):
		return predicted, nil
	case err != nil:
		return provider.Response{}, err
	case recorded.Verdict == predicted.Verdict:
		// The recording is the better evidence, the model knows the places. A
		// message of which a part is known is completed by the model.
		recorded.Findings, recorded.Message = predicted.Findings, predicted.Message
		return recorded, nil
	}
	then := provider.Model{Dialect: o.Dialect, AsOf: recorded.Date}
	if past, err := then.Send(ctx, request); err == nil && past.Verdict == recorded.Verdict {
		return predicted, nil // the provider has changed since, as a dated rule says
	}
	return recorded, nil
}
