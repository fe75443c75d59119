package main

import (
	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
)

// requirement is what --require demands that a verdict rests on.
type requirement struct{ value string }

// seen requires of a predicted acceptance that recordings show each of its constructs.
const seen = "seen"

func (r *requirement) add(command *cobra.Command) {
	command.Flags().StringVar(&r.value, "require", "", "give no verdict on evidence below this: predicted, seen (recordings show every construct of the tool), reported, recorded, live")
}

// of makes a judge require it.
func (r *requirement) of(judging *judge.Judge) error {
	switch r.value {
	case "":
		return nil
	case seen:
		judging.Seen = true
		return nil
	}
	grade, err := provider.ParseGrade(r.value)
	if err != nil {
		return cli.Broken(cli.Hint(err, "or seen: predicted, and recordings show each construct"))
	}
	judging.Required = grade
	return nil
}
