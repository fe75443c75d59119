package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/conversation"
)

// conversationsPage returns docs/generated/conversations.md.
func conversationsPage() string {
	var page strings.Builder
	page.WriteString(`<!-- made by verify-lab docs; do not edit -->

# What is refused besides declarations

The emulator (` + "`verify serve`" + `) refuses these requests with the words that the provider was seen to use. It accepts them for
services that a row does not name, which are not known to refuse. If two rows refuse a request, it is not known which of them the provider reports.

| rule | service | what is refused | words | seen |
|---|---|---|---|---|
`)
	for _, rule := range slices.Concat(conversation.Rules, conversation.Ignoring) {
		limits := rule.Doc
		if len(rule.Models) > 0 {
			limits += "; models " + strings.Join(rule.Models, ", ")
		}
		if rule.Since != "" {
			limits += "; since " + string(rule.Since)
		}
		if rule.Until != "" {
			limits += "; until " + string(rule.Until)
		}
		words := fmt.Sprintf("%d: %s", cmp.Or(rule.Status, 400), rule.Words)
		if slices.Contains(conversation.Ignoring, rule) {
			words = "accepted, but " + rule.Words
		}
		fmt.Fprintf(&page, "| %s | %s, %s | %s | %s | %s |\n",
			rule.Name, strings.Join(rule.Services, ", "), rule.API, inCell(limits), inCell(words), seenAt(rule.Sources))
	}
	page.WriteString("\n## Keys, models and earlier answers\n\n| service | what is refused | words | seen |\n|---|---|---|---|\n")
	for _, key := range conversation.Keys {
		fmt.Fprintf(&page, "| %s | a request without a key, with --strict-auth | %d: %s | %s |\n",
			strings.Join(key.Services, ", "), key.Status, inCell(key.Message), seenAt(key.Sources))
	}
	fmt.Fprintf(&page, "| openai, responses | a model with a name that OpenAI does not have | 400: %s | %s |\n",
		inCell(conversation.ModelNotFound.Words), seenAt([]conversation.Source{conversation.ModelNotFound.Source}))
	fmt.Fprintf(&page, "| openai, responses | a previous response that the emulator did not give, with --strict-auth | 400: %s | %s |\n",
		inCell(conversation.ResponseNotFound.Words), seenAt([]conversation.Source{conversation.ResponseNotFound.Source}))
	return page.String()
}

// inCell escapes a text for one cell of a table.
func inCell(text string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) }

func seenAt(sources []conversation.Source) string {
	seen := make([]string, len(sources))
	for i, source := range sources {
		seen[i] = source.URL + " (" + string(source.Date) + ")"
	}
	return strings.Join(seen, ", ")
}
