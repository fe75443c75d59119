package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"toolproof/harness/toolfile"
)

// As is the value of --as: what a schema without a tool describes. "" means the arguments of a tool.
type As string

const asResponse As = "response"

// Add adds the flag to a command.
func (a *As) Add(command *cobra.Command) {
	command.Flags().Var(a, "as", "what a schema without a tool describes, if not arguments: "+string(asResponse))
	_ = command.RegisterFlagCompletionFunc("as", cobra.FixedCompletions([]string{string(asResponse)}, cobra.ShellCompDirectiveNoFileComp))
}

// String returns the value.
func (a *As) String() string { return string(*a) }

// Set parses the value.
func (a *As) Set(text string) error {
	if *a = As(text); *a != asResponse {
		return fmt.Errorf("it must be %s", asResponse)
	}
	return nil
}

// Type returns the name of the value in the help.
func (a *As) Type() string { return "string" }

// Reader returns a reader of tools and response schemas.
func (a *As) Reader(folds bool) toolfile.Reader {
	return toolfile.Reader{Folds: folds, Responses: true, AsResponse: *a == asResponse}
}

// Words returns the command line of the flag.
func (a *As) Words() []string {
	if *a == "" {
		return nil
	}
	return []string{"--as", string(*a)}
}
