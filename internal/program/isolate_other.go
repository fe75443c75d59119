//go:build !linux

package program

import (
	"context"
	"errors"
	"runtime"
)

// isolated returns an error: this system cannot run a program without a network.
func isolated(context.Context, []string, []byte, any) error {
	return errors.New("no namespaces on " + runtime.GOOS)
}

// openLoopback does nothing: there is no network of its own.
func openLoopback() error { return nil }

// EndLeft does nothing: this system does not show the home of a process.
func EndLeft(string) {}
