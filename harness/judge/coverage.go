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

// Coverage keeps which constructs accepted recordings show, by surface. It reads the
// recordings of a surface when it is first asked about. It is safe for concurrent use. A
// nil Coverage says nothing.
type Coverage struct {
	surfaces sync.Map
	table    construct.Table
}

// ofSurface is what an entry of a Coverage is about.
type ofSurface struct {
	store   *recording.Store
	dialect *provider.Dialect
	day     provider.Date
	model   string
}

// shown returns the constructs that accepted recordings of a surface show.
func (j Judge) shown(ctx context.Context, dialect *provider.Dialect) map[*construct.Known]bool {
	of := ofSurface{j.Store, dialect, j.AsOf, j.ModelName}
	known, ok := j.Coverage.surfaces.Load(of)
	if !ok {
		known, _ = j.Coverage.surfaces.LoadOrStore(of, sync.OnceValue(func() map[*construct.Known]bool {
			shown := map[*construct.Known]bool{}
			for found := range Shown(context.WithoutCancel(ctx), j.offline(dialect)) {
				shown[j.Coverage.table.Add(found)] = true
			}
			return shown
		}))
	}
	return known.(func() map[*construct.Known]bool)() //nolint:forcetypeassert // nothing else is stored
}

// Shown returns the constructs that accepted recordings of a surface show. A recording
// counts where it would decide about its own declarations: it is the newest of its model,
// and no dated rule has refused them since.
func Shown(ctx context.Context, offline Offline) map[construct.Construct]bool {
	shown := map[construct.Construct]bool{}
	for _, recorded := range recordingsOf(offline.Store, offline.Dialect) {
		answer, err := offline.again(ctx, recorded)
		if err != nil || answer.Verdict != provider.Accepted || answer.Evidence < provider.Reported {
			continue
		}
		for _, declaration := range recorded.Request.Declarations {
			for _, found := range construct.Of(offline.Dialect.SchemaOf(declaration)) {
				shown[found] = true
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

// recordingsOf returns the accepted recordings of a surface.
func recordingsOf(store *recording.Store, dialect *provider.Dialect) []*recording.Recording {
	if store == nil {
		return nil
	}
	return slices.DeleteFunc(store.On(dialect.Name), func(recorded *recording.Recording) bool { return !recorded.Accepted() })
}

// seen returns how much of accepted tools recordings show. What goes to several surfaces
// is shown where recordings of each of them show it.
func (j Judge) seen(ctx context.Context, dialect *provider.Dialect, also []*provider.Dialect, tools []schema.Tool) *verdict.Seen {
	if j.Coverage == nil {
		return nil
	}
	surfaces := also
	if len(also) == 0 {
		surfaces = []*provider.Dialect{dialect}
	}
	shown := make([]map[*construct.Known]bool, len(surfaces))
	for i, surface := range surfaces {
		shown[i] = j.shown(ctx, surface)
	}
	roots := make([]*schema.Node, len(tools))
	for i, tool := range tools {
		roots[i] = dialect.SchemaOf(dialect.Declare(tool))
	}
	seen := &verdict.Seen{Surface: dialect.Name, Found: j.Memory.constructsOf(&j.Coverage.table, roots)}
	for _, found := range seen.Found {
		if !slices.ContainsFunc(shown, func(of map[*construct.Known]bool) bool { return !of[found] }) {
			continue
		}
		if seen.Missing = append(seen.Missing, found); len(seen.Missing) <= verdict.MaxUnseen {
			seen.Unseen = append(seen.Unseen, found.String())
		}
	}
	seen.Constructs = len(seen.Found)
	seen.Accepted = seen.Constructs - len(seen.Missing)
	return seen
}

// weigh gives an answer to tools that passes how much of it recordings show. The result is
// inconclusive where the answer rests on less than counts.
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
