package main

import (
	"fmt"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/evidence"
)

// listTimeline prints the days on which rules began or ceased to hold, with the sources of that.
func (s *session) listTimeline() error {
	store, err := cli.EveryRecording()
	if err != nil {
		return cli.Broken(err)
	}
	for _, event := range evidence.Timeline(harness.Dialects) {
		what := "begins"
		if event.Ends {
			what = "ends"
		}
		models := ""
		if len(event.Rule.Models) > 0 {
			models = ", of " + strings.Join(event.Rule.Models, " and ")
		}
		fmt.Fprintf(s.Out, "%s  %-6s  %s %s: %s%s\n", event.Day, what, event.Rule.Name, event.Rule.Effect, event.Rule.Title(), models)
		fmt.Fprintf(s.Out, "            on %s\n", strings.Join(event.Dialects, ", "))
		for _, source := range evidence.SourcesOf(event.Rule, store) {
			fmt.Fprintf(s.Out, "            %s\n", source)
		}
	}
	return nil
}
