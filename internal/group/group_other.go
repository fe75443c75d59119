//go:build !unix

// Package group ends a program together with all processes that it has started, and keeps the
// end of its output.
package group

import (
	"context"
	"os/exec"
	"strconv"
)

// Prepare does nothing, because Kill finds the processes that a program has started by their
// parent.
func Prepare(*exec.Cmd) {}

// Kill ends a program that was started, and all processes that it has started.
func Kill(command *exec.Cmd) error {
	tree := exec.CommandContext(context.Background(), "taskkill", "/T", "/F", "/PID", strconv.Itoa(command.Process.Pid)) //nolint:gosec // a number
	if tree.Run() == nil {
		return nil
	}
	return command.Process.Kill()
}
