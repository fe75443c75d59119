package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Outdated returns sentences about tools that releases of clients refuse, or leave out, which a later release takes: which
// releases, in which words, and from which on the tools are taken. What the newest release refuses is a finding, and not
// said here.
func Outdated(ctx context.Context, tools []schema.Tool) ([]string, error) {
	var all []*outdated
	for _, dialect := range Dialects {
		for _, tool := range tools {
			found, err := outdatedOn(ctx, dialect, tool)
			if err != nil {
				return nil, err
			}
			for _, one := range found {
				if at := slices.IndexFunc(all, one.isLike); at >= 0 {
					all[at].add(one)
				} else {
					all = append(all, one)
				}
			}
		}
	}
	sentences := make([]string, len(all))
	for i, one := range all {
		sentences[i] = one.String()
	}
	return sentences, nil
}

// outdated are consecutive releases that refuse tools for one rule, and the next one that takes them.
type outdated struct {
	rule           string
	from, to, next provider.Version
	surfaces       []string
	tools          []string
	words          string // about the first tool
}

// isLike reports whether two are about the same releases and the same rule.
func (o *outdated) isLike(other *outdated) bool {
	return o.rule == other.rule && o.from == other.from && o.to == other.to && o.next == other.next
}

// add adds the surfaces and tools of another.
func (o *outdated) add(other *outdated) {
	for _, surface := range other.surfaces {
		if !slices.Contains(o.surfaces, surface) {
			o.surfaces = append(o.surfaces, surface)
		}
	}
	for _, tool := range other.tools {
		if !slices.Contains(o.tools, tool) {
			o.tools = append(o.tools, tool)
		}
	}
}

// String returns a sentence.
func (o *outdated) String() string {
	releases := o.from.Name
	if o.to != o.from {
		releases += " to " + o.to.Name
	}
	tools := o.tools[0]
	if more := len(o.tools) - 1; more > 0 {
		tools += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("clients of %s refuse %s, which %s takes (%s): %s", releases, tools, o.next.Name, strings.Join(o.surfaces, ", "), o.words)
}

// outdatedOn returns what releases of a surface refuse of a tool, if the newest one takes it, oldest first.
func outdatedOn(ctx context.Context, dialect *provider.Dialect, tool schema.Tool) ([]*outdated, error) {
	request := dialect.Declared([]schema.Tool{tool})
	var found []*outdated
	var last *outdated // that the release before belongs to
	isTaken := true
	for _, version := range dialect.Versions {
		response, err := (&provider.Model{Dialect: dialect, AsOf: version.Date}).Send(ctx, request)
		if err != nil {
			return nil, err
		}
		isTaken = response.Verdict == provider.Accepted
		if isTaken {
			for _, before := range found {
				before.next = cmp.Or(before.next, version)
			}
			last = nil
			continue
		}
		if rule := response.Findings[0].Rule.Name; last != nil && last.rule == rule {
			last.to = version
		} else {
			last = &outdated{
				rule: rule, from: version, to: version, surfaces: []string{dialect.Name}, tools: []string{tool.Name},
				words: strings.Join(strings.Fields(response.Message), " "),
			}
			found = append(found, last)
		}
	}
	if !isTaken {
		return nil, nil
	}
	return found, nil
}
