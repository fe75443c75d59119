package cli

import (
	"time"

	"github.com/spf13/cobra"

	"toolproof/harness/provider"
	"toolproof/normalizers"
)

// Options are a user's choices for normalizing.
type Options struct {
	Language         string
	keepTitles       bool
	propertyOrdering bool
	sayConstraints   bool
	neverStrict      bool
}

// Add adds the flags of the choices to a command.
func (o *Options) Add(command *cobra.Command) {
	command.Flags().StringVar(&o.Language, "language", "", "prefer this language where a tool has texts in several, such as de-AT, or the first of several that it has, such as fr,de")
	command.Flags().BoolVar(&o.keepTitles, "keep-titles", false, "keep titles in strict mode if the provider accepts them")
	command.Flags().BoolVar(&o.propertyOrdering, "property-ordering", false, "add propertyOrdering, the order of properties, for Google's surfaces")
	command.Flags().BoolVar(&o.sayConstraints, "say-constraints", false, "repeat constraints in the descriptions; the target portable always does")
	command.Flags().BoolVar(&o.neverStrict, "never-strict", false, "never send strict true, even for a strict target")
}

// Of returns the options as of a day; "" is today.
func (o *Options) Of(day provider.Date) normalizers.Options {
	asOf, _ := time.Parse(time.DateOnly, string(day)) // "" gives the zero time, which means today
	return normalizers.Options{
		Language: o.Language, AsOf: asOf, KeepTitles: o.keepTitles, PropertyOrdering: o.propertyOrdering,
		SayConstraints: o.sayConstraints, NeverStrict: o.neverStrict,
	}
}

// Words returns the flags that express the choices.
func (o *Options) Words() []string {
	var words []string
	if o.Language != "" {
		words = append(words, "--language", o.Language)
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"--keep-titles", o.keepTitles}, {"--property-ordering", o.propertyOrdering}, {"--say-constraints", o.sayConstraints}, {"--never-strict", o.neverStrict}} {
		if flag.set {
			words = append(words, flag.name)
		}
	}
	return words
}
