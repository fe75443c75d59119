package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/internal/escape"
)

// Only is the value of --tool: the names of the tools that a command is about. None means all.
type Only []string

// Add adds the flag to a command.
func (o *Only) Add(command *cobra.Command) {
	command.Flags().StringArrayVar((*[]string)(o), "tool", nil, "leave out all tools but the one of this `name` (repeatable)")
}

// Keep leaves out the other tools of each list of documents. A name that no list has is an error, which
// names a similar one.
func (o *Only) Keep(lists ...[]run.Document) error {
	if len(*o) == 0 {
		return nil
	}
	var known []string
	for _, documents := range lists {
		for i := range documents {
			documents[i].Tools = slices.DeleteFunc(slices.Clone(documents[i].Tools), func(tool toolfile.Tool) bool {
				tool = tool.Unfolded()
				known = append(known, tool.Name)
				return !slices.Contains(*o, tool.Name)
			})
		}
	}
	for _, name := range *o {
		if !slices.Contains(known, name) {
			err := fmt.Errorf("no tool is called %s", escape.Line(name))
			return Broken(Suggest(err, name, known, "without --tool all "+strconv.Itoa(len(known))+" are taken"))
		}
	}
	return nil
}

// Alone returns an error if the flag is set for a command line that cannot leave out tools.
func (o *Only) Alone(why string) error {
	if len(*o) == 0 {
		return nil
	}
	return Broken(Hint(errors.New("--tool cannot be used "+why), "name the files, or one server"))
}

// Words returns the command line of the flag.
func (o *Only) Words() []string {
	var words []string
	for _, name := range *o {
		words = append(words, "--tool", name)
	}
	return words
}
