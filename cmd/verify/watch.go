package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"time"

	"toolproof/cmd/internal/cli"
)

// watch does work, and does it again whenever what is watched has changed, until it is
// interrupted. It returns what the last work returned. An exporter may read
// files that only it knows: then all files below the working directory are watched.
// watched returns the files, which may be others after a change.
func (s *session) watch(ctx context.Context, watched func() []string, exporter []string, work func() error) error {
	isOwn := false // whether this run follows a change that may be the work of the last one
	for {
		files := watched()
		if slices.Contains(files, "-") {
			return cli.Usage("--watch does not work with standard input")
		}
		before, err := s.state(ctx, files, exporter)
		if err != nil {
			return err
		}
		outcome := work()
		if ctx.Err() != nil {
			return outcome
		}
		if outcome != nil && outcome.Error() != "" {
			s.Warnf("%v", outcome)
		}
		after, err := s.state(ctx, files, exporter)
		if err != nil {
			return err
		}
		// What changed meanwhile was not seen. An exporter may write files itself, which
		// must not start it again and again.
		if after != before && !isOwn {
			isOwn = true
			continue
		}
		isOwn = false
		s.Warnf("watching; a change checks again, an interrupt ends")
		if err := s.changed(ctx, files, exporter, after); err != nil {
			if ctx.Err() != nil {
				return shown(outcome)
			}
			return err
		}
	}
}

// shown returns an error that ends the program as another does, whose text was shown.
func shown(err error) error {
	if ended, ok := errors.AsType[cli.ExitError](err); ok {
		return cli.Exit(ended.Code)
	}
	return err
}

// How often is looked for changes: at this interval, or, where a look takes long, so that
// it takes a tenth of the time.
const (
	lookEvery = 300 * time.Millisecond
	lookShare = 10
)

// changed returns when the files have another state.
func (s *session) changed(ctx context.Context, files, exporter []string, last string) error {
	pause := lookEvery
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		begun := time.Now()
		now, err := s.state(ctx, files, exporter)
		if err != nil || now != last {
			return err
		}
		pause = max(lookEvery, lookShare*time.Since(begun))
	}
}

// state returns a text that is another when a file is new, gone, or was written to.
func (s *session) state(ctx context.Context, files, exporter []string) (string, error) {
	hash := fnv.New128a()
	note := func(names []string) {
		for _, name := range names {
			if info, err := os.Stat(name); err == nil {
				fmt.Fprintf(hash, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	for _, file := range files {
		names, err := s.Names(ctx, file, cli.SearchOf(file))
		if ctx.Err() != nil {
			return "", cli.Interrupted(ctx)
		}
		if err != nil { // it may be there later
			fmt.Fprintln(hash, err)
		}
		note(names)
	}
	if len(exporter) > 0 {
		search := &cli.Search{Root: ".", Pattern: "**"}
		if err := search.Find(ctx); err != nil {
			return "", cli.Broken(errors.Join(errors.New("--watch looks at all files below the working directory"), err))
		}
		note(search.Found)
	}
	return string(hash.Sum(nil)), nil
}
