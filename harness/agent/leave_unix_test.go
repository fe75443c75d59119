//go:build unix

package client

import (
	"os/exec"
	"syscall"
)

// leave makes a program leave the group of the process that starts it.
func leave(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
