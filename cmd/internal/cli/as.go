package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"toolproof/harness/toolfile"
)

// As is the choice of --as: what a schema alone is of. It is empty for the arguments of a tool.
type As string

const asResponse As = "response"

// Add gives a command the flag.
func (a *As) Add(command *cobra.Command) {
	command.Flags().Var(a, "as", "what a schema without a tool describes, if not arguments: "+string(asResponse))
	_ = command.RegisterFlagCompletionFunc("as", cobra.FixedCompletions([]string{string(asResponse)}, cobra.ShellCompDirectiveNoFileComp))
}

// String returns the choice.
func (a *As) String() string { return string(*a) }

// Set takes the choice.
func (a *As) Set(text string) error {
	if *a = As(text); *a != asResponse {
		return fmt.Errorf("it must be %s", asResponse)
	}
	return nil
}

// Type names what the help shows in place of a choice.
func (a *As) Type() string { return "string" }

// Reader returns the reader of files that have tools and response schemas.
func (a *As) Reader(folds bool) toolfile.Reader {
	return toolfile.Reader{Folds: folds, Responses: true, AsResponse: *a == asResponse}
}

// Words returns the flag that says the choice.
func (a *As) Words() []string {
	if *a == "" {
		return nil
	}
	return []string{"--as", string(*a)}
}
