//go:build !linux

package group

import (
	"context"
	"errors"
	"os"
	"os/exec"
)

const hasGuard = false

// dieTogether does nothing, because the system has nothing of that kind.
func dieTogether(*exec.Cmd) {}

// Guard returns an error, because Enclose never starts one here.
func Guard(context.Context, []string, *os.File, *os.File, *os.File) (int, error) {
	return 0, errors.New("no guard on this system")
}

// Adopt does nothing, because the system adopts orphans by its first process only.
func Adopt() error { return nil }

// EndLeft does nothing: a process that has left its group is not found here.
func EndLeft() {}
