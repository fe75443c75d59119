//go:build !linux

package program

import (
	"context"
	"errors"
	"runtime"
)

// canStart is false: Apart runs the job in this process.
const canStart = false

// isolated returns an error, because this system cannot isolate a process.
func isolated(context.Context, []string, []byte, any) error {
	return errors.New("no namespaces on " + runtime.GOOS)
}

// beside is never called here, and neither is enclose.
func beside(context.Context, []string, []byte, any) error { return errors.ErrUnsupported }

func enclose() error { return nil }
