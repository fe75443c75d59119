// Command ajv is an independent referee of meaning: ajv, a JSON Schema validator for
// JavaScript, judges every instance that the check of meaning in both directions asks the
// harness's own validator about, and instances of what check --fix writes and of calls that
// pass verify wrap. If the two agree on every instance, the results of that check in make test
// hold for either of them. It judges all fixtures and the tools of the given files:
//
//	cd lab/referees/ajv && npm ci && cd ../../.. && go run ./lab/referees/ajv tools.json
//
// With -versions it judges what verify diff says of consecutive versions of MCP servers from npm: each call that is
// shown has to be valid by the old schema and refused by the new one.
//
// It cannot judge numbers that JavaScript does not represent, formats, which are annotations,
// and whether the instances are well chosen.
//
// It exits 1 on a disagreement and 2 if it could not judge.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/meaning"
	"toolproof/harness/toolfile"
	"toolproof/schema"
)

func main() {
	folder := flag.String("folder", "lab/referees/ajv", "the folder of referee.js")
	versions := flag.String("versions", "", "compare the consecutive versions of the MCP servers in this file, and nothing else")
	most := flag.Int("most", 0, "make so many instances of each schema (default 60)")
	flag.Parse()
	referee := &referee{out: os.Stdout, checker: meaning.Checker{Most: *most}, met: map[string]int{}}
	if err := referee.run(context.Background(), *folder, *versions, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "ajv:", err)
		os.Exit(2)
	}
	if referee.disagreements > 0 {
		os.Exit(1)
	}
}

// referee counts what it judges.
type referee struct {
	out     io.Writer
	checker meaning.Checker

	asking sync.Mutex // the judge takes one question at a time
	judge  *judge

	counting             sync.Mutex // guards the following
	tools, pairs, losses int
	fixed                int // tools that check --fix edited, for each target and with either flag
	calls, arrived       int // calls through verify wrap, and those of them that reach the server
	schemas, unreadable  int // schemas judged, and those that neither can compile
	instances            int
	disagreements        int
	skipped              int            // instances not judged because of their numbers
	tooLarge             int            // normalized schemas too large for the check
	met                  map[string]int // known differences that occurred, by name
}

// run judges the fixtures and the tools of the files, or else versions of servers.
func (r *referee) run(ctx context.Context, folder, versions string, files []string) error {
	loaded, err := fixture.Load(fixtures.Files)
	if err != nil {
		return fmt.Errorf("reading the fixtures: %w", err)
	}
	if r.judge, err = startJudge(ctx, folder, os.Stderr, r.hear); err != nil {
		return err
	}
	if versions != "" {
		return r.versions(ctx, versions)
	}
	err = r.all(ctx, loaded, files)
	if err = errors.Join(err, r.judge.end()); err != nil {
		return err
	}
	return r.finish()
}

func (r *referee) all(ctx context.Context, loaded []*fixture.Fixture, files []string) error {
	const atOnce = 2 // node uses the third core
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(atOnce)
	for _, fixture := range loaded {
		if fixture.WireOnly {
			continue
		}
		for _, tool := range fixture.Tools {
			work.Go(func() error { return r.tool(ctx, fixture.ID, tool, slices.Concat(fixture.Valid, fixture.Invalid)...) })
		}
	}
	for _, name := range files {
		tools, err := readTools(name)
		if err != nil {
			return errors.Join(err, work.Wait())
		}
		for _, read := range tools {
			if read.Err == nil { // a tool in no known form has no schema to judge
				work.Go(func() error { return r.tool(ctx, cmp.Or(read.ID, read.Name), read.Tool) })
			}
		}
	}
	return work.Wait() //nolint:wrapcheck // an error of this package
}

func readTools(name string) ([]toolfile.Tool, error) {
	file, err := os.Open(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, fmt.Errorf("reading tools: %w", err)
	}
	defer file.Close()
	tools, err := toolfile.Read(file)
	if err != nil {
		return nil, fmt.Errorf("reading tools of %s: %w", name, err)
	}
	return tools, nil
}

// tool checks one tool for every target and asks ajv the same questions.
func (r *referee) tool(ctx context.Context, name string, tool schema.Tool, instances ...*schema.Node) error {
	if tool.Parameters == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	checked := &recorder{}
	checker := r.checker
	checker.Compile = checked.compile
	// Original fails if the schema is invalid; hear compares that with ajv's answer.
	if original, err := checker.Original(ctx, tool, instances...); err == nil {
		if err := r.checkAll(ctx, name, original, tool, checked); err != nil {
			return err
		}
	}
	r.counting.Lock()
	r.tools++
	r.counting.Unlock()
	r.asking.Lock()
	defer r.asking.Unlock()
	for _, schema := range checked.order {
		if err := r.ask(name, schema); err != nil {
			return err
		}
	}
	return nil
}

// checkAll checks the tool as normalized, as edited and in calls.
func (r *referee) checkAll(ctx context.Context, name string, original *meaning.Original, tool schema.Tool, checked *recorder) error {
	if err := r.check(ctx, name, original, tool); err != nil {
		return err
	}
	if err := r.checkFixes(ctx, name, tool, checked); err != nil || original.IsRepaired {
		return err // a call of a tool that is no schema passes unjudged
	}
	return r.checkCalls(ctx, name, tool, checked)
}

// check checks the meaning of a tool normalized for every target. It prints losses that are not
// reported; make test tells which of them are known.
func (r *referee) check(ctx context.Context, name string, original *meaning.Original, tool schema.Tool) error {
	targets := harness.Targets
	if !original.IsRepaired { // alternates do not repair schemas
		targets = slices.Concat(targets, harness.Alternates)
	}
	for _, target := range targets {
		result, err := target.Normalizer.Normalize(ctx, tool)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", name, target.Name(), err)
		}
		if result.Tool.Parameters == nil {
			continue
		}
		losses, pairs, err := original.Check(ctx, result)
		if err != nil && !errors.Is(err, meaning.ErrTooLarge) {
			return fmt.Errorf("%s, %s: %w", name, target.Name(), err)
		}
		r.counting.Lock()
		if err != nil {
			r.tooLarge++
		}
		r.pairs += pairs
		r.losses += len(losses)
		for _, loss := range losses[:min(len(losses), 1)] {
			fmt.Fprintf(r.out, "%s, %s: not reported: %s\n", name, target.Name(), loss)
		}
		r.counting.Unlock()
	}
	return nil
}

// ask asks ajv what the check asked about a schema.
func (r *referee) ask(name string, of *recorded) error {
	if !isOfDoubles(of.node) {
		r.skip(max(len(of.instances), 1))
		return nil
	}
	next := question{about: name, schema: of.node, err: of.err}
	for i, instance := range of.instances {
		if isOfDoubles(instance) {
			next.instances, next.accepted = append(next.instances, instance), append(next.accepted, of.accepted[i])
		} else {
			r.skip(1)
		}
	}
	return r.judge.ask(next)
}

func (r *referee) skip(instances int) {
	r.counting.Lock()
	defer r.counting.Unlock()
	r.skipped += instances
}

// hear compares the answers of ajv and the harness.
func (r *referee) hear(q question, a answer) {
	r.counting.Lock()
	defer r.counting.Unlock()
	r.schemas++
	switch isRead := q.err == nil; {
	case !isRead && a.Error != "":
		r.unreadable++
		return
	case !isRead:
		r.differ(q, a, -1, fmt.Sprintf("ajv reads the schema, and the harness does not: %v", q.err))
		return
	case a.Error != "":
		r.differ(q, a, -1, "the harness reads the schema, and ajv does not: "+a.Error)
		return
	}
	r.instances += len(q.instances)
	for i, accepted := range a.Answers {
		if accepted != q.accepted[i] {
			r.differ(q, a, i, fmt.Sprintf("the harness says %t of %s, and ajv %v", q.accepted[i], q.instances[i], accepted))
		}
	}
}

func (r *referee) differ(q question, a answer, instance int, words string) {
	for _, known := range differences {
		if known.explains(q, a, instance) {
			r.met[known.name]++
			return
		}
	}
	r.disagreements++
	fmt.Fprintf(r.out, "%s: %s\n  %s\n", q.about, words, q.schema)
}

// finish prints the counts. It returns an error if nothing was judged or a known difference did
// not occur.
func (r *referee) finish() error {
	fmt.Fprintf(r.out, "ajv: %d tools, %d fixed, %d of %d calls through verify wrap arrive, %d pairs, %d losses that are not reported; "+
		"%d schemas, %d of them read by neither, and %d too large; "+
		"%d instances, %d not judged for their numbers, %d disagreements\n",
		r.tools, r.fixed, r.arrived, r.calls, r.pairs, r.losses, r.schemas, r.unreadable, r.tooLarge, r.instances, r.skipped, r.disagreements)
	for _, known := range differences {
		fmt.Fprintf(r.out, "ajv: known difference %s: %d\n", known.name, r.met[known.name])
		if r.met[known.name] == 0 {
			return fmt.Errorf("the known difference %q is not met any more: remove it from known.go", known.name)
		}
	}
	if r.instances == 0 {
		return errors.New("nothing was judged")
	}
	return nil
}
