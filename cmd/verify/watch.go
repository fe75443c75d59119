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

// watch calls work, and again after every change of a watched file, until it is interrupted. It
// returns the result of the last call. watched returns the files to watch, which may be different after
// a change. With an exporter, which may read any file, all files below the working folder are watched.
func (s *session) watch(ctx context.Context, watched func() []string, exporter []string, work func() error) error {
	isOwn := false // whether the last call of work may itself have changed the files
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
		// A change during work was perhaps not seen, so work runs again, but only once: an exporter
		// that writes files itself must not start an endless loop.
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

// shown returns an error with the exit code of err and without its text, which was printed.
func shown(err error) error {
	if ended, ok := errors.AsType[cli.ExitError](err); ok {
		return cli.Exit(ended.Code)
	}
	return err
}

// The files are looked at in this interval or, if a look takes long, so that looking takes a tenth of
// the time.
const (
	lookEvery = 300 * time.Millisecond
	lookShare = 10
)

// changed waits until the state of the files differs from last.
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

// state returns a text that changes if a file appears, disappears or is written.
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
		if err != nil { // the file may appear later
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
