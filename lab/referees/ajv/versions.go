package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"toolproof/harness/breaking"
	"toolproof/harness/meaning"
	"toolproof/harness/server"
	"toolproof/harness/toolfile"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// subject is an MCP server from npm, with versions that were published one after the other.
type subject struct {
	Package   string            `json:"package"`
	Versions  []string          `json:"versions"`
	Arguments []string          `json:"arguments"`
	Env       map[string]string `json:"env"`
}

// versionCounts counts what is found between consecutive versions.
type versionCounts struct {
	servers, lists, silent, pairs, changed int
	levels                                 map[breaking.Level]int
	witnesses, missed                      int
}

// versions compares consecutive versions of the servers that a file names, and asks ajv about each call and result
// that a comparison shows. It also asks both validators about instances of schemas that changed and of which no call
// is said to be refused: one that is, is missed.
func (r *referee) versions(ctx context.Context, name string) error {
	text, err := os.ReadFile(name) //nolint:gosec // the user names the file
	if err != nil {
		return fmt.Errorf("reading the servers: %w", err)
	}
	var subjects []subject
	if err := json.Unmarshal(text, &subjects); err != nil {
		return fmt.Errorf("reading the servers of %s: %w", name, err)
	}
	lists, err := listAll(ctx, subjects)
	if err != nil {
		return err
	}
	counts := versionCounts{servers: len(subjects), levels: map[breaking.Level]int{}}
	for i, subject := range subjects {
		var before []breaking.Tool
		for k, version := range subject.Versions {
			after := lists[i][k]
			if counts.lists++; after == nil {
				counts.silent++
				continue // the next is compared with the one before
			}
			if before != nil {
				if err := r.pair(ctx, before, after, &counts); err != nil {
					return fmt.Errorf("%s@%s: %w", subject.Package, version, err)
				}
			}
			before = after
		}
	}
	if err := r.judge.end(); err != nil {
		return err
	}
	fmt.Fprintf(r.out, "ajv: %d servers, %d versions of which %d listed no tools, %d pairs, %d of them differ;",
		counts.servers, counts.lists, counts.silent, counts.pairs, counts.changed)
	for _, level := range breaking.Levels {
		fmt.Fprintf(r.out, " %s %d", level, counts.levels[level])
	}
	fmt.Fprintf(r.out, "; %d calls and results shown, %d missed; %d instances, %d not judged for their numbers, %d disagreements\n",
		counts.witnesses, counts.missed, r.instances, r.skipped, r.disagreements)
	r.disagreements += counts.missed
	if counts.witnesses == 0 {
		return errors.New("no pair showed a call")
	}
	return nil
}

// listAll asks all versions of the servers for their tools, some at once. A version that gives none has nil.
func listAll(ctx context.Context, subjects []subject) ([][][]breaking.Tool, error) {
	const atOnce = 3
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(atOnce)
	lists := make([][][]breaking.Tool, len(subjects))
	for i, subject := range subjects {
		lists[i] = make([][]breaking.Tool, len(subject.Versions))
		for k, version := range subject.Versions {
			work.Go(func() error {
				name := subject.Package + "@" + version
				tools, err := listOf(ctx, subject, name)
				if err != nil && ctx.Err() == nil {
					fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
				}
				lists[i][k] = tools
				return ctx.Err()
			})
		}
	}
	return lists, work.Wait() //nolint:wrapcheck // the error of the context
}

func listOf(ctx context.Context, subject subject, name string) ([]breaking.Tool, error) {
	const install, answers = 4 * time.Minute, time.Minute
	asked := server.Program(ctx, "npx", append([]string{"-y", name}, subject.Arguments...)...)
	asked.Start, asked.Answers = install, answers
	asked.Env = append(os.Environ(), "npm_config_ignore_scripts=true")
	for _, variable := range slices.Sorted(maps.Keys(subject.Env)) {
		asked.Env = append(asked.Env, variable+"="+subject.Env[variable])
	}
	text, err := asked.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w\n%.300s", err, asked.Complaint())
	}
	read, err := toolfile.Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading the list: %w", err)
	}
	tools := make([]breaking.Tool, len(read))
	for i, tool := range read {
		tool.Line = 0
		tools[i] = breaking.Tool{Tool: tool, Source: name}
	}
	return tools, nil
}

// pair compares two versions of a server, and asks ajv.
func (r *referee) pair(ctx context.Context, before, after []breaking.Tool, counts *versionCounts) error {
	findings, _, err := breaking.Compare(ctx, before, after, breaking.Options{})
	if err != nil {
		return err
	}
	counts.pairs++
	if len(findings) > 0 {
		counts.changed++
	}
	shown := map[string]bool{} // tools of which a call or result is shown
	for _, finding := range findings {
		counts.levels[finding.Level]++
		if finding.Level != breaking.Safe {
			fmt.Fprintf(r.out, "%s %s %s %s %s: %s", after[0].Source, finding.Level, finding.What, finding.Tool, finding.At, finding.Message)
			if finding.Instance != nil {
				fmt.Fprintf(r.out, " %s", finding.Instance)
			}
			fmt.Fprintln(r.out)
		}
		if finding.Instance == nil {
			continue
		}
		counts.witnesses++
		was, is, isAccepted := side(before, finding), side(after, finding), true
		switch finding.What {
		case breaking.CallAccepted, breaking.ResultRefused, breaking.UndeclaredResult:
			isAccepted = false // by the older one
		default:
			if finding.Level != breaking.Safe {
				shown[finding.Tool] = true
			}
		}
		for _, asked := range []struct {
			node       *schema.Node
			isAccepted bool
		}{{was, isAccepted}, {is, !isAccepted}} {
			one := &recorded{node: asked.node, instances: []*schema.Node{finding.Instance}, accepted: []bool{asked.isAccepted}}
			if err := r.ask(after[0].Source+" "+finding.Tool, one); err != nil {
				return err
			}
		}
	}
	return r.missed(before, after, shown, counts)
}

// side returns the schema of one version of the tool that a finding with an instance is about.
func side(tools []breaking.Tool, finding breaking.Finding) *schema.Node {
	i := slices.IndexFunc(tools, func(tool breaking.Tool) bool { return tool.Name == finding.Tool })
	if finding.At.Under("/outputSchema") {
		return tools[i].Further.Get("outputSchema")
	}
	return tools[i].Parameters
}

// missed makes calls of the older schema of each tool that changed and of which no call is shown, and asks both
// validators whether the newer one refuses one of them.
func (r *referee) missed(before, after []breaking.Tool, shown map[string]bool, counts *versionCounts) error {
	const seed, most = 7, 300
	for _, tool := range after {
		i := slices.IndexFunc(before, func(old breaking.Tool) bool { return old.Name == tool.Name })
		if i < 0 || shown[tool.Name] || schema.Equal(before[i].Parameters, tool.Parameters) {
			continue
		}
		was, err := instance.Compile(before[i].Parameters)
		if err != nil {
			continue // the comparison says that nothing is known
		}
		is, err := instance.Compile(tool.Parameters)
		if err != nil {
			continue
		}
		older := &recorded{node: before[i].Parameters}
		newer := &recorded{node: tool.Parameters}
		for _, made := range meaning.Instances(before[i].Parameters, seed, most) {
			isValid, stays := was.Accepts(made), is.Accepts(made)
			older.instances, older.accepted = append(older.instances, made), append(older.accepted, isValid)
			newer.instances, newer.accepted = append(newer.instances, made), append(newer.accepted, stays)
			if isValid && !stays {
				counts.missed++
				fmt.Fprintf(r.out, "%s %s: missed: %s was valid and is refused\n", tool.Source, tool.Name, made)
				break
			}
		}
		for _, asked := range []*recorded{older, newer} {
			if err := r.ask(tool.Source+" "+tool.Name, asked); err != nil {
				return err
			}
		}
	}
	return nil
}
