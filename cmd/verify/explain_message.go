package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/conversation"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/schema"
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

// explainMessage explains the rules that refuse in the words of a message. The fixtures show what
// the rules say.
func (s *session) explainMessage(ctx context.Context, message string) error {
	if _, err := (refusal.Locator{}).Locate(ctx, message, nil); err != nil {
		if known, ok := errors.AsType[*refusal.RequestError](err); ok {
			s.explainConversation(known.Conversation)
			return nil
		}
	}
	text := message[:min(len(message), longestShown)]
	said := provider.ParsePasted(refusal.Clean(message))
	loaded, err := fixture.Load(fixtures.Files)
	if err != nil {
		return cli.Broken(err)
	}
	lines := strings.Split(refusal.Shape(said.Message, nil), "\n")
	isSaid := map[string]bool{} // by message
	isExplained := false
	for _, dialect := range speakers(said) {
		model, known := provider.Model{Dialect: dialect}, map[string]bool{}
		for _, given := range loaded {
			if given.WireOnly {
				continue
			}
			violations, err := model.Violations(ctx, dialect.Declared(given.Tools))
			if err != nil {
				return cli.Interrupted(ctx)
			}
			for _, finding := range violations {
				if known[finding.Rule.Name] {
					continue
				}
				is, isKnown := isSaid[finding.Message]
				if !isKnown {
					is = slices.Contains(lines, refusal.Shape(finding.Message, nil))
					isSaid[finding.Message] = is
				}
				if is {
					known[finding.Rule.Name], isExplained = true, true
					fmt.Fprintf(s.Out, "%s/%s: %s\n", dialect.Name, finding.Rule.Name, finding.Rule.Title())
				}
			}
		}
	}
	if !isExplained {
		return cli.Broken(cli.Hint(fmt.Errorf("no rule is called %q: %w", text, refusal.ErrUnknownWords), "verify check --error finds the place in your tools that a message means"))
	}
	return nil
}

// speakers returns the surfaces that understand a message, or all if none does.
func speakers(said provider.Response) []*provider.Dialect {
	speaking := slices.DeleteFunc(slices.Clone(harness.Dialects), func(dialect *provider.Dialect) bool {
		return dialect.Locate == nil || len(dialect.Locate(said, []*schema.Node{dialect.Declare(schema.Tool{Name: "f"})})) == 0
	})
	if len(speaking) == 0 {
		return harness.Dialects
	}
	return speaking
}
