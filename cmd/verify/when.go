package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/harness/judge"
	"toolproof/harness/provider"
)

// when says for which day and for which of the provider's models an answer is asked.
type when struct{ asOf, model string }

func (w *when) add(command *cobra.Command) {
	command.Flags().StringVar(&w.asOf, "as-of", "", "answer as the provider did on this day, month or year")
	command.Flags().StringVar(&w.model, "model", "", "answer as this model of the provider does, such as gemini-2.5-flash")
}

// day returns the day that is meant, or "" for today.
func (w *when) day() (provider.Date, error) {
	if w.asOf == "" {
		return "", nil
	}
	day, err := provider.ParseDate(w.asOf)
	if err != nil {
		return "", exitError{exitBroken, hint(err, programName+" list timeline shows the days on which something changed")}
	}
	return day, nil
}

// parseAge reads a number of days, such as 30d.
func parseAge(text string) (int, error) {
	days, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	if err != nil || days < 0 || !strings.HasSuffix(text, "d") {
		return 0, usage("--max-age must be a number of days such as 30d, not %q", text)
	}
	return days, nil
}

// oldestDay returns the first day that is within an age, or "" for none.
func oldestDay(age string) (provider.Date, error) {
	if age == "" {
		return "", nil
	}
	days, err := parseAge(age)
	return judge.DaysAgo(days), err
}
