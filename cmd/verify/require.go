package main

import (
	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
)

// requirement is the value of --require: the least evidence that a verdict may rest on.
type requirement struct{ value string }

// seen is the requirement that, of a tool predicted to be accepted, recordings show each construct.
const seen = "seen"

func (r *requirement) add(command *cobra.Command) {
	command.Flags().StringVar(&r.value, "require", "",
		"give no verdict on evidence below this: predicted, seen (recordings show every construct of the tool), reported, recorded, live")
}

// of sets the requirement of a judge.
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
