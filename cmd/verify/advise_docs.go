package main

import (
	"fmt"

	"toolproof/harness/advice"
	"toolproof/harness/verdict"
)

func (s *session) explainAdvice(rule *advice.Rule) {
	fmt.Fprintf(s.Out, "%s/%s%s\n\n%s\n\nsource: %s\n", verdict.AdviceTarget, rule.Name, offNote(rule), rule.Doc, sourceOf(rule))
	for _, example := range []struct{ name, text string }{{"bad", rule.Bad}, {"good", rule.Good}} {
		if example.text != "" {
			fmt.Fprintf(s.Out, "\n%s\n%s\n", example.name, example.text)
		}
	}
}

func (s *session) listAdvice() error {
	for _, rule := range advice.Rules {
		fmt.Fprintf(s.Out, "%-28s %s%s\n", verdict.AdviceTarget+"/"+rule.Name, rule.Title(), offNote(rule))
	}
	return nil
}

// offNote returns a note for a rule that is off by default, and "" for any other.
func offNote(rule *advice.Rule) string {
	if !rule.IsOff {
		return ""
	}
	return " (off by default: --rule " + rule.Name + " asks for it)"
}

// sourceOf returns the source that supports a rule, with its date and address.
func sourceOf(rule *advice.Rule) string {
	text := rule.Source.Text + " (" + rule.Source.Date + ")"
	if rule.Source.URL != "" {
		text += " " + rule.Source.URL
	}
	return text
}
