//go:build unix

package toolserver

import (
	"os/exec"
	"syscall"
)

// inGroup makes a program the first of a group of processes, in which those are that it
// starts.
func inGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends all processes of the group of a program.
func killGroup(command *exec.Cmd) error {
	return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) //nolint:wrapcheck // it says what was wrong
}
