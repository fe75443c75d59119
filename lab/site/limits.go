package site

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"toolproof/packages/data"
)

// limited is something of which surfaces take so much and no more.
type limited struct {
	Of string
	// Surfaces are sorted by how much they take, the strictest first.
	Surfaces []limitOn
	// By are the surfaces that take the same, the strictest first.
	By []limitBy
}

// Title returns what is limited as a heading.
func (l *limited) Title() string { return strings.ToUpper(l.Of[:1]) + l.Of[1:] }

type limitOn struct {
	data.Limit

	Surface *surface
}

type limitBy struct{ Most, Count int }

// limitsPage makes the page of the limits of all surfaces.
func limitsPage(ctx context.Context, given *Data) ([]Page, error) {
	k, err := given.learn(ctx)
	if err != nil {
		return nil, err
	}
	var all []*limited
	for _, view := range k.surfaces {
		for _, limit := range view.Facts.Limits {
			at := slices.IndexFunc(all, func(one *limited) bool { return one.Of == limit.Of })
			if at < 0 {
				at, all = len(all), append(all, &limited{Of: limit.Of})
			}
			all[at].Surfaces = append(all[at].Surfaces, limitOn{limit, view})
		}
	}
	for _, one := range all {
		slices.SortStableFunc(one.Surfaces, func(a, b limitOn) int { return cmp.Compare(a.Most, b.Most) })
		for _, on := range one.Surfaces {
			if last := len(one.By) - 1; last < 0 || one.By[last].Most != on.Most {
				one.By = append(one.By, limitBy{Most: on.Most})
			}
			one.By[len(one.By)-1].Count++
		}
	}
	slices.SortStableFunc(all, func(a, b *limited) int { return cmp.Compare(len(b.Surfaces), len(a.Surfaces)) })
	return []Page{{
		Path: "limits.html", Section: "Surfaces", Title: "Limits", Template: "limits",
		Summary: "How many tools, characters, levels and values the surfaces of LLM providers take, and in which words they refuse more.",
		Data:    limitsData{len(k.surfaces), all},
	}}, nil
}

// limitsData is the data of the page of limits.
type limitsData struct {
	Surfaces int
	All      []*limited
}
