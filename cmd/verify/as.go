package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"toolproof/harness/toolfile"
)

// readAs is the choice of --as: what a schema alone is of. It is empty for the arguments of a tool.
type readAs string

const asResponse readAs = "response"

// add gives a command the flag.
func (a *readAs) add(command *cobra.Command) {
	command.Flags().Var(a, "as", "take a schema alone for that of a model's answer: "+string(asResponse))
	_ = command.RegisterFlagCompletionFunc("as", cobra.FixedCompletions([]string{string(asResponse)}, cobra.ShellCompDirectiveNoFileComp))
}

// String returns the choice.
func (a *readAs) String() string { return string(*a) }

// Set takes the choice.
func (a *readAs) Set(text string) error {
	if *a = readAs(text); *a != asResponse {
		return fmt.Errorf("it must be %s", asResponse)
	}
	return nil
}

// Type names what the help shows in place of a choice.
func (a *readAs) Type() string { return "string" }

// reader returns the reader of files that have tools and response schemas.
func (a readAs) reader(folds bool) toolfile.Reader {
	return toolfile.Reader{Folds: folds, Responses: true, AsResponse: a == asResponse}
}

// words returns the flag that says the choice.
func (a readAs) words() []string {
	if a == "" {
		return nil
	}
	return []string{"--as", string(a)}
}
