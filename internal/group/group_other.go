//go:build !unix

// Package group ends a program together with all that it has started.
package group

import (
	"context"
	"os/exec"
	"strconv"
)

// Prepare does nothing: what a program has started is found by its parent.
func Prepare(*exec.Cmd) {}

// Kill ends a program and what it has started.
func Kill(command *exec.Cmd) error {
	tree := exec.CommandContext(context.Background(), "taskkill", "/T", "/F", "/PID", strconv.Itoa(command.Process.Pid)) //nolint:gosec // a number
	if tree.Run() == nil {
		return nil
	}
	return command.Process.Kill()
}
