package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/agent/client"
	"toolproof/harness/facts"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/packages/data"
)

// knowing returns what is known of a surface.
type knowing = func(context.Context, *provider.Dialect, *recording.Store) (*data.Surface, error)

// surfacesOf returns what is known of all surfaces.
func surfacesOf(ctx context.Context, of knowing) ([]data.Surface, error) {
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, cli.Broken(err)
	}
	all, err := facts.Surfaces(ctx, store, of)
	if ctx.Err() != nil {
		return nil, cli.Interrupted(ctx)
	}
	return all, err
}

type dialectList []data.Surface

// findDialects returns all surfaces: for people, without what each does with constructs, which takes seconds.
func findDialects(ctx context.Context, asked wanted) (known, error) {
	of := facts.Named
	if asked.isJSON {
		of = facts.Surface
	}
	all, err := surfacesOf(ctx, of)
	return dialectList(all), err
}

func (d dialectList) print(out io.Writer) {
	for _, surface := range d {
		releases := ""
		if count := len(surface.Releases); count > 0 {
			releases = ", " + surface.Releases[0].Name + " to " + surface.Releases[count-1].Name
		}
		dialect, err := harness.DialectNamed(surface.Name)
		if err != nil {
			panic(err) // the list is made of dialects
		}
		fmt.Fprintf(out, "%-23s %2d rules  %s%s%s\n", surface.Name, len(surface.Rules), surface.Doc, releases, normalizedAs(dialect.Relative, dialect.AsGiven))
	}
}

// rulesByKind are all rewrites, and rules of surfaces.
type rulesByKind struct {
	Rewrites []data.Rewrite `json:"rewrites"`
	Rules    []facts.OnRule `json:"rules"`
}

func findRules(ctx context.Context, asked wanted) (known, error) {
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, cli.Broken(err)
	}
	found := rulesByKind{facts.Rewrites(), []facts.OnRule{}}
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules {
			if !asked.isInForce(rule) {
				continue
			}
			known, err := facts.Rule(ctx, dialect, rule, store)
			if err != nil {
				return nil, cli.Broken(err)
			}
			found.Rules = append(found.Rules, facts.OnRule{Rule: *known, Surface: dialect.Name})
		}
	}
	return found, nil
}

// print prints one line for the rules of one name on a surface.
func (r rulesByKind) print(out io.Writer) {
	for _, rewrite := range r.Rewrites {
		fmt.Fprintf(out, "%-24s %-8s %s (%s)\n", rewrite.Name, rewrite.Loss, rewrite.Title, strings.Join(rewrite.Targets, ", "))
	}
	seen := map[string]bool{}
	for _, rule := range r.Rules {
		if !seen[rule.ID()] {
			fmt.Fprintf(out, "%-46s %-8s %s%s\n", rule.ID(), facts.Effect(rule.Support), rule.Title, rule.Period())
			seen[rule.ID()] = true
		}
	}
}

type constructList []facts.TakenBy

func findConstructs(ctx context.Context, _ wanted) (known, error) {
	surfaces, err := surfacesOf(ctx, facts.Supporting)
	return constructList(facts.Taken(surfaces)), err
}

func (c constructList) print(out io.Writer) {
	for _, construct := range c {
		var counts []string
		for _, support := range facts.Supports {
			if count := len(construct.Today[support]); count > 0 {
				counts = append(counts, fmt.Sprintf("%s by %d", support, count))
			}
		}
		fmt.Fprintf(out, "%-36s %s\n", construct.Name, strings.Join(counts, ", "))
	}
}

type limitList []facts.OnLimit

func findLimits(ctx context.Context, _ wanted) (known, error) {
	limits, err := facts.AllLimits(ctx)
	if err != nil {
		return nil, cli.Interrupted(ctx)
	}
	return limitList(limits), nil
}

func (l limitList) print(out io.Writer) {
	for _, limit := range l {
		fmt.Fprintf(out, "%-28s %6d %-41s %s\n", limit.Surface, limit.Most, limit.Of, limit.Rule)
	}
}

type requirementList []data.Requirements

func findRequirements(context.Context, wanted) (known, error) {
	sets, err := facts.Requirements()
	if err != nil {
		return nil, cli.Broken(err)
	}
	return requirementList(sets), nil
}

func (r requirementList) print(out io.Writer) {
	for _, set := range r {
		count := 0
		for _, names := range set.Rules {
			count += len(names)
		}
		fmt.Fprintf(out, "%s  %d rules of %d surfaces\n", set.Month, count, len(set.Rules))
	}
}

type clientList []data.Client

// print prints the clients that verify client can run, and where they are installed on this machine.
func (c clientList) print(out io.Writer) {
	for _, row := range c {
		agent := client.AgentNamed(row.Name)
		if agent == nil {
			continue
		}
		path, err := exec.LookPath(agent.Run.Program)
		if err != nil {
			path = "not installed: " + row.Measured.Package
		}
		fmt.Fprintf(out, "%-12s %-12s %-32s %s\n", row.Name, row.Title, strings.Join(row.Measured.APIs, ", "), path)
	}
}
