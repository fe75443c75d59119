package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/fixtures"
	"toolproof/harness/conversation"
	"toolproof/harness/evidence"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/recordings"
)

// explainConversation prints what is known of a rule about requests.
func (s *session) explainConversation(rule *conversation.Rule) {
	effect := provider.Rejects
	if slices.Contains(conversation.Ignoring, rule) {
		effect = provider.Ignores
	}
	fmt.Fprintf(s.Out, "conversation/%s: %s, %s of %s\n\n%s\n\n    > %s\n", rule.Name, effect, rule.API, strings.Join(rule.Services, ", "), rule.Doc, rule.Words)
	for _, source := range rule.Sources {
		fmt.Fprintf(s.Out, "\nknown from: %s, %s", source.URL, source.Date)
	}
	fmt.Fprintf(s.Out, "\nrefused:  %s\n", rule.Refused)
	if rule.Accepted != "" {
		fmt.Fprintf(s.Out, "accepted: %s\n", rule.Accepted)
	}
}

// longestShown is how many bytes of an unknown message are repeated.
const longestShown = 2000

// badRequest is the status of HTTP with which providers refuse declarations.
const badRequest = 400

// explainMessage explains the rules of surfaces that refuse in the words of a message.
func (s *session) explainMessage(ctx context.Context, message string, dialects []*provider.Dialect) error {
	explainer, err := evidence.Explainer(dialects, fixtures.Files, recordings.Files)
	if err != nil {
		return cli.Broken(err)
	}
	explained, err := explainer.Explain(ctx, message)
	if err != nil {
		return cli.Interrupted(ctx)
	}
	if len(explained) > 0 && explained[0].IsAlike {
		fmt.Fprintln(s.Out, "no rule refuses in these very words; in words like them do")
	}
	also := map[string][]string{} // the other dialects with a rule of the same text
	var rules []refusal.Explained
	for _, known := range explained {
		switch {
		case known.Conversation != nil:
			s.explainConversation(known.Conversation)
		case known.Aside != "":
			fmt.Fprintf(s.Out, "this is not about a tool, but about %s\n", known.Aside.Doc())
		default:
			text := titleOf(known)
			if _, isKnown := also[text]; isKnown {
				also[text] = append(also[text], known.Dialect.Name)
				continue
			}
			also[text], rules = nil, append(rules, known)
		}
	}
	for _, known := range rules {
		text := titleOf(known)
		fmt.Fprintf(s.Out, "%s/%s\n", known.Dialect.Name, text)
		if others := also[text]; len(others) > 0 {
			fmt.Fprintf(s.Out, "    also a rule of %s\n", strings.Join(slices.Compact(others), ", "))
		}
	}
	if len(rules) > 0 {
		fmt.Fprintf(s.Out, "\n%s\n%s\n", cli.Typed("verify explain "+rules[0].Rule.Name+" shows what it refuses and takes"),
			cli.Typed("verify check --error FILE TOOLS finds the place in your tools"))
	}
	if len(explained) == 0 {
		text := message[:min(len(message), longestShown)]
		err := fmt.Errorf("no rule is called %q: %w", text, refusal.ErrUnknownWords)
		return cli.Broken(cli.Hint(err, "paste the whole message, or the body of the answer; verify check --error FILE TOOLS finds the place in your tools that it means"))
	}
	return nil
}

// titleOf returns the name of a rule with its title, and the days and models for which it holds.
func titleOf(known refusal.Explained) string {
	models := ""
	if len(known.Rule.Models) > 0 {
		models = " (models " + strings.Join(known.Rule.Models, ", ") + ")"
	}
	return known.Rule.Name + ": " + known.Rule.Title() + evidence.Period(known.Dialect, known.Rule) + models
}
