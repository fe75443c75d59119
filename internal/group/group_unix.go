//go:build unix

// Package group ends a program together with all that it has started.
package group

import (
	"os/exec"
	"syscall"
)

// Prepare makes a program the first of a group of processes, in which those are that it
// starts. It is to be called before the program is started.
func Prepare(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends all processes of the group of a program that was started. The error says that
// there are none.
func Kill(command *exec.Cmd) error {
	return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) //nolint:wrapcheck // it says what was wrong
}
