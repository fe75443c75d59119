package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/fixtures"
	"toolproof/harness/evidence"
	"toolproof/harness/facts"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/recordings"
)

// longestShown is how many bytes of an unknown message are repeated.
const longestShown = 2000

// badRequest is the status of HTTP with which providers refuse declarations.
const badRequest = 400

// oneMessage is what is known of the words of an error.
type oneMessage struct {
	// IsAlike says that no rule refuses in these very words, but in words like them.
	IsAlike bool `json:"alike"`
	// About says what the message is about, if that is not a tool.
	About []string `json:"about,omitempty"`
	// Rules are those that refuse in the words, in the order of the surfaces.
	Rules []facts.OnRule `json:"rules"`
}

// findMessage returns the rules of surfaces that refuse in the words of a message.
func findMessage(ctx context.Context, message string, dialects []*provider.Dialect) (known, error) {
	explainer, err := evidence.Explainer(dialects, fixtures.Files, recordings.Files)
	if err != nil {
		return nil, cli.Broken(err)
	}
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, cli.Broken(err)
	}
	explained, err := explainer.Explain(ctx, message)
	if err != nil {
		return nil, cli.Interrupted(ctx)
	}
	if len(explained) == 0 {
		text := message[:min(len(message), longestShown)]
		err := fmt.Errorf("no rule is called %q: %w", text, refusal.ErrUnknownWords)
		return nil, cli.Broken(cli.Hint(err, "paste the whole message, or the body of the answer; verify check --error FILE TOOLS finds the place in your tools that it means"))
	}
	found := oneMessage{IsAlike: explained[0].IsAlike, Rules: []facts.OnRule{}}
	for _, one := range explained {
		switch {
		case one.Conversation != nil:
			found.Rules = append(found.Rules, facts.OnRequest(one.Conversation))
		case one.Aside != "":
			found.About = append(found.About, one.Aside.Doc())
		default:
			rule, err := facts.Rule(ctx, one.Dialect, one.Rule, store)
			if err != nil {
				return nil, cli.Broken(err)
			}
			found.Rules = append(found.Rules, facts.OnRule{Rule: *rule, Surface: one.Dialect.Name})
		}
	}
	return found, nil
}

// print prints rules about requests as a whole, and of rules of surfaces each title once.
func (m oneMessage) print(out io.Writer) {
	if m.IsAlike {
		fmt.Fprintln(out, "no rule refuses in these very words; in words like them do")
	}
	for _, about := range m.About {
		fmt.Fprintf(out, "this is not about a tool, but about %s\n", about)
	}
	also := map[string][]string{} // the other dialects with a rule of the same text
	var rules []facts.OnRule
	for _, rule := range m.Rules {
		if rule.Surface == facts.Requests {
			printRule(out, rule)
			continue
		}
		text := titleOf(rule)
		if _, isKnown := also[text]; isKnown {
			also[text] = append(also[text], rule.Surface)
			continue
		}
		also[text], rules = nil, append(rules, rule)
	}
	for _, rule := range rules {
		text := titleOf(rule)
		fmt.Fprintf(out, "%s/%s\n", rule.Surface, text)
		if others := also[text]; len(others) > 0 {
			fmt.Fprintf(out, "    also a rule of %s\n", strings.Join(slices.Compact(others), ", "))
		}
	}
	if len(rules) > 0 {
		fmt.Fprintf(out, "\n%s\n%s\n", cli.Typed("verify explain "+rules[0].Name+" shows what it refuses and takes"),
			cli.Typed("verify check --error FILE TOOLS finds the place in your tools"))
	}
}

// titleOf returns the name of a rule with its title, and the days and models for which it holds.
func titleOf(rule facts.OnRule) string {
	models := ""
	if len(rule.Models) > 0 {
		models = " (models " + strings.Join(rule.Models, ", ") + ")"
	}
	return rule.Name + ": " + rule.Title + rule.Period() + models
}
