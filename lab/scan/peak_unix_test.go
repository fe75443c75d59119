//go:build unix

package scan

import (
	"fmt"
	"os"
	"syscall"
)

// peak returns the largest memory of a process.
func peak(state *os.ProcessState) string {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return "memory not known"
	}
	return fmt.Sprintf("%d MB", usage.Maxrss>>10)
}
