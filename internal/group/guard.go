package group

import "os/exec"

// GuardCommand is a word on the command line of this program, with which it calls Guard with the
// words behind it.
const GuardCommand = "guard"

// Enclose makes a command that is not yet started run below a guard, which self starts: the
// command of this program without GuardCommand. The guard ends every process that the command
// leaves behind, even one that has left its group. Enclose does nothing if self is empty, if the
// system has no guard, or if there is no such program.
func Enclose(command *exec.Cmd, self []string) {
	if !hasGuard || len(self) == 0 || command.Err != nil {
		return
	}
	words := append([]string{}, self...)
	words = append(append(words, GuardCommand, "--", command.Path), command.Args[1:]...)
	command.Path, command.Args = self[0], words
}

// isGuard reports whether Enclose has changed a command.
func isGuard(command *exec.Cmd) bool {
	for i, word := range command.Args {
		if word == GuardCommand && i > 0 && i+1 < len(command.Args) && command.Args[i+1] == "--" {
			return true
		}
	}
	return false
}
