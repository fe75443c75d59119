package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/schema"
)

// When is the day, the provider's model and its parameters for which the models answer.
type When struct {
	AsOf, Model string

	parameters []string
}

// Add adds the flags of the day, the model and its parameters to a command.
func (w *When) Add(command *cobra.Command) {
	command.Flags().StringVar(&w.AsOf, "as-of", "", "use the provider models as of this day, month or year, such as 2025-03")
	command.Flags().StringVar(&w.Model, "model", "", "use the rules for this model of the provider, such as gemini-2.5-flash")
	command.Flags().StringArrayVar(&w.parameters, "parameter", nil, "judge a request with this `NAME=VALUE` beside its tools, such as reasoning_effort=high")
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

// Parameters returns an object of the members of a request's body that the flags name, or nil
// if they name none. A value that is not JSON is a string.
func (w *When) Parameters() (*schema.Node, error) {
	if len(w.parameters) == 0 {
		return nil, nil //nolint:nilnil // no parameters are no error
	}
	object := schema.NewObject()
	for _, parameter := range w.parameters {
		name, text, hasValue := strings.Cut(parameter, "=")
		if name == "" || !hasValue {
			return nil, Usage("--parameter must be a name with a value such as reasoning_effort=high, not %q", parameter)
		}
		value, err := schema.Parse([]byte(text))
		if err != nil {
			value = schema.NewString(text)
		}
		object.Set(name, value)
	}
	return object, nil
}

// Words returns the flags as a command line has them.
func (w *When) Words() []string {
	var words []string
	if w.AsOf != "" {
		words = append(words, "--as-of", w.AsOf)
	}
	if w.Model != "" {
		words = append(words, "--model", w.Model)
	}
	for _, parameter := range w.parameters {
		words = append(words, "--parameter", parameter)
	}
	return words
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
