//go:build unix

package agent

import (
	"os/exec"
	"syscall"
)

// leave makes a program leave the group of the process that starts it.
func leave(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
