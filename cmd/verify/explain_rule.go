package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/facts"
	"toolproof/harness/provider"
)

// ruleList are rules that have one name.
type ruleList []facts.OnRule

// findRule returns the rules of a name: those of a surface, of which there are several if the provider changed over
// time, or those that several surfaces have under one name. Of rules with the same text only the first has its answers.
func findRule(ctx context.Context, name string) (ruleList, error) {
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, cli.Broken(err)
	}
	dialects := harness.Dialects
	if i := strings.LastIndex(name, "/"); i > 0 {
		if dialect := surfaceOf(name[:i]); dialect != nil {
			dialects, name = []*provider.Dialect{dialect}, name[i+1:]
		}
	}
	var rules ruleList
	shown := map[string]bool{}
	for _, dialect := range dialects {
		for _, rule := range dialect.Rules {
			if rule.Name != name {
				continue
			}
			on, err := facts.WithAnswers(ctx, dialect, rule, store)
			if err != nil {
				return nil, cli.Broken(err)
			}
			if shown[sameness(on)] {
				on.Answers = nil
			}
			shown[sameness(on)] = true
			rules = append(rules, on)
		}
	}
	return rules, nil
}

// surfaceOf returns the surface of a name; nil if there is none. What decodes the declarations of a service decodes
// the rest of a request, too.
func surfaceOf(name string) *provider.Dialect {
	if service, isConversation := strings.CutSuffix(name, "/"+facts.Requests); isConversation {
		if surfaces := provider.OfService(harness.Dialects, service); len(surfaces) > 0 {
			return surfaces[0]
		}
	}
	dialect, _ := harness.DialectNamed(name) // nil with an error
	return dialect
}

// sameness is the same for rules with the same text.
func sameness(rule facts.OnRule) string {
	return rule.Title + "\n" + rule.Text + rule.Period() + strings.Join(rule.Models, ",")
}

// print prints each text once, for the first surface that has it.
func (r ruleList) print(out io.Writer) {
	var texts []string
	having := map[string][]facts.OnRule{}
	for _, rule := range r {
		text := sameness(rule)
		if having[text] == nil {
			texts = append(texts, text)
		}
		having[text] = append(having[text], rule)
	}
	for i, text := range texts {
		if i > 0 {
			fmt.Fprintln(out)
		}
		printRule(out, having[text][0])
		var others []string
		for _, rule := range having[text][1:] {
			others = append(others, rule.Surface)
		}
		if len(others) > 0 {
			fmt.Fprintf(out, "\nalso a rule of %s\n", strings.Join(slices.Compact(others), ", "))
		}
	}
}

// printRule prints all that is known of a rule.
func printRule(out io.Writer, rule facts.OnRule) {
	fmt.Fprint(out, rule.ID())
	if effect := facts.Effect(rule.Support); effect != "" && effect != provider.Unknown {
		fmt.Fprintf(out, ": %s", effect)
	}
	fmt.Fprint(out, rule.Period())
	if len(rule.Services) > 0 {
		fmt.Fprintf(out, ", %s of %s", rule.API, strings.Join(rule.Services, ", "))
	}
	fmt.Fprintf(out, "\n\n%s\n", rule.Title)
	if rule.Text != "" {
		fmt.Fprintf(out, "\n%s\n", rule.Text)
	}
	if rule.Words != "" {
		fmt.Fprintf(out, "\n    > %s\n", rule.Words)
	}
	var lines strings.Builder
	for _, line := range []struct{ title, text string }{
		{"", rule.Note},
		{"models: ", strings.Join(rule.Models, ", ")},
		{"level: ", rule.Level},
		{"over: ", strings.Join(rule.Over, ", ")},
		{"revisions: ", strings.Join(rule.Revisions, ", ")},
		{"refused:  ", string(rule.Refused)},
		{"accepted: ", string(rule.Accepted)},
		{"instead: ", rule.Instead},
	} {
		if line.text != "" {
			fmt.Fprintf(&lines, "%s%s\n", line.title, line.text)
		}
	}
	for _, source := range rule.Sources {
		switch {
		case source.Outcome != "": // an answer, which is shown below
		case source.Day == "":
			fmt.Fprintf(&lines, "known from: %s\n", source.Where)
		default:
			fmt.Fprintf(&lines, "known from: %s, %s\n", source.Where, source.Day)
		}
	}
	if lines.Len() > 0 {
		fmt.Fprintf(out, "\n%s", lines.String())
	}
	for i, answer := range rule.Answers {
		switch {
		case i == 0 && !answer.NearMiss:
			fmt.Fprint(out, "\nit fires\n")
		case answer.NearMiss && (i == 0 || !rule.Answers[i-1].NearMiss):
			fmt.Fprint(out, "\nnear misses\n")
		}
		printAnswer(out, answer)
	}
}

func printAnswer(out io.Writer, answer facts.Answer) {
	fmt.Fprintf(out, "  %s, %s, %s\n    %s\n", answer.Recording, answer.Day, answer.Grade, answer.Where)
	const longest = 400
	var declaration bytes.Buffer
	_ = json.Compact(&declaration, answer.Declaration) // it is JSON
	if declaration.Len() > longest {
		fmt.Fprintf(out, "    %s…\n", strings.ToValidUTF8(declaration.String()[:longest], ""))
	} else {
		fmt.Fprintf(out, "    %s\n", declaration.String())
	}
	for line := range strings.Lines(answer.Words) {
		fmt.Fprintf(out, "    > %s\n", strings.TrimSuffix(line, "\n"))
	}
}
