package judge

import (
	"context"

	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/schema"
)

// Offline answers without a network, from the best evidence: a recording of exactly this request,
// or else the model.
type Offline struct {
	Dialect *provider.Dialect
	Store   *recording.Store // nil means no recordings
	AsOf    provider.Date    // empty means today
	// ModelName is the provider's model; empty means that it is not known.
	ModelName string
	// Parameters are members of the request's body beside the declarations; nil means none.
	Parameters *schema.Node
}

// Send answers the request. A recorded refusal that a dated rule explains holds only as long as the
// rule does. After that, the model of the day decides.
func (o Offline) Send(ctx context.Context, request provider.Request) (provider.Response, error) {
	model := provider.Model{Dialect: o.Dialect, AsOf: o.AsOf, ModelName: o.ModelName, Parameters: o.Parameters}
	predicted, err := model.Send(ctx, request)
	if err != nil || o.Store == nil {
		return predicted, err
	}
	found := o.recorded(request)
	if found == nil {
		return predicted, nil
	}
	return o.weigh(ctx, request, predicted, found)
}

// weigh returns the answer to a request of which a model's prediction and a recording are
// known.
func (o Offline) weigh(ctx context.Context, request provider.Request, predicted provider.Response, found *recording.Recording) (provider.Response, error) {
	recorded, err := found.Answer(o.Dialect)
	if err != nil {
		return provider.Response{}, err
	}
	if recorded.Verdict == predicted.Verdict {
		// The recording is the better evidence, but only the model knows the places. It also
		// completes a message of which the recording has only a part.
		recorded.Findings, recorded.Message, recorded.Ignored = predicted.Findings, predicted.Message, predicted.Ignored
		return recorded, nil
	}
	then := found.Asked(o.Dialect)
	if past, err := then.Send(ctx, request); err == nil && past.Verdict == recorded.Verdict {
		return predicted, nil // the provider has changed since, as a dated rule says
	}
	return recorded, nil
}

// recorded returns the recorded answer to the request that counts on the day AsOf: the newest one
// until then, or else the oldest of the later ones. It passes over recordings of other models.
func (o Offline) recorded(request provider.Request) *recording.Recording {
	var found *recording.Recording
	for _, recorded := range o.Store.Of(request) { // newest first
		if o.ModelName != "" && recorded.Model != "" && recorded.Model != o.ModelName {
			continue
		}
		if found = recorded; o.AsOf == "" || recorded.Date <= o.AsOf {
			break
		}
	}
	return found
}
