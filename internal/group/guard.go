package group

import (
	"os"
	"os/exec"
	"path/filepath"
)

// GuardCommand is a word on the command line of this program, with which it calls Guard with the
// words behind it.
const GuardCommand = "guard"

// Enclose makes a command that is not yet started run below a guard, which self starts: the
// command of this program without GuardCommand. The guard ends every process that the command
// leaves behind, even one that has left its group. Enclose does nothing if self is empty, if the
// system has no guard, or if there is no such program, so that Start says so.
func Enclose(command *exec.Cmd, self []string) {
	file := command.Path
	if !filepath.IsAbs(file) {
		file = filepath.Join(command.Dir, file)
	}
	if info, err := os.Stat(file); !hasGuard || len(self) == 0 || command.Err != nil || err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
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
