package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/harness/judge"
	"toolproof/harness/provider"
)

// When is the day and the provider's model for which the models answer.
type When struct{ AsOf, Model string }

// Add adds the flags of the day and the model to a command.
func (w *When) Add(command *cobra.Command) {
	command.Flags().StringVar(&w.AsOf, "as-of", "", "use the provider models as of this day, month or year, such as 2025-03")
	command.Flags().StringVar(&w.Model, "model", "", "use the rules for this model of the provider, such as gemini-2.5-flash")
}

// Day returns the day, or "" for today.
func (w *When) Day() (provider.Date, error) {
	if w.AsOf == "" {
		return "", nil
	}
	day, err := provider.ParseDate(w.AsOf)
	if err != nil {
		return "", Broken(Hint(err, "verify list timeline shows the days on which something changed"))
	}
	return day, nil
}

// ParseAge parses a number of days, such as 30d.
func ParseAge(text string) (int, error) {
	days, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	if err != nil || days < 0 || !strings.HasSuffix(text, "d") {
		return 0, Usage("--max-age must be a number of days such as 30d, not %q", text)
	}
	return days, nil
}

// OldestDay returns the first day within an age, or "" if the age is empty.
func OldestDay(age string) (provider.Date, error) {
	if age == "" {
		return "", nil
	}
	days, err := ParseAge(age)
	return judge.DaysAgo(days), err
}
