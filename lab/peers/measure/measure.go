// Package measure judges the normalizers of others and of this project on the same tools by the
// same judge, and writes docs/peers.json and the table in docs/checkers.md. The tools are those
// of the fixtures and, from the corpus that TOOLPROOF_CORPUS names, one in Every tools of npm
// and the schemas of the JSON Schema suite.
package measure

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"toolproof/harness"
	"toolproof/harness/peers"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Run is one run over all rows.
type Run struct {
	NPM      string // the folder of the adapters in JavaScript
	Compiled string // the folder of the adapters in Go, built; empty for none
	Row      string // judge only the row NAME on SURFACE, and print each outcome
	Docs     string // the folder of the documents
	Every    int    // judge one in so many tools of npm
	Parallel int    // number of rows judged at a time

	Out  io.Writer // result
	Errs io.Writer // one line for each row judged

	writing sync.Mutex
}

// adapter is an adapter's description of itself, from --describe. Each surface is a row.
type adapter struct {
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Language string   `json:"language"`
	Surfaces []string `json:"surfaces"`
	Note     string   `json:"note,omitempty"`
	Checks   bool     `json:"checks,omitempty"` // it checks schemas, with --check

	command []string
	own     func(peers.Surface) normalizers.Normalizer // instead of a command
}

// row holds the outcomes of the tools in each set.
type row struct {
	Name         string                 `json:"name"`
	Version      string                 `json:"version"`
	Language     string                 `json:"language"`
	Surface      string                 `json:"surface"`
	Sets         map[string]peers.Count `json:"sets"`
	Microseconds float64                `json:"microseconds"`
	Megabytes    int64                  `json:"peak_megabytes,omitempty"`
	Note         string                 `json:"note,omitempty"`
	Command      string                 `json:"command"`
}

// All judges every row and writes the documents, or prints them if Docs is empty.
func (r *Run) All(ctx context.Context) error {
	sets, err := r.sets()
	if err != nil {
		return err
	}
	adapters, err := r.adapters(ctx)
	if err != nil {
		return err
	}
	var judging errgroup.Group
	judging.SetLimit(r.Parallel)
	var rows []*row
	for _, peer := range adapters {
		for _, surface := range peer.Surfaces {
			row := &row{Name: peer.Name, Version: peer.Version, Language: peer.Language, Surface: surface, Note: peer.Note}
			if r.Row != "" && r.Row != row.id() {
				continue
			}
			row.Command = fmt.Sprintf("make peers ROW='%s'", row.id())
			rows = append(rows, row)
			judging.Go(func() error { return r.judge(ctx, peer, row, sets) })
		}
	}
	if len(rows) == 0 {
		return fmt.Errorf("no row is called %q: write it as the table does, NAME on SURFACE", r.Row)
	}
	if err := judging.Wait(); err != nil {
		return fmt.Errorf("judging: %w", err)
	}
	slices.SortStableFunc(rows, func(a, b *row) int {
		return cmp.Or(cmp.Compare(order(a.Surface), order(b.Surface)), cmp.Compare(rank(a.Name), rank(b.Name)), strings.Compare(a.Name, b.Name))
	})
	table := document{Date: time.Now().UTC().Format(time.DateOnly), Sets: sizes(sets), Rows: rows}
	if r.Docs == "" {
		return table.write(r.Out)
	}
	if table.Checkers, err = r.checkers(ctx, adapters); err != nil {
		return err
	}
	if err := r.bugs(ctx, adapters, filepath.Join(r.Docs, "peers")); err != nil {
		return err
	}
	return table.save(r.Docs)
}

// Pages writes the documents again, from the published rows and the measurements of agents and
// gateways.
func (r *Run) Pages() error {
	table, err := load(r.Docs)
	if err != nil {
		return err
	}
	return table.save(r.Docs)
}

// Checkers measures only the checkers, and keeps the rows of normalizers.
func (r *Run) Checkers(ctx context.Context) error {
	table, err := load(r.Docs)
	if err != nil {
		return err
	}
	adapters, err := r.adapters(ctx)
	if err != nil {
		return err
	}
	if table.Checkers, err = r.checkers(ctx, adapters); err != nil {
		return err
	}
	return table.save(r.Docs)
}

// Since prints in Markdown how the documents differ from those in an older folder.
func (r *Run) Since(older string) error {
	text, err := since(older, r.Docs)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(r.Out, text); err != nil {
		return fmt.Errorf("writing what differs: %w", err)
	}
	return nil
}

func (r *row) id() string { return r.Name + " on " + r.Surface }

// order returns the index of a surface in the list of all.
func order(surface string) int {
	for i, dialect := range harness.Dialects {
		if dialect.Name == surface {
			return i
		}
	}
	return len(harness.Dialects)
}

// The names of this project's rows: its normalizers, and the original tools.
const (
	ours    = "toolproof"
	asGiven = "(as given)"
)

// rank puts this project's rows first.
func rank(name string) int {
	switch {
	case strings.HasPrefix(name, ours):
		return 0
	case name == asGiven:
		return 1
	default:
		return 2
	}
}

// judge sets the measurements of a row.
func (r *Run) judge(ctx context.Context, peer adapter, row *row, sets []set) error {
	surface, err := peers.SurfaceNamed(row.Surface)
	if err != nil {
		return fmt.Errorf("%s: %w", peer.Name, err)
	}
	var normalizer normalizers.Normalizer
	var command *normalizers.Command
	if peer.own != nil {
		normalizer = peer.own(surface)
	} else {
		const often = 50
		command = &normalizers.Command{Args: peer.command, Target: harness.Serving(surface.Dialect).Name(), Surface: row.Surface, Timeout: time.Minute, Starts: often}
		normalizer = command
		defer command.Close()
	}
	row.Sets = map[string]peers.Count{}
	var all []peers.Judgement
	for _, set := range sets {
		var count peers.Count
		for _, tool := range set.cases {
			judged, err := peers.Judge(ctx, normalizer, surface, tool)
			if err != nil {
				return fmt.Errorf("%s: %w", row.id(), err)
			}
			count.Add(judged)
			all = append(all, judged)
			if r.Row != "" {
				fmt.Fprintf(r.Out, "%s\t%s\t%s\t%s\n", set.name, judged.Case.ID, judged.Outcome, judged.Text)
			}
		}
		row.Sets[set.name] = count
	}
	row.Microseconds = float64(peers.Median(all).Nanoseconds()) / 1000
	if command != nil {
		command.Close()
		row.Megabytes = command.Peak() >> 20
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	fmt.Fprintf(r.Errs, "%s: %v\n", row.id(), row.Sets)
	return nil
}

// adapters returns the adapters in the folders and this project's rows on the same surfaces.
func (r *Run) adapters(ctx context.Context) ([]adapter, error) {
	files, err := filepath.Glob(filepath.Join(r.NPM, "*.js"))
	if err != nil {
		return nil, err //nolint:wrapcheck // the pattern is ours
	}
	below, err := filepath.Glob(filepath.Join(r.NPM, "*", "*.js"))
	if err != nil {
		return nil, err //nolint:wrapcheck // the pattern is ours
	}
	var commands [][]string
	for _, file := range slices.Concat(files, below) {
		if filepath.Base(file) != "protocol.js" && filepath.Base(filepath.Dir(file)) != "node_modules" {
			commands = append(commands, []string{"node", file})
		}
	}
	if r.Compiled != "" {
		programs, err := os.ReadDir(r.Compiled)
		if err != nil {
			return nil, fmt.Errorf("reading the adapters in Go: %w", err)
		}
		for _, program := range programs {
			commands = append(commands, []string{filepath.Join(r.Compiled, program.Name())})
		}
	}
	var found []adapter
	var surfaces []string
	for _, command := range commands {
		described, err := describe(ctx, command)
		if err != nil {
			return nil, err
		}
		found = append(found, described)
		surfaces = append(surfaces, described.Surfaces...)
	}
	slices.Sort(surfaces)
	return append(found, own(slices.Compact(surfaces))...), nil
}

// describe returns an adapter's description of itself.
func describe(ctx context.Context, command []string) (adapter, error) {
	name := strings.Join(command, " ")
	text, err := exec.CommandContext(ctx, command[0], append(slices.Clone(command[1:]), "--describe")...).Output() //nolint:gosec // an adapter of the project
	if exited, ok := errors.AsType[*exec.ExitError](err); ok {
		return adapter{}, fmt.Errorf("%s --describe: %w\n%s", name, err, exited.Stderr)
	}
	if err != nil {
		return adapter{}, fmt.Errorf("%s --describe: %w", name, err)
	}
	described := adapter{command: command}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&described); err != nil {
		return adapter{}, fmt.Errorf("%s --describe: %w", name, err)
	}
	return described, nil
}

// own returns this project's rows on surfaces: the normalizer of each, and no normalizer.
func own(surfaces []string) []adapter {
	normalizing := adapter{Name: ours, Version: "this commit", Language: "Go", Surfaces: surfaces, own: normalizerFor}
	leaving := adapter{Name: asGiven, Surfaces: surfaces, own: func(peers.Surface) normalizers.Normalizer { return leave{} }}
	return []adapter{normalizing, leaving}
}

// normalizerFor returns the normalizer of the surface or of a relative, or else that of its
// service's strict functions.
func normalizerFor(surface peers.Surface) normalizers.Normalizer {
	if normalizer := harness.Serving(surface.Dialect).Normalizer; normalizer != nil {
		return normalizer
	}
	for _, target := range harness.Targets {
		if target.Dialect.Strict && target.Dialect.Service() == surface.Dialect.Service() {
			return target.Normalizer
		}
	}
	return leave{}
}

// leave leaves tools as they are and sends them as strict ones where that is possible.
type leave struct{}

// Name returns the name of the row.
func (leave) Name() string { return asGiven }

// Normalize returns the tool unchanged.
func (leave) Normalize(_ context.Context, tool schema.Tool) (normalizers.Result, error) {
	return normalizers.Result{Tool: tool, Given: tool, Strict: true, Unreported: true}, nil
}
