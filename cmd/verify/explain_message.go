package main

import (
	"context"
	"fmt"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/conversation"
	"toolproof/harness/evidence"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/refusal"
	"toolproof/recordings"
)

// explainConversation prints what is known of a rule about requests.
func (s *session) explainConversation(rule *conversation.Rule) {
	fmt.Fprintf(s.Out, "conversation/%s: rejects, %s of %s\n\n%s\n\n    > %s\n", rule.Name, rule.API, strings.Join(rule.Services, ", "), rule.Doc, rule.Words)
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

// explainMessage explains the rules that refuse in the words of a message. The fixtures and the
// evidence of the rules show what they say.
func (s *session) explainMessage(ctx context.Context, message string) error {
	loaded, err := fixture.Load(fixtures.Files)
	if err != nil {
		return cli.Broken(err)
	}
	explainer := refusal.Explainer{Dialects: harness.Dialects, Of: func(rule *provider.Rule) []refusal.Shown {
		return append(recordedRefusals(rule), judge.Bodies(harness.Dialects, rule, loaded)...)
	}}
	for _, example := range loaded {
		explainer.Tools = append(explainer.Tools, example.Tools)
	}
	explained, err := explainer.Explain(ctx, message)
	if err != nil {
		return cli.Interrupted(ctx)
	}
	for _, known := range explained {
		if known.Conversation != nil {
			s.explainConversation(known.Conversation)
			continue
		}
		models := ""
		if len(known.Rule.Models) > 0 {
			models = " (models " + strings.Join(known.Rule.Models, ", ") + ")"
		}
		fmt.Fprintf(s.Out, "%s/%s: %s%s%s\n", known.Dialect.Name, known.Rule.Name, known.Rule.Title(), evidence.Period(known.Dialect, known.Rule), models)
	}
	if len(explained) == 0 {
		text := message[:min(len(message), longestShown)]
		return cli.Broken(cli.Hint(fmt.Errorf("no rule is called %q: %w", text, refusal.ErrUnknownWords), "verify check --error finds the place in your tools that a message means"))
	}
	return nil
}

// recordedRefusals returns the requests of the recordings that a rule names, as far as they were
// refused.
func recordedRefusals(rule *provider.Rule) []refusal.Shown {
	named, err := recording.Named(recordings.Files, rule.Evidence)
	if err != nil {
		return nil // the program's own files, which tests read
	}
	var shown []refusal.Shown
	for _, recorded := range named {
		if !recorded.Accepted() {
			request := provider.Request{Dialect: recorded.Dialect, Declarations: recorded.Request.Declarations}
			shown = append(shown, refusal.Shown{Request: request, Day: recorded.Date})
		}
	}
	return shown
}
