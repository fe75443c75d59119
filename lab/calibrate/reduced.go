package calibrate

import (
	"context"
	"errors"
	"fmt"
	"net/url"
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
				requests = append(requests, provider.Request{Dialect: part.Dialect, Declarations: part.Declarations, Indices: part.Indices, Places: part.Places, Body: part.Body})
			}
		}
	}
	answer := record.Answer{Status: r.Status, Grade: recording.Recorded, Source: r.origin(), License: r.License, Date: cases[0].Date, Model: strings.TrimPrefix(r.Model, "models/")}
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

// origin returns the address of the file in which the request was published.
func (r *Row) origin() string {
	repository, commit, file := r.Repository, r.Commit, r.File
	if r.Source != "" {
		repository, file, _ = strings.Cut(r.Source, ":")
		repository, commit, _ = strings.Cut(repository, "@")
	}
	if commit == "" {
		return r.Source // of the user's own cassettes
	}
	return (&url.URL{Scheme: "https", Host: "github.com", Path: fmt.Sprintf("/%s/blob/%.12s/%s", repository, commit, file)}).String()
}
