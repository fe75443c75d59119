package calibrate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/record"
	"toolproof/harness/recording"
)

// The classes of recorded requests of which no reduced recording is made, besides those of
// ClassOf.
const (
	NoHost       = "no_host_of_provider" // a proxy or a gateway may have answered
	NoDate       = "no_date"
	UnknownWords = "unknown_words" // the surface is not known to refuse declarations so
)

// Reduced returns the reduced recordings of a recorded request, or the class for which there
// is none.
func (r *Row) Reduced(ctx context.Context, dialects []*provider.Dialect) ([]*recording.Recording, string, error) {
	if r.Host == "" {
		return nil, NoHost, nil
	}
	cases, aside := r.recorded(dialects)
	if aside != "" {
		return nil, aside, nil
	}
	var requests []provider.Request
	for _, one := range cases {
		for _, part := range one.Parts {
			if dialect := dialectNamed(dialects, part.Dialect); dialect.Traffic.Names(r.Host) {
				requests = append(requests, provider.Request{Dialect: part.Dialect, Declarations: part.Declarations, Indices: part.Indices, Places: part.Places})
			}
		}
	}
	answer := record.Answer{Status: r.Status, Grade: recording.Recorded, Source: r.origin(), Date: cases[0].Date, Model: strings.TrimPrefix(r.Model, "models/")}
	answer.Response = provider.Response{Verdict: cases[0].Verdict, Status: r.Status, Message: cases[0].Message}
	switch {
	case len(requests) == 0:
		return nil, NoHost, nil
	case answer.Date == "":
		return nil, NoDate, nil
	}
	all, err := record.Recordings(ctx, dialects, requests, answer)
	if errors.Is(err, record.ErrUnknownWords) {
		return nil, UnknownWords, nil
	}
	return all, "", err
}

// origin names where the request was published, and its licence.
func (r *Row) origin() string {
	source := r.Source
	if source == "" {
		source = fmt.Sprintf("%s@%.12s:%s", r.Repository, r.Commit, r.File)
	}
	if r.License != "" {
		source += " (" + r.License + ")"
	}
	return source
}
