//go:build !unix

package toolserver

import (
	"context"
	"os/exec"
	"strconv"
)

// inGroup does nothing: what a program has started is found by its parent.
func inGroup(*exec.Cmd) {}

// killGroup ends a program and what it has started.
func killGroup(command *exec.Cmd) error {
	tree := exec.CommandContext(context.Background(), "taskkill", "/T", "/F", "/PID", strconv.Itoa(command.Process.Pid)) //nolint:gosec // a number
	if tree.Run() == nil {
		return nil
	}
	return command.Process.Kill()
}
