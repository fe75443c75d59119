// Package recording keeps answers of providers: one file for each surface, set of
// declarations and answer, named by a digest of the first two, so that an old
// answer is never served for a changed request.
package recording

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Version is the version of the file format.
const Version = 1

// Recording is one answer.
type Recording struct {
	Version int           `json:"version"`
	Dialect string        `json:"dialect"`
	Digest  string        `json:"digest"`
	Grade   string        `json:"grade"` // recorded, reported; emulated is never evidence
	Source  string        `json:"source"`
	Date    provider.Date `json:"date"`
	Model   string        `json:"model"`
	Request struct {
		Path         string         `json:"path"`
		Declarations []*schema.Node `json:"declarations"`
	} `json:"request"`
	Response struct {
		Status int             `json:"status"`
		Body   json.RawMessage `json:"body,omitempty"`
		// Fragment is a part of the provider's words, where no more is known.
		Fragment string `json:"fragment,omitempty"`
	} `json:"response"`
	// Partial says that only the members shown were known.
	Partial bool `json:"partial,omitempty"`

	File string `json:"-"`
}

// Name returns how rules and people refer to the recording: the dialect and the
// first 12 digits of the digest.
func (r *Recording) Name() string {
	digits := strings.TrimPrefix(r.Digest, "sha256:")
	return r.Dialect + "/" + digits[:min(12, len(digits))]
}

// Accepted reports whether the provider accepted the request.
func (r *Recording) Accepted() bool { return r.Response.Status/100 == 2 }

// Answer returns the recorded answer as the dialect reads it.
func (r *Recording) Answer(dialect *provider.Dialect) (provider.Response, error) {
	response := provider.Response{Verdict: provider.Rejected, Status: r.Response.Status, Message: r.Response.Fragment}
	if r.Response.Fragment == "" {
		var err error
		if response, err = dialect.Classify(r.Response.Status, r.Response.Body); err != nil {
			return provider.Response{}, fmt.Errorf("reading recording %s: %w", r.Name(), err)
		}
	}
	grade, err := provider.ParseGrade(r.Grade)
	if err != nil {
		return provider.Response{}, fmt.Errorf("reading recording %s: %w", r.Name(), err)
	}
	response.Evidence, response.Date, response.Source = grade, r.Date, r.Source
	return response, nil
}

// Store is all recordings.
type Store struct {
	All      []*Recording // in the order of their files
	byDigest map[string][]*Recording
}

// Load reads every recording below the root of files and checks that each is
// what its name says. It returns all errors at once.
func Load(files fs.FS) (*Store, error) {
	store := &Store{byDigest: map[string][]*Recording{}}
	var problems []error
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".json" {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		loaded, err := Parse(name, data)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
			return nil
		}
		store.All = append(store.All, loaded)
		store.byDigest[loaded.Digest] = append(store.byDigest[loaded.Digest], loaded)
		return nil
	})
	if err != nil {
		problems = append(problems, fmt.Errorf("reading recordings: %w", err))
	}
	for _, answers := range store.byDigest {
		sortNewestFirst(answers)
	}
	return store, errors.Join(problems...)
}

// Parse reads the recording of a file and checks that it is what its name, below the
// folder of recordings, says.
func Parse(name string, data []byte) (*Recording, error) {
	loaded := &Recording{File: name}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(loaded); err != nil {
		return nil, fmt.Errorf("reading a recording: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text after the recording")
	}
	_, noDay := time.Parse(time.DateOnly, string(loaded.Date))
	digits := strings.TrimPrefix(loaded.Digest, "sha256:")
	base, _, _ := strings.Cut(path.Base(name), ".")
	switch {
	case loaded.Version != Version:
		return nil, fmt.Errorf("format version %d, this program reads %d: record it again", loaded.Version, Version)
	case loaded.Source == "" || loaded.Date == "":
		return nil, errors.New("a recording needs a source and a date")
	case noDay != nil: // rules are dated by the day
		return nil, fmt.Errorf("the date %q is no day: write it as 2026-01-31", loaded.Date)
	case loaded.Response.Status == 0:
		return nil, errors.New("a recording needs the status of the response")
	case slices.Contains(loaded.Request.Declarations, nil):
		return nil, errors.New("null is no declaration")
	case loaded.Grade != "recorded" && loaded.Grade != "reported":
		return nil, fmt.Errorf("the grade %q is no evidence", loaded.Grade)
	case path.Dir(name) != loaded.Dialect || base != digits:
		return nil, fmt.Errorf("the file of %s is %s/%s.json", loaded.Digest, loaded.Dialect, digits)
	}
	request := provider.Request{Dialect: loaded.Dialect, Declarations: loaded.Request.Declarations}
	if digest := request.Digest(); digest != loaded.Digest {
		return nil, fmt.Errorf("the digest of the declarations is %s", digest)
	}
	return loaded, nil
}

// Of returns the answers to a request, the newest first.
func (s *Store) Of(request provider.Request) []*Recording { return s.byDigest[request.Digest()] }

// With returns a store that has one recording more.
func (s *Store) With(added *Recording) *Store {
	more := &Store{All: append(slices.Clone(s.All), added), byDigest: maps.Clone(s.byDigest)}
	if more.byDigest == nil {
		more.byDigest = map[string][]*Recording{}
	}
	answers := append(slices.Clone(s.byDigest[added.Digest]), added)
	sortNewestFirst(answers)
	more.byDigest[added.Digest] = answers
	return more
}

func sortNewestFirst(answers []*Recording) {
	slices.SortStableFunc(answers, func(a, b *Recording) int { return strings.Compare(string(b.Date), string(a.Date)) })
}

// ErrNotRecorded means that nobody has recorded an answer to the request.
var ErrNotRecorded = errors.New("not recorded")

// Replay is a Provider that answers from the store and never from elsewhere.
type Replay struct {
	Store   *Store
	Dialect *provider.Dialect
}

// Send returns the newest answer to exactly this request, or ErrNotRecorded.
func (r Replay) Send(_ context.Context, request provider.Request) (provider.Response, error) {
	answers := r.Store.Of(request)
	if len(answers) == 0 {
		return provider.Response{}, ErrNotRecorded
	}
	return answers[0].Answer(r.Dialect)
}
