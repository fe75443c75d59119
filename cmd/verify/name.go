package main

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// programName is what this program is called in all that it prints, so that printed
// commands can be typed as they stand: the name under which it was started, which is
// toolproof where it is installed, and npx and the name of a package where that started it.
var programName = "verify"

// nameOf returns what a program is called that was started by a path.
func nameOf(path string) string {
	if strings.HasPrefix(path, npx) {
		return path
	}
	return strings.TrimSuffix(filepath.Base(path), ".exe")
}

// npx is what the launcher of the npm package puts before the package's name.
const npx = "npx "

// shortName returns the name of this program without what starts it.
func shortName() string { return path.Base(strings.TrimPrefix(programName, npx)) }

// rename makes the help of a command, and of those below it, call this program by its
// name.
func rename(command *cobra.Command) {
	if command.Parent() == nil {
		command.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: programName}
	}
	for _, text := range []*string{&command.Short, &command.Long, &command.Example} {
		*text = strings.ReplaceAll(*text, "verify ", programName+" ")
	}
	for _, child := range command.Commands() {
		rename(child)
	}
}
