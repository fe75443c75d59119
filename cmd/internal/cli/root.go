package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

// Group is a group of commands in the help of a program.
type Group struct {
	Title    string
	Commands []*cobra.Command
}

// Complete gives the root command of a program its name, its commands, its help, and the errors that
// both programs have for wrong arguments.
func Complete(root *cobra.Command, groups []Group) {
	root.Use = ShortName()
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: Name}
	root.SilenceUsage, root.SilenceErrors = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.Args = unknownCommand
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error { return Broken(FlagError(command, err)) })
	for _, group := range groups {
		root.AddGroup(&cobra.Group{ID: group.Title, Title: group.Title})
		for _, command := range group.Commands {
			command.GroupID = group.Title
			root.AddCommand(command)
		}
	}
	help := root.HelpFunc()
	root.SetHelpFunc(func(command *cobra.Command, arguments []string) {
		command.Long, command.Example = Typed(command.Long), Typed(command.Example)
		for _, child := range command.Commands() {
			child.Short = Typed(child.Short)
		}
		help(command, arguments)
	})
}

// unknownCommand returns an error if a root command has arguments, since none of them is a command.
func unknownCommand(root *cobra.Command, arguments []string) error {
	if len(arguments) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q", arguments[0])
	if _, failed := os.Stat(arguments[0]); failed == nil {
		return Broken(Hint(err, "verify check FILE checks a file"))
	}
	if instead := commands[arguments[0]]; instead != "" {
		return Broken(Hint(err, "did you mean "+instead+"?"))
	}
	var names []string
	for _, child := range root.Commands() {
		names = append(names, child.Name())
	}
	return Broken(Suggest(err, arguments[0], names, root.DisplayName()+" --help lists the commands"))
}
