package judge

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"toolproof/harness/construct"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Coverage keeps the constructs that accepted recordings show, by surface. It reads the recordings
// of a surface when it is first asked about that surface. It is safe for concurrent use. With a nil
// Coverage nothing is said about what recordings show.
type Coverage struct {
	surfaces sync.Map
	table    construct.Table
}

// coverageKey is what the constructs in a Coverage depend on.
type coverageKey struct {
	store   *recording.Store
	dialect *provider.Dialect
	day     provider.Date
	model   string
}

// shown returns the constructs that accepted recordings of a surface show.
func (j Judge) shown(ctx context.Context, dialect *provider.Dialect) map[*construct.Known]bool {
	key := coverageKey{j.Store, dialect, j.AsOf, j.ModelName}
	known, ok := j.Coverage.surfaces.Load(key)
	if !ok {
		known, _ = j.Coverage.surfaces.LoadOrStore(key, sync.OnceValue(func() map[*construct.Known]bool {
			shown := map[*construct.Known]bool{}
			for seen := range Shown(context.WithoutCancel(ctx), j.offline(dialect)) {
				shown[j.Coverage.table.Add(seen)] = true
			}
			return shown
		}))
	}
	return known.(func() map[*construct.Known]bool)() //nolint:forcetypeassert // nothing else is stored
}

// Shown returns the constructs that accepted recordings of a surface show. A recording counts only
// if its answer would still decide about its own declarations: it is the newest recording of its
// model, and no dated rule has refused the declarations since.
func Shown(ctx context.Context, offline Offline) map[construct.Construct]bool {
	shown := map[construct.Construct]bool{}
	if offline.Store == nil {
		return shown
	}
	for _, recorded := range offline.Store.On(offline.Dialect.Name) {
		if !recorded.Accepted() {
			continue
		}
		answer, err := offline.again(ctx, recorded)
		if err != nil || answer.Verdict != provider.Accepted || answer.Evidence < provider.Reported {
			continue
		}
		for _, declaration := range recorded.Request.Declarations {
			for _, seen := range construct.Of(offline.Dialect.SchemaOf(declaration)) {
				shown[seen] = true
			}
		}
	}
	return shown
}

// again answers the request of a recording. A reduced recording answers its own request only.
func (o Offline) again(ctx context.Context, recorded *recording.Recording) (provider.Response, error) {
	request := o.Dialect.Request(recorded.Request.Declarations)
	if !recorded.Reduced {
		return o.Send(ctx, request)
	}
	if o.ModelName != "" && recorded.Model != "" && recorded.Model != o.ModelName {
		return provider.Response{}, recording.ErrNotRecorded
	}
	predicted, err := (&provider.Model{Dialect: o.Dialect, AsOf: o.AsOf, ModelName: o.ModelName}).Send(ctx, request)
	if err != nil {
		return predicted, err
	}
	return o.weigh(ctx, request, predicted, recorded)
}

// seen returns how many constructs of accepted tools recordings show; nil without Coverage. If the
// tools go to several surfaces, a construct counts as shown only if recordings of each surface show
// it.
func (j Judge) seen(ctx context.Context, dialect *provider.Dialect, also []*provider.Dialect, tools []schema.Tool) *verdict.Seen {
	if j.Coverage == nil {
		return nil
	}
	surfaces := slices.DeleteFunc(slices.Clone(also), func(surface *provider.Dialect) bool { return surface.Keyword != "" })
	if len(surfaces) == 0 {
		surfaces = []*provider.Dialect{dialect}
	}
	shown := make([]map[*construct.Known]bool, len(surfaces))
	for i, surface := range surfaces {
		shown[i] = j.shown(ctx, surface)
	}
	roots := make([]*schema.Node, len(tools))
	for i, tool := range tools {
		roots[i] = dialect.SchemaOf(dialect.Declaration(tool))
	}
	seen := &verdict.Seen{Surface: dialect.Name, Found: j.Memory.constructsOf(&j.Coverage.table, roots)}
	for _, known := range seen.Found {
		if !slices.ContainsFunc(shown, func(surface map[*construct.Known]bool) bool { return !surface[known] }) {
			continue
		}
		seen.Missing = append(seen.Missing, known)
		if len(seen.Missing) <= verdict.MaxUnseen {
			seen.Unseen = append(seen.Unseen, known.String())
		}
	}
	seen.Constructs = len(seen.Found)
	seen.Accepted = seen.Constructs - len(seen.Missing)
	return seen
}

// weigh adds to a predicted acceptance how much of the tools recordings show. It turns a pass into
// an inconclusive result if the answer rests on weaker evidence than the judge requires.
func (j Judge) weigh(
	ctx context.Context, result *verdict.Result, answer *verdict.Answer, dialect *provider.Dialect, also []*provider.Dialect, tools []schema.Tool,
) {
	if result.Status != verdict.Pass || answer.Verdict != provider.Accepted {
		return
	}
	if answer.Evidence == provider.Predicted {
		answer.Seen = j.seen(ctx, dialect, also, tools)
	}
	switch {
	case answer.Evidence < j.Required:
		result.Status, result.Error = verdict.Inconclusive, fmt.Sprintf("the answer is only %s, and %s is required", answer.Evidence, j.Required)
	case j.Seen && answer.Seen != nil && !answer.Seen.IsWhole():
		result.Status, result.Error = verdict.Inconclusive, fmt.Sprintf("accepted recordings of %s do not show %s", dialect.Name, answer.Seen.Missed())
	}
}
