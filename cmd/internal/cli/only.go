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
	kept := o.Kept()
	for _, documents := range lists {
		kept.Keep(documents)
	}
	return kept.Err()
}

// Kept keeps the tools that --tool names, of documents and of servers that are asked one after the other.
type Kept struct {
	only  Only
	seen  map[string]bool // of only
	known []string
}

// Kept returns a Kept that has seen no tool.
func (o *Only) Kept() *Kept { return &Kept{only: *o, seen: map[string]bool{}} }

// Has reports whether a tool of a server is kept: by its name, or by that of the server, a slash and its name.
func (k *Kept) Has(server, tool string) bool {
	if len(k.only) == 0 {
		return true
	}
	k.known = append(k.known, tool)
	isKept := false
	for _, name := range k.only {
		if name == tool || name == server+"/"+tool {
			k.seen[name], isKept = true, true
		}
	}
	return isKept
}

// Keep leaves out the other tools of documents.
func (k *Kept) Keep(documents []run.Document) {
	if len(k.only) == 0 {
		return
	}
	for i := range documents {
		documents[i].Tools = slices.DeleteFunc(slices.Clone(documents[i].Tools), func(tool toolfile.Tool) bool {
			return !k.Has(documents[i].Source, tool.Unfolded().Name)
		})
	}
}

// Err returns an error for a name that no tool had.
func (k *Kept) Err() error {
	for _, name := range k.only {
		if !k.seen[name] {
			err := fmt.Errorf("no tool is called %s", escape.Line(name))
			return Broken(Suggest(err, name, k.known, "without --tool all "+strconv.Itoa(len(k.known))+" are taken"))
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
