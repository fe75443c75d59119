//go:build unix

// Package group ends a program together with all processes that it has started, and keeps the
// end of its output.
package group

import (
	"os/exec"
	"syscall"
)

// Prepare makes a program that is not yet started the leader of a new process group, to which
// the processes that it starts will belong. On Linux the program ends with this process.
func Prepare(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieTogether(command)
}

// Kill ends all processes in the group of a program that was started, and those that a guard
// watches. It returns an error if none is left.
func Kill(command *exec.Cmd) error {
	if isGuard(command) {
		return command.Process.Signal(syscall.SIGTERM)
	}
	return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) //nolint:wrapcheck // the error of the system says what failed
}
